//! Decides which test runs next, and reports outcomes in the order of the plan.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::case::Case;
use super::options::{AfterFailure, Options};
use super::outcomes::{lost, not_run};
use super::prefetch::Prefetch;
use super::run::Run;
use super::spool::Spool;
use super::stopper::Reason;
use crate::plan::Plan;
use ananke_trace::outcome::{Outcome, Totals};
use ananke_trace::redact::Sealed;

/// The result of all tests.
#[derive(Default)]
pub(super) struct All {
    pub(super) totals: Totals,
    /// Whether some tests did not run because a server had ended.
    pub(super) lost_server: bool,
}

/// What the threads share that run the tests.
pub(super) struct Schedule {
    pub(super) shared: Arc<Run>,
    plan: Arc<Plan>,
    prefetch: Mutex<Prefetch>,
    reporting: Mutex<Reporting>,
    /// An outcome waits until the reports have room for it.
    delayed: Notify,
}

/// How far the outcomes are reported.
#[derive(Default)]
struct Reporting {
    /// How many are reported.
    reported: usize,
    /// Those of tests after the next one.
    finished: Spool,
    /// Whether the reports have reserved room for the next one.
    has_room: bool,
    all: All,
}

impl Schedule {
    pub(super) fn new(shared: Arc<Run>, plan: Plan) -> Self {
        let plan = Arc::new(plan);
        let prefetch = Prefetch::new(shared.context.clone(), Arc::clone(&plan));
        Self {
            shared,
            plan,
            prefetch: Mutex::new(prefetch),
            reporting: Mutex::default(),
            delayed: Notify::new(),
        }
    }

    /// How many tests run at once.
    pub(super) fn parallel(&self) -> usize {
        self.shared
            .options
            .parallel
            .clamp(1, self.plan.cases.len().max(1))
    }

    /// The test to run next, with its index in the plan; `None` if there is none, or the run stops.
    pub(super) fn next(&self) -> Option<(usize, Case)> {
        if self.shared.stopper.reason().is_some() {
            return None;
        }
        let mut prefetch = self.prefetch.lock().unwrap_or_else(PoisonError::into_inner);
        let index = prefetch.started();
        let (entry, loading) = prefetch.start()?;
        prefetch.load_ahead(self.parallel());
        drop(prefetch);
        Some((
            index,
            Case::new(
                Arc::clone(&self.shared),
                Arc::clone(&self.plan),
                entry,
                loading,
            ),
        ))
    }

    /// Takes the outcome of a test, and reports it if it is next. No test waits for reports that have no room.
    pub(super) fn finish(&self, index: usize, outcome: Sealed<Outcome>) {
        let Options {
            after_failure,
            flaky_fails,
            ..
        } = self.shared.options;
        let is_flaky = outcome.is_flaky() && outcome.test.quarantine.is_none();
        let is_failure = outcome.fails_the_run() || (flaky_fails && is_flaky);
        if is_failure && after_failure == AfterFailure::Stop {
            self.shared.stopper.stop(Reason::FailFast);
        }
        let mut reporting = self.reporting();
        reporting.finished.put(index, outcome);
        self.report(&mut reporting);
    }

    fn reporting(&self) -> MutexGuard<'_, Reporting> {
        self.reporting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports the outcomes that are next, as long as there is room.
    fn report(&self, reporting: &mut Reporting) {
        while reporting.finished.contains(reporting.reported) {
            reporting.has_room = reporting.has_room || self.shared.events.reserve_room();
            if !reporting.has_room {
                self.delayed.notify_one();
                return;
            }
            self.report_next(reporting);
        }
    }

    /// Reports outcomes that had no room as soon as they have, for as long as it is not dropped.
    pub(super) async fn report_delayed(&self) {
        loop {
            self.delayed.notified().await;
            self.shared.events.room().await;
            let mut reporting = self.reporting();
            reporting.has_room = true;
            self.report(&mut reporting);
        }
    }

    /// Reports all others: those that wait for room, and tests that have not run.
    pub(super) async fn report_rest(&self) -> All {
        while self.reporting().reported < self.plan.cases.len() {
            let has_room = self.reporting().has_room;
            if !has_room {
                tokio::select! {
                    biased;
                    () = self.shared.events.room() => {}
                    () = self.shared.stopper.interrupted() => {}
                }
            }
            self.report_next(&mut self.reporting());
        }
        std::mem::take(&mut self.reporting().all)
    }

    /// Reports the outcome that is next.
    fn report_next(&self, reporting: &mut Reporting) {
        let entry = &self.plan.cases[reporting.reported];
        let outcome = match reporting
            .finished
            .take(reporting.reported, &self.shared.redactor)
        {
            Ok(Some(outcome)) => outcome,
            Ok(None) => {
                let reason = self.shared.stopper.reason();
                reporting.all.lost_server |=
                    reason == Some(Reason::ServerEnded) && entry.test.skip.is_none();
                not_run(&self.shared, entry, reason)
            }
            Err(error) => lost(&self.shared, entry, &error),
        };
        reporting.all.totals.add(&outcome);
        (reporting.reported, reporting.has_room) = (reporting.reported + 1, false);
        self.shared.tell(outcome.convert());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::fakes::FakeProject;

    #[tokio::test]
    async fn outcomes_are_reported_in_the_order_of_the_plan() {
        let words = vec!["good"; 40];
        let shown = FakeProject::saying(
            &words,
            Options {
                parallel: 7,
                ..Options::default()
            },
        )
        .events()
        .await;
        let finished: Vec<&String> = shown
            .iter()
            .filter(|event| event.ends_with(": passed"))
            .collect();
        let expected: Vec<String> = (0..40).map(|index| format!("t{index}: passed")).collect();
        assert_eq!(finished, expected.iter().collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn one_at_a_time_each_starts_when_the_one_before_it_is_reported() {
        let shown = FakeProject::saying(&["good", "bad"], Options::default())
            .events()
            .await;
        let expected = [
            "t0 starts",
            "t0 ends",
            "t0: passed",
            "t1 starts",
            "t1 ends",
            "t1: failed",
        ];
        assert_eq!(shown, expected);
    }

    #[tokio::test]
    async fn nothing_starts_after_the_first_failure_if_it_stops_the_run() {
        let options = Options {
            after_failure: AfterFailure::Stop,
            ..Options::default()
        };
        let shown = FakeProject::saying(&["good", "bad", "good"], options)
            .events()
            .await;
        assert_eq!(
            shown[3..],
            [
                "t1 starts",
                "t1 ends",
                "t1: failed",
                "t2: not run: a test before it did not pass"
            ]
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
