//! An agent that answers the requests of a server.

use futures_util::future::BoxFuture;

use ananke_agents::{ServedProtocol, ServedRequest};
use ananke_recording::AgentAnswer;

/// An agent that answers the requests of a server.
pub trait MockAgent: Send + Sync {
    /// The description of the agent, with its article: `the recording …`.
    fn describe(&self) -> String;

    /// The answer to a request that no protocol reads, to this `path` without its query; `None` if the agent answers none.
    fn answer_any(
        &self,
        _method: &str,
        _path: &str,
        _body: &[u8],
    ) -> Option<Result<AgentAnswer, String>> {
        None
    }

    /// The answer to a request of this protocol.
    ///
    /// # Errors
    /// The reason that there is no answer, in words for the client.
    fn answer<'a>(
        &'a self,
        protocol: &'static dyn ServedProtocol,
        request: &'a dyn ServedRequest,
    ) -> BoxFuture<'a, Result<AgentAnswer, String>>;
}
