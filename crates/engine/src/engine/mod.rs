//! One conversation with an agent, without a plan: a session, a trace and an evaluator of rules, and everything else handed in.
//!
//! [`converse`] sends what an [`InputSource`] gives, has a [`ToolHost`] execute client-side tools and an [`Oracle`]
//! answer what rules ask, has a [`RequestHost`] answer what a server asks back, shows each [`Observer`] what happens, and
//! returns a [`ConversationResult`]. It knows neither
//! how many turns there will be nor who calls it.

mod awaiting_input;
mod budget;
mod checkpoints;
mod conversation;
mod exchanges;
#[cfg(test)]
mod fakes;
mod input_source;
mod observer;
mod oracle;
mod pending;
mod request_host;
mod result;
mod tape;
mod tool_host;
mod trace_sink;
mod turn_outcome;

pub use awaiting_input::awaiting_input;
pub use budget::{Budget, TimeLeft, conversation_timeout};
pub use checkpoints::Checkpoints;
pub use conversation::{AtViolation, ConversationParts, converse};
pub use input_source::{ConversationSoFar, InputSource, NextTurn, TurnReview};
pub use observer::Observer;
pub use oracle::Oracle;
pub use pending::can_send;
pub use request_host::{DeclineRequests, RequestHost};
pub use result::ConversationResult;
pub use tape::{TapeItem, TapePlayer};
pub use tool_host::{Handling, ToolHost};
pub use trace_sink::AtFailure;
pub use turn_outcome::history;
