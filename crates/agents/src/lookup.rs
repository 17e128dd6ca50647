//! A request whose answer says which agents or models are at a URL.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use url::Url;

use super::error::TargetError;
use super::http::{
    HttpOptions, HttpRequest, Method, RequestProgress, Transport, headers_with_defaults,
    read_document, send, shown,
};
use super::limits::Limits;
use super::sink::{Sink, Stop, Wire};
use ananke_base::context::At;
use ananke_base::source::received_json::read_as;
use ananke_trace::trace::Change;

/// A request whose answer says which agents or models are there.
#[derive(Clone, Debug)]
pub struct NameLookup {
    /// Its method.
    pub method: Method,
    /// Its URL.
    pub url: Url,
    /// Its body; empty if it has none.
    pub body: Bytes,
    /// The names in an answer with this status; `None` if it is no answer of the protocol.
    pub read: fn(u16, &Value) -> Option<Vec<String>>,
    /// The key of the target that one of them is; `None` if none is.
    pub key: Option<&'static str>,
}

impl NameLookup {
    /// The names that the answer lists. The request has these `headers`.
    ///
    /// # Errors
    /// If there is no answer, or none of the protocol.
    pub async fn names(
        &self,
        headers: &[(String, String)],
        transport: &dyn Transport,
        limits: &Limits,
    ) -> Result<Vec<String>, TargetError> {
        let defaults: &[(&str, &str)] = &[
            ("accept", "application/json"),
            ("content-type", "application/json"),
        ];
        let sent = if self.body.is_empty() { 1 } else { 2 };
        let request = HttpRequest {
            method: self.method,
            url: self.url.clone(),
            headers: headers_with_defaults(headers, &defaults[..sent]),
            body: self.body.clone(),
            response_headers: &[],
            options: Arc::new(HttpOptions::default()),
            progress: RequestProgress::default(),
        };
        let late = || TargetError::new("no answer in time");
        let (mut sink, mut closed) = (Unseen, None);
        let response = send(transport, request, limits, &mut sink, &mut closed).await?;
        let response = response.ok_or_else(late)?;
        let status = response.received.head.status;
        let document = read_document(response, limits, &mut sink, &mut closed).await?;
        let document = document.ok_or_else(late)?;
        let answer: Option<Value> = read_as(&document.bytes).ok();
        answer
            .and_then(|answer| (self.read)(status, &answer))
            .ok_or_else(|| document.received.error("another answer came"))
    }

    /// The request in words: `GET http://h/v1/models`.
    pub fn sends(&self) -> String {
        format!("{} {}", self.method.as_str(), shown(&self.url))
    }
}

/// Keeps nothing of an exchange.
struct Unseen;

impl Sink for Unseen {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, _: Change<'_>) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}
