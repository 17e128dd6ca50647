//! The host that answers requests of a server.

use futures_util::future::BoxFuture;

use ananke_base::message::{ServerAnswer, ServerRequest};
use ananke_trace::trace::Trace;

/// Answers the requests of a server, which waits for the answer before it goes on.
pub trait RequestHost: Send {
    /// Answers `request`.
    fn answer<'a>(
        &'a mut self,
        request: ServerRequest,
        trace: &'a Trace,
    ) -> BoxFuture<'a, ServerAnswer>;
}

/// Declines every request.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclineRequests;

impl RequestHost for DeclineRequests {
    fn answer<'a>(&'a mut self, _: ServerRequest, _: &'a Trace) -> BoxFuture<'a, ServerAnswer> {
        Box::pin(std::future::ready(ServerAnswer::Declined))
    }
}
