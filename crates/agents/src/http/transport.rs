//! The byte seam under a protocol: the network, or a recording that plays the same bytes to the same decoder.

use std::time::Duration;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::{HttpOptions, RequestProgress};
use crate::error::TargetError;
use ananke_base::context::At;

/// A request to send.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// GET, POST or DELETE.
    pub method: Method,
    /// The address.
    pub url: reqwest::Url,
    /// Headers in order; names in lower case.
    pub headers: Vec<(String, String)>,
    /// The whole content: no request is streamed.
    pub body: Bytes,
    /// The names of the response headers that the protocol reads, in lower case.
    pub response_headers: Vec<String>,
    /// The options of the connection.
    pub options: Arc<HttpOptions>,
    /// The steps that it has taken, as a timeout reports them.
    pub progress: RequestProgress,
}

/// The method of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Reads something.
    Get,
    /// Sends something, and waits for the response.
    #[default]
    Post,
    /// Ends something.
    Delete,
}

impl Method {
    /// As HTTP writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

/// The head of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseHead {
    /// HTTP status.
    pub status: u16,
    /// Content type as sent; empty where there is none.
    pub content_type: String,
    /// The destination of a redirect, in full, without what may be secret.
    pub location: Option<String>,
    /// The headers that the request asked for: names in lower case, values made readable.
    pub headers: Vec<(String, String)>,
    /// The proxy that the response came through, without user and password.
    pub proxy: Option<String>,
}

/// The next part of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Bytes, stamped by the thread of the network before anything looked at them.
    Bytes(At, Bytes),
    /// The connection broke; the words are those of its error.
    Broken(At, String),
    /// Nothing more: the body is complete.
    End,
    /// Nothing until the moment that was asked for.
    Late,
    /// Nothing until the moment that was asked for, and these bytes after it, before it was asked.
    After(At, Bytes),
}

/// The body of an answer as it arrives. Dropping it ends the connection.
pub trait Body: Send {
    /// The next part, if it comes until then. Nothing is asked for after [`Next::Broken`], [`Next::End`],
    /// [`Next::Late`] and [`Next::After`].
    fn next(&mut self, until: At) -> BoxFuture<'_, Next>;
}

/// An answer: its head, and its body.
pub struct Reply {
    /// The moment at which the head arrived.
    pub at: At,
    /// Status and headers.
    pub head: ResponseHead,
    /// The bytes after the head, as they arrive.
    pub body: Box<dyn Body>,
}

/// An action of the client itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientEvent {
    /// A request leaves.
    Sends,
    /// An exchange is over: nothing more is read of it. With when that was, if it is known, as for a broken connection and a
    /// timeout.
    Closes(Option<At>),
}

/// Something that carries a request to the agent and its answer back. Moments are its business, all of them, so that a
/// recording can play them again.
pub trait Transport: Send + Sync {
    /// The moment of the client's next action: now; in a recording, the recorded one.
    fn moment(&self, event: ClientEvent) -> At;

    /// Sends one request and waits for the head of its answer; `None` where it does not come until then. The request
    /// leaves at once, before the result is awaited; if the result is dropped, the connection ends.
    ///
    /// # Errors
    /// If there is no answer at all: connection refused, name not found, TLS failed.
    fn send(
        &self,
        request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>>;

    /// Whether what is sent leaves this program. In a replay, it does not.
    fn is_network(&self) -> bool {
        true
    }

    /// Waits between two requests. A recording does not wait.
    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}
