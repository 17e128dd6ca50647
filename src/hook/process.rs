//! A running program: waited for, bounded in time and output, and ended with everything it started.

use std::future::pending;
use std::time::Duration;

use tokio::process::Child;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::error::Trouble;
use super::group::{self, Group};
use super::output;
use super::streams::{Reading, Streams, Tail};

/// How long output may still come when the program is over: a process of its own may be about to write it, and one that
/// left the group may hold the pipes for ever.
const LINGER: Duration = Duration::from_millis(150);

/// How long a killed process may take to go.
const REAP: Duration = Duration::from_secs(2);

/// A program that was started.
pub(super) struct Process {
    pub(super) streams: Streams,
    // Dropped before the child: the group is killed while its leader still holds the number.
    pub(super) group: Group,
    pub(super) child: Child,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals"))]
    Signal(i32),
    /// Its time was up, in this long.
    Timeout(Duration),
    /// It printed too much.
    TooMuch,
    /// The run was stopped.
    Stopped,
}

/// A program that is over.
pub(super) struct Finished {
    pub(super) ending: Ending,
    pub(super) output: Vec<u8>,
    pub(super) errors: Tail,
}

impl Finished {
    /// What is wrong with how it ended; `None` where it ended well.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        match self.ending {
            Ending::Exit(0) => None,
            Ending::Exit(code) => Some(Trouble::Exit(code)),
            Ending::Signal(signal) => Some(Trouble::Signal(signal)),
            Ending::Timeout(after) => Some(Trouble::Timeout(after)),
            Ending::TooMuch => Some(Trouble::TooMuch(output::start_of(&self.output))),
            Ending::Stopped => Some(Trouble::Stopped),
        }
    }
}

impl Process {
    /// Waits until the program ends or has to, and kills what is left of its group.
    pub(super) async fn finish(mut self, limit: Duration, cancel: &CancellationToken) -> Finished {
        let forced = tokio::select! {
            // A program that is over is not timed out by the same tick.
            biased;
            () = self.group.leader_ends(&mut self.child) => None,
            () = too_much(&mut self.streams) => Some(Ending::TooMuch),
            () = cancel.cancelled() => Some(Ending::Stopped),
            () = sleep(limit) => Some(Ending::Timeout(limit)),
        };
        let mut printed_too_much = false;
        if forced.is_none() {
            printed_too_much = timeout(LINGER, self.streams.read()).await == Ok(Reading::TooMuch);
        }
        self.group.kill();
        let _ = self.child.start_kill();
        let status = timeout(REAP, self.child.wait()).await;
        // What was written before the end is still in the pipes.
        let rest = timeout(LINGER, self.streams.read()).await;
        printed_too_much |= rest == Ok(Reading::TooMuch);
        let ending = match (forced, status) {
            (Some(ending), _) => ending,
            (None, _) if printed_too_much => Ending::TooMuch,
            (None, Ok(Ok(status))) => group::ending(status),
            (None, _) => Ending::Timeout(limit),
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
