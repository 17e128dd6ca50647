//! What the program says with its exit code (SPEC 10). Wrong usage, 2, is clap's.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: all is well.
    Success,
    /// 1: tests failed, or the configuration or the run did.
    Failure,
    /// 2: wrong usage that only shows when it is looked at closely.
    Usage,
    /// 130: somebody asked for it to stop.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Failure => Self::from(1),
            Exit::Usage => Self::from(2),
            Exit::Interrupted => Self::from(130),
        }
    }
}
