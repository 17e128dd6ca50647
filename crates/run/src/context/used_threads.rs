//! The threads that the earlier attempts at a test used.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::run::Run;
use ananke_trace::outcome::{ErrorKind, Problem};

/// The threads that the earlier attempts at a test used: a few bytes each.
#[derive(Debug, Default)]
pub(crate) struct UsedThreads(HashSet<u64>);

impl UsedThreads {
    /// An attempt used `thread`; an attempt that opened none used the empty one.
    pub(crate) fn add(&mut self, thread: &str) {
        if !thread.is_empty() {
            self.0.insert(hash(thread));
        }
    }

    /// Rejects an attempt that would reuse the `thread` of an earlier one, which the agent may remember (SPEC 10). A
    /// thread that is fixed in the test is rejected when the test is loaded.
    pub(crate) fn reject(&self, shared: &Run, thread: &str) -> Option<Problem> {
        let is_rejected = !shared.options.settings.retry_dirty;
        (is_rejected && self.0.contains(&hash(thread))).then(|| {
            Problem::new(
                ErrorKind::Setup,
                format!("the thread `{thread}` is that of an earlier attempt"),
            )
            .help(
                "have the hook make a new `THREAD_ID` each time, or allow it with `--retry-dirty`",
            )
        })
    }
}

fn hash(thread: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    thread.hash(&mut hasher);
    hasher.finish()
}
