//! The receiver of everything that a session reports, and the reader of the events of a response, whatever carries them; the
//! end of an exchange.
//!
//! **Why:** A session reports and never returns what it has read: a rule can fail while the answer still comes, and
//! then the exchange stops. Bytes and their meaning take two ways, since recordings are made of bytes alone, and a
//! decoder that is wrong must not change what is recorded. Each report has the moment at which its bytes came, which
//! the code that decodes them cannot know any more.

use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::taken_words::TakenWords;
use ananke_base::context::At;
use ananke_base::message::{ServerAnswer, ServerRequest};
use ananke_trace::trace::Change;

/// A session reports to it what happens, in the order it happened.
pub trait Sink: Send {
    /// Bytes of the connection, stamped when they arrived.
    fn wire(&mut self, at: At, wire: Wire<'_>);

    /// Takes a change that the last frame meant. `Break` ends the exchange as [`Ended::Cancelled`].
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
        /// The headers, of which values may be secret.
        headers: &'a [(String, String)],
    },
    /// The request is on its way.
    Sent {
        /// The bytes after the head, or those of a line.
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
    /// What the mapping of a target takes of an event of the last frame.
    Taken(TakenWords<'a>),
    /// Bytes came that are no event: a comment that keeps the connection open, or a part of an event.
    Alive,
    /// The response is over.
    Closed,
}

/// Says that nothing more of an exchange is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// The end of an exchange, apart from what the agent itself reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With the protocol's terminal event.
    Terminal,
    /// By the limits of the exchange: the agent may still be at work.
    Timeout,
    /// By the sink or by the limits' token, since nothing more of it is wanted.
    Cancelled,
}

/// The reader of the events of a response: each protocol has its own.
pub trait EventReader: Send {
    /// Takes the data of an event and reports what it means. `Break` if the sink wants no more.
    ///
    /// # Errors
    /// The reason why the event cannot be decoded; the text follows `event 3 `.
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String>;

    /// The time for which the response is still read, if it may end here; `None` while something of it is missing.
    fn rest(&self) -> Option<Rest>;
}

/// The time for which a response that may end is still read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// So long after it could end first.
    AfterEnd(Duration),
    /// So long after its last event.
    AfterLastEvent(Duration),
}
