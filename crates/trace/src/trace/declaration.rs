//! The tools of an agent, as it declares them in the course of a conversation.

use ananke_base::message::DeclaredTool;

/// The tools that an agent declared at one time: all that it had.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The tools, in its order.
    pub tools: Vec<DeclaredTool>,
    /// The turn, counted from 0.
    pub turn: usize,
    /// The number of the event that brought them.
    pub event: u32,
    /// Whether the turn asked for them.
    pub is_answer: bool,
}
