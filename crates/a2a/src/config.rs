//! The keys of an agent of A2A.

use schemars::JsonSchema;
use serde::Deserialize;

use super::auth_config::A2aAuth;
use ananke_agents::http::HttpConfig;
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::{Flag, Since, Text};

/// An agent of A2A, version 1.0 or 0.3, over JSON-RPC or HTTP+JSON. Its agent card says where it is and how it is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.1"))]
pub struct A2aConfig {
    /// The URL of the agent card, or the base URL of the agent, below which the card is at a well-known path.
    #[serde(rename = "agentCardUrl")]
    #[schemars(example = "https://agents.example/shop")]
    pub agent_card_url: Option<Text>,
    /// The agent card itself. No card is requested.
    #[serde(
        rename = "agentCard",
        default,
        deserialize_with = "ananke_model::model::optional_mapping"
    )]
    #[schemars(
        with = "Option<serde_json::Map<String, serde_json::Value>>",
        example = serde_json::json!({"url": "http://localhost:9000/", "protocolVersion": "0.3"})
    )]
    pub agent_card: Option<Node>,
    /// Where requests are posted to (`http://` or `https://`). Without a card: JSON-RPC of version 1.0, or of 0.3 if the
    /// agent does not know the newer one. With a card, it replaces the URL that the card contains.
    #[schemars(example = "http://localhost:9000/rpc")]
    pub endpoint: Option<Text>,
    /// The context that the conversation belongs to (default: the agent makes a new one for each test).
    #[serde(rename = "contextId")]
    #[schemars(example = "context-of-${THREAD_ID}")]
    pub context_id: Option<Text>,
    /// `true`: one request waits for the answer. `false`: the agent returns a task at once, which is polled until it is done.
    /// Default: a stream if the card says that the agent has one, else `true`.
    #[schemars(example = true)]
    pub blocking: Option<Flag>,
    /// The media types that the agent may answer with (default: not sent).
    #[serde(rename = "acceptedOutputModes")]
    #[schemars(length(min = 1), example = serde_json::json!(["text/plain", "application/json"]))]
    pub accepted_output_modes: Option<Vec<Text>>,
    /// How the agent knows who asks. The values are secrets and are masked in all output.
    #[schemars(example = serde_json::json!({"scheme": "bearer", "token": "${ENV.AGENT_TOKEN}"}))]
    pub auth: Option<Spanned<A2aAuth>>,
    /// Conventions by which the agent shows its tool calls, which the protocol itself does not have (default: none). Without
    /// one, rules about tools are an error when the test is loaded.
    #[schemars(length(min = 1), example = serde_json::json!(["adk"]))]
    pub tool_calls: Option<Vec<ToolCallConvention>>,
    /// HTTP headers of every request. Values of variables here are secrets and are masked in all output.
    #[schemars(example = serde_json::json!({"authorization": "Bearer ${ENV.AGENT_TOKEN}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// The keys of every target over HTTP.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub http: HttpConfig,
}

/// A convention by which agents show their tool calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ToolCallConvention {
    /// That of Google's Agent Development Kit: data parts with `adk_type` in their metadata. kagent and tRPC-Agent-Go have it too.
    Adk,
    /// That of Gemini CLI: status updates with `coderAgent` in their metadata.
    Gemini,
    /// The traceability extension: steps in the metadata of messages and artifacts.
    Traceability,
}

impl ToolCallConvention {
    /// Every convention.
    pub(super) const ALL: [Self; 3] = [Self::Adk, Self::Gemini, Self::Traceability];
}
