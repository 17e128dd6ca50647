//! What a comparison keeps of a test: a few words and numbers, whatever the size of its transcript.

use crate::outcome::Status;

/// One test of a report.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TestSummary {
    pub(crate) id: String,
    pub(crate) status: Status,
    /// Whether it passed only when it was tried again.
    pub(crate) flaky: bool,
    /// Whether it is known to fail, so that its verdict fails no run.
    pub(crate) quarantined: bool,
    /// The agent's time in all turns together, in microseconds.
    pub(crate) duration_us: u64,
    /// How many turns were sent.
    pub(crate) turns: usize,
    /// The names of the tools that were called, in the order they began.
    pub(crate) tools: Vec<String>,
    /// How the agent says that its last run ended.
    pub(crate) ending: Option<String>,
    /// Why it did not pass or did not run: the first finding.
    pub(crate) reason: Option<String>,
}

impl TestSummary {
    /// Whether it ran and did not pass.
    pub(crate) fn fails(&self) -> bool {
        self.status.fails_the_run()
    }

    /// Whether its failing counts.
    pub(crate) fn fails_the_run(&self) -> bool {
        self.fails() && !self.quarantined
    }
}
