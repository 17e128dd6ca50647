//! An HTTP server on this machine.
//!
//! Flows in: connections. Flows out: each request with its body as it arrives, and the response that a [`RequestHandler`] gives,
//! sent as it is made. A client that goes away drops the response.

mod access;
mod listener;
mod received;
mod response;

pub use access::{Access, AnsweredPages};
pub use listener::{HttpListener, RequestHandler, ServerNotice};
pub use received::{BodyError, BodyWatch, ReceivedBody, ReceivedRequest};
pub use response::{BodyStream, SentResponse};
