//! What follows the conversations of a run.
//!
//! `--debug` prints what an `exchange_log` has, and reports show the `raw_log`. A log and a tape, of which tests are made
//! (`conversation_log`, `conversation_tape`), and coverage (`coverage_tap`) are [`Tap`](crate::Tap)s.
//!
//! **Invariant:** a follower changes nothing of what it follows.

mod conversation_log;
mod conversation_tape;
mod coverage_tap;
mod event_texts;
mod exchange_log;
mod limited_json;
mod raw_log;

pub use conversation_log::{ConversationLog, LoggedChange, LoggedConversation, LoggedTurn};
pub use conversation_tape::{ConversationMutator, ConversationTape, TapedConversation};
pub use coverage_tap::CoverageTap;
pub(crate) use exchange_log::ExchangeLog;
pub(crate) use raw_log::{RawLog, RequestBodies};
