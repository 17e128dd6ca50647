//! The settings of an agent of A2A that are known before the first request.

use std::sync::Arc;

use url::Url;

use super::{auth_config::Credentials, card::AgentCard, config::ToolCallConvention};
use ananke_agents::http::HttpOptions;

/// An agent of A2A.
#[derive(Clone, Debug, PartialEq)]
pub struct A2aSettings {
    /// The location of the agent: its card or its endpoint.
    pub location: AgentLocation,
    /// The context that the conversation belongs to.
    pub context_id: Option<String>,
    /// The way in which it answers: at the end of a turn or at once.
    pub blocking: Blocking,
    /// The media types that it may answer with.
    pub accepted_output_modes: Option<Vec<String>>,
    /// The conventions in which it reports its tool calls.
    pub conventions: Vec<ToolCallConvention>,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// The credentials that are sent with every request.
    pub credentials: Credentials,
    /// The options of connections and responses.
    pub options: Arc<HttpOptions>,
}

impl A2aSettings {
    /// The credentials by which the agent knows the sender, as the beginning of a sentence; `None` if there are none.
    pub(super) fn described_credentials(&self) -> Option<&'static str> {
        let has_auth = !self.credentials.is_empty();
        match (self.headers.is_empty(), has_auth) {
            (false, false) => Some("`headers` are"),
            (false, true) => Some("`headers` and `auth` are"),
            (true, true) => Some("`auth` is"),
            (true, false) => self
                .options
                .tls
                .identity
                .is_some()
                .then_some("the client's certificate is"),
        }
    }
}

/// The location of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentLocation {
    /// By the card at this URL, or below it.
    CardUrl {
        /// The URL of the card, or the base URL of the agent.
        url: Url,
        /// The URL that requests are posted to, whatever the card says.
        endpoint: Option<Url>,
    },
    /// By its URL alone. It is asked in version 1.0, and in 0.3 if it does not know how it is asked then.
    Endpoint(Url),
    /// By a card that the config contains.
    Card {
        /// The fields that were read from the file.
        card: AgentCard,
        /// The name that the card gives the agent.
        name: Option<String>,
    },
}

/// The way in which an agent answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// With a stream, if its card says so; else as one document.
    Streaming,
    /// As one document, when it is done.
    Blocking,
    /// At once, with a task that is polled until it is done.
    Polling,
}
