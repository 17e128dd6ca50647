//! Agents behind HTTP APIs of their own: a request and a response of JSON, server-sent events, JSON lines, text or prefixed lines, which
//! the keys of the target describe.
//!
//! `config` and `response_config` are these keys, and `compile` makes the target of them. In a `session`, each turn sends its
//! requests (`turn_requests`, `request`), filled with what the `conversation` knows. The body of a response is taken apart (`framing`)
//! into events (`event`), in which the paths (`path`) of the `mapping` find text, calls and everything else; `mapped_reader` puts the
//! turn together, and `calls` its calls. `unread` looks for calls that no path found, and `seen_keys` has the keys of a response for
//! the message about a path that found nothing.
//!
//! `passing` recognizes requests that other clients send to the agent, by the same templates.
//!
//! A `proposal` is a target for an agent of which only a request is known.
//!
//! **Invariant:** it knows `agents` and no other protocol; a path that finds no text in a turn is an error, and a call that no path
//! finds is unread, so that a wrong mapping never makes a rule pass.

mod agent_errors;
mod agent_messages;
mod calls;
mod compile;
mod config;
mod conversation;
mod event;
mod found_item;
mod framing;
mod http_target;
#[cfg(test)]
mod huge_responses;
#[cfg(test)]
#[path = "../../../tests/support/key_table.rs"]
mod key_table;
#[cfg(test)]
mod key_tables;
mod mapped_reader;
mod mapping;
mod modes;
mod other_arguments;
mod passing;
mod path;
mod proposal;
mod protocol;
mod request;
mod response_config;
mod seen_keys;
mod session;
mod settings;
mod sink_report;
mod step_condition;
mod taken;
mod turn_requests;
mod unread;
mod usage;

pub use config::HttpAgentConfig;
