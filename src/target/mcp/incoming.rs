//! Reads what a server says while it is asked one thing: messages of JSON-RPC, one line each.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::context::At;
use crate::target::event_reader::{EventReader, Rest};
use crate::target::limits::in_words;
use crate::target::pipe::quoted;
use crate::target::sink::{Sink, Stop};
use crate::trace::Change;

/// What a server says in one turn.
pub(super) struct ServerMessages {
    /// The id of the request that waits.
    awaited: u64,
    response: Option<McpResponse>,
    /// What the server asks and has no answer yet: the id that it gave, and the method.
    asked: VecDeque<(Value, String)>,
    bytes: usize,
    max_bytes: usize,
    /// Whether something that is no message was printed before.
    has_noise: bool,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct McpResponse {
    /// When it came.
    pub(super) at: At,
    /// The result, or the error.
    pub(super) result: Result<Value, RpcError>,
}

/// An error of JSON-RPC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RpcError {
    /// Its code, if it has one.
    pub(super) code: Option<String>,
    /// The server's words.
    pub(super) message: String,
}

impl ServerMessages {
    /// Nothing so far; all of it may be this large.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { awaited: 0, response: None, asked: VecDeque::new(), bytes: 0, max_bytes, has_noise: false }
    }

    /// Waits from now on for the response to this request.
    pub(super) fn await_response(&mut self, id: u64) {
        (self.awaited, self.response) = (id, None);
    }

    /// What the server asks next: the id that it gave, and the method.
    pub(super) fn take_asked(&mut self) -> Option<(Value, String)> {
        self.asked.pop_front()
    }

    /// The response, if it is there.
    pub(super) fn take_response(&mut self) -> Option<McpResponse> {
        self.response.take()
    }

    fn warn(&mut self, at: At, data: &[u8], sink: &mut dyn Sink) -> ControlFlow<Stop> {
        if std::mem::replace(&mut self.has_noise, true) {
            return ControlFlow::Continue(());
        }
        let warning = format!(
            "the server printed a line to stdout that is not a message of MCP, and was ignored: {}",
            quoted(data)
        );
        sink.change(at, Change::Warning(warning.into()))
    }

    fn message(&mut self, at: At, mut message: Map<String, Value>) -> Result<(), String> {
        // Ids count in each direction by themselves: a request is never taken for a response.
        match (message.remove("method"), message.remove("id")) {
            (Some(Value::String(method)), Some(id)) => self.asked.push_back((id, method)),
            (Some(Value::String(_)), None) => {}
            (Some(_), _) => return Err("has a `method` that is not a text".to_owned()),
            (None, Some(Value::Number(id))) if id.as_u64() == Some(self.awaited) => {
                self.response = Some(McpResponse { at, result: result(message)? });
            }
            // What could not be read has no id that it could repeat.
            (None, Some(Value::Null) | None) if message.contains_key("error") => {
                self.response = Some(McpResponse { at, result: result(message)? });
            }
            (None, Some(id)) => {
                return Err(format!(
                    "answers the request `{}`, but the request that waits is `{}`",
                    crate::source::printable(&id.to_string()),
                    self.awaited
                ));
            }
            (None, None) => return Err("is neither a request nor a response".to_owned()),
        }
        Ok(())
    }
}

impl EventReader for ServerMessages {
    fn event(&mut self, at: At, data: &[u8], sink: &mut dyn Sink) -> Result<ControlFlow<Stop>, String> {
        self.bytes = self.bytes.saturating_add(data.len());
        if self.bytes > self.max_bytes {
            return Err(format!(
                "makes what the server said in this turn larger than {}",
                in_words(self.max_bytes)
            ));
        }
        match serde_json::from_slice(data) {
            Ok(Value::Object(message)) if message.get("jsonrpc").is_some_and(|version| version == "2.0") => {
                self.message(at, message).map(ControlFlow::Continue)
            }
            _ => Ok(self.warn(at, data, sink)),
        }
    }

    fn rest(&self) -> Option<Rest> {
        let is_turn_of_client = self.response.is_some() || !self.asked.is_empty();
        is_turn_of_client.then_some(Rest::AfterEnd(Duration::ZERO))
    }
}

/// The result or the error of a response.
fn result(mut message: Map<String, Value>) -> Result<Result<Value, RpcError>, String> {
    match (message.remove("result"), message.remove("error")) {
        (Some(result), None) => Ok(Ok(result)),
        (None, Some(Value::Object(error))) => Ok(Err(RpcError {
            code: error.get("code").map(ToString::to_string),
            message: error.get("message").and_then(Value::as_str).unwrap_or("(no message)").to_owned(),
        })),
        _ => Err("is a response without a `result` or an `error`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::sink::Wire;

    #[derive(Default)]
    struct WarningSink(Vec<String>);

    impl Sink for WarningSink {
        fn wire(&mut self, _: At, _: Wire<'_>) {}

        fn change(&mut self, _: At, change: Change<'_>) -> ControlFlow<Stop> {
            if let Change::Warning(warning) = change {
                self.0.push(warning.into_owned());
            }
            ControlFlow::Continue(())
        }
    }

    /// What a client that waits for the response to request 1 makes of one line.
    fn read(line: &str) -> (ServerMessages, Result<(), String>, Vec<String>) {
        let (mut incoming, mut sink) = (ServerMessages::new(200), WarningSink::default());
        incoming.await_response(1);
        let flow = incoming.event(At(5), line.as_bytes(), &mut sink);
        (incoming, flow.map(|_| ()), sink.0)
    }

    #[test]
    fn a_request_of_the_server_with_the_id_of_ours_is_no_response() {
        let (mut incoming, read, _) = read(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#);
        assert_eq!(read, Ok(()));
        assert!(incoming.rest().is_some(), "it waits for an answer");
        assert_eq!(incoming.take_response(), None);
        assert_eq!(incoming.take_asked(), Some((Value::from(1), "roots/list".to_owned())));
        assert!(incoming.rest().is_none());
    }

    #[test]
    fn a_response_is_a_result_or_an_error() {
        let (mut incoming, ..) = read(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#);
        let result = Ok(serde_json::json!({ "a": 1 }));
        assert_eq!(incoming.take_response(), Some(McpResponse { at: At(5), result }));
        for id in ["1", "null"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"no"}}}}"#);
            let (mut incoming, ..) = read(&line);
            let error = RpcError { code: Some("-32602".to_owned()), message: "no".to_owned() };
            assert_eq!(incoming.take_response().map(|response| response.result), Some(Err(error)));
        }
    }

    #[test]
    fn what_is_no_message_is_a_warning() {
        for noise in ["Listening", "[1]", r#"{"level":"info"}"#, "\u{fffd}"] {
            let (incoming, read, warnings) = read(noise);
            assert_eq!((read, warnings.len()), (Ok(()), 1), "{noise}");
            assert!(incoming.rest().is_none());
        }
    }

    #[test]
    fn a_broken_message_is_an_error() {
        for (line, why) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
                "answers the request `7`, but the request that waits is `1`",
            ),
            (
                r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
                "answers the request `\\\"1\\\"`, but the request that waits is `1`",
            ),
            (r#"{"jsonrpc":"2.0","id":1}"#, "is a response without a `result` or an `error`"),
            (r#"{"jsonrpc":"2.0"}"#, "is neither a request nor a response"),
            (r#"{"jsonrpc":"2.0","method":1}"#, "has a `method` that is not a text"),
            (&"x".repeat(201), "makes what the server said in this turn larger than 200 bytes"),
        ] {
            assert_eq!(read(line).1, Err(why.to_owned()), "{line}");
        }
    }
}
