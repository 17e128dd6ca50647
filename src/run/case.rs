//! One test, from its entry in the plan to its outcome.

use crate::outcome::Outcome;
use crate::plan::{CaseEntry, Plan};
use crate::redact::Sealed;

use super::event::RunEvent;
use super::outcomes::skipped;
use super::prefetch::Loading;
use super::retries::run_with_retries;
use super::shared::Run;

/// Runs one test; its outcome contains whatever goes wrong.
pub(super) async fn run_case(
    shared: &Run,
    plan: &Plan,
    entry: &CaseEntry,
    loading: Loading,
) -> Sealed<Outcome> {
    let redactor = shared.redactor_of(entry);
    let id = entry.id().into_owned();
    shared.tell(redactor.seal(RunEvent::CaseStarted { id: id.clone() })).await;
    let outcome = match &entry.test.skip {
        // The future of an attempt is large: boxed once, it is not moved with every task.
        None => Box::pin(run_with_retries(shared, plan, entry, loading, &redactor)).await,
        Some(why) => skipped(shared, entry, why.clone()),
    };
    let fails_the_run = outcome.fails_the_run();
    shared.tell(redactor.seal(RunEvent::CaseEnded { id, fails_the_run })).await;
    redactor.seal(outcome)
}
