//! Generated ids, so that a replay or a test can bring its own, and the key under which everything recorded about one execution
//! of one test is filed.

use std::sync::atomic::{AtomicU64, Ordering};

/// A source of ids that no other run will use again.
pub trait Ids: Send + Sync {
    /// A new id; `kind` (`thread`, `run`, `message`) names what it is for.
    fn next(&self, kind: &str) -> String;
}

/// Random UUIDs (RFC 9562, version 4): what agents in the field expect to see.
#[derive(Debug, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that draws random ids"
    )]
    fn next(&self, _kind: &str) -> String {
        uuid::Uuid::new_v4().to_string()
    }
}

/// `thread-1`, `run-2`, `message-3`, …: ids a test can write down.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl Ids for SequentialIds {
    fn next(&self, kind: &str) -> String {
        format!("{kind}-{}", self.0.fetch_add(1, Ordering::SeqCst) + 1)
    }
}

/// One execution of one test: its id, which of the repeated runs, and which attempt of that run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseKey {
    /// The test's id (SPEC 1, Identity).
    pub test: String,
    /// Counted from 1.
    pub run: u32,
    /// Counted from 1; a retry is the next attempt.
    pub attempt: u32,
}

impl CaseKey {
    /// The first attempt of the first run of `test`.
    pub fn first(test: impl Into<String>) -> Self {
        Self {
            test: test.into(),
            run: 1,
            attempt: 1,
        }
    }
}
