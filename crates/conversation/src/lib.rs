//! One conversation with an agent, without a plan: a session, a trace and an evaluator of rules, and everything else handed
//! in.
//!
//! [`converse`] sends what an [`InputSource`] gives (the number of turns need not be known), has a [`ToolHost`] execute
//! client-side tools and an [`Oracle`] answer what rules ask, has a [`RequestHost`] answer what a server asks back, shows
//! each [`Observer`] what is sent and received in which lane, and returns a [`ConversationResult`].
//!
//! `awaiting_input` decides from the last turn whether the agent waits for input, and a `conditional_turn` whether it is sent.
//! `budget` applies the limits of target and test to every turn, `pending` says which answer is for which interrupt or call, and
//! `checkpoints` watch every turn of a simulated conversation until one reaches them. A `tape` has all that happened, so that
//! rules can watch it again without an agent.
//!
//! `helper/` asks agents that help to judge in the same way, and `observed/` is the agent of a conversation that something else
//! held.
//!
//! **Invariant:** it knows neither plan nor run nor who calls it; a turn ends evaluated, with a problem, or stopped, or is not
//! needed, and its status follows from that.

mod awaiting_input;
mod budget;
mod checkpoints;
mod conditional_turn;
mod conversation;
#[cfg(test)]
mod conversation_tests;
mod exchanges;
#[cfg(test)]
mod fakes;
pub mod helper;
mod hosts;
mod input_source;
mod model_line;
pub mod observed;
mod observer;
mod pending;
mod result;
mod tape;
mod trace_sink;
mod turn_outcome;

pub use awaiting_input::{asking_call, awaiting_input};
pub use budget::{Budget, TimeLeft, conversation_timeout};
pub use checkpoints::Checkpoints;
pub use conditional_turn::{ConditionalTurn, TurnDecision};
pub use conversation::{ConversationParts, converse};
pub use hosts::{DeclineRequests, Handling, Oracle, RequestHost, ToolHost};
pub use input_source::{ConversationSoFar, InputSource, NextTurn, TurnReview};
pub use observer::Observer;
pub use pending::can_send;
pub use result::ConversationResult;
pub use tape::{TapeItem, TapePlayer};
pub use turn_outcome::history;
