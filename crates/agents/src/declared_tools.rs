//! The tools that an agent declares by itself, outside any test.

use std::ops::ControlFlow;

use super::session::{Action, SessionOptions};
use super::sink::{Ended, Sink, Stop, Wire};
use super::{error::TargetError, limits::Limits, target::Target};
use ananke_base::context::At;
use ananke_base::message::DeclaredTool;
use ananke_trace::trace::{Change, RunEnd};

/// The tools that `target` lists when it gets this request: a session is opened for that, and closed.
///
/// # Errors
/// If the agent does not list its tools, for whatever reason.
pub async fn listed_tools(
    target: &dyn Target,
    request: Action,
    options: SessionOptions,
    limits: &Limits,
) -> Result<Vec<DeclaredTool>, TargetError> {
    let mut session = target.open(options).await?;
    let mut sink = ToolsSink::default();
    let ended = session.exchange(request.into(), limits, &mut sink).await;
    // Closed in any case, so that the agent sees an orderly end: a session that is dropped ends at once.
    session.close().await;
    let ended = ended?;
    if let Some(error) = sink.error {
        let message = format!("the agent does not list its tools: {error}");
        return Err(TargetError::new(message));
    }
    match ended {
        Ended::Terminal => sink
            .tools
            .ok_or_else(|| TargetError::new("the agent did not list its tools")),
        // A list that came in pieces may lack some of them.
        Ended::Timeout => Err(TargetError::new("the agent did not list its tools in time")),
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
