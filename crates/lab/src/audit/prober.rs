//! Makes the calls of an audit, each as an exchange of its own, and keeps what came of it.

use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::Value;

use ananke_agents::{Action, Ended, Session, Sink, Stop, TargetError, ToolTurns, Wire};
use ananke_base::context::At;
use ananke_base::message::DeclaredTool;
use ananke_plan::PreparedHelper;
use ananke_run::RunHelpers;
use ananke_trace::trace::{Change, ResultContent, RunEnd};

/// Makes calls; after one that came to nothing, the next has a new session.
pub(super) struct Prober<'a> {
    helpers: &'a RunHelpers,
    target: &'a PreparedHelper,
    turns: ToolTurns,
    timeout: Duration,
    session: Option<Box<dyn Session>>,
}

/// The result of an exchange.
#[derive(Debug, Default)]
pub(super) struct Observed {
    /// The end of the exchange; `None` if the session could not be opened.
    pub(super) end: Option<Result<Ended, TargetError>>,
    /// Whether a response came.
    pub(super) has_response: bool,
    /// The tools that were declared.
    pub(super) tools: Option<Vec<DeclaredTool>>,
    /// The result of the call.
    pub(super) result: Option<ResultContent<'static>>,
    /// Whether the result is an error.
    pub(super) is_error: bool,
    /// The text of the answer.
    pub(super) text: String,
    /// The error with which the whole request was refused.
    pub(super) refusal: Option<RunEnd>,
    /// The violations of the protocol, in words.
    pub(super) oddities: Vec<String>,
}

impl<'a> Prober<'a> {
    /// Calls the tools of `target`; each call may take this long.
    pub(super) fn new(
        helpers: &'a RunHelpers,
        target: &'a PreparedHelper,
        turns: ToolTurns,
        timeout: Duration,
    ) -> Self {
        Self {
            helpers,
            target,
            turns,
            timeout,
            session: None,
        }
    }

    /// Lists the tools.
    pub(super) async fn list(&mut self) -> Observed {
        self.exchange(self.turns.list()).await
    }

    /// Calls a tool.
    pub(super) async fn call(&mut self, tool: &str, args: &Value) -> Observed {
        self.exchange(self.turns.call(tool, args).into()).await
    }

    /// Ends the session; what is odd about how the agent ended.
    pub(super) async fn close(&mut self) -> Vec<String> {
        match self.session.take() {
            Some(mut session) => session.close().await,
            None => Vec::new(),
        }
    }

    async fn exchange(&mut self, action: Action) -> Observed {
        let mut observed = Observed::default();
        let limits = self.helpers.limits(self.timeout);
        let session = match &mut self.session {
            Some(session) => session,
            none => match self
                .target
                .target
                .open(self.helpers.session_options())
                .await
            {
                Ok(session) => none.insert(session),
                Err(error) => {
                    return Observed {
                        end: Some(Err(error)),
                        ..observed
                    };
                }
            },
        };
        let ended = session
            .exchange(action.into(), &limits, &mut observed)
            .await;
        if ended != Ok(Ended::Terminal) {
            self.close().await;
        }
        observed.end = Some(ended);
        observed
    }
}

impl Sink for Observed {
    fn wire(&mut self, _: At, wire: Wire<'_>) {
        // The last frame is the answer; what came before the request of a call does not count.
        self.has_response |= matches!(wire, Wire::Frame(_));
    }

    fn change(&mut self, _: At, change: Change<'_>) -> ControlFlow<Stop> {
        match change.into_owned() {
            Change::CallOpened { .. } => self.has_response = false,
            Change::ToolsDeclared { tools, .. } => self.tools = Some(tools),
            Change::CallAnswered {
                result, is_error, ..
            } => {
                (self.result, self.is_error) = (Some(result), is_error == Some(true));
            }
            Change::MessageText { delta, .. } => self.text.push_str(&delta),
            Change::RunEnded(end @ RunEnd::Error { .. }) => self.refusal = Some(end),
            Change::Violation { message, .. } | Change::Warning(message) => {
                self.oddities.push(message.into_owned());
            }
            Change::Unread(unread) => self.oddities.push(unread.warning()),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
