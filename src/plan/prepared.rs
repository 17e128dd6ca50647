//! A test that is ready to run: everything filled in.

use std::sync::Arc;
use std::time::Duration;

use crate::assertion::Inherited;
use crate::compile::{CompiledClientTool, PreparedTurn};
use crate::message::HistoryMessage;
use crate::target::Target;
use crate::variables::Secret;

/// A test that is ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What was said before the first of them.
    pub history: Vec<HistoryMessage>,
    /// The turns; `None` where one waits for what an earlier one keeps.
    pub turns: Vec<Option<PreparedTurn>>,
    /// What must hold.
    pub rules: Inherited,
    /// The agent.
    pub target: Arc<dyn Target>,
    /// The tools that the client carries out.
    pub client_tools: Vec<CompiledClientTool>,
    /// The conversation's thread.
    pub thread_id: String,
    /// Whether another test may get the same thread: it was not generated for this one.
    pub thread_is_fixed: bool,
    /// How long one turn may take that does not say so itself.
    pub timeout: Duration,
    /// How much of the agent's time the whole test may take.
    pub whole_timeout: Option<Duration>,
    /// Values that must be masked wherever they are told; given out before anything is told of the test.
    pub secrets: Vec<Secret>,
    /// What is odd about what hooks gave; the plan has told the rest.
    pub warnings: Vec<String>,
}
