//! A turn that was made by hand.

use ananke_trace::trace::AgentEvent;

/// A turn whose events were made by hand.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct EventTurn {
    /// The text of the user, if it is known; empty if the turn answers interrupts.
    pub input: Option<String>,
    /// The actions of the agent. A call has an id of its own in its conversation.
    pub events: Vec<AgentEvent>,
}
