//! The settings of an AG-UI agent that are known before the first request.

use std::sync::Arc;

use url::Url;

use super::config::AguiTransport;
use crate::conversation_settings::ConversationSettings;
use ananke_agents::http::HttpOptions;

/// An AG-UI agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AguiSettings {
    /// The agent's name in reports.
    pub agent: String,
    /// The URL that runs are posted to.
    pub endpoint: Url,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// The options of connections and responses.
    pub options: Arc<HttpOptions>,
    /// The transport of the agent.
    pub transport: AguiTransport,
    /// The settings that every run has.
    pub conversation: ConversationSettings,
}
