//! The spine: from a plan to a verdict.

use std::sync::Arc;

use super::event::RunEvent;
use super::schedule::{All, run_all};
use super::shared::Run;
use super::snapshots;
use super::stop::Reason;
use crate::outcome::Verdict;
use crate::plan::Plan;

/// Runs every case of the plan.
pub async fn run(shared: Run, mut plan: Plan) -> Verdict {
    let clock = Arc::clone(&shared.context.clock);
    let started = clock.now();
    shared.tell_all(RunEvent::RunStarted { tests: plan.cases.len(), unix_ms: clock.unix_ms(started) }).await;
    let shared = Arc::new(shared);
    let expired = plan.expired.clone();
    let obsolete = std::mem::take(&mut plan.obsolete);
    let All { totals, lost_server } = tokio::select! {
        biased;
        () = shared.watch_servers() => unreachable!("it watches to the end"),
        all = run_all(&shared, plan) => all,
    };
    snapshots::clear(&shared, obsolete).await;
    let elapsed_us = clock.now().0.saturating_sub(started.0);
    let verdict = Verdict { totals, flaky_fails: shared.options.flaky_fails, lost_server, expired };
    let interrupted = shared.stopper.reason() == Some(Reason::Interrupted);
    shared.tell_all(RunEvent::RunFinished { verdict: verdict.clone(), elapsed_us, interrupted }).await;
    verdict
}
