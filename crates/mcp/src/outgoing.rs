//! The messages to a server: messages of JSON-RPC, whatever carries them.

use serde_json::{Map, Value, json};

/// A message to a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outgoing {
    /// Waits for a response.
    Request {
        /// The id of the request.
        id: u64,
        /// The method of the request.
        method: &'static str,
        /// The rest of the question.
        params: Map<String, Value>,
    },
    /// Says something.
    Notification {
        /// The method of the notification.
        method: &'static str,
        /// The rest of it.
        params: Map<String, Value>,
    },
    /// Answers what the server asked.
    Response {
        /// The id that the server gave.
        id: Value,
        /// The answer.
        answer: Result<Value, Refusal>,
    },
}

/// An error that a server gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Its code.
    pub(super) code: i32,
    /// The message that gives the reason.
    pub(super) message: &'static str,
}

impl Outgoing {
    /// A notification that says nothing more.
    pub(super) fn notification(method: &'static str) -> Self {
        Self::Notification {
            method,
            params: Map::new(),
        }
    }

    /// The message as it is sent.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let message = match self {
            Self::Request { id, method, params } => {
                json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            }
            Self::Notification { method, params } if params.is_empty() => {
                json!({ "jsonrpc": "2.0", "method": method })
            }
            Self::Notification { method, params } => {
                json!({ "jsonrpc": "2.0", "method": method, "params": params })
            }
            Self::Response {
                id,
                answer: Ok(result),
            } => {
                json!({ "jsonrpc": "2.0", "id": id, "result": result })
            }
            Self::Response {
                id,
                answer: Err(Refusal { code, message }),
            } => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        };
        message.to_string().into_bytes()
    }
}
