//! The parts of an attempt that follow each of its conversations, and the pace of its requests.

use std::sync::Arc;

use super::attempt::Attempt;
use crate::context::{ActivityLog, AttemptPurpose, ContactObserver, RequestPace};
use crate::follow::ExchangeLog;
use ananke_agents::{Pacer, TargetPace};
use ananke_base::message::Lane;
use ananke_conversation::Observer;
use ananke_trace::trace::AgentTime;

impl Attempt<'_> {
    /// The observers of one conversation of this attempt. `lane` is the partner: the tested agent, or a helper such as a
    /// simulator or a judge.
    pub(crate) fn observers(&self, lane: &Lane) -> Vec<Box<dyn Observer + '_>> {
        let shared = &self.case.shared;
        let is_of_agent = *lane == Lane::Agent;
        let mut observers: Vec<Box<dyn Observer + '_>> = Vec::new();
        // Conversations with helpers are recorded, too, since a replay asks no helper.
        if let Some(recorder) = self.environment.recorder() {
            observers.push(Box::new(recorder.clone()));
        }
        if is_of_agent {
            // Reports show the raw events of the agent alone.
            if let Some(raw) = &self.raw {
                observers.push(Box::new(raw.clone()));
            }
            // An agent outside of this program can fail to answer. If it does so from the beginning, the run gives it up.
            if self.is_sent() {
                observers.push(Box::new(ContactObserver {
                    contact: &self.contact,
                    answers: &shared.answered,
                    target: &self.case.entry.test.target,
                }));
            }
            // The live area shows a test while it runs, but not the replay that verifies its recording.
            let is_shown = self.purpose == AttemptPurpose::Report;
            if is_shown && shared.options.activity {
                observers.push(Box::new(ActivityLog::new(self.case)));
            }
        }
        // `--debug` prints exchanges. Those of a verification were printed when they were recorded.
        let is_new = self.purpose != AttemptPurpose::Verify;
        if is_new && shared.options.exchanges {
            let started = self.environment.started();
            observers.push(Box::new(ExchangeLog::new(self.case, started, lane.clone())));
        }
        // A program that holds the conversation with the agent may follow it. Helpers are asked without the program.
        if is_of_agent && let Some(driver) = shared.conversations.driver() {
            observers.extend(driver.observer());
        }
        observers
    }

    /// Lets requests through as `own` and the limits of their agent allow; `None` if they go nowhere.
    pub(crate) fn pacer(&self, own: &RequestPace, agent: &TargetPace) -> Option<Arc<dyn Pacer>> {
        if !self.environment.is_live() {
            return None;
        }
        let limits = &self.case.shared.target_limits;
        let rate = agent.rate.map(|rate| limits.rate(rate));
        Some(Arc::new(own.with_limit(rate)))
    }

    /// The agent itself is asked, and is not a part of this program.
    pub(crate) fn is_sent(&self) -> bool {
        let is_own = self.outcome.transcript.time == AgentTime::Virtual;
        let is_observed = self.case.shared.conversations.observed().is_some();
        self.environment.is_live() && !is_observed && !is_own
    }
}
