//! The keys of an AG-UI target.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::diagnostic::Spanned;
use crate::model::{Since, Text};
use crate::source::{FreeMap, Node};
use crate::target::clock::EventClock;

/// An agent that speaks AG-UI: one HTTP POST a turn, answered by a stream of server-sent events.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(transform = Since("1.0"))]
pub struct AguiConfig {
    /// Where runs are posted to: an `http://` or `https://` URL.
    #[schemars(example = "http://127.0.0.1:8000/agent")]
    pub endpoint: Text,
    /// The agent's name in reports.
    pub agent_id: Text,
    /// Passed to the agent untouched with every run.
    #[serde(default, deserialize_with = "crate::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub forwarded_props: Option<Node>,
    /// The state sent with the first turn; later turns send the state as the agent left it.
    #[schemars(with = "Option<serde_json::Value>")]
    pub state: Option<Node>,
    /// How the agent is reached (default `http`).
    pub transport: Option<Spanned<AguiTransport>>,
    /// Which version of AG-UI the requests are written in (default `"1.0"`): `"0.x"` for a server from before 1.0.
    #[schemars(extend("x-since" = "1.3"))]
    pub protocol_version: Option<Spanned<ProtocolVersion>>,
    /// Which messages a run is sent (default `full`).
    pub history: Option<HistorySent>,
    /// Says that this agent answers a run without messages by telling its thread, so that `agui:connect` over plain
    /// `http` is meant.
    #[schemars(extend("x-since" = "1.3"))]
    pub connect: Option<Connect>,
    /// HTTP headers of every request. What `${…}` gives here is a secret and never printed.
    #[schemars(example = serde_json::json!({"authorization": "Bearer ${ENV.AGENT_TOKEN}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// Whose clock the rules about time go by (default `arrival`).
    #[schemars(extend("x-since" = "1.3"))]
    pub clock: Option<EventClock>,
}

/// How an AG-UI agent is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum AguiTransport {
    /// Runs are posted to the endpoint itself.
    #[default]
    Http,
    /// A `CopilotKit` runtime with one route: every request is an envelope posted to the endpoint.
    Copilotkit,
    /// A `CopilotKit` runtime with many routes: runs are posted to `{endpoint}/agent/{agentId}/run`.
    CopilotkitRest,
}

/// A version of AG-UI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum ProtocolVersion {
    /// Requests say that they are written in 1.0, and files are parts of their kind.
    #[default]
    #[serde(rename = "1.0")]
    V1,
    /// Requests say nothing of a version, and files are parts of the type `binary`.
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
    /// Only what is new, for an agent that keeps the conversation itself.
    Last,
}

/// How to connect to a thread over plain HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Connect {
    /// By a run without messages.
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
