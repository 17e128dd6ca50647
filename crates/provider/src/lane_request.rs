//! A request as it comes to a lane, the answer to it, and the entry of both in a log.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::provider_keys::mask_value;
use ananke_agents::{Round, ServedResponse};
use ananke_trace::trace::{AnsweredBy, ModelAnswer, ModelRequest};

/// A request as it comes to a lane.
pub(crate) struct LaneRequest<'r> {
    /// The API in words.
    pub(crate) api: &'static str,
    /// The provider whose API it is.
    pub(crate) provider: &'static str,
    /// The end of the path of the API.
    pub(crate) path: &'static str,
    /// The request, with the conversation that it names.
    pub(crate) request: &'r ModelRequest,
    /// The version of the API that the request names.
    pub(crate) api_version: Option<String>,
    /// Whether the answer is asked for as a stream.
    pub(crate) is_streamed: bool,
    /// The body as it came, for a provider that is recorded.
    pub(crate) body: &'r [u8],
    /// A fingerprint of the body.
    pub(crate) fingerprint: String,
    /// Whether the client says that it sends the body again.
    pub(crate) is_repeated: bool,
}

/// An answer as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct LaneAnswer {
    /// The id of the response, without the prefix of its API.
    pub(crate) id: String,
    /// The parts.
    pub(crate) round: Arc<Round>,
    /// The answer in normal form.
    pub(crate) answer: ModelAnswer,
    /// The source.
    pub(crate) answered_by: AnsweredBy,
    /// The response as it was recorded, if the request asks for it in the same form.
    pub(crate) recorded: Option<Arc<ServedResponse>>,
    /// The time that the answer takes, if it is sent as slowly as it was recorded.
    pub(crate) takes: Option<Duration>,
}

/// One request, without its headers: those have keys.
#[derive(Clone, Debug, Serialize)]
pub struct ModelRequestEntry {
    /// The place among all requests of the server, from 1.
    #[serde(rename = "n")]
    pub number: u64,
    /// The lane, if it is certain.
    pub lane: Option<String>,
    /// The API in words, if the path is one of it.
    pub wire: Option<&'static str>,
    /// `POST` or another method.
    pub method: String,
    /// The path with its query, whose secrets are masked.
    pub path: String,
    /// The body: JSON, or text if it is none.
    pub body: Value,
    /// HTTP status.
    pub status: u16,
    /// The source of the answer: `reply 1`, `rule 2`, `miss`; or `nothing` if there was none to give.
    pub answered: String,
}

/// The source of an answer in words.
pub(crate) fn source_of(answered_by: AnsweredBy) -> String {
    match answered_by {
        AnsweredBy::Reply(number) => format!("reply {number}"),
        AnsweredBy::Rule(number) => format!("rule {number}"),
        AnsweredBy::Recording(number) => format!("recording {number}"),
        AnsweredBy::Live => "live".to_owned(),
    }
}

/// A body as the log has it, without keys.
pub(crate) fn logged_body(body: &[u8]) -> Value {
    let mut logged = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(_) if body.is_empty() => Value::Null,
        Err(_) => Value::String(String::from_utf8_lossy(body).into_owned()),
    };
    mask_value(&mut logged);
    logged
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_log_has_no_keys() {
        let key = "sk-proj-abcdefgh12345678";
        let body = format!("{{\"a\":[\"my {key}\"]}}");
        assert_eq!(logged_body(body.as_bytes()), json!({ "a": ["my ***"] }));
        assert_eq!(logged_body(key.as_bytes()), json!("***"));
        assert_eq!(logged_body(b""), Value::Null);
    }
}
