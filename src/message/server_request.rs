//! Requests of a server to its client while it answers one of the client's.

use serde_json::Value;

/// A request of a server to its client while it answers one of the client's.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerRequest {
    /// What is asked for.
    pub kind: ServerRequestKind,
    /// The question, in the server's words.
    pub message: String,
    /// Everything else that the protocol says about it: a JSON Schema of the answer, messages to complete.
    pub details: Value,
}

/// What a server can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerRequestKind {
    /// Input of the user.
    Elicitation,
    /// The answer of the client's model.
    Sampling,
}

/// The answer to what a server asks back.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerAnswer {
    /// This.
    Accepted(Value),
    /// The user declines.
    Declined,
}
