//! Runs the one test of a plan, and gives its outcome to the caller.

use super::event::RunEvent;
use super::event_channel::EventReceiver;
use super::run::Run;
use super::suite::run;
use crate::plan::Plan;
use ananke_trace::outcome::Outcome;

/// Runs the one test of `plan`, whose events go to `events`; `None` if it did not run. Secrets of the outcome are masked.
pub async fn run_one(shared: Run, plan: Plan, mut events: EventReceiver) -> Option<Outcome> {
    let finished = async {
        let mut outcome = None;
        while let Some(event) = events.recv().await {
            if let RunEvent::CaseFinished(finished) = &*event {
                outcome = Some((**finished).clone());
            }
        }
        outcome
    };
    let (_, outcome) = tokio::join!(run(shared, plan), finished);
    outcome
}
