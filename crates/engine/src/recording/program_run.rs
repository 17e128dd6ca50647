//! The recording of a program that is spoken to in lines: moments in microseconds since the test began.

use bytes::Bytes;

use ananke_base::message::Lane;
use ananke_trace::process::ExitStatus;

/// One run of a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProgramRun {
    /// The turn it was started in, counted from 1.
    pub(super) turn: u32,
    /// The lane of the program.
    pub(super) lane: Lane,
    /// Its number among the programs of this lane in this turn, counted from 1.
    pub(super) number: u32,
    /// The program and its arguments.
    pub(super) argv: Vec<String>,
    /// The lines, in the order in which the client sent and read them.
    pub(super) lines: Vec<ProgramLine>,
    /// The end of its output.
    pub(super) end: ProgramRunEnd,
    /// The last lines that it printed to stderr, as the client read them, or as they were when it ended the program.
    pub(super) stderr: Option<String>,
    /// Until when the client listened.
    pub(super) closed: u64,
}

/// A line to or from a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProgramLine {
    /// The client sent it in this turn.
    Sent {
        /// Counted from 1.
        turn: u32,
        /// The line without its end.
        line: String,
        /// The moment at which it was sent.
        at: u64,
    },
    /// The program printed it: when it came, and the line without its end.
    Received(u64, Bytes),
    /// The client closed the program's stdin.
    Closed(u64),
}

impl ProgramLine {
    /// The number of bytes of the line.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Sent { line, .. } => line.len(),
            Self::Received(_, line) => line.len(),
            Self::Closed(_) => 0,
        }
    }
}

/// The end of a program's output.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProgramRunEnd {
    /// It was not started: the message, and what to do.
    Failed(String, Option<String>),
    /// The program closed it: when, and how it ended if that is known.
    Complete(u64, Option<ExitStatus>),
    /// A line was too large.
    TooLarge(u64),
    /// The client stopped reading.
    Left,
}
