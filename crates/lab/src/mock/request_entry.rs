//! The entry of a log for one request.

use serde::Serialize;
use serde_json::value::RawValue;

use ananke_base::source::received_json;

/// The entry of a log for one request.
#[derive(Debug, Serialize)]
pub struct RequestEntry {
    /// Its number, counted from 1.
    pub request: u64,
    /// `POST` or another method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Its headers in their order; values that may be secret are `***`.
    pub headers: Vec<(String, String)>,
    /// The protocol that it is read by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<&'static str>,
    /// The purpose of the request, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<String>,
    /// The body: as it is if it is JSON, else as text.
    pub body: EntryBody,
    /// The fault that it was answered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// HTTP status; `None` if there was no response.
    pub status: Option<u16>,
    /// The reason that there was no answer, or that the answer is unusual.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The number of events or other pieces that were sent.
    pub events: usize,
    /// The time that it took, in milliseconds.
    pub took_ms: u64,
    /// The end of the response.
    pub end: RequestEnd,
}

/// The body of a request.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum EntryBody {
    /// JSON.
    Json(Box<RawValue>),
    /// Anything else.
    Text(String),
    /// Nothing.
    Nothing(()),
}

/// The end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestEnd {
    /// The whole response was sent.
    Complete,
    /// The connection was broken, as a fault or the recording says.
    Broken,
    /// The client went away before the response was complete.
    ClientLeft,
}

impl EntryBody {
    /// A body.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        // A log has one line for a request.
        match received_json::strict(&text)
            .ok()
            .and_then(|(json, _)| RawValue::from_string(json).ok())
        {
            Some(json) => Self::Json(json),
            None if text.is_empty() => Self::Nothing(()),
            None => Self::Text(text.into_owned()),
        }
    }
}

impl RequestEntry {
    /// The whole entry in one line.
    pub fn line(&self) -> String {
        let what = match (self.protocol, &self.asks) {
            (Some(protocol), Some(asks)) => format!("{protocol}: {asks}"),
            _ => format!("{} {}", self.method, self.path),
        };
        let status = self
            .status
            .map_or_else(|| "no response".to_owned(), |status| status.to_string());
        let events = match self.events {
            _ if self.protocol.is_none() => String::new(),
            1 => ", 1 event".to_owned(),
            count => format!(", {count} events"),
        };
        let end = match self.end {
            RequestEnd::Complete => "",
            RequestEnd::Broken => ", connection broken",
            RequestEnd::ClientLeft => ", the client left",
        };
        let fault = self
            .fault
            .as_ref()
            .map(|fault| format!(", fault {fault}"))
            .unwrap_or_default();
        let problem = self
            .problem
            .as_ref()
            .map(|problem| format!(": {problem}"))
            .unwrap_or_default();
        format!(
            "#{} {what}: {status}{events}, {} ms{fault}{end}{problem}",
            self.request, self.took_ms
        )
    }
}
