//! Runs a test twice under the same conditions, so that a suite can be compared with itself.

use super::case::Case;
use super::run_attempts::run_attempts;
use super::used_threads::UsedThreads;
use ananke_base::context::CaseKey;
use ananke_trace::outcome::{Outcome, SelfComparison, Status};

/// Runs all attempts at a test, and once more. A test that passes only once has not failed for that: its outcome is that of the side that
/// passed.
pub(super) async fn run_twice(
    case: &Case,
    key: &mut CaseKey,
    threads: &mut UsedThreads,
) -> Outcome {
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
    let verdicts = [first.status(), second.status()];
    if verdicts.contains(&Status::Skipped) {
        return first;
    }
    let is_first_shown = verdicts[0] == Status::Passed && verdicts[1] != Status::Passed;
    let (mut shown, other) = if is_first_shown {
        (first, second)
    } else {
        (second, first)
    };
    let (turns, tokens) = other.spent();
    let compared = SelfComparison {
        verdicts,
        turns,
        tokens,
    };
    if compared.is_flip() {
        shown.other_runs.push(other.into_earlier());
    }
    shown.self_comparison = Some(Box::new(compared));
    shown
}
