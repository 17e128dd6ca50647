//! What is known of an AG-UI agent before it is talked to.

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
    /// Where runs are posted to.
    pub endpoint: Url,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// What connections and responses need.
    pub options: Arc<HttpOptions>,
    /// How the agent is reached.
    pub transport: AguiTransport,
    /// What every run is sent.
    pub conversation: ConversationSettings,
}
