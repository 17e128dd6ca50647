//! A test that does not pass is tried again, as often as the options say.
//!
//! **Invariant:** an attempt shares nothing with the one before it but the test's file; what comes out tells of the
//! last attempt that was carried out, with those before it.

use super::attempt::attempt;
use super::upcoming::Loading;
use super::{Run, RunEvent};
use crate::context::CaseKey;
use crate::outcome::{ErrorKind, Outcome, Problem, Status};
use crate::plan::{CaseEntry, Plan};
use crate::redact::Redactor;

/// Tries a test until it passes, the retries are used up, or the run is being stopped.
pub(super) async fn attempts(
    shared: &Run,
    plan: &Plan,
    entry: &CaseEntry,
    loading: Loading,
    redactor: &Redactor,
) -> Outcome {
    let mut key = CaseKey::first(entry.id());
    let mut outcome = attempt(shared, plan, entry, &key, loading.clone(), redactor, None).await;
    for retry in 1..=shared.options.retries {
        if !outcome.status().fails_the_run() || shared.stopper.reason().is_some() {
            break;
        }
        shared.tell(redactor.seal(retrying(&outcome, retry, shared.options.retries))).await;
        key.attempt += 1;
        let mut next = attempt(shared, plan, entry, &key, loading.clone(), redactor, Some(&outcome)).await;
        // The run was stopped meanwhile: what is known of the test is what the attempt before found.
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

/// Why an attempt on `thread` is none: the agent may remember an earlier attempt (SPEC 10). What can be known of it
/// when the test is loaded is said there.
pub(super) fn known_thread(shared: &Run, before: Option<&Outcome>, thread: &str) -> Option<Problem> {
    let before = before.filter(|_| !shared.options.retry_dirty)?;
    let mut attempts = before.earlier_attempts.iter().chain([before]);
    attempts.any(|attempt| attempt.thread_id == thread).then(|| Problem {
        kind: ErrorKind::Setup,
        message: format!("the thread `{thread}` is that of an earlier attempt"),
        help: Some(
            "have the hook make a new `THREAD_ID` each time, or allow it with `--retry-dirty`".to_owned(),
        ),
    })
}
