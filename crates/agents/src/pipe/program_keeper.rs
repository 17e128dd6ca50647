//! Keeps a running program until it ends or is to end, and sees to it that nothing of its group is left.

use std::sync::Arc;

use tokio::sync::{Notify, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use ananke_trace::process::{ExitStatus, Process};

/// A program that is kept by a task. If this is dropped, the program is killed with everything it started.
pub(super) struct ProgramKeeper {
    stop: Option<DropGuard>,
    terminate: Arc<Notify>,
    over: ProgramOver,
}

/// Knows when a program is over; clones know of the same one.
#[derive(Clone)]
pub(super) struct ProgramOver(watch::Receiver<ProgramState>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgramState {
    Running,
    /// The way in which it ended, if that is known.
    Over(Option<ExitStatus>),
}

impl ProgramKeeper {
    pub(super) fn new(process: Process) -> Self {
        let stop = CancellationToken::new();
        let terminate = Arc::new(Notify::new());
        let (sender, over) = watch::channel(ProgramState::Running);
        tokio::spawn(keep(process, stop.clone(), Arc::clone(&terminate), sender));
        Self {
            stop: Some(stop.drop_guard()),
            terminate,
            over: ProgramOver(over),
        }
    }

    pub(super) fn over(&self) -> ProgramOver {
        self.over.clone()
    }

    /// Asks the program and what it started to end.
    pub(super) fn terminate(&self) {
        self.terminate.notify_one();
    }

    /// Ends the program, if it still runs, and returns when its group is empty.
    pub(super) async fn end(&mut self) {
        self.stop = None;
        self.over.status().await;
    }
}

impl ProgramOver {
    /// How the program ended, if it is over.
    pub(super) fn in_words(&self) -> Option<String> {
        match *self.0.borrow() {
            ProgramState::Running => None,
            ProgramState::Over(None) => Some("ended".to_owned()),
            ProgramState::Over(Some(status)) => Some(status.to_string()),
        }
    }

    /// Waits until the program is over and its group is empty: how it ended, if that is known.
    pub(super) async fn status(&mut self) -> Option<ExitStatus> {
        // A task that was aborted with its runtime has dropped the process, which kills it.
        match self
            .0
            .wait_for(|state| *state != ProgramState::Running)
            .await
            .as_deref()
        {
            Ok(ProgramState::Over(status)) => *status,
            Ok(ProgramState::Running) | Err(_) => None,
        }
    }
}

/// Owns a process until it ends or `stop` is cancelled, and then sends its exit status to `over`.
async fn keep(
    mut process: Process,
    stop: CancellationToken,
    terminate: Arc<Notify>,
    over: watch::Sender<ProgramState>,
) {
    loop {
        tokio::select! {
            biased;
            () = process.ends() => break,
            () = stop.cancelled() => break,
            // A signal asks the process to end. The process may ignore it, so the loop goes on.
            () = terminate.notified() => process.terminate(),
        }
    }
    // The process itself may have ended, and those that it started not: all of them are killed here.
    let status = process.end().await;
    over.send_replace(ProgramState::Over(status));
}
