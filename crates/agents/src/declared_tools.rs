//! The tools that an agent declares by itself, outside any test.

use std::ops::ControlFlow;

use super::session::{Action, SessionOptions};
use super::sink::{Ended, Sink, Stop, Wire};
use super::{error::TargetError, limits::Limits, target::Target};
use ananke_base::context::At;
use ananke_base::message::DeclaredTool;
use ananke_trace::trace::{Change, RunEnd};

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
    let mut sink = ToolsSink::default();
    let ended = session.exchange(request.into(), limits, &mut sink).await;
    // The session is closed before an error is returned, so that the agent sees an orderly end: dropping would end it at once.
    session.close().await;
    let ended = ended?;
    // The agent answered, but with an error of its own.
    if let Some(error) = sink.error {
        let message = format!("the agent does not list its tools: {error}");
        return Err(TargetError::new(message));
    }
    // Only a complete exchange counts: a list may come in pieces, and some of them would be missing.
    match ended {
        Ended::Terminal => sink
            .tools
            .ok_or_else(|| TargetError::new("the agent did not list its tools")),
        Ended::Timeout => Err(TargetError::new("the agent did not list its tools in time")),
        // The cancellation token of `limits` stopped the exchange.
        Ended::Cancelled => Err(TargetError::new("the agent did not list its tools")),
    }
}

/// Keeps the tools that are declared.
#[derive(Default)]
struct ToolsSink {
    tools: Option<Vec<DeclaredTool>>,
    error: Option<RunEnd>,
}

impl Sink for ToolsSink {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, change: Change<'_>) -> ControlFlow<Stop> {
        match change {
            Change::ToolsDeclared { tools, .. } => self.tools = Some(tools),
            Change::RunEnded(error @ RunEnd::Error { .. }) => self.error = Some(error),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
