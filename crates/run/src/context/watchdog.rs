//! The steps of a test's thread, and the moments by which they must be done.
//!
//! A rule can compute for hours and a file can never answer; neither can be interrupted. So a test has a thread for itself
//! while it runs, which is watched from outside, and is left behind if it takes too long: the test ends without it.
//!
//! **Invariant:** a thread that was left behind reports nothing, cleans nothing up and begins no further step.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit};
use tokio::time::Instant;

use ananke_base::context::lock;
use ananke_base::text::duration;
use ananke_plan::Preparation;
use ananke_rules::JudgingTime;
use ananke_trace::outcome::{ErrorKind, Halt, Problem};

/// The time for which a step may compute: reading files, evaluating rules, masking.
pub(super) const COMPUTING: Duration = Duration::from_mins(1);

/// The time that a thread may take to end after its test timed out or the run was stopped.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// The time that rules which nothing can interrupt may compute beyond their own.
const JUDGING_GRACE: Duration = Duration::from_millis(500);

/// The time after which computing rules are not waited for when the run is stopped.
const COMPUTED_AT_A_STOP: Duration = Duration::from_millis(300);

/// The step of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TestStep {
    /// The files are read and the variables filled.
    #[default]
    Prepare,
    /// The hook of this number runs, counted from 1.
    Hook(usize),
    /// The test waits until fewer other tests talk to the agent, or none on its thread or with its process.
    Wait,
    /// The turn of this number is held, counted from 1.
    Turn(usize),
    /// The rules of the whole test are evaluated, and its reports masked.
    Evaluate,
    /// The teardown cleans up.
    TearDown,
}

/// The text after `timeout after 5 s for the whole test: `.
impl fmt::Display for TestStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prepare => formatter.write_str("its files and variables were not read by then"),
            Self::Hook(number) => write!(formatter, "hook {number} had not ended"),
            Self::Wait => formatter.write_str("it waited for other tests of the same agent"),
            Self::Turn(number) => write!(formatter, "turn {number} had not ended"),
            Self::Evaluate => formatter.write_str("its rules were not evaluated by then"),
            Self::TearDown => formatter.write_str("its teardown had not ended"),
        }
    }
}

/// The reason that a test ends without its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// The run was stopped.
    Stopped,
    /// The whole test exceeded its timeout during a step.
    Whole(Duration, TestStep),
    /// A step exceeded what it may take.
    Step(Duration, TestStep),
    /// The rules exceeded what they may take, and nothing interrupts them.
    Judging,
}

impl Overdue {
    /// The problem of a test that ended without its thread; `None` if the run was stopped, which is no problem of the test.
    /// `judging` is the time that its rules may compute.
    pub(crate) fn problem(self, judging: &JudgingTime) -> Option<Problem> {
        let message = match self {
            Self::Stopped => return None,
            // The thread is left behind, so the rule that it evaluates is not known: the problem names none.
            Self::Judging => return Some(judging.problem(None)),
            Self::Whole(allowed, step) => timed_out(allowed, step),
            Self::Step(allowed, step) => {
                format!(
                    "timeout after {}: {step}, and could not be interrupted",
                    duration::chosen(allowed)
                )
            }
        };
        let help = "something that nothing can interrupt takes this long: a regular expression on a large text, or \
                    a file that is a pipe";
        Some(Problem::new(ErrorKind::Timeout, message).help(help))
    }
}

fn timed_out(allowed: Duration, step: TestStep) -> String {
    format!(
        "timeout after {} for the whole test: {step}",
        duration::chosen(allowed)
    )
}

/// The locks that the conversation of a test keeps from other tests while it goes on.
#[derive(Debug, Default)]
pub(crate) struct ConversationLocks {
    /// The thread of the agent.
    pub(crate) thread: Option<OwnedMutexGuard<()>>,
    /// The process that tests share.
    pub(crate) process: Option<OwnedMutexGuard<()>>,
    /// One of the places that the target has.
    pub(crate) slot: Option<OwnedSemaphorePermit>,
}

/// Watches the thread of one test.
#[derive(Default)]
pub(crate) struct Watchdog {
    watched: Mutex<Watched>,
    /// The time that its rules may compute.
    pub(crate) judging: JudgingTime,
}

#[derive(Default)]
struct Watched {
    step: TestStep,
    /// The time that the step may take, and the moment at which it is up.
    step_limit: Option<(Duration, Instant)>,
    /// The time that the attempt may take, and the moment at which it is up.
    attempt_limit: Option<(Duration, Instant)>,
    begun: Option<Instant>,
    /// The time that the scripts may still take that execute tools in this turn.
    for_mocks: Duration,
    /// The preparation that cleans up after the attempt, as long as that was not begun.
    preparation: Option<Arc<Mutex<Preparation>>>,
    /// The locks that the conversation keeps from other tests.
    locks: ConversationLocks,
    /// Whether it waits for what is no time of the attempt.
    is_paused: bool,
    thread: WatchedThread,
}

/// Whether the thread of a test is still needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum WatchedThread {
    /// The thread runs the test.
    #[default]
    Working,
    /// The thread has run the test.
    Done,
    /// The test ended without it.
    Left,
}

impl Watched {
    /// The reason that the test must end without its thread at the moment `now`, if there is one. `stopped` is the moment at
    /// which the run was stopped.
    ///
    /// Each limit is extended by [`GRACE`]: a thread that is not blocked notices a limit itself, and ends its test properly.
    fn overdue(&self, now: Instant, stopped: Option<Instant>) -> Option<Overdue> {
        // A teardown cleans up also after a timeout or a stop, so only its own limit ends it.
        let is_in_teardown = self.step == TestStep::TearDown;
        if let Some(at) = stopped
            && now >= at + GRACE
            && !is_in_teardown
        {
            return Some(Overdue::Stopped);
        }
        // The time in which a test waits for other tests is not its own. Its limits move only when the wait is over, so until
        // then they are too early.
        if self.is_paused {
            return None;
        }
        if let Some((allowed, at)) = self.attempt_limit
            && now >= at + GRACE
            && !is_in_teardown
        {
            return Some(Overdue::Whole(allowed, self.step));
        }
        if let Some((allowed, at)) = self.step_limit
            && now >= at + GRACE
        {
            return Some(Overdue::Step(allowed, self.step));
        }
        None
    }
}

impl Watchdog {
    fn watched(&self) -> MutexGuard<'_, Watched> {
        lock(&self.watched)
    }

    /// Begins an attempt, which may take as long as `whole` says.
    pub(crate) fn begin_attempt(&self, whole: Option<Duration>) {
        let mut watched = self.watched();
        watched.begun = Some(Instant::now());
        watched.attempt_limit = None;
        drop(watched);
        self.limit(whole);
    }

    /// Limits the time of the attempt, counted from its beginning. A shorter limit that it has already stays, since the command
    /// line and the test may both set one.
    pub(crate) fn limit(&self, whole: Option<Duration>) {
        let Some(allowed) = whole else {
            return;
        };
        let mut watched = self.watched();
        if let Some((earlier_limit, _)) = watched.attempt_limit
            && earlier_limit <= allowed
        {
            return;
        }
        // A limit so long that the clock cannot represent its end is never reached, so none is set.
        if let Some(begun) = watched.begun
            && let Some(at) = begun.checked_add(allowed)
        {
            watched.attempt_limit = Some((allowed, at));
        }
    }

    /// Begins a step, which may take the time `allowed`, and one minute in addition for what this program computes.
    ///
    /// # Errors
    /// If the test has ended without this thread.
    pub(crate) fn begin(&self, step: TestStep, allowed: Duration) -> Result<(), Halt> {
        let mut watched = self.watched();
        // The test was reported without this thread, which must do nothing more.
        if watched.thread == WatchedThread::Left {
            return Err(Halt::Stopped);
        }
        // Scripts that execute tools share the time of the turn; `within_turn` subtracts each of them.
        if matches!(step, TestStep::Turn(_)) {
            watched.for_mocks = allowed;
        }
        // A time so long that the clock cannot represent its end is no limit.
        let allowed = allowed.saturating_add(COMPUTING);
        watched.step = step;
        watched.step_limit = Instant::now().checked_add(allowed).map(|at| (allowed, at));
        Ok(())
    }

    /// Extends the time of the running step.
    pub(crate) fn extend(&self, more: Duration) {
        let mut watched = self.watched();
        if let Some((allowed, at)) = watched.step_limit {
            let at = at.checked_add(more);
            watched.step_limit = at.map(|at| (allowed + more, at));
        }
    }

    /// Waits for something that is no time of the attempt, such as other tests or a person, and returns how long that took.
    pub(super) async fn pause(&self, waiting: impl Future<Output = ()>) -> Duration {
        // The limits of the attempt and of the step are not checked while it is paused.
        self.watched().is_paused = true;
        let since = Instant::now();
        waiting.await;
        let waited = since.elapsed();

        // All moments move on by the wait, since the test did not cause it.
        let mut watched = self.watched();
        watched.is_paused = false;
        watched.begun = watched.begun.map(|begun| begun + waited);
        watched.attempt_limit = watched.attempt_limit.map(|(time, at)| (time, at + waited));
        watched.step_limit = watched.step_limit.map(|(time, at)| (time, at + waited));
        waited
    }

    /// Waits for locks that keep other tests from the agent, and returns how long that took. The watchdog keeps the locks until
    /// the conversation is over, or the thread is left behind.
    ///
    /// # Errors
    /// If the test has ended without this thread.
    pub(crate) async fn wait_for(
        &self,
        locks: impl Future<Output = ConversationLocks>,
    ) -> Result<Duration, Halt> {
        // The step has no time of its own: `pause` extends its limit by the wait.
        self.begin(TestStep::Wait, Duration::ZERO)?;
        let mut locked = ConversationLocks::default();
        let waited = self.pause(async { locked = locks.await }).await;
        // The test may have ended without this thread during the wait. Then the locks are dropped here, for other tests.
        let mut watched = self.watched();
        if watched.thread == WatchedThread::Left {
            return Err(Halt::Stopped);
        }
        watched.locks = locked;
        Ok(waited)
    }

    /// Lets other tests talk to the agent, because the conversation is over.
    pub(crate) fn release_locks(&self) {
        self.watched().locks = ConversationLocks::default();
    }

    /// Takes over the preparation, which cleans up after the attempt also if the test ends without this thread.
    pub(crate) fn hand_over(&self, preparation: &Arc<Mutex<Preparation>>) {
        self.watched().preparation = Some(Arc::clone(preparation));
    }

    /// Begins to clean up in this thread, each command within its own timeout.
    ///
    /// # Errors
    /// If the test has ended without this thread, which cleans up itself.
    pub(crate) fn begin_teardown(&self) -> Result<(), Halt> {
        self.begin(TestStep::TearDown, Duration::ZERO)?;
        self.watched().preparation = None;
        Ok(())
    }

    /// Whether the test has ended without this thread.
    pub(super) fn is_left(&self) -> bool {
        self.watched().thread == WatchedThread::Left
    }

    /// Notes that the thread has carried the test out.
    ///
    /// # Errors
    /// If the test has ended without this thread.
    pub(crate) fn end(&self) -> Result<(), Halt> {
        let mut watched = self.watched();
        if watched.thread == WatchedThread::Left {
            return Err(Halt::Stopped);
        }
        watched.thread = WatchedThread::Done;
        Ok(())
    }

    /// Runs `work`, and ends it with an error when the time of the attempt is up. An attempt without a limit may take any time.
    ///
    /// # Errors
    /// If `work` fails or takes longer.
    pub(crate) async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, Halt>>,
    ) -> Result<T, Halt> {
        // The message names the step in which the work began, and work can begin further steps.
        let step = self.watched().step;
        let Some((allowed, at)) = self.watched().attempt_limit else {
            return work.await;
        };
        match tokio::time::timeout_at(at, work).await {
            Ok(done) => done,
            Err(_elapsed) => {
                let message = timed_out(allowed, step);
                Err(Problem::new(ErrorKind::Timeout, message).into())
            }
        }
    }

    /// Runs a script that executes a tool. All scripts of a turn together may take as long as the turn, since an agent can call
    /// tools without end; the limit of the attempt applies as well.
    ///
    /// # Errors
    /// If `work` fails or takes longer.
    pub(crate) async fn within_turn<T>(
        &self,
        work: impl Future<Output = Result<T, Halt>>,
    ) -> Result<T, Halt> {
        let remaining = self.watched().for_mocks;
        let since = Instant::now();
        let done = tokio::time::timeout(remaining, self.within(work)).await;
        // A script that fails has taken time as well, so its time is subtracted before the result is looked at.
        let mut watched = self.watched();
        watched.for_mocks = watched.for_mocks.saturating_sub(since.elapsed());
        let step = watched.step;
        drop(watched);
        match done {
            Ok(done) => done,
            Err(_elapsed) => {
                let message = format!(
                    "timeout: the scripts that execute tools took longer than the turn may: {step}"
                );
                let help = "each call to a tool runs its script: give the turn more time with `timeout_ms`";
                Err(Problem::new(ErrorKind::Timeout, message).help(help).into())
            }
        }
    }

    /// Leaves the thread behind if it has taken too long, and returns the reason, and the preparation with the teardown that it
    /// did not begin. `stopped` is the moment at which the run was stopped.
    pub(crate) fn leave_if_overdue(
        &self,
        stopped: Option<Instant>,
    ) -> Option<(Overdue, Option<Arc<Mutex<Preparation>>>)> {
        let mut watched = self.watched();
        // A thread that has run its test, or was left behind already, is not overdue.
        if watched.thread != WatchedThread::Working {
            return None;
        }
        // Nothing interrupts a rule, such as a regular expression. So rules have a limit of their own, which is much shorter than
        // those of steps, and a run that stops does not wait for rules that have computed for some time. `computes` is `None`,
        // which is less than any time, if no rule computes.
        let is_computing = self.judging.computes() >= Some(COMPUTED_AT_A_STOP);
        let overdue = if stopped.is_some() && is_computing {
            Overdue::Stopped
        } else if self.judging.is_overdue(JUDGING_GRACE) {
            Overdue::Judging
        } else {
            watched.overdue(Instant::now(), stopped)?
        };
        // The thread may go on for hours. From here on it begins no step and reports nothing, and other tests get its locks.
        watched.thread = WatchedThread::Left;
        watched.locks = ConversationLocks::default();
        Some((overdue, watched.preparation.take()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_other_tests_hold_up_is_no_time_of_the_attempt() {
        let watchdog = Watchdog::default();
        watchdog.begin_attempt(Some(Duration::from_secs(5)));
        watchdog
            .begin(TestStep::Turn(1), Duration::from_secs(5))
            .expect("its thread is there");
        let is_overdue = || watchdog.watched().overdue(Instant::now(), None).is_some();
        let long = Duration::from_mins(10);
        let looks = async {
            sleep(long / 2).await;
            assert!(!is_overdue(), "while it waits");
        };
        let (waited, ()) = tokio::join!(watchdog.pause(sleep(long)), looks);
        assert_eq!(waited, long);
        assert!(!is_overdue(), "after that it has as much time as before");
        sleep(Duration::from_secs(5) + GRACE).await;
        assert!(is_overdue());
    }
}
