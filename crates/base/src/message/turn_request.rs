//! A turn that is ready to be sent.

use std::time::Duration;

use super::request_context::RequestContext;
use super::server_request::ServerAnswers;
use super::turn_input::{MessageId, TurnInput};

/// A turn that is ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRequest {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The input that it sends.
    pub input: TurnInput,
    /// The id and sender of its message, if they are given.
    pub message: MessageId,
    /// Its own timeout.
    pub timeout: Option<Duration>,
    /// The context that goes to the agent with its requests.
    pub context: RequestContext,
    /// The answers that a server gets that asks back.
    pub answers: ServerAnswers,
}
