//! OpenAI's Responses API and Open Responses: a model with its tools, some of which the server executes itself.
//!
//! A request has the conversation as items (`input_items`), or names the response before. A response is a stream of events
//! (`event`); which item an event belongs to is decided by `output_items`. The `response_reader` reads events, `item_reader` and
//! `call_reader` the items; `item_kind` says which items are calls and who executes them, and `call_item` where each tool has its
//! arguments and its result. `ordered_changes` keep the order of items whose tool is known late. The client's tools are functions,
//! and their mocks answer; the `session` sends the answers with the next request. `served` is the other side: requests as a
//! server receives them, and its answers.
//!
//! **Invariant:** it knows `agents` and no other protocol; every peculiarity of the protocol ends in its reader; what an event
//! has that is not understood is unread, never dropped.

mod call_item;
mod call_reader;
mod config;
mod ending;
mod event;
mod input_items;
mod item_kind;
mod item_reader;
#[cfg(test)]
#[path = "../../../tests/support/key_table.rs"]
mod key_table;
#[cfg(test)]
mod key_tables;
#[cfg(test)]
#[path = "../../../tests/support/model_answer.rs"]
mod model_answer;
mod ordered_changes;
mod output_items;
mod probed;
mod protocol;
mod reply_items;
mod response_reader;
mod responses_request;
mod served;
mod session;
mod streamed_text;
mod unread;
#[cfg(test)]
mod wire_tests;

pub use config::{HistoryForm, ResponsesConfig};
pub use session::ResponsesApi;
