//! What is known of an agent of A2A before it is talked to.

use std::sync::Arc;

use url::Url;

use super::auth_config::Credentials;
use super::card::AgentCard;
use super::config::ToolCallConvention;
use ananke_agents::http::HttpOptions;

/// An agent of A2A.
#[derive(Clone, Debug, PartialEq)]
pub struct A2aSettings {
    /// How it is found.
    pub location: AgentLocation,
    /// The context that the conversation belongs to.
    pub context_id: Option<String>,
    /// How it answers.
    pub blocking: Blocking,
    /// The media types that it may answer with.
    pub accepted_output_modes: Option<Vec<String>>,
    /// How it shows its tool calls.
    pub conventions: Vec<ToolCallConvention>,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// How it knows who asks.
    pub credentials: Credentials,
    /// What connections and responses need.
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

/// How an agent is found.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentLocation {
    /// By the card at this URL, or below it.
    CardUrl {
        /// The URL of the card, or the base URL of the agent.
        url: Url,
        /// Where requests are posted to, whatever the card says.
        endpoint: Option<Url>,
    },
    /// By its URL alone. It is asked in version 1.0, and in 0.3 if it does not know how it is asked then.
    Endpoint(Url),
    /// By a card that the config contains.
    Card {
        /// What was read of it.
        card: AgentCard,
        /// The name that the card gives the agent.
        name: Option<String>,
    },
}

/// How an agent answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// With a stream, if its card says so; else as one document.
    Streaming,
    /// As one document, when it is done.
    Blocking,
    /// At once, with a task that is polled until it is done.
    Polling,
}
