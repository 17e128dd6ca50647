//! `ananke session`: sessions for programs in other languages, over JSON-RPC 2.0.
//!
//! `line_input` reads lines, `incoming` says what each is, `client` writes and asks the other side (`callbacks`), and
//! `dispatch` finds who carries out a request: a `held_session`, or the tests of the project (`project_tests`). The messages are
//! the types of `protocol`, which the schema is made from.

mod callbacks;
mod client;
mod command;
mod dispatch;
mod held_session;
mod incoming;
mod line_input;
mod project_services;
mod project_tests;
mod protocol;
mod rpc_error;
mod session_event;
mod sessions;
mod test_messages;

pub(super) use command::{SessionOptions, session};
pub(super) use protocol::schema;
