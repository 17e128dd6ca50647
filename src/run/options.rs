//! The options of a run.

use std::time::Duration;

use crate::assertion::Writing;

/// The options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Options {
    /// How many tests run at once; at least one.
    pub parallel: usize,
    /// Stops the run at the first test that does not pass.
    pub fail_fast: bool,
    /// Ends a turn at the first rule that fails.
    pub stop_early: bool,
    /// Whether a turn fails if its events come in an order that the protocol forbids.
    pub strict_protocol: bool,
    /// The timeout of one attempt at a test: the time that its agent may take.
    pub timeout: Option<Duration>,
    /// How often a test that does not pass is retried.
    pub retries: u32,
    /// Whether a retry may use the thread of an earlier attempt.
    pub retry_dirty: bool,
    /// Whether a test that passed only on a retry fails the run.
    pub flaky_fails: bool,
    /// Which snapshots are written.
    pub writing: Writing,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            parallel: 1,
            fail_fast: false,
            stop_early: false,
            strict_protocol: false,
            timeout: None,
            retries: 0,
            retry_dirty: false,
            flaky_fails: false,
            writing: Writing::default(),
        }
    }
}
