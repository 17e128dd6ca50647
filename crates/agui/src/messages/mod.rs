//! The messages of the conversation: each request sends all of them, and a snapshot may replace them.
//!
//! `history` has them in their order (`message_list`, and in it the `message_positions`). `call_ids` decides which call an id means,
//! and `listed_calls` does so for the calls of a list that the agent sent.
//!
//! **Invariant:** it knows no event and no request; a message keeps the id that the server gave it.

mod call_ids;
mod history;
mod listed_calls;
mod message;
mod message_list;
mod message_positions;

pub(crate) use call_ids::{CallIds, CallStart, RunCalls};
pub(crate) use history::{Annotated, History};
pub(crate) use listed_calls::identify;
pub(crate) use message::{FurtherFields, REASONING, SentCall, SentMessage, TOOL};
