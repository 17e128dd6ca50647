//! A test that is ready to run: everything filled in.

use std::sync::Arc;
use std::time::Duration;

use crate::compile::{
    CompiledAction, CompiledClientTool, CompiledInteraction, CompiledSimulation, PreparedTurn,
};
use ananke_agents::{Target, TargetPace};
use ananke_base::message::{HistoryMessage, ServerRequestKind};
use ananke_model::variables::Secret;
use ananke_rules::Inherited;
use ananke_trace::trace::KnownName;

/// A test that is ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The conversation history before the first turn.
    pub history: Vec<HistoryMessage>,
    /// The turns; `None` for one that waits for a capture of an earlier one.
    pub turns: Vec<Option<PreparedTurn>>,
    /// The rules that apply.
    pub rules: Inherited,
    /// The agent.
    pub target: Arc<dyn Target>,
    /// The simulated user after the turns, and the checkpoints of the conversation.
    pub simulation: Option<CompiledSimulation>,
    /// The settings of the test for unwritten input.
    pub interaction: CompiledInteraction,
    /// The tools that ask the user.
    pub confirmation_tools: Vec<String>,
    /// The actions of the user in a walk; empty for other tests.
    pub actions: Vec<CompiledAction>,
    /// The client-side tools.
    pub client_tools: Vec<CompiledClientTool>,
    /// The kinds of requests of a server that a turn or an action answers.
    pub offered: Vec<ServerRequestKind>,
    /// The conversation's thread.
    pub thread_id: String,
    /// Whether another test may get the same thread: it was not generated for this one.
    pub thread_is_fixed: bool,
    /// The rate and the concurrency with which the agent may be sent requests.
    pub pace: TargetPace,
    /// The names of what the agent sends and no rule is about.
    pub known: Vec<KnownName>,
    /// The timeout of a turn that has none of its own; `None` is the default.
    pub timeout: Option<Duration>,
    /// The time that the whole test may take.
    pub whole_timeout: Option<Duration>,
    /// Values that must be masked; known before anything of the test is reported.
    pub secrets: Vec<Secret>,
    /// Warnings about results of hooks; the plan has reported the others.
    pub warnings: Vec<String>,
}
