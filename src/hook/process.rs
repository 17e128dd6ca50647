//! A running hook: waited for, bounded in time and output, and ended with everything it started.

use std::future::pending;
use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::error::Trouble;
use super::output;
use super::streams::{Reading, Streams};
use crate::plan::HookCommand;
use crate::process::{Ended, Process, Program, StartError, Started, Tail, start};

/// How long output may still come when the hook is over: a process of its own may be about to write it, and one that
/// left the group may hold the pipes for ever.
const LINGER: Duration = Duration::from_millis(150);

/// A hook that was started.
pub(super) struct Running {
    streams: Streams,
    process: Process,
}

/// How a hook ended.
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

/// A hook that is over.
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
    /// Starts a hook.
    pub(super) fn start(hook: &HookCommand) -> Result<Self, StartError> {
        let HookCommand { argv, environment, folder, folder_name, .. } = hook;
        let Started { stdout, stderr, process } = start(&Program { argv, environment, folder, folder_name })?;
        Ok(Self { streams: Streams::new(stdout, stderr), process })
    }

    /// Waits until the hook ends or has to, and kills what is left of its group.
    pub(super) async fn finish(mut self, limit: Duration, cancel: &CancellationToken) -> Finished {
        let forced = tokio::select! {
            // A hook that is over is not timed out by the same tick.
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
