//! The byte seam under a protocol that speaks in lines with a program it starts.

use crate::context::Environment;
use std::path::PathBuf;

use futures_util::future::BoxFuture;

use crate::context::At;
use crate::target::error::TargetError;

/// A program that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipeProgram {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Its whole environment.
    pub environment: Environment,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// The folder as shown in messages.
    pub folder_name: String,
    /// Largest single line, in bytes.
    pub max_line_bytes: usize,
}

/// What comes next from a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PipeNext {
    /// A line without its end, stamped by the reading task before anything looked at it.
    Line(At, Vec<u8>),
    /// A line is larger than [`PipeProgram::max_line_bytes`]. Nothing comes after it.
    TooLarge(At),
    /// The program closed its output. Nothing comes after it.
    End(At),
    /// Nothing until the moment that was asked for.
    Late,
}

/// A running program. Dropping it ends the program and everything that it started.
pub trait Pipe: Send {
    /// Sends one line; its end is added. Comes back with when it was sent.
    ///
    /// # Errors
    /// If the program no longer reads.
    fn send<'a>(&'a mut self, line: &'a [u8]) -> BoxFuture<'a, Result<At, TargetError>>;

    /// What comes next, if it comes until then.
    fn next(&mut self, until: At) -> BoxFuture<'_, PipeNext>;

    /// The last lines that the program printed to stderr; empty if it printed none.
    fn last_stderr(&self) -> String;
}

/// Something that starts programs. Moments are its business, all of them, so that a recording can replay them.
pub trait PipeLauncher: Send + Sync {
    /// Starts a program.
    ///
    /// # Errors
    /// If it cannot be started.
    fn start(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError>;
}
