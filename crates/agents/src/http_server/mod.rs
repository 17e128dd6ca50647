//! An HTTP server on this machine.
//!
//! Flows in: connections. Flows out: each request with its body as it arrives, and the response that a [`RequestHandler`] gives,
//! sent as it is made. A client that goes away drops the response.

mod listener;
mod received;
mod response;

pub use listener::{HttpListener, RequestHandler};
pub use received::{BodyError, BodyWatch, ReceivedBody, ReceivedRequest};
pub use response::{BodyStream, SentResponse};
