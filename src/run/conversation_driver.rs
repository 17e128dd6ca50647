//! A program that holds the conversation of a test: it says what the user says, and may execute client-side tools.
//!
//! **Invariant:** no rule applies to such a conversation while it goes on: the program asserts.

use futures_util::future::BoxFuture;

use crate::engine::Observer;
use crate::message::{ToolAnswer, TurnInput};
use crate::outcome::TurnEnd;
use crate::trace::{ToolCall, Trace};

/// A program that holds conversations, one after the other.
pub trait ConversationDriver: Send + Sync {
    /// The instructions of a bare model that has none.
    fn instructions(&self) -> &'static str;

    /// A conversation begins, with these client-side tools.
    fn begins(&self, tools: Vec<String>);

    /// What the user says next; `None` if the conversation is over.
    fn next(&self) -> BoxFuture<'_, Option<TurnInput>>;

    /// A turn has ended.
    fn ended(&self, trace: &Trace, end: &TurnEnd);

    /// Follows the conversation.
    fn observer(&self) -> Box<dyn Observer>;

    /// Whether it executes the client-side tool of this name.
    fn executes(&self, tool: &str) -> bool;

    /// Executes a call.
    fn execute<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, ToolAnswer>;
}
