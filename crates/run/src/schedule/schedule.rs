//! Decides which test runs next, and reports outcomes in the order of the plan.

use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;

use super::spool::Spool;
use crate::context::{Case, Prefetch, Reason, Run, lost, not_run};
use ananke_base::context::lock;
use ananke_model::settings::FlakyVerdict;
use ananke_plan::{CaseEntry, Plan};
use ananke_trace::outcome::{CountedStatus, Lost, Outcome, RunEvent, Totals};
use ananke_trace::redact::Sealed;

/// The result of all tests.
#[derive(Default)]
pub(super) struct All {
    pub(super) totals: Totals,
    /// The resource that some tests could not run without.
    pub(super) lost: Option<Lost>,
}

/// The state that the threads share that run the tests.
pub(super) struct Schedule {
    pub(super) shared: Arc<Run>,
    plan: Arc<Plan>,
    prefetch: Mutex<Prefetch>,
    reporting: Mutex<Reporting>,
    /// An outcome waits until the reports have room for it.
    delayed: Notify,
}

/// The progress of reporting the outcomes.
#[derive(Default)]
struct Reporting {
    /// The number of outcomes that are reported.
    reported: usize,
    /// The outcomes of tests after the next one.
    finished: Spool,
    /// The reports have reserved room for the next one.
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

    /// The number of tests that run at once.
    pub(super) fn parallel(&self) -> usize {
        let wanted = self.shared.options.settings.parallel;
        wanted.clamp(1, self.plan.cases.len().max(1))
    }

    /// The test to run next, with its index in the plan; `None` if there is none, or the run stops. Tests of a target that was
    /// given up are reported on the way, and are not run.
    pub(super) fn next(&self) -> Option<(usize, Case)> {
        if self.shared.stopper.reason().is_some() {
            return None;
        }
        let mut prefetch = lock(&self.prefetch);
        loop {
            // `start` counts the test as started, so its index is read before.
            let index = prefetch.started();
            let (entry, loading) = prefetch.start()?;
            // A skipped test asks no agent, so its target does not matter: it is reported with its own reason.
            if entry.test.skip.is_none() && self.shared.is_given_up(&entry.test.target) {
                self.not_sent(index, &entry);
                continue;
            }
            // Each of the tests that run at once may end next, so as many files are loaded while this test runs.
            prefetch.load_ahead(self.parallel());
            let shared = Arc::clone(&self.shared);
            let plan = Arc::clone(&self.plan);
            return Some((index, Case::new(shared, plan, entry, loading)));
        }
    }

    /// Reports that a test is not run since its target is given up.
    fn not_sent(&self, index: usize, entry: &CaseEntry) {
        let mut reporting = self.reporting();
        reporting.all.lost.get_or_insert(Lost::Agent);
        let outcome = not_run(&self.shared, entry, Some(Reason::NoAnswer));
        reporting.finished.put(index, outcome);
        self.report(&mut reporting);
    }

    /// Ends a test with its outcome, which is reported if all tests before it in the plan are. An outcome for which the reports
    /// have no room waits in the spool, so that no test waits for reports.
    pub(super) fn finish(&self, index: usize, outcome: Sealed<Outcome>) {
        let shared = &self.shared;
        let settings = &shared.options.settings;
        // The options decide if a flaky test is a failure, and if the first failure stops the run.
        let is_failure = match outcome.counted() {
            CountedStatus::Flaky => settings.flaky == FlakyVerdict::Fail,
            counted => counted.fails_the_run(),
        };
        if is_failure && settings.fail_fast {
            shared.stopper.stop(Reason::FailFast);
        }

        // A run that cost too much starts no further test. Those that run already finish, since most of their tokens are paid for.
        if let Some(limit) = settings.max_cost
            && let Some(reason) = shared.spent.add(&outcome, limit)
        {
            shared.stopper.wind_down(reason);
        }

        // The end of the test is reported in any case. A failure whose outcome waits for tests before it is shown with that
        // event, so that a person sees it at once. The copy is large, so it needs room like an outcome.
        let mut reporting = self.reporting();
        let waits = index != reporting.reported;
        let mut early_failure = None;
        if waits && outcome.fails_the_run() && shared.events.reserve_room() {
            early_failure = Some(Box::new((*outcome).clone()));
        }
        self.tell_end(&outcome, early_failure);

        // Both values are read before the outcome moves. A test in quarantine is known to fail and may hang by itself, so it does
        // not count against its target.
        let is_unanswered = outcome.transcript.is_unanswered && outcome.test.quarantine.is_none();
        let target = outcome.test.target.clone();
        reporting.finished.put(index, outcome);
        self.report(&mut reporting);
        // `count_unanswered` can send events and stop the run, for which no other thread need wait.
        drop(reporting);
        if is_unanswered {
            shared.count_unanswered(&self.plan, &target, self.parallel());
        }
    }

    /// Reports that a test is over; `failed` is its outcome, if that is shown before it is reported.
    fn tell_end(&self, outcome: &Outcome, failed: Option<Box<Outcome>>) {
        self.shared.tell_all(RunEvent::CaseEnded {
            id: outcome.test.id.clone(),
            at: self.shared.context.clock.now(),
            status: outcome.status(),
            duration_us: outcome.transcript.duration(),
            fails_the_run: outcome.fails_the_run(),
            usage: outcome.spent().1.usage,
            failed,
        });
    }

    fn reporting(&self) -> MutexGuard<'_, Reporting> {
        lock(&self.reporting)
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

    /// Reports outcomes that had no room as soon as they have. This has no end of its own: the run drops it.
    pub(super) async fn report_delayed(&self) {
        loop {
            self.delayed.notified().await;
            self.shared.events.room().await;
            let mut reporting = self.reporting();
            reporting.has_room = true;
            self.report(&mut reporting);
        }
    }

    /// Reports the outcomes that are not reported when the threads have ended: those that wait for room, and those of tests that
    /// have not run. Returns the totals of all tests.
    pub(super) async fn report_rest(&self) -> All {
        while self.reporting().reported < self.plan.cases.len() {
            // `has_room` means that room was reserved before. After an interrupt the run does not wait for slow reports: outcomes
            // are sent without room, beyond the limit.
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

    /// Reports the outcome that is next in the plan. The caller has reserved room for it, or does not wait for room after an
    /// interrupt. A test without an outcome was not run.
    fn report_next(&self, reporting: &mut Reporting) {
        let shared = &self.shared;
        let index = reporting.reported;
        let entry = &self.plan.cases[index];
        let outcome = match reporting.finished.take(index, &shared.redactor) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => {
                // The totals name the first reason for which tests were not run. A test that would have been skipped anyway is
                // not missed.
                let reason = shared.stopper.reason();
                if entry.test.skip.is_none()
                    && let Some(reason) = reason
                {
                    reporting.all.lost = reporting.all.lost.or(reason.lost());
                }
                not_run(shared, entry, reason)
            }
            // The outcome waited in a file, which cannot be read.
            Err(error) => lost(shared, entry, &error),
        };
        reporting.all.totals.add(&outcome);
        reporting.reported += 1;
        // The outcome takes the room, so the next one needs room again.
        reporting.has_room = false;
        shared.tell(outcome.convert());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Options;
    use crate::fakes::FakeProject;
    use crate::schedule::run_case::run_case;
    use ananke_model::settings::RunSettings;

    #[tokio::test]
    async fn outcomes_are_reported_in_the_order_of_the_plan() {
        let words = vec!["good"; 40];
        let shown = FakeProject::saying(
            &words,
            Options::from(RunSettings {
                parallel: 7,
                ..RunSettings::default()
            }),
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

    /// The events of tests that end in the opposite order of the plan, with room for so many outcomes in the reports.
    async fn ended_in_opposite_order(words: &[&str], room: usize) -> Vec<(String, bool)> {
        let project = FakeProject::saying(words, Options::default());
        let (folder, run, plan, mut events) = project.with_room(room);
        let schedule = Schedule::new(Arc::new(run), plan);
        let mut cases: Vec<_> = std::iter::from_fn(|| schedule.next()).collect();
        while let Some((index, case)) = cases.pop() {
            schedule.finish(index, run_case(&case).await.unwrap());
        }
        schedule.shared.events.end();
        drop(folder);
        let mut ended = Vec::new();
        while let Some(event) = events.recv().await {
            if let RunEvent::CaseEnded { id, failed, .. } = &*event {
                let name = id.rsplit("::").next().unwrap_or_default();
                ended.push((name.to_owned(), failed.is_some()));
            }
        }
        ended
    }

    #[tokio::test]
    async fn a_failure_that_waits_for_tests_before_it_is_shown_at_once() {
        let words = ["bad", "good", "bad", "bad"];
        let expected = |shown: [bool; 4]| {
            let ended = ["t3", "t2", "t1", "t0"].map(str::to_owned).into_iter();
            ended.zip(shown).collect::<Vec<_>>()
        };
        // The outcome of the first in the plan follows at once.
        assert_eq!(
            ended_in_opposite_order(&words, 10).await,
            expected([true, true, false, false])
        );
        // Reports that take nothing get no more outcomes than they have room for.
        assert_eq!(
            ended_in_opposite_order(&words, 1).await,
            expected([true, false, false, false])
        );
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
        let options = Options::from(RunSettings {
            fail_fast: true,
            ..RunSettings::default()
        });
        let shown = FakeProject::saying(&["good", "bad", "good"], options)
            .events()
            .await;
        assert_eq!(
            shown[3..],
            [
                "t1 starts",
                "t1 ends",
                "t1: failed",
                "t2: not run: an earlier test did not pass"
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
