//! The options of the report for people.

use crate::report::RunKeeping;
use ananke_base::context::{Colouring, TerminalSize};

/// The amount of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// The tests that failed and the summary.
    Quiet,
    /// A line per file; under it the tests that did not just pass, their warnings, and excerpts of those that failed.
    #[default]
    Normal,
    /// Every turn of every test, with the rules that passed.
    Verbose,
}

/// The options of the console.
#[derive(Clone, Debug)]
pub struct ConsoleOptions {
    /// The number of the slowest tests that the end lists.
    pub durations: usize,
    /// Whether there is colour; the text says everything without.
    pub colour: Colouring,
    /// The amount of output.
    pub verbosity: Verbosity,
    /// The state of the run that is kept: `ananke show` can show it.
    pub keeping: RunKeeping,
    /// The size of the terminal: lines are wrapped at its width, and not wrapped if it is not known.
    pub size: fn() -> Option<TerminalSize>,
    /// The warnings of tests about their files that were printed before the run.
    pub told: Vec<String>,
}

impl Default for ConsoleOptions {
    fn default() -> Self {
        Self {
            durations: 0,
            colour: Colouring::Plain,
            verbosity: Verbosity::default(),
            keeping: RunKeeping::default(),
            size: || None,
            told: Vec::new(),
        }
    }
}
