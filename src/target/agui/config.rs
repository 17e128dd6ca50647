//! The keys of an AG-UI target.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::diagnostic::Spanned;
use crate::model::{Since, Text};
use crate::source::{FreeMap, Node};
use crate::target::clock::EventClock;
use crate::target::http::HttpConfig;

/// An AG-UI agent: each run is an HTTP POST, answered by a stream of server-sent events.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(transform = Since("1.0"))]
pub struct AguiConfig {
    /// The URL that runs are posted to (`http://` or `https://`).
    #[schemars(example = "http://127.0.0.1:8000/agent")]
    pub endpoint: Text,
    /// The agent's name in reports.
    #[schemars(example = &"shop")]
    pub agent_id: Text,
    /// Passed to the agent unchanged with every run.
    #[serde(default, deserialize_with = "crate::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub forwarded_props: Option<Node>,
    /// The state sent with the first turn; later turns send the state as the agent left it.
    #[schemars(with = "Option<serde_json::Value>")]
    pub state: Option<Node>,
    /// How requests reach the agent (default `http`).
    pub transport: Option<Spanned<AguiTransport>>,
    /// The AG-UI version of the requests (default `"1.0"`): `"0.x"` for an older server.
    #[schemars(extend("x-since" = "1.3"))]
    pub protocol_version: Option<Spanned<ProtocolVersion>>,
    /// Which messages each run contains (default `full`).
    pub history: Option<HistorySent>,
    /// Declares that this agent replays its thread in response to a run without messages, so `agui:connect` over plain
    /// `http` is intended.
    #[schemars(extend("x-since" = "1.3"))]
    pub connect: Option<Connect>,
    /// HTTP headers of every request. Values of variables here are secrets and are masked in all output.
    #[schemars(example = serde_json::json!({"authorization": "Bearer ${ENV.AGENT_TOKEN}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// Descriptions and values that are sent with every run, such as the page that the user sees.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!([{ "description": "The page that the user sees", "value": "/cart" }])
    )]
    pub context: Option<Vec<ContextEntry>>,
    /// The keys of every target over HTTP.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub http: HttpConfig,
    /// Which clock timing rules use (default `arrival`).
    #[schemars(extend("x-since" = "1.3"))]
    pub clock: Option<EventClock>,
}

/// A description and a value for the agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ContextEntry {
    /// What the value is.
    #[schemars(example = "The page that the user sees")]
    pub description: Text,
    /// The value.
    #[schemars(example = "/cart")]
    pub value: Text,
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

/// A version of AG-UI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum ProtocolVersion {
    /// Requests declare version 1.0, and files are parts with their own types.
    #[default]
    #[serde(rename = "1.0")]
    V1,
    /// Requests declare no version, and files are parts with the type `binary`.
    #[serde(rename = "0.x")]
    V0,
}

/// Which messages a run is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum HistorySent {
    /// Every message so far, with the ids the agent gave them.
    #[default]
    Full,
    /// Only new messages, for an agent that keeps the conversation itself.
    Last,
}

/// How to connect to a thread over plain HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Connect {
    /// With a run without messages.
    EmptyRun,
}

impl AguiConfig {
    /// Which version of AG-UI the requests are written in.
    pub(super) fn version(&self) -> ProtocolVersion {
        self.protocol_version.as_ref().map(|version| version.value).unwrap_or_default()
    }

    /// How the agent is reached.
    pub(super) fn transport(&self) -> AguiTransport {
        self.transport.as_ref().map(|transport| transport.value).unwrap_or_default()
    }
}
