//! Agents of A2A, of the versions 1.0 and 0.3, over JSON-RPC and HTTP+JSON.
//!
//! An agent card says where an agent is and how it is asked (`card`, found by `discovery`). A `session` sends messages
//! (`outgoing`, whose parts are those of `part`) and hands the answers, events or documents, streamed or polled, to a
//! `turn_reader`. That reads each shape by what is there (`incoming`, `task_state`): servers mix the versions. What of an
//! `artifact` is new, which message is known, and which task waits is kept in the `a2a_conversation`. Tool calls are read by the
//! `conventions` that a target names.
//!
//! **Invariant:** it knows `agents` and no other protocol; every peculiarity of the protocol ends in its reader; what it does
//! not understand is unread, never dropped.

mod a2a_conversation;
mod a2a_target;
mod artifacts;
mod auth_config;
mod call_log;
mod card;
mod compile;
mod config;
mod conventions;
mod dialect;
mod discovery;
mod history;
mod incoming;
#[cfg(test)]
#[path = "../../../tests/support/key_table.rs"]
mod key_table;
#[cfg(test)]
mod key_tables;
mod outgoing;
mod part;
mod protocol;
mod send_turn;
mod session;
mod settings;
mod skills;
mod task_state;
mod teller;
mod turn_end;
mod turn_reader;
mod unread;
mod written_part;

pub use a2a_target::A2aTarget;
pub use auth_config::Credentials;
pub use card::{AgentCard, Interface};
pub use config::{A2aConfig, ToolCallConvention};
pub use dialect::{A2aVersion, Binding, Dialect};
pub use settings::{A2aSettings, AgentLocation, Blocking};
