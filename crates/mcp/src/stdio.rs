//! A server that is a program: each message is a line of its stdin or stdout.

use std::sync::Arc;
use std::time::Duration;

use super::rpc_response::is_late_response;
use super::talk::{Talk, TalkEnd};
use ananke_agents::pipe::{
    Pipe, PipeLauncher, PipeNext, PipeProgram, RequestOrder, printed_in_turn, read_events,
};
use ananke_agents::{Ended, Limits, Received, TargetError};
use ananke_base::context::At;
use ananke_trace::process::ExitStatus;

/// The time that a server may take to end after its stdin was closed.
const GRACE: Duration = Duration::from_secs(5);

/// The time that a server may take to end after it was asked to, by a signal.
const AFTER_SIGNAL: Duration = Duration::from_secs(2);

/// The same for a server that has not answered in time.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

/// The number of lines that are read after the last response.
const MOST_STRAY: usize = 100;

/// The way to a server that is a program.
pub(super) struct StdioConnection {
    program: PipeProgram,
    programs: Arc<dyn PipeLauncher>,
    server: Option<Box<dyn Pipe>>,
    /// What the test must know of a program that was not its own before.
    notes: Vec<String>,
}

/// The result of the wait for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waited {
    Ended(Option<ExitStatus>),
    Runs,
}

impl StdioConnection {
    pub(super) fn new(program: PipeProgram, programs: Arc<dyn PipeLauncher>) -> Self {
        Self {
            program,
            programs,
            server: None,
            notes: Vec::new(),
        }
    }

    /// The program, which is started if it does not run.
    fn server(&mut self) -> Result<&mut Box<dyn Pipe>, TargetError> {
        match &mut self.server {
            Some(server) => Ok(server),
            none => {
                let mut server = self.programs.start(&self.program)?;
                self.notes.extend(server.note());
                Ok(none.insert(server))
            }
        }
    }

    /// Ends the program, so that the next message starts it again.
    pub(super) async fn restart(&mut self) {
        if let Some(mut server) = self.server.take() {
            server.end().await;
        }
    }

    /// Another turn starts: what the program printed to stderr so far is not of it.
    pub(super) fn start_turn(&mut self) {
        if let Some(server) = &mut self.server {
            server.start_turn();
        }
    }

    /// The last lines that the program printed to stderr in this turn.
    pub(super) async fn last_stderr(&mut self) -> String {
        match &mut self.server {
            Some(server) => printed_in_turn(&mut **server).await,
            None => String::new(),
        }
    }

    /// Sends one message, and returns when that was.
    pub(super) fn send(&mut self, line: &[u8]) -> Result<At, TargetError> {
        self.server()?.send(line)
    }

    /// Reads until there is something to do, or until then.
    pub(super) async fn read(
        &mut self,
        until: At,
        talk: &mut Talk<'_>,
    ) -> Result<Ended, TargetError> {
        let began = talk.began.unwrap_or_default();
        let limits = Limits {
            timeout: until.since(began),
            deadline: None,
            pacer: None,
            max_event_bytes: self.program.max_line_bytes,
            ..talk.limits.clone()
        };
        let server = self.server()?;
        // What comes without being asked for comes at any time.
        let order = (began, RequestOrder::Any);
        let Talk {
            incoming,
            sink,
            closed,
            ..
        } = talk;
        read_events(&mut **server, incoming, &limits, order, *sink, closed).await
    }

    /// Closes the server's stdin, waits until it has ended, and returns what is odd about that. A server that tests share ends only if
    /// it still works. A server that does not end is
    /// asked to by a signal, and then killed; so is one
    /// that did not answer, sooner.
    pub(super) async fn close(&mut self, end: TalkEnd) -> Vec<String> {
        let notes = std::mem::take(&mut self.notes);
        let Some(mut server) = self.server.take() else {
            return notes;
        };
        let mut warnings = Vec::new();
        let (grace, after) = match end {
            TalkEnd::Complete => (GRACE, AFTER_SIGNAL),
            TalkEnd::Failed => (AFTER_FAILURE, AFTER_FAILURE),
        };
        let closed = server.close();
        let waited = wait(&mut *server, closed.plus(grace), &mut warnings).await;
        if let Waited::Ended(Some(status)) = waited
            && end == TalkEnd::Complete
            && !status.is_success()
        {
            warnings.push(format!("the server {status} after its last response"));
        }
        if waited == Waited::Runs {
            server.terminate();
            let until = closed.plus(grace).plus(after);
            let how = match wait(&mut *server, until, &mut warnings).await {
                Waited::Ended(_) => "it was ended by a signal",
                Waited::Runs => "it was killed",
            };
            if end == TalkEnd::Complete {
                warnings.push(format!(
                    "the server did not end within {} s after its stdin was closed: {how}",
                    grace.as_secs()
                ));
            }
        }
        server.end().await;
        [notes, warnings].concat()
    }
}

/// Waits for the end of a program. Only a second answer matters in what it still prints; that is a warning.
async fn wait(server: &mut dyn Pipe, until: At, warnings: &mut Vec<String>) -> Waited {
    for _ in 0..MOST_STRAY {
        match server.next(until).await {
            PipeNext::Line(_, line) if warnings.is_empty() && is_late_response(&line) => {
                warnings.push(format!(
                    "the server printed another response after its last one, which no rule sees: {}",
                    Received::quoted(&line)
                ));
            }
            PipeNext::Line(..) => {}
            PipeNext::Late => return Waited::Runs,
            PipeNext::TooLarge(_) => return Waited::Ended(None),
            PipeNext::End(_, status) => return Waited::Ended(status),
        }
    }
    Waited::Runs
}
