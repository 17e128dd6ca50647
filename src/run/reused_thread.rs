//! Whether an attempt would reuse the thread of an earlier one.

use super::options::ReusedThreads;
use super::run::Run;
use crate::outcome::{ErrorKind, Outcome, Problem};

/// Rejects an attempt that would reuse the `thread` of an earlier one, which the agent may remember (SPEC 10). A thread
/// that is fixed in the test is rejected when the test is loaded.
pub(super) fn reused_thread(shared: &Run, before: Option<&Outcome>, thread: &str) -> Option<Problem> {
    let before = before.filter(|_| shared.options.reused_threads == ReusedThreads::Rejected)?;
    let mut attempts = before.earlier_attempts.iter().chain([before]);
    attempts.any(|attempt| attempt.transcript.thread_id == thread).then(|| Problem {
        kind: ErrorKind::Setup,
        message: format!("the thread `{thread}` is that of an earlier attempt"),
        help: Some(
            "have the hook make a new `THREAD_ID` each time, or allow it with `--retry-dirty`".to_owned(),
        ),
    })
}
