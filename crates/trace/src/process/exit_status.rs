//! The way in which a program ended.

use std::fmt;

/// The words before the exit code of a program that ended by itself.
pub const ENDED: &str = "ended with exit code";

/// The way in which a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// The program ended by itself, with this exit code.
    Exit(i32),
    /// A signal ended it: its number.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals"))]
    Signal(i32),
}

impl ExitStatus {
    /// Whether the program says that it did its work.
    pub fn is_success(self) -> bool {
        self == Self::Exit(0)
    }
}

/// `ended with exit code 3`, `was ended by signal 9 (SIGKILL)`
impl fmt::Display for ExitStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(formatter, "{ENDED} {code}"),
            Self::Signal(signal) => {
                write!(formatter, "was ended by signal {signal}")?;
                name_of(*signal).map_or(Ok(()), |name| write!(formatter, " ({name})"))
            }
        }
    }
}

/// The signals that programs end by, where every Unix gives them the same number.
fn name_of(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}
