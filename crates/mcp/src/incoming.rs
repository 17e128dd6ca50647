//! Reads what a server says while it is asked something: messages of JSON-RPC, whatever carries them.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::{Map, Value};

use ananke_agents::pipe::quoted;
use ananke_agents::{EventReader, Received, Rest, Sink, Stop, TargetError, in_words};
use ananke_base::context::At;
use ananke_trace::trace::{Change, RunEnd};

/// Notifications that a trace shows: how far a request is, and what the server logs.
const SHOWN: [&str; 2] = ["notifications/progress", "notifications/message"];

/// What a server says in one turn.
pub(super) struct ServerMessages {
    /// The ids of the requests that wait, the last one last.
    awaited: Vec<u64>,
    /// The ids of requests whose response does not matter any more.
    pub(super) abandoned: Vec<u64>,
    /// Whether an error is that of the last request whatever its id is: it is the body of the response over HTTP.
    pub(super) takes_any_error: bool,
    responses: VecDeque<McpResponse>,
    /// What the server asks and has no answer yet.
    asked: VecDeque<Asked>,
    bytes: usize,
    max_bytes: usize,
    /// How the first line starts that is no message.
    noise: Option<String>,
}

/// What a server asks its client.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    /// The id that it gave.
    pub(super) id: Value,
    /// What it asks.
    pub(super) method: String,
    /// The rest of the question.
    pub(super) params: Value,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct McpResponse {
    /// The request.
    pub(super) id: u64,
    /// When it came.
    pub(super) at: At,
    /// The result, or the error.
    pub(super) result: Result<Value, RpcError>,
}

/// An error of JSON-RPC.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcError {
    /// Its code, if it has one.
    pub(super) code: Option<String>,
    /// The server's words.
    pub(super) message: String,
    /// What else it says.
    pub(super) data: Value,
}

impl RpcError {
    /// The end that it is of a run.
    pub(super) fn end(self) -> RunEnd {
        RunEnd::Error {
            message: self.message,
            code: self.code,
        }
    }
}

impl ServerMessages {
    /// Nothing so far; all of it may be this large.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            awaited: Vec::new(),
            abandoned: Vec::new(),
            takes_any_error: false,
            responses: VecDeque::new(),
            asked: VecDeque::new(),
            bytes: 0,
            max_bytes,
            noise: None,
        }
    }

    /// Waits from now on for the response to this request too.
    pub(super) fn await_response(&mut self, id: u64) {
        self.awaited.push(id);
    }

    /// What the server asks next.
    pub(super) fn take_asked(&mut self) -> Option<Asked> {
        self.asked.pop_front()
    }

    /// The next response, if one is there.
    pub(super) fn take_response(&mut self) -> Option<McpResponse> {
        self.responses.pop_front()
    }

    /// Ignores the responses to the requests that wait, and returns their ids.
    pub(super) fn abandon(&mut self) -> Vec<u64> {
        let awaited = std::mem::take(&mut self.awaited);
        self.abandoned.extend(&awaited);
        awaited
    }

    /// An error, with what else was printed: it may say what the server is.
    pub(super) fn with_noise(&self, error: TargetError) -> TargetError {
        match &self.noise {
            Some(noise) if error.received == Received::default() => {
                let received = Received {
                    first_bytes: noise.clone(),
                    ..Received::default()
                };
                TargetError { received, ..error }
            }
            _ => error,
        }
    }

    /// Whether there is something to do: a response, or a question of the server.
    pub(super) fn has_news(&self) -> bool {
        !self.responses.is_empty() || !self.asked.is_empty()
    }

    /// Takes a response to `id`.
    fn answer(&mut self, at: At, id: u64, message: Map<String, Value>) -> Result<(), String> {
        let result = result(message)?;
        self.awaited.retain(|awaited| *awaited != id);
        self.responses.push_back(McpResponse { id, at, result });
        Ok(())
    }

    fn message(
        &mut self,
        at: At,
        mut message: Map<String, Value>,
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        let last = self.awaited.last().copied();
        let params =
            |message: &mut Map<String, Value>| message.remove("params").unwrap_or(Value::Null);
        // Ids count in each direction by themselves: a request is never taken for a response.
        match (message.remove("method"), message.remove("id"), last) {
            (Some(Value::String(method)), Some(id), _) => {
                let params = params(&mut message);
                self.asked.push_back(Asked { id, method, params });
            }
            (Some(Value::String(method)), None, _) if SHOWN.contains(&method.as_str()) => {
                let value = params(&mut message);
                return Ok(sink.change(
                    at,
                    Change::Custom {
                        name: method.into(),
                        value,
                    },
                ));
            }
            (Some(Value::String(_)), None, _) => {}
            (Some(_), ..) => return Err("has a `method` that is not a text".to_owned()),
            (None, Some(Value::Number(id)), _)
                if id.as_u64().is_some_and(|id| self.awaited.contains(&id)) =>
            {
                self.answer(at, id.as_u64().unwrap_or_default(), message)?;
            }
            (None, Some(Value::Number(id)), _)
                if id.as_u64().is_some_and(|id| self.abandoned.contains(&id)) => {}
            // What could not be read has no id that it could repeat.
            (None, Some(Value::Null) | None, Some(last)) if message.contains_key("error") => {
                self.answer(at, last, message)?;
            }
            (None, Some(_), Some(last))
                if self.takes_any_error && message.contains_key("error") =>
            {
                self.answer(at, last, message)?;
            }
            (None, Some(id), Some(last)) => {
                return Err(format!(
                    "answers the request `{}`, but the request that waits is `{last}`",
                    ananke_base::source::printable(&id.to_string()),
                ));
            }
            (None, Some(id), None) => {
                let id = id.to_string();
                let id = ananke_base::source::printable(&id);
                return Err(format!("answers the request `{id}`, but no request waits"));
            }
            (None, None, _) => return Err("is neither a request nor a response".to_owned()),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn warn(&mut self, at: At, data: &[u8], sink: &mut dyn Sink) -> ControlFlow<Stop> {
        if self.noise.is_some() {
            return ControlFlow::Continue(());
        }
        self.noise = Some(Received::quote(data));
        let warning = format!(
            "the server printed a line to stdout that is not a message of MCP, and was ignored: {}",
            quoted(data)
        );
        sink.change(at, Change::Warning(warning.into()))
    }

    /// Takes messages out of `data`. Some versions put several into a list.
    pub(super) fn take(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<Option<ControlFlow<Stop>>, String> {
        self.bytes = self.bytes.saturating_add(data.len());
        if self.bytes > self.max_bytes {
            let limit = in_words(self.max_bytes);
            return Err(format!(
                "makes what the server said in this turn larger than {limit}"
            ));
        }
        let messages = match serde_json::from_slice(data) {
            Ok(Value::Array(messages)) => messages,
            Ok(message) => vec![message],
            Err(_) => return Ok(None),
        };
        let is_message = |message: &Value| {
            message
                .get("jsonrpc")
                .is_some_and(|version| version == "2.0")
        };
        if messages.is_empty() || !messages.iter().all(is_message) {
            return Ok(None);
        }
        for message in messages {
            let Value::Object(message) = message else {
                return Ok(None);
            };
            let flow = self.message(at, message, sink)?;
            if flow.is_break() {
                return Ok(Some(flow));
            }
        }
        Ok(Some(ControlFlow::Continue(())))
    }
}

impl EventReader for ServerMessages {
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        match self.take(at, data, sink)? {
            Some(flow) => Ok(flow),
            None => Ok(self.warn(at, data, sink)),
        }
    }

    fn rest(&self) -> Option<Rest> {
        self.has_news().then_some(Rest::AfterEnd(Duration::ZERO))
    }
}

/// The result or the error of a response.
fn result(mut message: Map<String, Value>) -> Result<Result<Value, RpcError>, String> {
    match (message.remove("result"), message.remove("error")) {
        (Some(result), None) => Ok(Ok(result)),
        (None, Some(Value::Object(mut error))) => Ok(Err(RpcError {
            code: error.get("code").map(ToString::to_string),
            message: error
                .get("message")
                .and_then(Value::as_str)
                .unwrap_or("(no message)")
                .to_owned(),
            data: error.remove("data").unwrap_or_default(),
        })),
        _ => Err("is a response without a `result` or an `error`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_agents::Wire;

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
        let asked = Asked {
            id: 1.into(),
            method: "roots/list".to_owned(),
            params: Value::Null,
        };
        assert_eq!(incoming.take_asked(), Some(asked));
        assert!(incoming.rest().is_none());
    }

    #[test]
    fn a_response_is_a_result_or_an_error() {
        let (mut incoming, ..) = read(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#);
        let result = Ok(serde_json::json!({ "a": 1 }));
        assert_eq!(
            incoming.take_response(),
            Some(McpResponse {
                id: 1,
                at: At(5),
                result
            })
        );
        for id in ["1", "null"] {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"no"}}}}"#
            );
            let (mut incoming, ..) = read(&line);
            let error = RpcError {
                code: Some("-32602".to_owned()),
                message: "no".to_owned(),
                data: Value::Null,
            };
            assert_eq!(
                incoming.take_response().map(|response| response.result),
                Some(Err(error))
            );
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
            (
                r#"{"jsonrpc":"2.0","id":1}"#,
                "is a response without a `result` or an `error`",
            ),
            (
                r#"{"jsonrpc":"2.0"}"#,
                "is neither a request nor a response",
            ),
            (
                r#"{"jsonrpc":"2.0","method":1}"#,
                "has a `method` that is not a text",
            ),
            (
                &"x".repeat(201),
                "makes what the server said in this turn larger than 200 bytes",
            ),
        ] {
            assert_eq!(read(line).1, Err(why.to_owned()), "{line}");
        }
    }
}
