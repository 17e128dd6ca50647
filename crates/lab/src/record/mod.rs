//! Tests that are written from conversations that were held for that.
//!
//! Flows in: what was said in a conversation, and its recording. Flows out: a [`RecordedFile`], whose tests send the same and
//! have rules proposed from what the agent did, and their recordings. **Invariant:** every test was replayed before it is
//! written, and what is written says whether it passed.

mod argument_rule;
mod conversation_rules;
mod held_conversation;
mod known_transport;
mod record_request;
mod recorded_file;
mod recorded_test;
mod test_text;

pub use held_conversation::{HeldConversation, hold};
pub use known_transport::KnownTransport;
pub use record_request::RecordRequest;
pub use recorded_file::{RecordedFile, record};
pub use recorded_test::RecordedTest;
