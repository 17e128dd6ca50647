//! Retries a test that does not pass, as often as the options say.
//!
//! **Invariant:** an attempt shares nothing with the one before it but the test's file; the outcome is that of the last
//! attempt that ran, and contains the earlier ones.

use super::case::Case;
use super::event::RunEvent;
use super::run_attempt::run_attempt;
use crate::context::CaseKey;
use crate::outcome::{Outcome, Status};

/// Runs attempts at a test until one passes, no retry is left, or the run stops.
pub(super) async fn run_with_retries(case: &Case) -> Outcome {
    let mut key = CaseKey::first(case.entry.id());
    let retries = case.shared.options.retries;
    let mut outcome = run_attempt(case, &key, None).await;
    for retry in 1..=retries {
        if !outcome.status().fails_the_run() || case.shared.stopper.reason().is_some() {
            break;
        }
        case.tell(retrying(&outcome, retry, retries));
        key.attempt += 1;
        let mut next = run_attempt(case, &key, Some(&outcome)).await;
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
    RunEvent::Retrying { id: failed.test.id.clone(), retry, of, status: failed.status(), why }
}

#[cfg(test)]
mod tests {
    use crate::run::fakes::FakeProject;
    use crate::run::options::Options;

    #[tokio::test]
    async fn only_a_test_that_does_not_pass_is_retried() {
        let options = Options { retries: 2, ..Options::default() };
        let shown = FakeProject::saying(&["good", "bad"], options).events().await;
        let retries = ["t1 starts", "t1 again 1/2", "t1 again 2/2", "t1 ends", "t1: failed"];
        assert_eq!(shown, [&["t0 starts", "t0 ends", "t0: passed"][..], &retries].concat());
    }

    #[tokio::test]
    async fn nothing_is_retried_in_a_run_that_stops() {
        let options = Options { retries: 2, ..Options::default() };
        let project = FakeProject::saying(&["bad"], options);
        project.run.stopper.wind_down(crate::run::Reason::ServerEnded);
        assert_eq!(project.events().await, ["t0: not run: a server of the config ended"]);
    }
}
