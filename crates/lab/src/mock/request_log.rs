//! The entry of a log for one request, which is reported to a listener when the request is over.

use std::future::pending;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

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

/// Gets an entry of each request when it is over.
pub trait RequestListener: Send + Sync {
    /// A request is over.
    fn request(&self, entry: &RequestEntry);
}

/// The entry of a request that is being answered. If it is dropped before, the client has gone away.
pub(super) struct LogEntry {
    entry: RequestEntry,
    listener: Arc<dyn RequestListener>,
    began: Instant,
}

impl LogEntry {
    pub(super) fn new(entry: RequestEntry, listener: Arc<dyn RequestListener>) -> Self {
        Self {
            entry,
            listener,
            began: Instant::now(),
        }
    }

    /// The moment at which the request was received.
    pub(super) fn began(&self) -> Instant {
        self.began
    }

    /// An event was sent.
    pub(super) fn sent(&mut self) {
        self.entry.events += 1;
    }

    /// The response ended like this.
    pub(super) fn ends(&mut self, end: RequestEnd) {
        self.entry.end = end;
    }

    /// Waits until the client goes away.
    pub(super) async fn stall(self) {
        pending::<()>().await;
    }
}

impl Drop for LogEntry {
    fn drop(&mut self) {
        self.entry.took_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.listener.request(&self.entry);
    }
}
