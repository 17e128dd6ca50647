//! The content of a line of the client: a request, a notification, or the answer to a request of ananke.

use serde_json::{Map, Value};

use super::session_error::{SessionError, SessionErrorCode};

/// The answer to a request of ananke: the result, or the message of the error.
pub(super) type CallbackAnswer = Result<Value, String>;

/// A line of the client.
#[derive(Debug, PartialEq)]
pub(super) enum ClientLine {
    /// It wants an answer.
    Request {
        id: Value,
        method: String,
        params: Map<String, Value>,
    },
    /// It wants none.
    Notification {
        method: String,
        params: Map<String, Value>,
    },
    /// It answers the request with this id.
    Answer(u64, CallbackAnswer),
    /// It is an answer that nothing waits for, or empty.
    Ignored,
    /// It is none of these; the answer has this id.
    Wrong(Value, SessionError),
}

impl ClientLine {
    /// The content of this line.
    pub(super) fn read(line: &[u8]) -> Self {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Self::Ignored;
        }
        let message = match serde_json::from_slice(line) {
            Ok(Value::Object(message)) => message,
            Ok(Value::Array(_)) => {
                return wrong(Value::Null, "a line is one object: there are no batches");
            }
            Ok(_) => return wrong(Value::Null, "a line is one object"),
            Err(error) => {
                let message = format!("the line is not JSON: {error}");
                return Self::Wrong(
                    Value::Null,
                    SessionError::new(SessionErrorCode::Parse, message),
                );
            }
        };
        Self::of_message(message)
    }

    fn of_message(mut message: Map<String, Value>) -> Self {
        let id = message.remove("id");
        let shown_id = match &id {
            Some(id @ (Value::String(_) | Value::Number(_))) => id.clone(),
            _ => Value::Null,
        };
        let is_answer = message.contains_key("result") || message.contains_key("error");
        if is_answer && !message.contains_key("method") {
            return Self::answer(id.as_ref(), message);
        }
        if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return wrong(shown_id, "the key `jsonrpc` must be \"2.0\"");
        }
        let Some(Value::String(method)) = message.remove("method") else {
            return wrong(shown_id, "the key `method` must be the name of a method");
        };
        let params = message.remove("params");
        if id.is_none() {
            // Nothing answers a notification, so nothing can refuse its parameters: what reads them sees that they are missing.
            let params = match params {
                Some(Value::Object(params)) => params,
                Some(_) | None => Map::new(),
            };
            return Self::Notification { method, params };
        }
        if shown_id.is_null() {
            return wrong(shown_id, "the key `id` must be a number or a text");
        }
        let params = match params {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return wrong(shown_id, "the key `params` must be an object"),
        };
        Self::Request {
            id: shown_id,
            method,
            params,
        }
    }

    fn answer(id: Option<&Value>, mut message: Map<String, Value>) -> Self {
        let Some(id) = id.and_then(Value::as_u64) else {
            return Self::Ignored;
        };
        let answer = match message.remove("error") {
            None | Some(Value::Null) => Ok(message.remove("result").unwrap_or_default()),
            Some(error) => Err(match error.get("message").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => error.to_string(),
            }),
        };
        Self::Answer(id, answer)
    }
}

fn wrong(id: Value, message: &str) -> ClientLine {
    ClientLine::Wrong(
        id,
        SessionError::new(SessionErrorCode::InvalidRequest, message),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn code(line: &[u8]) -> Option<(i64, Value)> {
        match ClientLine::read(line) {
            ClientLine::Wrong(id, error) => Some((error.code as i64, id)),
            _ => None,
        }
    }

    #[test]
    fn a_line_that_is_no_message_has_an_error_with_its_id() {
        for (line, expected, id) in [
            (&b"{"[..], -32700, json!(null)),
            (b"\xff\xfe", -32700, json!(null)),
            (b"{\"a\": \"\\ud800\"}", -32700, json!(null)),
            (b"[]", -32600, json!(null)),
            (b"7", -32600, json!(null)),
            (b"{\"id\": 7, \"method\": \"x\"}", -32600, json!(7)),
            (b"{\"jsonrpc\": \"2.0\", \"id\": \"a\"}", -32600, json!("a")),
            (
                b"{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"x\"}",
                -32600,
                json!(null),
            ),
            (
                b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"x\", \"params\": [1]}",
                -32600,
                json!(1),
            ),
        ] {
            let text = String::from_utf8_lossy(line);
            assert_eq!(code(line), Some((expected, id)), "{text}");
        }
        let deep = [&b"{\"a\":"[..], &vec![b'['; 100_000]].concat();
        assert_eq!(code(&deep), Some((-32700, json!(null))), "too deep");
    }

    #[test]
    fn requests_answers_and_notifications_are_known_by_their_keys() {
        let read = |message: Value| ClientLine::read(message.to_string().as_bytes());
        assert_eq!(
            read(json!({ "jsonrpc": "2.0", "id": "a", "method": "m" })),
            ClientLine::Request {
                id: json!("a"),
                method: "m".to_owned(),
                params: Map::new()
            }
        );
        assert_eq!(
            read(json!({ "jsonrpc": "2.0", "method": "m" })),
            ClientLine::Notification {
                method: "m".to_owned(),
                params: Map::new()
            }
        );
        assert_eq!(
            read(json!({ "jsonrpc": "2.0", "id": 4, "result": 1 })),
            ClientLine::Answer(4, Ok(json!(1)))
        );
        assert_eq!(
            read(json!({ "jsonrpc": "2.0", "id": 4, "error": { "code": 1, "message": "no" } })),
            ClientLine::Answer(4, Err("no".to_owned()))
        );
        assert_eq!(
            read(json!({ "jsonrpc": "2.0", "id": "x", "result": 1 })),
            ClientLine::Ignored
        );
        assert_eq!(ClientLine::read(b"  \r"), ClientLine::Ignored);
    }
}
