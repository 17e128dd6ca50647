//! One test, from its entry in the plan to its outcome: its thread carries it out, and it ends without its thread if that
//! takes too long.

use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::case::Case;
use super::event::RunEvent;
use super::outcomes::{blank, end_with, mark_aborted, skipped};
use super::prefetch::Loading;
use super::retries::run_with_retries;
use super::run::Run;
use super::teardown::{Teardown, run_teardown};
use super::turn_count::turn_count;
use super::watchdog::{Overdue, TestStep, Watchdog};
use crate::outcome::{ErrorKind, Outcome, Problem};
use crate::plan::{CaseEntry, Plan, Preparation};
use crate::redact::Sealed;

/// Runs one test; its outcome contains whatever goes wrong.
pub(super) async fn run_case(
    shared: Arc<Run>,
    plan: Arc<Plan>,
    entry: CaseEntry,
    loading: Loading,
) -> Sealed<Outcome> {
    let redactor = shared.redactor_of(&entry);
    let case = Arc::new(Case {
        shared,
        plan,
        entry,
        loading,
        redactor,
        warnings: Mutex::default(),
        watchdog: Arc::default(),
    });
    let id = case.entry.id().into_owned();
    case.shared.tell(case.redactor.seal(RunEvent::CaseStarted { id: id.clone() }));
    let outcome = match &case.entry.test.skip {
        None => watched(&case).await,
        Some(why) => case.redactor.seal(skipped(&case.shared, &case.entry, why.clone())),
    };
    let (status, fails_the_run) = (outcome.status(), outcome.fails_the_run());
    let duration_us = outcome.transcript.duration_us;
    let ended = RunEvent::CaseEnded { id, status, duration_us, fails_the_run };
    case.shared.tell(case.redactor.seal(ended));
    outcome
}

/// Has a thread carry out the test, and ends the test without it if that takes too long.
async fn watched(case: &Arc<Case>) -> Sealed<Outcome> {
    let blank = blank(&case.shared, &case.entry);
    let (runtime, threads_case) = (Handle::current(), Arc::clone(case));
    let thread = spawn_blocking(move || {
        let case = threads_case;
        let outcome = runtime.block_on(run_with_retries(&case));
        let _is_left = case.watchdog.begin(TestStep::Evaluate, Duration::ZERO);
        case.redactor.seal(outcome)
    });
    tokio::select! {
        biased;
        outcome = thread => match outcome {
            Ok(outcome) => outcome,
            Err(broken) => std::panic::resume_unwind(broken.into_panic()),
        },
        (overdue, preparation) = case.watchdog.overdue(case.shared.stopper.token()) => {
            left_behind(case, blank, overdue, preparation).await
        }
    }
}

/// The outcome of a test, blank so far, that ended without its thread; `preparation` cleans up after it.
async fn left_behind(
    case: &Case,
    mut outcome: Outcome,
    overdue: Overdue,
    preparation: Option<Arc<Mutex<Preparation>>>,
) -> Sealed<Outcome> {
    outcome.transcript.turns_not_run = turn_count(case.entry.test.turns);
    match overdue.problem() {
        Some(problem) => end_with(&mut outcome, problem),
        None => mark_aborted(&mut outcome, case.shared.stopper.reason()),
    }
    if let Some(preparation) = preparation {
        let is_free = !matches!(preparation.try_lock(), Err(TryLockError::WouldBlock));
        let teardown = if is_free {
            run_teardown(case, &Watchdog::default(), &preparation).await
        } else {
            let message = "teardown: its variables are still being read".to_owned();
            Teardown::not_started(Problem { kind: ErrorKind::Hook, message, help: None })
        };
        teardown.report(&mut outcome);
    }
    let clock = &case.shared.context.clock;
    outcome.transcript.ended_unix_ms = clock.unix_ms(clock.now());
    case.redactor.seal(outcome)
}
