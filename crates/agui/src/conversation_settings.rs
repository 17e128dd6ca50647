//! The settings that every run of a conversation in AG-UI has, whatever its transport.

use serde::Serialize;
use serde_json::Value;

use super::protocol_version::ProtocolVersion;

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
