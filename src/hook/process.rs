//! A running program: waited for, bounded in time and output, and ended with everything it started.

use std::future::pending;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::error::Trouble;
use super::output;
use super::streams::{Reading, Streams};
use crate::process::{Ended, Process, Program, StartError, Started, Tail, start};
use crate::project::Launch;

/// How long output may still come when the program is over: a process of its own may be about to write it, and one that
/// left the group may hold the pipes for ever.
const LINGER: Duration = Duration::from_millis(150);

/// A program that was started.
pub(super) struct Running {
    streams: Streams,
    process: Process,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// By itself or by a signal.
    Ended(Ended),
    /// Its time was up, in this long.
    Timeout(Duration),
    /// It printed too much.
    TooMuch,
    /// The run was stopped.
    Stopped,
}

/// A program that is over.
pub(super) struct Finished {
    ending: Ending,
    pub(super) output: Vec<u8>,
    pub(super) errors: Tail,
}

impl Finished {
    /// What is wrong with how it ended; `None` where it ended well.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        match self.ending {
            Ending::Ended(Ended::Exit(0)) => None,
            Ending::Ended(ended) => Some(Trouble::Ended(ended)),
            Ending::Timeout(after) => Some(Trouble::Timeout(after)),
            Ending::TooMuch => Some(Trouble::TooMuch(output::start_of(&self.output))),
            Ending::Stopped => Some(Trouble::Stopped),
        }
    }
}

impl Running {
    /// Starts a program, which gets `input` on its stdin, or finds that closed.
    pub(super) fn start(launch: &Launch, input: Option<Vec<u8>>) -> Result<Self, StartError> {
        let Launch { argv, environment, folder, folder_name, .. } = launch;
        let program = Program { argv, environment, folder, folder_name };
        let Started { stdin, stdout, stderr, process } = start(&program, input.is_some())?;
        Ok(Self { streams: Streams::new(stdin.zip(input), stdout, stderr), process })
    }

    /// Waits until the program ends or has to, and kills what is left of its group.
    pub(super) async fn finish(mut self, limit: Duration, cancel: &CancellationToken) -> Finished {
        let forced = tokio::select! {
            // A program that is over is not timed out by the same tick.
            biased;
            () = self.process.ends() => None,
            () = too_much(&mut self.streams) => Some(Ending::TooMuch),
            () = cancel.cancelled() => Some(Ending::Stopped),
            () = sleep(limit) => Some(Ending::Timeout(limit)),
        };
        let mut printed_too_much = false;
        if forced.is_none() {
            printed_too_much = timeout(LINGER, self.streams.read()).await == Ok(Reading::TooMuch);
        }
        let ended = self.process.end().await;
        // What was written before the end is still in the pipes.
        let rest = timeout(LINGER, self.streams.read()).await;
        printed_too_much |= rest == Ok(Reading::TooMuch);
        let ending = match (forced, ended) {
            (Some(ending), _) => ending,
            (None, _) if printed_too_much => Ending::TooMuch,
            (None, Some(ended)) => Ending::Ended(ended),
            (None, None) => Ending::Timeout(limit),
        };
        let Streams { output, errors, .. } = self.streams;
        Finished { ending, output, errors }
    }
}

/// Reads; returns when there is too much, else never.
async fn too_much(streams: &mut Streams) {
    if streams.read().await == Reading::AtEnd {
        pending::<()>().await;
    }
}
