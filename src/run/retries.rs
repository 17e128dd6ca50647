//! Retries a test that does not pass, as often as the options say.
//!
//! **Invariant:** an attempt shares nothing with the one before it but the test's file; the outcome is that of the last
//! attempt that ran, and contains the earlier ones.

use super::event::RunEvent;
use super::prefetch::Loading;
use super::run_attempt::run_attempt;
use super::shared::Run;
use crate::context::CaseKey;
use crate::outcome::{Outcome, Status};
use crate::plan::{CaseEntry, Plan};
use crate::redact::Redactor;

/// Runs attempts at a test until one passes, no retry is left, or the run stops.
pub(super) async fn run_with_retries(
    shared: &Run,
    plan: &Plan,
    entry: &CaseEntry,
    loading: Loading,
    redactor: &Redactor,
) -> Outcome {
    let mut key = CaseKey::first(entry.id());
    let mut outcome = run_attempt(shared, plan, entry, &key, loading.clone(), redactor, None).await;
    for retry in 1..=shared.options.retries {
        if !outcome.status().fails_the_run() || shared.stopper.reason().is_some() {
            break;
        }
        shared.tell(redactor.seal(retrying(&outcome, retry, shared.options.retries))).await;
        key.attempt += 1;
        let mut next =
            run_attempt(shared, plan, entry, &key, loading.clone(), redactor, Some(&outcome)).await;
        // The run was stopped meanwhile: the outcome is that of the attempt before.
        if next.status() == Status::Skipped {
            break;
        }
        next.earlier_attempts = std::mem::take(&mut outcome.earlier_attempts);
        next.earlier_attempts.push(outcome.into_earlier());
        outcome = next;
    }
    outcome
}

fn retrying(failed: &Outcome, retry: u32, of: u32) -> RunEvent {
    let why = failed.headline().map(|(_, message)| message.to_owned()).unwrap_or_default();
    RunEvent::Retrying { id: failed.id.clone(), retry, of, status: failed.status(), why }
}
