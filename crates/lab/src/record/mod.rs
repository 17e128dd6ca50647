//! Tests that are written from conversations that were held for that.
//!
//! Flows in: what was said in a conversation, and its recording. Flows out: a [`RecordedFile`], whose tests send the same and
//! have rules proposed from what the agent did, and their recordings. `held_conversation` runs a test without turns, in which
//! a `ConversationDriver` says what the user says. `recorded_test` replays it with the turns written, as a copy, and has the
//! `test_writer` propose rules. A `known_conversation` was held before, and is held again with the answers of its `known_tools`; the
//! `known_transport` is the way to an agent whose responses are known.
//!
//! **Invariant:** every test was replayed as it is in the file, and what is written says whether it passed; nothing that an
//! agent said is a rule.

mod held_conversation;
mod known_conversation;
mod known_tools;
mod known_transport;
mod record_request;
mod recorded_file;
mod recorded_test;

pub use held_conversation::{HeldConversation, hold};
pub use known_conversation::KnownConversation;
pub use known_tools::KnownTools;
pub use known_transport::KnownTransport;
pub use record_request::RecordRequest;
pub use recorded_file::{RecordedFile, record};
pub use recorded_test::RecordedTest;
