//! What is known of a target before its first request.

use std::sync::Arc;

use url::Url;

use super::mapping::{CompiledPick, ResponseMapping};
use super::request::RequestTemplate;
use ananke_agents::http::HttpOptions;
use ananke_model::variables::ValueTemplate;

/// An agent behind an HTTP API of its own.
#[derive(Clone, Debug)]
pub(crate) struct HttpAgentSettings {
    /// The endpoint for people: variables that are known later are in it as they are written.
    pub(crate) endpoint: String,
    /// The endpoint as an address that can be compared.
    pub(crate) base: Url,
    /// The thread of the conversation, if a request names it.
    pub(crate) thread: Option<String>,
    pub(crate) main: RequestTemplate,
    pub(crate) start: Vec<RequestTemplate>,
    pub(crate) then: Vec<ThenTemplate>,
    pub(crate) resume: Option<ResumeTemplate>,
    /// One message of the conversation.
    pub(crate) message: ValueTemplate,
    /// The words for the user and for the agent.
    pub(crate) roles: (String, String),
    pub(crate) response: ResponseMapping,
    /// The number of times that a request is sent again that was rejected with HTTP 429.
    pub(crate) retries: u32,
    pub(crate) options: Arc<HttpOptions>,
}

/// The use of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseUse {
    /// Part of what the agent says.
    Read,
    /// Only its captures count.
    Captured,
}

/// A request after the main one.
#[derive(Clone, Debug)]
pub(crate) struct ThenTemplate {
    pub(crate) request: RequestTemplate,
    /// What must be found before the conversation goes on.
    pub(crate) until: Option<CompiledPick>,
    /// The time between two requests, in milliseconds.
    pub(crate) every_ms: u64,
    pub(crate) response: ResponseUse,
}

/// The request of a `resume` turn.
#[derive(Clone, Debug)]
pub(crate) struct ResumeTemplate {
    pub(crate) request: RequestTemplate,
    pub(crate) resolved: String,
    pub(crate) cancelled: String,
}
