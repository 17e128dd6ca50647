//! The response to a request of JSON-RPC: its result or its error.

use serde_json::{Map, Value};

use ananke_base::context::At;
use ananke_base::source::received_json::read_bytes;
use ananke_trace::trace::{RunEnd, is_same_json};

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct McpResponse {
    /// The request.
    pub(super) id: u64,
    /// The moment at which it came.
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
    /// The rest of its members.
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

/// The result or the error of a response. Servers that write both keys set one of them to null.
pub(super) fn result(mut message: Map<String, Value>) -> Result<Result<Value, RpcError>, String> {
    let error = message.remove("error").filter(|error| !error.is_null());
    let result = message
        .remove("result")
        .filter(|result| error.is_none() || !result.is_null());
    match (result, error) {
        (Some(result), None) => Ok(Ok(result)),
        (None, Some(Value::Object(mut error))) => Ok(Err(RpcError {
            code: error
                .get("code")
                .filter(|code| !code.is_null())
                .map(ToString::to_string),
            message: match error.remove("message") {
                Some(Value::String(message)) => message,
                None | Some(Value::Null) => "(no message)".to_owned(),
                Some(other) => other.to_string(),
            },
            data: error.remove("data").unwrap_or_default(),
        })),
        _ => Err("is a response without a `result` or an `error`".to_owned()),
    }
}

pub(super) fn has_error(message: &Map<String, Value>) -> bool {
    message.get("error").is_some_and(|error| !error.is_null())
}

/// The number of a request of ours that a response names, and whether as another kind of value. Ids are compared as
/// text.
pub(super) fn own_id(id: &Value) -> Option<(u64, bool)> {
    if let Some(number) = id.as_u64() {
        return Some((number, false));
    }
    let text = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    // Some servers have one kind of number.
    let digits = text.strip_suffix(".0").unwrap_or(&text);
    let number: u64 = digits.parse().ok()?;
    (number.to_string() == digits).then_some((number, true))
}

/// Whether two answers to one request mean the same.
pub(super) fn is_same_answer(
    one: &Result<Value, RpcError>,
    other: &Result<Value, RpcError>,
) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => is_same_json(one, other),
        _ => one == other,
    }
}

/// Whether a line is a response that no request waits for.
pub(super) fn is_late_response(line: &[u8]) -> bool {
    let Ok(Value::Object(message)) = read_bytes(line).map(|read| read.value) else {
        return false;
    };
    let has = |key: &str| message.contains_key(key);
    has("id") && !has("method") && (has("result") || has("error"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_of_the_server_is_no_late_response() {
        assert!(is_late_response(br#"{"jsonrpc":"2.0","id":1,"result":1}"#));
        assert!(!is_late_response(
            br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        ));
    }
}
