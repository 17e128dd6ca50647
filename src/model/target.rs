//! The agent under test, by protocol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{AssertBlock, ClientTool, Number, ScriptedRule, Text};
use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node};

/// The agent under test and how to talk to it, by protocol.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(tag = "type")]
pub enum Target {
    /// An agent that speaks AG-UI: one HTTP POST a turn, answered by a stream of server-sent events.
    #[serde(rename = "agui")]
    #[schemars(extend("x-since" = "1.0"))]
    Agui(AguiTarget),
    /// An agent written in YAML and built into the program: no network, no model, virtual time.
    #[serde(rename = "scripted")]
    #[schemars(extend("x-since" = "1.3"))]
    Scripted(ScriptedTarget),
}

impl Target {
    /// The assertions every test of this target inherits.
    pub fn assert_block(&self) -> Option<&AssertBlock> {
        match self {
            Self::Agui(target) => target.assert.as_ref(),
            Self::Scripted(target) => target.assert.as_ref(),
        }
    }

    /// The thread id as written, before interpolation.
    pub fn thread_id(&self) -> Option<&Text> {
        match self {
            Self::Agui(target) => target.thread_id.as_ref(),
            Self::Scripted(target) => target.thread_id.as_ref(),
        }
    }

    /// The headers as written.
    pub fn headers(&self) -> Option<&FreeMap<Text>> {
        match self {
            Self::Agui(target) => target.headers.as_ref(),
            Self::Scripted(target) => target.headers.as_ref(),
        }
    }

    /// The client's tools as written.
    pub fn client_tools(&self) -> Option<&Vec<ClientTool>> {
        match self {
            Self::Agui(target) => target.client_tools.as_ref(),
            Self::Scripted(target) => target.client_tools.as_ref(),
        }
    }

    /// The time-out of a turn as written.
    pub fn timeout_ms(&self) -> Option<&Number> {
        match self {
            Self::Agui(target) => target.timeout_ms.as_ref(),
            Self::Scripted(target) => target.timeout_ms.as_ref(),
        }
    }

    /// Which version of AG-UI the requests are written in; an agent that is sent none takes what the newest can say.
    pub fn protocol_version(&self) -> ProtocolVersion {
        match self {
            Self::Agui(target) => target.protocol_version.as_ref().map(|version| version.value),
            Self::Scripted(_) => None,
        }
        .unwrap_or_default()
    }
}

/// An agent that speaks AG-UI over HTTP.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AguiTarget {
    /// Where runs are posted to: an `http://` or `https://` URL.
    #[schemars(extend("x-since" = "1.0"), example = "http://127.0.0.1:8000/agent")]
    pub endpoint: Text,
    /// The agent's name in reports.
    #[schemars(extend("x-since" = "1.0"))]
    pub agent_id: Text,
    /// The conversation's thread. Without it every test gets a new one; `${THREAD_ID}` names it elsewhere.
    #[schemars(extend("x-since" = "1.0"), example = "${THREAD_ID}")]
    pub thread_id: Option<Text>,
    /// Passed to the agent untouched with every run.
    #[serde(default, deserialize_with = "super::leaf::optional_mapping")]
    #[schemars(extend("x-since" = "1.0"), with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub forwarded_props: Option<Node>,
    /// The state sent with the first turn; later turns send the state as the agent left it.
    #[schemars(extend("x-since" = "1.0"), with = "Option<serde_json::Value>")]
    pub state: Option<Node>,
    /// How the agent is reached (default `http`).
    #[schemars(extend("x-since" = "1.0"))]
    pub transport: Option<Spanned<AguiTransport>>,
    /// Which version of AG-UI the requests are written in (default `"1.0"`): `"0.x"` for a server from before 1.0.
    #[schemars(extend("x-since" = "1.3"))]
    pub protocol_version: Option<Spanned<ProtocolVersion>>,
    /// Which messages a run is sent (default `full`).
    #[schemars(extend("x-since" = "1.0"))]
    pub history: Option<HistorySent>,
    /// Says that this agent answers a run without messages by telling its thread, so that `agui:connect` over plain
    /// `http` is meant.
    #[schemars(extend("x-since" = "1.3"))]
    pub connect: Option<Connect>,
    /// HTTP headers of every request. What `${…}` gives here is a secret and never printed.
    #[schemars(extend("x-since" = "1.0"), example = serde_json::json!({"authorization": "Bearer ${ENV.AGENT_TOKEN}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// Whose clock the rules about time go by (default `arrival`).
    #[schemars(extend("x-since" = "1.3"))]
    pub clock: Option<EventClock>,
    /// How long one turn may take, in milliseconds (default 120000). A slower turn has the status timeout.
    #[serde(rename = "timeout_ms")]
    #[schemars(extend("x-since" = "1.0"))]
    pub timeout_ms: Option<Number>,
    /// Tools that the agent's client carries out: declared to the agent, answered by their mocks.
    #[serde(rename = "client_tools")]
    #[schemars(extend("x-since" = "1.3"))]
    pub client_tools: Option<Vec<ClientTool>>,
    /// The assertions every test of this target inherits.
    #[schemars(extend("x-since" = "1.0"))]
    pub assert: Option<AssertBlock>,
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

/// Whose clock the rules about time go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EventClock {
    /// That of this machine, when the bytes arrive.
    Arrival,
    /// The agent's own: the time stamps of its events, in a turn in which every event has a sane one.
    Event,
}

/// How to connect to a thread over plain HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Connect {
    /// By a run without messages.
    EmptyRun,
}

/// An agent written in YAML.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ScriptedTarget {
    /// The agent's name in reports (default `scripted`).
    #[schemars(extend("x-since" = "1.3"))]
    pub agent_id: Option<Text>,
    /// The conversation's thread. Without it every test gets a new one; `${THREAD_ID}` names it elsewhere.
    #[schemars(extend("x-since" = "1.3"))]
    pub thread_id: Option<Text>,
    /// As of an AG-UI target, so that one can stand in for the other; a scripted agent looks at nothing of it.
    #[serde(default, deserialize_with = "super::leaf::optional_mapping")]
    #[schemars(extend("x-since" = "1.3"), with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub forwarded_props: Option<Node>,
    /// The state the conversation starts with; `state` steps change it.
    #[schemars(extend("x-since" = "1.3"), with = "Option<serde_json::Value>")]
    pub state: Option<Node>,
    /// As of an AG-UI target, so that one can stand in for the other; nothing is sent.
    #[schemars(extend("x-since" = "1.3"))]
    pub headers: Option<FreeMap<Text>>,
    /// As of an AG-UI target, so that one can stand in for the other; a scripted agent has virtual time alone.
    #[schemars(extend("x-since" = "1.3"))]
    pub clock: Option<EventClock>,
    /// How long one turn may take, in milliseconds of the agent's own virtual time (default 120000).
    #[serde(rename = "timeout_ms")]
    #[schemars(extend("x-since" = "1.3"))]
    pub timeout_ms: Option<Number>,
    /// Tools that the agent's client carries out: a `call` of one without a `result` waits for its mock.
    #[serde(rename = "client_tools")]
    #[schemars(extend("x-since" = "1.3"))]
    pub client_tools: Option<Vec<ClientTool>>,
    /// The assertions every test of this target inherits.
    #[schemars(extend("x-since" = "1.3"))]
    pub assert: Option<AssertBlock>,
    /// What the agent does: the first rule whose `when` holds answers the turn.
    #[schemars(extend("x-since" = "1.3"))]
    pub rules: Vec<ScriptedRule>,
}
