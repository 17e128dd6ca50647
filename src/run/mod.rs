//! The spine: from a plan to verdicts.
//!
//! [`run`] carries out the cases of a plan in order and tells what happens as [`RunEvent`]s; it prints nothing and
//! writes nothing. One case is in `case`, its hooks in `hooks`, one turn in `turn`, what a turn hears in `capture`.

mod capture;
mod case;
mod event;
mod hooks;
mod summary;
mod turn;

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::outcome::Totals;
use crate::plan::Plan;
use crate::redact::Redactor;
use crate::target::Transport;

pub use event::RunEvent;

/// What every case of a run shares.
pub struct Run<'a> {
    /// The outside world.
    pub context: &'a Context,
    /// The way to agents on the network.
    pub transport: Arc<dyn Transport>,
    /// Learns the secrets of a case before anything is told of it.
    pub redactor: Redactor,
    /// Stops the run.
    pub cancel: CancellationToken,
}

/// Runs every case of the plan and tells what happens to `events`; once cancelled, no further case begins. A telling side that has gone away stops nothing.
pub async fn run(shared: &Run<'_>, plan: &Plan, events: mpsc::Sender<RunEvent>) -> Totals {
    let clock = &shared.context.clock;
    let started = clock.now();
    let mut totals = Totals::default();
    tell(&events, RunEvent::RunStarted { tests: plan.cases.len(), unix_ms: clock.unix_ms(started) }).await;
    for entry in &plan.cases {
        if shared.cancel.is_cancelled() {
            break;
        }
        tell(&events, RunEvent::CaseStarted { id: entry.id.clone() }).await;
        let outcome = case::run_case(shared, plan, entry).await;
        totals.add(outcome.status, outcome.duration_us);
        tell(&events, RunEvent::CaseFinished(Box::new(outcome))).await;
    }
    let elapsed_us = clock.now().0.saturating_sub(started.0);
    tell(&events, RunEvent::RunFinished { totals, elapsed_us }).await;
    totals
}

async fn tell(events: &mpsc::Sender<RunEvent>, event: RunEvent) {
    // Nobody listening is no reason to stop: the verdict counts, not the telling.
    let _ = events.send(event).await;
}
