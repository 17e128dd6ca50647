//! The settings that every run of a conversation in AG-UI has, whatever its transport; and the versions of AG-UI, with what
//! agents of each can do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use ananke_agents::{Capabilities, Capability};

/// A description and a value for the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContextItem {
    /// The description of the value.
    pub description: String,
    /// The value.
    pub value: String,
}

impl From<(&String, &Value)> for ContextItem {
    /// A named text.
    fn from((name, value): (&String, &Value)) -> Self {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        Self {
            description: name.clone(),
            value,
        }
    }
}

/// The settings that every run of a conversation has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConversationSettings {
    /// Descriptions and values that are sent with every run.
    pub context: Vec<ContextItem>,
    /// Passed on with every run.
    pub forwarded_props: Value,
    /// Sent with the first turn.
    pub state: Value,
    /// The version of the protocol that the requests are written in.
    pub version: ProtocolVersion,
    /// Whether a run is sent only what is new.
    pub last_only: bool,
    /// Whether times are the timestamps of events.
    pub event_clock: bool,
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

/// The abilities of every agent.
const OF_ALL: &[Capability] = OF_V1.split_at(10).0;

/// The abilities of agents of 1.0: first those of every agent.
const OF_V1: &[Capability] = &[
    Capability::ToolCalls,
    Capability::Usage,
    Capability::State,
    Capability::UserTurns,
    Capability::Connect,
    Capability::Interrupts,
    Capability::ClientTools,
    Capability::History,
    Capability::FilesBesideImages,
    Capability::PassingRequests,
    Capability::ToolParts,
    Capability::UntypedUrls,
];

impl ProtocolVersion {
    /// The capabilities of agents of this version.
    pub(super) const fn capabilities(self) -> Capabilities {
        match self {
            Self::V0 => Capabilities::of(OF_ALL),
            Self::V1 => Capabilities::of(OF_V1),
        }
    }
}
