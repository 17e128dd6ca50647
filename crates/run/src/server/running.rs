//! One running server: a task reads its output, notices its end, and ends it on request.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use regex::Regex;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::output::{Printed, Read, ServerOutput};
use super::server_exit::{ServerExit, server_name};
use ananke_model::variables::Patterns;
use ananke_plan::project::{Readiness, ServerCommand};
use ananke_trace::process::{Process, Program, StartError, Started, start};

/// The time that a server has to end by itself when it is asked to.
const GRACE: Duration = Duration::from_secs(5);

/// The time for which output may still come when a server is over: one that left its group may hold the pipes for ever.
const LINGER: Duration = Duration::from_millis(150);

/// The state of a server.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerState {
    /// Whether it has printed the line that says that it is ready.
    has_said_so: bool,
    /// Set once it has ended by itself.
    exit: Option<ServerExit>,
}

/// A server that was started.
#[derive(Debug)]
pub(super) struct RunningServer {
    state: watch::Receiver<ServerState>,
    printed: Printed,
    // If it is dropped, the server ends as well.
    stop: DropGuard,
    task: JoinHandle<()>,
}

/// The task of a server.
struct Keeper {
    name: String,
    process: Process,
    output: ServerOutput,
    printed: Printed,
    state: watch::Sender<ServerState>,
}

impl RunningServer {
    /// Starts a server.
    pub(super) fn start(command: &ServerCommand) -> Result<Self, StartError> {
        let ServerCommand {
            argv,
            environment,
            folder,
            folder_name,
            ready,
            ..
        } = command;
        let Started {
            stdout,
            stderr,
            process,
            ..
        } = start(
            &Program {
                argv,
                environment,
                folder,
                folder_name,
            },
            Stdio::null(),
        )?;
        let (sender, state) = watch::channel(ServerState::default());
        let printed = Printed::new();
        let output = ServerOutput::new(stdout, stderr, printed.clone(), matcher(ready));
        let stop = CancellationToken::new();
        let keeper = Keeper {
            name: server_name(command),
            process,
            output,
            printed: printed.clone(),
            state: sender,
        };
        let task = tokio::spawn(keeper.keep(stop.clone()));
        Ok(Self {
            state,
            printed,
            stop: stop.drop_guard(),
            task,
        })
    }

    pub(super) fn watch(&self) -> watch::Receiver<ServerState> {
        self.state.clone()
    }

    /// The last lines that it printed.
    pub(super) fn printed(&self) -> String {
        self.printed.last_lines()
    }

    /// Ends it, and waits until no process of it is left.
    pub(super) async fn stop(self) {
        drop(self.stop);
        // A task that was aborted with its runtime has dropped the process, which kills it.
        let _ = self.task.await;
    }
}

impl ServerState {
    /// Waits until it has ended by itself.
    pub(super) async fn exit(state: &mut watch::Receiver<Self>) -> ServerExit {
        match state
            .wait_for(|state| state.exit.is_some())
            .await
            .ok()
            .and_then(|state| state.exit.clone())
        {
            Some(exit) => exit,
            // It was ended on request, which is not reported.
            None => std::future::pending().await,
        }
    }

    /// Waits for the line that says that it is ready.
    pub(super) async fn says_so(state: &mut watch::Receiver<Self>) {
        if state.wait_for(|state| state.has_said_so).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The pattern of the line that says that it is ready; errors in it were reported when it was checked.
fn matcher(ready: &Readiness) -> Option<Arc<Regex>> {
    match ready {
        Readiness::Stdout(pattern) => Patterns::default().compile(pattern).ok(),
        Readiness::Url(_) | Readiness::Port(_) => None,
    }
}

impl Keeper {
    async fn keep(mut self, stop: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = self.process.ends() => return self.report_exit().await,
                () = stop.cancelled() => return self.end().await,
                read = self.output.read() => match read {
                    Read::More => {}
                    Read::Found => self.state.send_modify(|state| state.has_said_so = true),
                    // It prints nothing any more, and runs on.
                    Read::AtEnd => break,
                },
            }
        }
        tokio::select! {
            biased;
            () = self.process.ends() => self.report_exit().await,
            () = stop.cancelled() => self.end().await,
        }
    }

    /// Reports that it has ended by itself, and kills what it started.
    async fn report_exit(mut self) {
        let _ = timeout(LINGER, self.output.drain()).await;
        let status = self.process.end().await;
        let _ = timeout(LINGER, self.output.drain()).await;
        let exit = ServerExit {
            name: self.name,
            status,
            printed: self.printed.last_lines(),
        };
        self.state.send_modify(|state| state.exit = Some(exit));
    }

    /// Ends it: it is asked to end first, and killed after [`GRACE`].
    async fn end(mut self) {
        self.process.terminate();
        let ends = async {
            tokio::select! {
                () = self.process.ends() => {}
                // A server that prints much at its end must not wait for us.
                () = async { self.output.drain().await; std::future::pending().await } => {}
            }
        };
        let _ = timeout(GRACE, ends).await;
        let _ = self.process.end().await;
    }
}
