//! The receiver of everything that a session reports.

use std::ops::ControlFlow;

use futures_util::future::BoxFuture;

use ananke_base::context::At;
use ananke_base::message::{ServerAnswer, ServerRequest};
use ananke_trace::trace::Change;

/// A session reports to it what happens, in the order it happened.
pub trait Sink: Send {
    /// Bytes of the connection, stamped when they arrived.
    fn wire(&mut self, at: At, wire: Wire<'_>);

    /// Takes a change that the last frame meant. `Break` ends the exchange as [`Ended::Cancelled`](super::Ended::Cancelled).
    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop>;

    /// Answers what a server asks back before it goes on. Without an answer of its own, a sink declines.
    fn request(&mut self, _request: ServerRequest) -> BoxFuture<'_, ServerAnswer> {
        Box::pin(std::future::ready(ServerAnswer::Declined))
    }
}

/// The bytes of the connection, for recorders and exchanges.
#[derive(Clone, Copy, Debug)]
pub enum Wire<'a> {
    /// The destination of the request, before it is sent. Only over HTTP.
    Request {
        /// `POST`.
        method: &'a str,
        /// The URL, without what may be secret.
        url: &'a str,
        /// Its headers, of which values may be secret.
        headers: &'a [(String, String)],
    },
    /// The request is on its way.
    Sent {
        /// Its body.
        body: &'a [u8],
    },
    /// The response's head came.
    Head {
        /// HTTP status, or 200 if the protocol has none.
        status: u16,
        /// The content type as sent; empty if there is none.
        content_type: &'a str,
    },
    /// The headers of the response, of which values may be secret; after its head. Only over HTTP.
    Headers(&'a [(String, String)]),
    /// The response's head did not come in time.
    Late {
        /// The missing part, in words that follow `timeout after 3s: `.
        missing: &'a str,
    },
    /// One raw frame; the changes that follow come from it.
    Frame(&'a [u8]),
    /// The response is over.
    Closed,
}

/// Says that nothing more of an exchange is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;
