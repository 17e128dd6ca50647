//! Decides which test runs when, and reports outcomes in the order of the plan.

use std::sync::Arc;

use tokio::task::{JoinError, JoinSet};

use super::options::{AfterFailure, Options};
use super::outcomes::{lost, not_run};
use super::prefetch::Prefetch;
use super::run::Run;
use super::run_case::run_case;
use super::spool::Spool;
use super::stopper::Reason;
use crate::outcome::{Outcome, Totals};
use crate::plan::{CaseEntry, Plan};
use crate::redact::Sealed;

/// The result of all tests.
pub(super) struct All {
    pub(super) totals: Totals,
    /// Whether some tests did not run because a server had ended.
    pub(super) lost_server: bool,
}

/// Runs every test, as many at once as the options say.
pub(super) async fn run_all(shared: &Arc<Run>, plan: Plan) -> All {
    let plan = Arc::new(plan);
    let mut schedule = Schedule {
        shared,
        plan: Arc::clone(&plan),
        prefetch: Prefetch::new(shared.context.clone(), Arc::clone(&plan)),
        running: JoinSet::new(),
        finished: Spool::default(),
        lost_server: false,
    };
    let mut totals = Totals::default();
    for (next, entry) in plan.cases.iter().enumerate() {
        let outcome = schedule.outcome(next, entry).await;
        totals.add(&outcome);
        schedule.room().await;
        shared.tell(outcome.convert());
    }
    All { totals, lost_server: schedule.lost_server }
}

struct Schedule<'a> {
    shared: &'a Arc<Run>,
    plan: Arc<Plan>,
    prefetch: Prefetch,
    running: JoinSet<(usize, Sealed<Outcome>)>,
    /// Finished tests whose outcomes wait until those before them are reported.
    finished: Spool,
    lost_server: bool,
}

impl Schedule<'_> {
    /// The outcome of the test with index `next`, which is reported now.
    async fn outcome(&mut self, next: usize, entry: &CaseEntry) -> Sealed<Outcome> {
        loop {
            self.start();
            match self.finished.take(next, &self.shared.redactor) {
                Ok(None) => {}
                Ok(Some(outcome)) => return outcome,
                Err(error) => return lost(self.shared, entry, &error),
            }
            let Some(ended) = self.running.join_next().await else {
                // Nothing runs and nothing was started: the run stops here.
                let reason = self.shared.stopper.reason();
                self.lost_server |= reason == Some(Reason::ServerEnded) && entry.test.skip.is_none();
                return not_run(self.shared, entry, reason);
            };
            self.take(ended);
        }
    }

    /// Starts as many tests as may run now, and loads as many of those after them.
    fn start(&mut self) {
        if self.shared.stopper.reason().is_some() {
            return;
        }
        let parallel = self.shared.options.parallel.max(1);
        while self.running.len() < parallel {
            let index = self.prefetch.started();
            let Some((entry, loading)) = self.prefetch.start() else { return };
            let (shared, plan) = (Arc::clone(self.shared), Arc::clone(&self.plan));
            self.running.spawn(async move { (index, run_case(shared, plan, entry, loading).await) });
        }
        self.prefetch.load_ahead(parallel);
    }

    /// Waits until the reports have room for the next outcome, or the run is interrupted. Tests go on meanwhile.
    async fn room(&mut self) {
        loop {
            tokio::select! {
                biased;
                () = self.shared.events.room() => return,
                () = self.shared.stopper.interrupted() => return,
                Some(ended) = self.running.join_next() => self.take(ended),
            }
            self.start();
        }
    }

    fn take(&mut self, ended: Result<(usize, Sealed<Outcome>), JoinError>) {
        match ended {
            Ok((index, outcome)) => self.finish(index, outcome),
            Err(broken) if broken.is_panic() => std::panic::resume_unwind(broken.into_panic()),
            Err(_) => {}
        }
    }

    fn finish(&mut self, index: usize, outcome: Sealed<Outcome>) {
        let Options { after_failure, flaky_fails, .. } = self.shared.options;
        let is_flaky = outcome.is_flaky() && outcome.test.quarantine.is_none();
        let is_failure = outcome.fails_the_run() || (flaky_fails && is_flaky);
        if is_failure && after_failure == AfterFailure::Stop {
            self.shared.stopper.stop(Reason::FailFast);
        }
        self.finished.put(index, outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::fakes::FakeProject;

    #[tokio::test]
    async fn outcomes_are_reported_in_the_order_of_the_plan() {
        let words = vec!["good"; 40];
        let shown = FakeProject::saying(&words, Options { parallel: 7, ..Options::default() }).events().await;
        let finished: Vec<&String> = shown.iter().filter(|event| event.ends_with(": passed")).collect();
        let expected: Vec<String> = (0..40).map(|index| format!("t{index}: passed")).collect();
        assert_eq!(finished, expected.iter().collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn one_at_a_time_each_starts_when_the_one_before_it_is_reported() {
        let shown = FakeProject::saying(&["good", "bad"], Options::default()).events().await;
        let expected = ["t0 starts", "t0 ends", "t0: passed", "t1 starts", "t1 ends", "t1: failed"];
        assert_eq!(shown, expected);
    }

    #[tokio::test]
    async fn nothing_starts_after_the_first_failure_if_it_stops_the_run() {
        let options = Options { after_failure: AfterFailure::Stop, ..Options::default() };
        let shown = FakeProject::saying(&["good", "bad", "good"], options).events().await;
        assert_eq!(
            shown[3..],
            ["t1 starts", "t1 ends", "t1: failed", "t2: not run: a test before it did not pass"]
        );
    }

    #[tokio::test]
    async fn a_skipped_test_is_reported_with_its_reason() {
        let tests = "  - { name: t0, skip: later, turns: [{ user: bad }] }\n";
        assert_eq!(
            FakeProject::of(tests, Options::default()).events().await,
            ["t0 starts", "t0 ends", "t0: later"]
        );
    }
}
