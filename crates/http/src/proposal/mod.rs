//! Proposals of targets: what `init` writes for an agent that speaks no known protocol.
//!
//! `http_proposals` leads the way. The request comes from what the user writes, from `openapi`, from `curl`, or from what the server
//! misses (`missing_fields`); `field_use` says by its name what a field is for, and `input_fields` finds where the user speaks, and `proposed_request` sends and writes it. A
//! `seen_response` is taken apart into events, in which `response_survey` finds the places of texts and calls, of which
//! `proposed_response` takes those that are likely. `read_back` reads the responses with the mapping, and `commented_keys` writes
//! everything down.
//!
//! **Invariant:** a proposal reads the responses that were seen, and every guess in it is marked.

mod commented_keys;
mod curl;
mod field_use;
mod http_proposals;
mod input_fields;
mod missing_fields;
mod openapi;
mod proposed_request;
mod proposed_response;
mod read_back;
mod response_survey;
mod seen_response;

pub(super) use http_proposals::HttpProposals;
