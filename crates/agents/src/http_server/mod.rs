//! An HTTP server on a port of this machine (feature `mock`).
//!
//! Flows in: connections. Flows out: each request with its body as it arrives, and the response that a [`RequestHandler`]
//! gives, sent as it is made. `access` decides whose requests are answered: by default those to names of this machine, and
//! those of pages that it serves.
//!
//! **Invariant:** it knows neither agents nor protocols; a client that goes away drops its response and nothing else; a
//! shortage of connections ends no server.

mod access;
mod listener;
mod received;
mod response;

pub use access::{Access, AnsweredPages};
pub use listener::{HttpListener, RequestHandler, ServerNotice};
pub use received::{BodyError, BodyWatch, ReceivedBody, ReceivedRequest};
pub use response::{BodyStream, SentResponse};
