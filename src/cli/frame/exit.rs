//! The exit codes of the program (SPEC 10). Wrong usage, 2, is clap's.

use std::process::ExitCode;

use ananke::Verdict;

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: all is well.
    Success,
    /// 1: tests failed, or the configuration or the run did.
    Failure,
    /// 3: tests are undecided, and nothing else is wrong.
    Undecided,
    /// 4: traces do not show what some rules are about, and nothing else is wrong.
    NotShown,
    /// 130: interrupted.
    Interrupted,
    /// 2: wrong usage that only shows when it is looked at closely.
    Usage,
    /// The exit code of the program that was started.
    OfProgram(u8),
}

impl Exit {
    /// The end of a run that was not interrupted.
    pub(crate) fn of(verdict: &Verdict) -> Self {
        Self::of_number(verdict.exit_code())
    }

    /// The end of a command with this exit code.
    pub(crate) fn of_number(code: u8) -> Self {
        match code {
            0 => Self::Success,
            Verdict::UNDECIDED => Self::Undecided,
            Verdict::NOT_SHOWN => Self::NotShown,
            _ => Self::Failure,
        }
    }

    /// The exit code.
    pub(crate) fn number(self) -> i32 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Undecided => i32::from(Verdict::UNDECIDED),
            Self::NotShown => i32::from(Verdict::NOT_SHOWN),
            Self::Interrupted => 130,
            Self::OfProgram(code) => i32::from(code),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(u8::try_from(exit.number()).unwrap_or(u8::MAX))
    }
}
