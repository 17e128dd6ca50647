//! The byte seam under a protocol: the network, or a recording that plays the same bytes to the same decoder.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::TargetError;
use crate::context::At;

/// A POST to carry out.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// Where to.
    pub url: reqwest::Url,
    /// Headers in order; names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

/// The head of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// HTTP status.
    pub status: u16,
    /// Content type as sent; empty where there is none.
    pub content_type: String,
    /// Where a redirect points to.
    pub location: Option<String>,
}

/// Bytes as they arrived, stamped by the reading task before anything looked at them.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// When they arrived.
    pub at: At,
    /// The bytes, or why there are no more: the words of the connection's error.
    pub bytes: Result<Bytes, String>,
}

/// An answer: its head, and its body as it arrives. The channel ends with the body; dropping it ends the connection.
#[derive(Debug)]
pub struct Reply {
    /// When the head arrived.
    pub at: At,
    /// The head.
    pub head: Head,
    /// The body; bounded, so that a slow reader slows the peer and not the stamps.
    pub body: mpsc::Receiver<Chunk>,
}

/// Something that carries a request to the agent and its answer back.
pub trait Transport: Send + Sync {
    /// Sends one request and waits for the head of its answer.
    ///
    /// # Errors
    /// Where there is no answer at all: connection refused, name not found, TLS failed.
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<Reply, TargetError>>;
}
