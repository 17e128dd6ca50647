//! A running program: bounded in time and output, and ended with everything it started.

use std::future::pending;
use std::process::Stdio;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::error::FailureCause;
use super::output;
use super::pipes::{Pipes, ReadStop};
use ananke_trace::process::{ExitStatus, Launch, Process, Program, StartError, Tail, start};

/// The time for which output may still come when the program is over: a process of its own may be about to write it,
/// and one that left the group may hold the pipes for ever.
const LINGER: Duration = Duration::from_millis(150);

/// A program that was started.
pub(super) struct RunningProgram {
    pipes: Pipes,
    process: Process,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgramEnd {
    /// An end by itself or by a signal.
    Ended(ExitStatus),
    /// The timeout that was exceeded.
    Timeout(Duration),
    /// More on stdout than the limit.
    TooMuch,
    /// The run was stopped.
    Stopped,
}

/// A program that has ended.
pub(super) struct Finished {
    ending: ProgramEnd,
    pub(super) output: Vec<u8>,
    pub(super) errors: Tail,
}

impl Finished {
    /// The reason that it failed, which may quote `shown`; `None` if it ended with exit code 0 in time.
    pub(super) fn failure_cause(&self, shown: &[u8]) -> Option<FailureCause> {
        match self.ending {
            ProgramEnd::Ended(ExitStatus::Exit(0)) => None,
            ProgramEnd::Ended(ended) => Some(FailureCause::Ended(ended)),
            ProgramEnd::Timeout(after) => Some(FailureCause::Timeout(after)),
            ProgramEnd::TooMuch => Some(FailureCause::TooMuch(output::start_of(shown))),
            ProgramEnd::Stopped => Some(FailureCause::Stopped),
        }
    }
}

impl RunningProgram {
    /// Starts a program. Its stdin gets `input`, and is at its end from the start if there is no input.
    ///
    /// # Errors
    /// If the system cannot start it.
    pub(super) fn start(launch: &Launch, input: Option<Vec<u8>>) -> Result<Self, StartError> {
        let Launch {
            argv,
            environment,
            folder,
            folder_name,
            ..
        } = launch;
        let program = Program {
            argv,
            environment,
            folder,
            folder_name,
        };
        // Without input, stdin is empty instead of our own: a program that reads it would otherwise wait until its timeout.
        let stdin = if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        let started = start(&program, stdin)?;
        // Both are there, or neither: stdin is a pipe only if there is input.
        let input = started.stdin.zip(input);
        Ok(Self {
            pipes: Pipes::new(input, started.stdout, started.stderr),
            process: started.process,
        })
    }

    /// Waits until the program ends by itself, exceeds `limit` or the output limit, or `cancel` comes. Then kills the processes
    /// that are left in its group.
    pub(super) async fn finish(mut self, limit: Duration, cancel: &CancellationToken) -> Finished {
        // The reason to end the program; `None` if it ended by itself.
        let forced_end = tokio::select! {
            // The end of the program has priority: if its timeout comes at the same moment, it was still in time.
            biased;
            () = self.process.ends() => None,
            // `too_much` also reads and writes the pipes for as long as the program runs.
            () = too_much(&mut self.pipes) => Some(ProgramEnd::TooMuch),
            () = cancel.cancelled() => Some(ProgramEnd::Stopped),
            () = sleep(limit) => Some(ProgramEnd::Timeout(limit)),
        };
        // Reads before the group is killed, because a process that the program started may be about to write. A program that must
        // be ended gets no more time.
        let mut printed_too_much = false;
        if forced_end.is_none() {
            printed_too_much = timeout(LINGER, self.pipes.read()).await == Ok(ReadStop::TooMuch);
        }
        let exit_status = self.process.end().await;
        // Reads again after that, because output from before the end is still in the pipes. The time is limited, because a
        // process that left the group may hold them open for ever.
        let last_read = timeout(LINGER, self.pipes.read()).await;
        printed_too_much |= last_read == Ok(ReadStop::TooMuch);

        // A forced end comes first, since the exit status only shows that we killed the program. Output with a gap cannot be
        // used, whatever the exit status is.
        let ending = if let Some(forced_end) = forced_end {
            forced_end
        } else if printed_too_much {
            ProgramEnd::TooMuch
        } else if let Some(exit_status) = exit_status {
            ProgramEnd::Ended(exit_status)
        } else {
            // A program that does not even end when it is killed has taken too long.
            ProgramEnd::Timeout(limit)
        };
        Finished {
            ending,
            output: self.pipes.output,
            errors: self.pipes.errors,
        }
    }
}

/// Reads; returns only if stdout exceeds its limit.
async fn too_much(pipes: &mut Pipes) {
    if pipes.read().await == ReadStop::AtEnd {
        pending::<()>().await;
    }
}
