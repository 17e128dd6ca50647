//! One test, from its entry in the plan to its outcome.

use super::case::Case;
use super::event::RunEvent;
use super::outcomes::skipped;
use super::prefetch::Loading;
use super::retries::run_with_retries;
use super::shared::Run;
use crate::outcome::Outcome;
use crate::plan::{CaseEntry, Plan};
use crate::redact::Sealed;

/// Runs one test; its outcome contains whatever goes wrong.
pub(super) async fn run_case(
    shared: &Run,
    plan: &Plan,
    entry: &CaseEntry,
    loading: Loading,
) -> Sealed<Outcome> {
    let case = Case { shared, plan, entry, loading, redactor: shared.redactor_of(entry) };
    let id = entry.id().into_owned();
    case.tell(RunEvent::CaseStarted { id: id.clone() }).await;
    let outcome = match &entry.test.skip {
        // The future of an attempt is large: boxed once, it is not moved with every task.
        None => Box::pin(run_with_retries(&case)).await,
        Some(why) => skipped(shared, entry, why.clone()),
    };
    let fails_the_run = outcome.fails_the_run();
    case.tell(RunEvent::CaseEnded { id, fails_the_run }).await;
    case.redactor.seal(outcome)
}
