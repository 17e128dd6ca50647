//! The key under which everything recorded about one execution of one test is filed.

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
