//! All tests of a run: as many threads as the options say, each with one test after the other.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::run::Run;
use super::schedule::{All, Schedule};
use super::worker::run_tests;
use crate::plan::Plan;

/// Runs every test, as many at once as the options say.
pub(super) async fn run_all(shared: &Arc<Run>, plan: Plan) -> All {
    let schedule = Arc::new(Schedule::new(Arc::clone(shared), plan));
    let mut workers = JoinSet::new();
    for _ in 0..schedule.parallel() {
        workers.spawn(run_tests(Arc::clone(&schedule)));
    }
    let reported = async {
        while let Some(ended) = workers.join_next().await {
            match ended {
                Err(broken) if broken.is_panic() => std::panic::resume_unwind(broken.into_panic()),
                Ok(()) | Err(_) => {}
            }
        }
    };
    tokio::select! {
        () = reported => {}
        () = schedule.report_delayed() => {}
    }
    schedule.report_rest().await
}
