//! Requests of a server to its client while it answers one of the client's.

use serde_json::Value;

/// A request of a server to its client while it answers one of the client's.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerRequest {
    /// The kind of the request.
    pub kind: ServerRequestKind,
    /// The question, in the server's words.
    pub message: String,
    /// Everything else that the protocol says about it: a JSON Schema of the answer, messages to complete.
    pub details: Value,
}

/// The kind of request that a server can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerRequestKind {
    /// Input of the user.
    Elicitation,
    /// The answer of the client's model.
    Sampling,
    /// The directories that the client works on.
    Roots,
}

/// The answers of a turn, in the words of its protocol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerAnswers {
    /// The answer to [`ServerRequestKind::Elicitation`].
    pub elicitation: Option<Value>,
    /// The answer to [`ServerRequestKind::Sampling`].
    pub sampling: Option<Value>,
    /// The answer to [`ServerRequestKind::Roots`].
    pub roots: Option<Value>,
}

impl ServerAnswers {
    /// The answer to a request of this kind, if there is one.
    pub fn to(&self, kind: ServerRequestKind) -> Option<&Value> {
        match kind {
            ServerRequestKind::Elicitation => self.elicitation.as_ref(),
            ServerRequestKind::Sampling => self.sampling.as_ref(),
            ServerRequestKind::Roots => self.roots.as_ref(),
        }
    }
}

/// The answer to what a server asks back.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerAnswer {
    /// This.
    Accepted(Value),
    /// The user declines.
    Declined,
}
