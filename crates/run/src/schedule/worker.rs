//! A place for one test at a time: a thread that runs one test after the other, and is replaced if it takes too long.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::run_case::{end_without_thread, run_case};
use super::schedule::Schedule;
use crate::context::{Case, Overdue};
use ananke_base::context::lock;
use ananke_plan::Preparation;

/// The interval at which a thread is checked.
const TICK: Duration = Duration::from_millis(200);

/// Runs tests one at a time, until none remains or the run stops. A thread whose test takes too long is replaced.
pub(super) async fn run_tests(schedule: Arc<Schedule>) {
    // The thread notes here which test it runs, so that it can be watched from outside.
    let current = Arc::new(CurrentCase::default());
    let mut left_behind_thread = None;
    loop {
        // Tests run on a thread that runs nothing else, since a test can compute or block for as long as it likes.
        let runtime = Handle::current();
        let shared_schedule = Arc::clone(&schedule);
        let shared_current = Arc::clone(&current);
        let mut thread =
            spawn_blocking(move || runtime.block_on(work(&shared_schedule, &shared_current)));
        let stop = schedule.shared.stopper.token();
        tokio::select! {
            biased;
            ended = &mut thread => match ended {
                // The thread ends when no test remains, or the run stops.
                Ok(()) => return,
                // A panic is a fault of this program. It is passed on, since a verdict about an agent must not rest on it.
                Err(broken) => std::panic::resume_unwind(broken.into_panic()),
            },
            overdue = current.wait_until_overdue(stop, left_behind_thread.as_ref()) => {
                // Nothing can stop the thread: its test ends without it, and the loop starts another thread. The next wait needs
                // the old one: while that still computes, no second thread is left behind.
                left_behind_thread = Some(thread);
                let OverdueCase { index, case, overdue, preparation } = overdue;
                let outcome = end_without_thread(&case, overdue, preparation).await;
                schedule.finish(index, outcome);
            }
        }
    }
}

/// The work of a thread, which ends early if a test has ended without it.
async fn work(schedule: &Schedule, current: &CurrentCase) {
    while let Some((index, case)) = schedule.next() {
        let case = Arc::new(case);
        *current.case() = Some((index, Arc::clone(&case)));
        let Some(outcome) = Box::pin(run_case(&case)).await else {
            return;
        };
        schedule.finish(index, outcome);
    }
}

/// The test that a thread runs, with its index in the plan.
#[derive(Default)]
struct CurrentCase(Mutex<Option<(usize, Arc<Case>)>>);

/// A test that ended without its thread.
struct OverdueCase {
    index: usize,
    case: Arc<Case>,
    overdue: Overdue,
    /// The preparation that cleans up after it.
    preparation: Option<Arc<Mutex<Preparation>>>,
}

impl CurrentCase {
    fn case(&self) -> MutexGuard<'_, Option<(usize, Arc<Case>)>> {
        lock(&self.0)
    }

    /// Waits until the running test has taken too long, leaves its thread behind, and returns the test.
    ///
    /// While `left_behind`, the last thread that was left behind, still computes, no other thread is left behind: so at most one
    /// thread computes in vain for each of the tests that run at once. A run that stops does not wait for that.
    async fn wait_until_overdue(
        &self,
        stop: &CancellationToken,
        left_behind: Option<&JoinHandle<()>>,
    ) -> OverdueCase {
        let mut stopped = None;
        loop {
            // A test is checked at intervals, and at once when the run stops. The moment of the stop is noted once.
            tokio::select! {
                () = sleep(TICK) => {}
                () = stop.cancelled(), if stopped.is_none() => stopped = Some(Instant::now()),
            }
            // The lock is released before the test is checked, since its thread needs the lock to go on.
            let current = self.case().clone();
            let Some((index, case)) = current else {
                // The thread has not begun its first test.
                continue;
            };
            if stopped.is_none()
                && let Some(thread) = left_behind
                && !thread.is_finished()
            {
                continue;
            }
            if let Some((overdue, preparation)) = case.watchdog.leave_if_overdue(stopped) {
                return OverdueCase {
                    index,
                    case,
                    overdue,
                    preparation,
                };
            }
        }
    }
}
