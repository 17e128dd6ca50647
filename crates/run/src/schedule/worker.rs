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

/// Runs tests until none is left or the run stops, one at a time.
pub(super) async fn run_tests(schedule: Arc<Schedule>) {
    let current = Arc::new(CurrentCase::default());
    let mut left_behind = None;
    loop {
        // A thread of its own for each place, since a test can compute or block for as long as it likes.
        let runtime = Handle::current();
        let shared_schedule = Arc::clone(&schedule);
        let shared_current = Arc::clone(&current);
        let mut thread =
            spawn_blocking(move || runtime.block_on(work(&shared_schedule, &shared_current)));
        tokio::select! {
            biased;
            ended = &mut thread => match ended {
                Ok(()) => return,
                Err(broken) => std::panic::resume_unwind(broken.into_panic()),
            },
            left = current.left(schedule.shared.stopper.token(), left_behind.as_ref()) => {
                // Nothing can stop the thread: its test ends without it, and another thread takes its place.
                left_behind = Some(thread);
                let outcome = end_without_thread(&left.case, left.overdue, left.preparation).await;
                schedule.finish(left.index, outcome);
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
struct LeftBehind {
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

    /// Returns when the test has taken too long, and leaves its thread behind. While the one that was left behind `before` still
    /// computes, no other is, unless the run stops: so there are never more of them than places for tests.
    async fn left(&self, stop: &CancellationToken, before: Option<&JoinHandle<()>>) -> LeftBehind {
        let mut stopped = None;
        loop {
            tokio::select! {
                () = sleep(TICK) => {}
                () = stop.cancelled(), if stopped.is_none() => stopped = Some(Instant::now()),
            }
            // The lock is given back before the test is looked at: its thread needs it to go on.
            let current = self.case().clone();
            let Some((index, case)) = current else {
                continue;
            };
            if stopped.is_none()
                && let Some(thread) = before
                && !thread.is_finished()
            {
                continue;
            }
            if let Some((overdue, preparation)) = case.watchdog.leave_if_overdue(stopped) {
                return LeftBehind {
                    index,
                    case,
                    overdue,
                    preparation,
                };
            }
        }
    }
}
