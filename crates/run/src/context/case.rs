//! One test of a run, and what all parts of its attempts share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::current_walk::{CurrentWalk, SharedWalk, WalkRoute};
use super::prefetch::Loading;
use super::run::Run;
use super::watchdog::Watchdog;
use ananke_base::context::lock;
use ananke_base::diagnostic::Diagnostic;
use ananke_plan::{CaseEntry, Plan, PrepareError};
use ananke_trace::outcome::{ErrorKind, Outcome, Problem, RunEvent};
use ananke_trace::redact::{Mask as _, Redactor};

/// One test of a run.
pub(crate) struct Case {
    pub(crate) shared: Arc<Run>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) entry: CaseEntry,
    /// The file of the test.
    pub(crate) loading: Loading,
    /// The moment at which it started.
    pub(crate) started_unix_ms: u64,
    /// Masks the secrets of the test, and those of its attempts as soon as they are known.
    pub(crate) redactor: Redactor,
    /// Warnings of what its programs did not get.
    pub(crate) warnings: Mutex<Vec<String>>,
    /// The walk of the running attempt, of a test with a walk.
    pub(crate) walk: SharedWalk,
    /// The watchdog of the thread of the test.
    pub(crate) watchdog: Arc<Watchdog>,
}

impl Case {
    /// The time that an attempt may take, as the run gives it; a case of a case file has this from its preparation.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        if self.entry.test.part.is_some() {
            return None;
        }
        self.shared.options.settings.timeout
    }

    /// The test `entry` of `plan`, which starts now. `loading` reads its file.
    pub(crate) fn new(
        shared: Arc<Run>,
        plan: Arc<Plan>,
        entry: CaseEntry,
        loading: Loading,
    ) -> Self {
        let clock = &shared.context.clock;
        Self {
            // The fields that read `shared` and `entry` come first, since both move into the last ones.
            started_unix_ms: clock.unix_ms(clock.now()),
            redactor: shared.redactor_of(&entry),
            warnings: Mutex::default(),
            // A test with a walk begins with its first one. Others never look at this.
            walk: Arc::new(Mutex::new(CurrentWalk::of(WalkRoute::Explore(1)))),
            watchdog: Arc::default(),
            shared,
            plan,
            entry,
            loading,
        }
    }

    /// Masks the outcome of a run, and forgets the secrets that only this run had: the next one gets its own.
    pub(crate) fn forget_secrets_of(&self, outcome: &mut Outcome) {
        outcome.mask(&self.redactor);
        self.redactor.replace(&self.entry.test.secrets);
    }

    /// Sends an event of this test.
    pub(crate) fn tell(&self, event: RunEvent) {
        // A test that ended without this thread has its outcome already, and reports expect nothing after it.
        if !self.watchdog.is_left() {
            self.shared.tell(self.redactor.seal(event));
        }
    }

    /// Adds warnings of the test, each once.
    pub(crate) fn warn(&self, warnings: Vec<String>) {
        let mut known = lock(&self.warnings);
        for warning in warnings {
            if !known.contains(&warning) {
                known.push(warning);
            }
        }
    }

    /// Takes the warnings since the last call.
    pub(crate) fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.warnings))
    }

    /// The problem of a test that could not be prepared. Secrets that its messages may quote are masked from now on.
    pub(crate) fn unprepared(&self, error: PrepareError) -> Problem {
        match error {
            PrepareError::Changed => {
                let message = "the file changed since the run began";
                Problem::new(ErrorKind::Setup, message).help("run it again")
            }
            PrepareError::Broken(problems, secrets) => {
                self.redactor.add(&secrets);
                let lines: Vec<String> = problems.iter().map(Diagnostic::to_string).collect();
                // The first help is enough: the problems of one test mostly have the same cause.
                let mut with_help = problems.iter().filter(|problem| !problem.help.is_empty());
                Problem {
                    kind: ErrorKind::Setup,
                    message: lines.join("\n"),
                    help: with_help.next().map(|problem| problem.help.join("\n")),
                }
            }
        }
    }
}
