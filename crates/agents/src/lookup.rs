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
    /// GET, unless the protocol lists names in answer to a POST.
    pub method: Method,
    /// The address of the list, which is not that of the agent.
    pub url: Url,
    /// The body; empty if there is none.
    pub body: Bytes,
    /// The names in an answer with this status; `None` if it is no answer of the protocol.
    pub read: fn(u16, &Value) -> Option<Vec<String>>,
    /// The key of the target that one of them is; `None` if none is.
    pub key: Option<&'static str>,
}

impl NameLookup {
    /// Sends the request with `headers`, and returns the names of agents or models that the answer lists.
    ///
    /// # Errors
    /// If no answer comes in time, the connection fails, or the answer is not one of the protocol.
    pub async fn names(
        &self,
        headers: &[(String, String)],
        transport: &dyn Transport,
        limits: &Limits,
    ) -> Result<Vec<String>, TargetError> {
        let mut defaults = vec![("accept", "application/json")];
        if !self.body.is_empty() {
            defaults.push(("content-type", "application/json"));
        }
        let headers = headers_with_defaults(headers, &defaults);
        let request = HttpRequest {
            body: self.body.clone(),
            ..request(self.method, &self.url, headers)
        };

        // Sessions record an exchange and when it was over. A lookup is not recorded: the sink `Unseen` discards everything, and
        // the time is not read.
        let mut closed_at = None;
        let response = send(transport, request, limits, &mut Unseen, &mut closed_at).await?;
        let Some(response) = response else {
            return Err(TargetError::new("no answer in time"));
        };
        let status = response.received.head.status;
        let document = read_document(response, limits, &mut Unseen, &mut closed_at).await?;
        let Some(document) = document else {
            return Err(TargetError::new("no answer in time"));
        };

        // A server of another protocol may answer in JSON too. So the function `read` of this protocol decides, and returns
        // `None` if the answer is not one of its own.
        if let Ok(answer) = read_as::<Value>(&document.bytes)
            && let Some(names) = (self.read)(status, &answer)
        {
            return Ok(names);
        }
        Err(document.received.error("another answer came"))
    }

    /// The request in words: `GET http://h/v1/models`.
    pub fn sends(&self) -> String {
        format!("{} {}", self.method.as_str(), shown(&self.url))
    }
}

/// The head of the answer to a GET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerHead {
    /// The HTTP status.
    pub status: u16,
    /// The content type as sent; empty if there is none.
    pub content_type: String,
    /// The names of the server's software, as its headers say them: `uvicorn`, `Express`.
    pub software: Vec<String>,
}

impl ServerHead {
    /// Sends a GET to `url`, and returns the head of the answer. `None` if it does not come in time.
    ///
    /// # Errors
    /// If the connection fails before an answer comes.
    pub async fn of(
        url: &Url,
        headers: &[(String, String)],
        transport: &dyn Transport,
        limits: &Limits,
    ) -> Result<Option<Self>, TargetError> {
        // Every content type is accepted, since the one that the server chooses shows what kind of server it is.
        let accepted = ("accept", "application/json, text/event-stream, */*");
        let headers = headers_with_defaults(headers, &[accepted]);
        // The head of the answer will have these response headers and no others: those in which servers name their software.
        let request = HttpRequest {
            // Servers name their software in these.
            response_headers: vec!["server".to_owned(), "x-powered-by".to_owned()],
            ..request(Method::Get, url, headers)
        };

        // Sessions record an exchange and when it was over. This GET is not recorded: the sink `Unseen` discards everything, and
        // the time is not read. The body is not read either: dropping the response closes the connection.
        let mut closed_at = None;
        let response = send(transport, request, limits, &mut Unseen, &mut closed_at).await?;
        let Some(response) = response else {
            return Ok(None);
        };
        let head = response.received.head;
        Ok(Some(Self {
            status: head.status,
            content_type: head.content_type,
            software: head.headers.into_iter().map(|(_, value)| value).collect(),
        }))
    }

    /// Whether it says that nothing is there.
    pub fn is_nothing(&self) -> bool {
        matches!(self.status, 404 | 410)
    }
}

/// A request without a body.
fn request(method: Method, url: &Url, headers: Vec<(String, String)>) -> HttpRequest {
    HttpRequest {
        method,
        url: url.clone(),
        headers,
        body: Bytes::new(),
        response_headers: Vec::new(),
        options: Arc::new(HttpOptions::default()),
        progress: RequestProgress::default(),
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
