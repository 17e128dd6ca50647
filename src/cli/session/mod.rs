//! `ananke session`: sessions for programs in other languages, over JSON-RPC 2.0.
//!
//! `line_input` reads lines, `client_line` says what each is, `session_client` writes and asks the other side (`callbacks`), and
//! `dispatch` executes a request (`request_keys`) with a `held_session`, or the tests of the project (`project_tests`). An agent that
//! the client runs is asked for turns (`client_turns`), also by tests (`test_turns`), whose client gets each turn back as a `reported_turn`.
//! The messages are types (`session_messages`, `test_messages`), and `protocol` lists them by their methods for the schema.

mod callbacks;
mod client_line;
mod client_turns;
mod command;
mod dispatch;
mod held_session;
mod line_input;
mod made_turns;
mod project_services;
mod project_tests;
mod protocol;
mod reported_turn;
mod request_keys;
mod session_client;
mod session_error;
mod session_event;
mod session_messages;
mod sessions;
mod test_messages;
mod test_turns;

pub(super) use command::SessionCommand;
pub(super) use protocol::schema;
