//! The threads that the earlier attempts at a test used.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::run::Run;
use ananke_trace::outcome::{ErrorKind, Problem};

/// The hashes of these threads, since a test may have any number of attempts and an id any length.
#[derive(Debug, Default)]
pub(crate) struct UsedThreads(HashSet<u64>);

impl UsedThreads {
    /// Remembers the thread that an attempt used.
    pub(crate) fn add(&mut self, thread: &str) {
        // An attempt that opened none has the empty one.
        if !thread.is_empty() {
            self.0.insert(hash(thread));
        }
    }

    /// Rejects an attempt that would reuse the `thread` of an earlier one, which the agent may remember (SPEC 10). A
    /// thread that is fixed in the test is rejected when the test is loaded.
    pub(crate) fn reject(&self, shared: &Run, thread: &str) -> Option<Problem> {
        if shared.options.settings.retry_dirty || !self.0.contains(&hash(thread)) {
            return None;
        }
        let message = format!("the thread `{thread}` is that of an earlier attempt");
        let help =
            "have the hook make a new `THREAD_ID` each time, or allow it with `--retry-dirty`";
        Some(Problem::new(ErrorKind::Setup, message).help(help))
    }
}

fn hash(thread: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    thread.hash(&mut hasher);
    hasher.finish()
}
