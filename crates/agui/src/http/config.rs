//! The keys of an AG-UI target, and the settings that are known before the first request.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use crate::conversation_config::ConversationConfig;
use crate::conversation_settings::ConversationSettings;
use ananke_agents::http::{HttpConfig, HttpOptions};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::FreeMap;
use ananke_model::model::{Since, Text};

/// An AG-UI agent: each run is an HTTP POST, answered by a stream of server-sent events.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(transform = Since("1.0"))]
pub struct AguiConfig {
    /// The URL that runs are posted to (`http://` or `https://`).
    #[schemars(example = "http://127.0.0.1:8000/agent")]
    pub endpoint: Text,
    /// The agent that a runtime is asked for, which the transports of `CopilotKit` need; also its name in reports (default
    /// `agui`).
    #[schemars(example = &"shop")]
    pub agent_id: Option<Text>,
    /// The keys of a conversation.
    #[serde(
        rename = "$ananke::flattened forwardedProps state protocolVersion history connect context clock"
    )]
    #[schemars(flatten)]
    pub conversation: ConversationConfig,
    /// How requests reach the agent (default `http`).
    pub transport: Option<Spanned<AguiTransport>>,
    /// HTTP headers of every request. Values of variables here are secrets and are masked in all output.
    #[schemars(example = serde_json::json!({"authorization": "Bearer ${ENV.AGENT_TOKEN}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// The keys of every target over HTTP.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub http: HttpConfig,
}

/// How an AG-UI agent is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum AguiTransport {
    /// Runs are posted to the endpoint itself.
    #[default]
    Http,
    /// A `CopilotKit` runtime with a single route: every request is an envelope posted to the endpoint.
    Copilotkit,
    /// A `CopilotKit` runtime with REST routes: runs are posted to `{endpoint}/agent/{agentId}/run`.
    CopilotkitRest,
}

impl AguiConfig {
    /// The transport of the agent.
    pub(super) fn transport(&self) -> AguiTransport {
        self.transport
            .as_ref()
            .map(|transport| transport.value)
            .unwrap_or_default()
    }
}

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
