//! Conversations that something else held: what was said and done, and what of it is known.
//!
//! An [`ObservedConversation`] is read from a trace. [`ObservedAgent`] is the agent of it: a target that does again, in
//! virtual time, what was observed, so that a run evaluates and reports it like any other conversation.
//!
//! **Invariant:** nothing is sent, and a fact that a trace lacks is never made up.

mod observed_agent;

pub use observed_agent::{
    ObservedAgent, ObservedConversation, ObservedConversations, ObservedTurn,
};
