//! The tools of an agent: those that it declares by itself, outside any test, and the result of a call to one.

use std::ops::ControlFlow;

use super::session::{Action, SessionOptions};
use super::sink::{Ended, Sink, Stop, Wire};
use super::{error::TargetError, limits::Limits, target::Target};
use ananke_base::context::At;
use ananke_base::message::DeclaredTool;
use ananke_trace::trace::{Change, ResultContent, RunEnd};

/// Asks an agent for its tools: opens a session of `target`, sends `request`, which asks for the list, and closes the session.
///
/// # Errors
/// If the agent cannot be reached, reports an error, or sends no complete list in time.
pub async fn listed_tools(
    target: &dyn Target,
    request: Action,
    options: SessionOptions,
    limits: &Limits,
) -> Result<Vec<DeclaredTool>, TargetError> {
    let mut session = target.open(options).await?;
    let mut observed = ObservedExchange::default();
    let ended = session
        .exchange(request.into(), limits, &mut observed)
        .await;
    // The session is closed before an error is returned, so that the agent sees an orderly end: dropping would end it at once.
    session.close().await;
    observed.end = Some(ended);
    observed.into_tools()
}

/// The tools, the result and the end of an exchange in which tools are listed or called.
#[derive(Debug, Default)]
pub struct ObservedExchange {
    /// The end of the exchange; `None` if the session could not be opened.
    pub end: Option<Result<Ended, TargetError>>,
    /// Whether a response came.
    pub has_response: bool,
    /// The list, once the agent sent it.
    pub tools: Option<Vec<DeclaredTool>>,
    /// The result of the call.
    pub result: Option<ResultContent<'static>>,
    /// Whether the result is an error.
    pub is_error: bool,
    /// The text of the answer.
    pub text: String,
    /// The error with which the whole request was refused.
    pub refusal: Option<RunEnd>,
    /// The violations of the protocol, in words.
    pub oddities: Vec<String>,
}

impl ObservedExchange {
    /// The tools that the agent listed in this exchange, which has ended.
    ///
    /// # Errors
    /// If the exchange failed, or its list is not complete.
    pub fn into_tools(self) -> Result<Vec<DeclaredTool>, TargetError> {
        let ended = match self.end {
            Some(ended) => ended?,
            None => return Err(TargetError::new("the agent was not asked for its tools")),
        };
        // The agent answered, but with an error of its own.
        if let Some(error) = self.refusal {
            let message = format!("the agent does not list its tools: {error}");
            return Err(TargetError::new(message));
        }
        // Only a complete exchange counts: a list may come in pieces, and some of them would be missing.
        match ended {
            Ended::Terminal => self
                .tools
                .ok_or_else(|| TargetError::new("the agent did not list its tools")),
            Ended::Timeout => Err(TargetError::new("the agent did not list its tools in time")),
            // The cancellation token of its limits stopped the exchange.
            Ended::Cancelled => Err(TargetError::new("the agent did not list its tools")),
        }
    }
}

impl Sink for ObservedExchange {
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
                self.result = Some(result);
                self.is_error = is_error == Some(true);
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
