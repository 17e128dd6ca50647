//! The byte seam under a protocol that speaks in lines with a program it starts.

use std::path::PathBuf;

use futures_util::future::BoxFuture;

use super::sharing::ProgramSharing;
use crate::error::TargetError;
use ananke_base::context::{At, Context, absolute_from};
use ananke_trace::process::{CompiledCommand, ExitStatus};

/// A program that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipeProgram {
    /// The program, its environment and where it runs.
    pub command: CompiledCommand,
    /// The folder that `cwd` is relative to, and where the program runs without one.
    pub home: PathBuf,
    /// Largest single line, in bytes.
    pub max_line_bytes: usize,
    /// The way in which tests share it; `None` if each has its own.
    pub sharing: Option<ProgramSharing>,
}

impl PipeProgram {
    /// The folder where it runs.
    pub fn folder(&self, context: &Context) -> PathBuf {
        let cwd = self.command.cwd.as_deref().unwrap_or_default();
        absolute_from(context, &self.home, cwd.as_ref())
    }

    /// The identity of the program: another with the same arguments, environment and folder is the same.
    pub fn address(&self) -> String {
        format!("{:?} {}", self.command, self.home.display())
    }
}

/// The next output of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PipeNext {
    /// A line without its end, stamped by the reading task before anything looked at it.
    Line(At, Vec<u8>),
    /// A line is larger than [`PipeProgram::max_line_bytes`]. Nothing comes after it.
    TooLarge(At),
    /// The program closed its output, and how it ended if it did. Nothing comes after it but the same again.
    End(At, Option<ExitStatus>),
    /// Nothing until the moment that was asked for.
    Late,
}

/// A running program. Dropping it ends the program and everything that it started.
pub trait Pipe: Send {
    /// Sends one line; its end is added. Returns at once with when it was sent: the program may read it later, or never.
    ///
    /// # Errors
    /// If the recording has no such line.
    fn send(&mut self, line: &[u8]) -> Result<At, TargetError>;

    /// Closes its stdin, and returns when that was.
    fn close(&mut self) -> At;

    /// The next output, if it comes until then.
    fn next(&mut self, until: At) -> BoxFuture<'_, PipeNext>;

    /// Another turn starts: what the program has printed to stderr so far belongs to none that follows.
    fn start_turn(&mut self) {}

    /// Reads what the program has printed to stderr until now.
    fn catch_up(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// The last lines that were read of what the program printed to stderr in this turn; empty if it printed none.
    fn last_stderr(&self) -> String;

    /// Whether other tests have the program before and after this one.
    fn is_shared(&self) -> bool {
        false
    }

    /// How the program ended, if it has: `ended with exit code 3`.
    fn end_in_words(&self) -> Option<String> {
        None
    }

    /// What the test must know of the program, which was not its own before; once.
    fn note(&mut self) -> Option<String> {
        None
    }

    /// Asks the program, by a signal, to end. It may take its time, or ignore that.
    fn terminate(&mut self) {}

    /// Ends the program and everything that it started, if it still runs, and returns when they are gone.
    fn end(&mut self) -> BoxFuture<'_, ()>;
}

/// The last lines that a program has printed to stderr in this turn, until now.
pub async fn printed_in_turn(pipe: &mut dyn Pipe) -> String {
    pipe.catch_up().await;
    pipe.last_stderr()
}

/// Something that starts programs. Moments are its business, all of them, so that a recording can replay them.
pub trait PipeLauncher: Send + Sync {
    /// Starts a program.
    ///
    /// # Errors
    /// If it cannot be started.
    fn start(&self, program: &PipeProgram) -> Result<Box<dyn Pipe>, TargetError>;
}
