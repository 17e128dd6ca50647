//! An entry of the log of a server that replaces a provider.

use serde::Serialize;
use serde_json::Value;

use ananke_trace::trace::AnsweredBy;

/// One request, without its headers: those have keys.
#[derive(Clone, Debug, Serialize)]
pub struct ModelRequestEntry {
    /// The number of the request, from 1.
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
