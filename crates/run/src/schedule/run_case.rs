//! One test, from its entry in the plan to its outcome: its thread carries it out, and it ends without its thread if that
//! takes too long.

use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

use crate::attempt::{Teardown, run_teardown};
use crate::context::{
    Case, Overdue, TestStep, UsedThreads, Watchdog, aborted, blank, complete, not_begun, turn_count,
};
use crate::converse::run_attempts;
use ananke_base::context::CaseKey;
use ananke_plan::Preparation;
use ananke_trace::outcome::{
    EndCause, ErrorKind, Outcome, Problem, RunEvent, SelfComparison, SkipCause, Status,
};
use ananke_trace::redact::Sealed;

/// Runs one test; its outcome contains whatever goes wrong. `None` if the test has ended without this thread.
pub(super) async fn run_case(case: &Case) -> Option<Sealed<Outcome>> {
    case.tell(RunEvent::CaseStarted {
        id: case.entry.id().into_owned(),
        at: case.shared.context.clock.now(),
    });
    let outcome = match &case.entry.test.skip {
        None => Box::pin(run_attempts_of(case)).await,
        Some(why) => {
            let skipped = EndCause::Skipped(SkipCause::Wanted, why.clone());
            not_begun(&case.shared, &case.entry, skipped)
        }
    };
    // Masking can take long, too, and is watched like a rule. A thread that was left behind notices it only after that.
    let _is_left = case.watchdog.begin(TestStep::Evaluate, Duration::ZERO);
    let outcome = complete(&case.shared, &case.redactor, outcome);
    case.watchdog.end().ok()?;
    Some(outcome)
}

/// Runs every attempt at a test that is needed.
async fn run_attempts_of(case: &Case) -> Outcome {
    let mut key = CaseKey::first(case.entry.id());
    let mut threads = UsedThreads::default();
    if case.shared.options.settings.self_comparison {
        Box::pin(run_twice(case, &mut key, &mut threads)).await
    } else {
        run_attempts(case, &mut key, &mut threads).await
    }
}

/// Ends a test without its thread; `preparation` cleans up after it.
pub(super) async fn end_without_thread(
    case: &Case,
    overdue: Overdue,
    preparation: Option<Arc<Mutex<Preparation>>>,
) -> Sealed<Outcome> {
    // The thread keeps what it knows of the conversation, so the outcome has only what was known before.
    case.shared.tool_names.lose_calls();
    let mut outcome = blank(&case.shared, &case.entry);
    outcome.transcript.started_unix_ms = case.started_unix_ms;
    outcome.transcript.turns_not_run = turn_count(case.entry.test.turns);
    outcome.end(match overdue.problem(&case.watchdog.judging) {
        Some(problem) => EndCause::Broken(problem),
        None => aborted(case.shared.stopper.reason()),
    });

    // The thread may be reading the variables, and then keeps their lock for as long as it likes.
    if let Some(preparation) = preparation {
        let is_free = !matches!(preparation.try_lock(), Err(TryLockError::WouldBlock));
        let teardown = if is_free {
            run_teardown(case, &Watchdog::default(), &preparation).await
        } else {
            let message = "teardown: its variables are still being read".to_owned();
            Teardown::not_started(Problem::new(ErrorKind::Hook, message))
        };
        teardown.report(&mut outcome);
    }
    let clock = &case.shared.context.clock;
    outcome.transcript.ended_unix_ms = clock.unix_ms(clock.now());
    complete(&case.shared, &case.redactor, outcome)
}

/// Runs all attempts at a test, and once more. A test that passes only once has not failed for that: its outcome is that of the
/// side that passed.
async fn run_twice(case: &Case, key: &mut CaseKey, threads: &mut UsedThreads) -> Outcome {
    let first = run_attempts(case, key, threads).await;
    if case.shared.stopper.reason().is_some() {
        return first;
    }
    *key = CaseKey {
        run: key.run + 1,
        attempt: 1,
        ..key.clone()
    };
    let second = run_attempts(case, key, threads).await;
    // A side without a verdict compares with nothing.
    let verdicts = [first.status(), second.status()];
    if verdicts.contains(&Status::Skipped) {
        return first;
    }

    let mut shown = second;
    let mut other = first;
    if other.status() == Status::Passed && shown.status() != Status::Passed {
        std::mem::swap(&mut shown, &mut other);
    }
    let (turns, tokens) = other.spent();
    let compared = SelfComparison {
        verdicts,
        turns,
        tokens,
    };
    // Two sides with one verdict need only one of them in the report.
    if compared.is_flip() {
        shown.other_runs.push(other.into_earlier());
    }
    shown.self_comparison = Some(Box::new(compared));
    shown
}
