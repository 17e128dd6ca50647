//! The parts of an attempt that follow each of its conversations, and the pace of its requests.

use std::sync::Arc;

use super::attempt::Attempt;
use crate::context::ActivityLog;
use crate::context::AttemptPurpose;
use crate::context::ContactObserver;
use crate::context::RequestPace;
use crate::context::{ActivityReports, ExchangeReports};
use crate::follow::ExchangeLog;
use ananke_agents::{Pacer, TargetPace};
use ananke_base::message::Lane;
use ananke_conversation::Observer;
use ananke_trace::trace::AgentTime;

impl Attempt<'_> {
    /// Those that follow a conversation of `lane`: the recording, and what `--debug` prints.
    pub(crate) fn observers(&self, lane: &Lane) -> Vec<Box<dyn Observer + '_>> {
        let recorder = self.environment.recorder().cloned();
        let exchanges = self.case.shared.options.exchanges;
        let is_logged = exchanges == ExchangeReports::On && self.purpose != AttemptPurpose::Verify;
        let log = is_logged
            .then(|| ExchangeLog::new(self.case, self.environment.started(), lane.clone()));
        let recorder = recorder.map(|recorder| Box::new(recorder) as Box<dyn Observer>);
        let conversations = &self.case.shared.conversations;
        let of_driver = conversations.driver().filter(|_| *lane == Lane::Agent);
        let contact = (*lane == Lane::Agent && self.is_sent()).then(|| {
            Box::new(ContactObserver {
                contact: &self.contact,
                answers: &self.case.shared.answered,
                target: &self.case.entry.test.target,
            }) as Box<dyn Observer>
        });
        let is_followed = self.case.shared.options.activity == ActivityReports::On
            && self.purpose == AttemptPurpose::Report
            && *lane == Lane::Agent;
        let activity =
            is_followed.then(|| Box::new(ActivityLog::new(self.case)) as Box<dyn Observer>);
        let raw = self.raw.clone().filter(|_| *lane == Lane::Agent);
        recorder
            .into_iter()
            .chain(raw.map(|raw| Box::new(raw) as Box<dyn Observer>))
            .chain(contact)
            .chain(activity)
            .chain(log.map(|log| Box::new(log) as Box<dyn Observer>))
            .chain(of_driver.and_then(|driver| driver.observer()))
            .collect()
    }

    /// Lets requests through as `own` and the limits of their agent allow; `None` if they go nowhere.
    pub(crate) fn pacer(&self, own: &RequestPace, agent: &TargetPace) -> Option<Arc<dyn Pacer>> {
        let limits = &self.case.shared.target_limits;
        let rate = agent.rate.map(|rate| limits.rate(rate));
        self.environment
            .is_live()
            .then(|| Arc::new(own.with_limit(rate)) as Arc<dyn Pacer>)
    }

    /// Whether the agent itself is asked, and is not a part of this program.
    pub(crate) fn is_sent(&self) -> bool {
        let is_own = self.outcome.transcript.time == AgentTime::Virtual;
        let is_observed = self.case.shared.conversations.observed().is_some();
        self.environment.is_live() && !is_observed && !is_own
    }
}
