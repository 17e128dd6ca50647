//! A conversation with a program: each exchange is a line to it, answered by events, one per line.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::CommandSettings;
use crate::agui_conversation::AguiConversation;
use ananke_agents::pipe::{
    Pipe, PipeLauncher, PipeNext, RequestOrder, printed_in_turn, read_events,
};
use ananke_agents::{
    Action, Ended, EventReader as _, Limits, Received, Request, Session, SessionOptions, Sink,
    TargetError, Wire,
};
use ananke_base::context::{At, Clock};

/// The time that a program may take to end after its stdin was closed.
const GRACE: Duration = Duration::from_secs(5);

/// The number of lines that are read after the last response.
const MOST_STRAY: usize = 100;

/// One conversation with a program.
pub(super) struct CommandSession {
    settings: Arc<CommandSettings>,
    programs: Arc<dyn PipeLauncher>,
    clock: Arc<dyn Clock>,
    conversation: AguiConversation,
    /// The program, from the first exchange on.
    program: Option<Box<dyn Pipe>>,
    /// Whether every response so far was complete.
    is_complete: bool,
}

impl CommandSession {
    pub(super) fn new(settings: Arc<CommandSettings>, options: SessionOptions) -> Self {
        let (programs, clock) = (Arc::clone(&options.programs), Arc::clone(&options.clock));
        let conversation = AguiConversation::new(settings.conversation.clone(), options);
        Self {
            settings,
            programs,
            clock,
            conversation,
            program: None,
            is_complete: true,
        }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let CommandSettings {
            program,
            max_response_bytes,
            ..
        } = &*self.settings;
        let limits = &Limits {
            max_event_bytes: program.max_line_bytes,
            max_response_bytes: *max_response_bytes,
            ..limits.clone()
        };
        if limits
            .cancel
            .run_until_cancelled(limits.admit_request())
            .await
            .is_none()
        {
            return Ok(Ended::Cancelled);
        }
        let is_same_turn = matches!(request.action, Action::ToolResults(_));
        let (input, mut run) = self.conversation.begin(request)?;
        let (pipe, order) = match &mut self.program {
            Some(pipe) => (pipe, RequestOrder::Later),
            none => (
                none.insert(self.programs.start(program)?),
                RequestOrder::First(None),
            ),
        };
        if !is_same_turn && order == RequestOrder::Later {
            pipe.start_turn();
        }
        self.is_complete = false;
        let line = input.get().as_bytes();
        let sent = pipe.send(line)?;
        let mut events = self.conversation.events(&mut run);
        let (sent, order) = match order {
            RequestOrder::First(_) if events.rest().is_none() => {
                first_response(&mut **pipe, sent, limits).await
            }
            order => (sent, order),
        };
        sink.wire(sent, Wire::Sent { body: line });
        let mut closed = None;
        let talk = read_events(
            &mut **pipe,
            &mut events,
            limits,
            (sent, order),
            sink,
            &mut closed,
        );
        let ended = limits.cancel.run_until_cancelled(talk).await;
        let ended = self.conversation.end(run, ended, sink);
        sink.wire(closed.unwrap_or_else(|| self.clock.now()), Wire::Closed);
        self.is_complete = ended == Ok(Ended::Terminal);
        ended
    }

    /// Closes the program's stdin, waits until it has ended, and returns what is odd about that.
    async fn finish(&mut self) -> Vec<String> {
        let Some(mut program) = self.program.take() else {
            return Vec::new();
        };
        let mut warnings = Vec::new();
        if self.is_complete {
            let until = program.close().plus(GRACE);
            for _ in 0..MOST_STRAY {
                match program.next(until).await {
                    PipeNext::Line(_, line) if line.trim_ascii().is_empty() || !warnings.is_empty() => {}
                    PipeNext::Line(_, line) => warnings.push(format!(
                        "the agent printed a line after its last response was complete, which no rule sees: {}",
                        Received::quoted(&line)
                    )),
                    PipeNext::Late => {
                        let grace = GRACE.as_secs();
                        warnings.push(format!(
                            "the agent did not end within {grace} s after its stdin was closed: it was killed"
                        ));
                        break;
                    }
                    PipeNext::End(_, status) => {
                        warnings.extend(status.filter(|status| !status.is_success()).map(
                            |status| format!("the agent {status} after its last response was complete"),
                        ));
                        break;
                    }
                    PipeNext::TooLarge(_) => break,
                }
            }
        }
        program.end().await;
        warnings
    }
}

/// Waits for the beginning of the first response. What a program needs to start is no time of its first turn, if it says when
/// it is ready: the turn begins then.
async fn first_response(pipe: &mut dyn Pipe, sent: At, limits: &Limits) -> (At, RequestOrder) {
    let first = pipe.next(limits.until(sent));
    match limits.cancel.run_until_cancelled(first).await {
        Some(PipeNext::Line(ready, line)) if line.trim_ascii().is_empty() => {
            (sent.max(ready), RequestOrder::Any)
        }
        first => (sent, RequestOrder::First(first)),
    }
}

impl Session for CommandSession {
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        Box::pin(self.run(request, limits, sink))
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn last_stderr(&mut self) -> BoxFuture<'_, String> {
        Box::pin(async {
            match &mut self.program {
                Some(program) => printed_in_turn(&mut **program).await,
                None => String::new(),
            }
        })
    }

    fn close(&mut self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(self.finish())
    }
}
