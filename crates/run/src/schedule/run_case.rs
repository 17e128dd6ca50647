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

/// Runs one test, and returns its outcome, which contains whatever goes wrong. `None` if the test took too long and has ended
/// without this thread: then it has an outcome already.
pub(super) async fn run_case(case: &Case) -> Option<Sealed<Outcome>> {
    case.tell(RunEvent::CaseStarted {
        id: case.entry.id().into_owned(),
        at: case.shared.context.clock.now(),
    });
    let outcome = match &case.entry.test.skip {
        // A future is as large as all that it may contain, and this one is moved with each that waits for it: so it is boxed.
        None => Box::pin(run_attempts_of(case)).await,
        Some(reason) => {
            let skipped = EndCause::Skipped(SkipCause::Wanted, reason.clone());
            not_begun(&case.shared, &case.entry, skipped)
        }
    };
    // Masking can take long, too, so the watchdog watches it as a step. Without a time of its own, it may take what
    // every step may compute. An error means that the test has ended without this thread, which `end` reports as well: so it is
    // checked once, after the masking.
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

/// The outcome of a test that ends without its thread, because that took too long. `preparation` has the commands that clean up;
/// it is `None` if no teardown is needed, or the thread began it.
pub(super) async fn end_without_thread(
    case: &Case,
    overdue: Overdue,
    preparation: Option<Arc<Mutex<Preparation>>>,
) -> Sealed<Outcome> {
    // The conversation is in the memory of the thread, so the outcome has only what was known before it, and the tools that the
    // agent called are lost. After `lose_calls`, no name in a rule is reported as misspelled, since it may be one of them.
    case.shared.tool_names.lose_calls();
    let mut outcome = blank(&case.shared, &case.entry);
    outcome.transcript.started_unix_ms = case.started_unix_ms;
    outcome.transcript.turns_not_run = turn_count(case.entry.test.turns);
    // Without a problem of the test, the run was stopped. `judging` is the time that rules may compute, for the message
    // about rules that took longer.
    outcome.end(match overdue.problem(&case.watchdog.judging) {
        Some(problem) => EndCause::Broken(problem),
        None => aborted(case.shared.stopper.reason()),
    });

    // The teardown needs the variables. If the thread is reading them, it keeps their lock for as long as it computes, which may
    // be for ever: then the teardown is not started, and the test does not pass.
    if let Some(preparation) = preparation {
        // A lock that is poisoned, because the thread panicked, is free as well.
        let is_free = !matches!(preparation.try_lock(), Err(TryLockError::WouldBlock));
        let teardown = if is_free {
            // The thread of the test is not watched any more, so the teardown gets a watchdog of its own.
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

/// Runs a test twice, each time with all its attempts, and returns one outcome with a comparison of both (`--a-a`). If only one
/// of the two passed, it is that one.
async fn run_twice(case: &Case, key: &mut CaseKey, threads: &mut UsedThreads) -> Outcome {
    let first = run_attempts(case, key, threads).await;
    // A run that is stopping begins nothing more.
    if case.shared.stopper.reason().is_some() {
        return first;
    }
    // The key identifies a run of the test and the attempt in it, so the second side gets one of its own.
    *key = CaseKey {
        run: key.run + 1,
        attempt: 1,
        ..key.clone()
    };
    let second = run_attempts(case, key, threads).await;
    // A side that was skipped has no verdict, so there is nothing to compare.
    let verdicts = [first.status(), second.status()];
    if verdicts.contains(&Status::Skipped) {
        return first;
    }

    // The outcome is the second one, unless only the first one passed. The other one counts with what it spent.
    let mut shown = second;
    let mut other = first;
    if other.status() == Status::Passed && shown.status() != Status::Passed {
        std::mem::swap(&mut shown, &mut other);
    }
    let (turns, tokens) = other.spent();
    *shown.helpers = *shown.helpers + *other.helpers;
    let compared = SelfComparison {
        verdicts,
        turns,
        tokens,
    };
    // If both have the same verdict, the report needs only one of them.
    if compared.is_flip() {
        shown.other_runs.push(other.into_earlier());
    }
    shown.self_comparison = Some(Box::new(compared));
    shown
}
