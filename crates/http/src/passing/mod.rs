//! Requests that other clients send to the agent of a target, as a proxy sees them pass.
//!
//! Flows in: requests with their responses, in their order. Flows out: conversations, whose turns have a message of the user. A
//! `read_request` is a request read back by the template that fills the requests of tests. `passed_message` finds what the user says in
//! one. `passed_conversation` is a conversation so far, with what its responses gave, and `request_sorter` finds the one that a request
//! belongs to.
//!
//! **Invariant:** a request is in at most one conversation, and only if all of its values are known there; everything else is named.

mod passed_conversation;
mod passed_message;
mod read_request;
mod request_sorter;
