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
use ananke_trace::process::{Process, Program, StartError, start};

/// The time that a server has to end by itself when it is asked to.
const GRACE: Duration = Duration::from_secs(5);

/// The time for which output may still come when a server is over: one that left its group may hold the pipes for ever.
const LINGER: Duration = Duration::from_millis(150);

#[derive(Clone, Debug, Default)]
pub(super) struct ServerState {
    /// The line was printed that says that the server is ready.
    has_said_so: bool,
    /// Set once the server has ended by itself.
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
    /// Starts a server, and a task that keeps it: the task reads its output, notices its end, and ends it when `stop` is dropped.
    ///
    /// # Errors
    /// If the system cannot start it.
    pub(super) fn start(command: &ServerCommand) -> Result<Self, StartError> {
        let ServerCommand {
            argv,
            environment,
            folder,
            folder_name,
            ready,
            ..
        } = command;
        let program = Program {
            argv,
            environment,
            folder,
            folder_name,
        };
        // Nothing is ever written to the server, so that its stdin is empty.
        let started = start(&program, Stdio::null())?;
        let printed = Printed::new();
        let pattern = matcher(ready);
        let output = ServerOutput::new(started.stdout, started.stderr, printed.clone(), pattern);

        // A task of its own has the process, because output must be read, and the end noticed, while the run does other things.
        // `printed` and `state` are what this value shares with the task.
        let (sender, state) = watch::channel(ServerState::default());
        let stop = CancellationToken::new();
        let keeper = Keeper {
            name: server_name(command),
            process: started.process,
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

    /// The last lines that the server printed.
    pub(super) fn printed(&self) -> String {
        self.printed.last_lines()
    }

    /// Ends the server, and waits until no process of it is left.
    pub(super) async fn stop(self) {
        drop(self.stop);
        // A task that was aborted with its runtime has dropped the process, which kills it.
        let _ = self.task.await;
    }
}

impl ServerState {
    /// Waits until the server has ended by itself.
    pub(super) async fn exit(state: &mut watch::Receiver<Self>) -> ServerExit {
        if let Ok(state) = state.wait_for(|state| state.exit.is_some()).await
            && let Some(exit) = &state.exit
        {
            return exit.clone();
        }
        // It was ended on request, which is not reported.
        std::future::pending().await
    }

    /// Waits for the line that says that the server is ready.
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
    /// Reads the output of the server until it ends by itself, which is reported, or until `stop`, which ends it.
    async fn keep(mut self, stop: CancellationToken) {
        loop {
            tokio::select! {
                // The end by itself has priority: a server that was stopped only after it had ended is reported as ended.
                biased;
                () = self.process.ends() => return self.report_exit().await,
                () = stop.cancelled() => return self.end().await,
                read = self.output.read() => match read {
                    Read::More => {}
                    // The start of the run waits for this line.
                    Read::Found => self.state.send_modify(|state| state.has_said_so = true),
                    // The server has closed its output and still runs. Reading would return at once for ever.
                    Read::AtEnd => break,
                },
            }
        }
        // The same without output.
        tokio::select! {
            biased;
            () = self.process.ends() => self.report_exit().await,
            () = stop.cancelled() => self.end().await,
        }
    }

    /// Reports that the server has ended by itself, and kills what it started.
    async fn report_exit(mut self) {
        // Before and after: what it started may be about to write, and what was written is still in the pipes.
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

    /// Asks the server to end, and kills it after [`GRACE`].
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
