//! The keys of an agent written in YAML.

use schemars::JsonSchema;
use serde::Deserialize;

use super::rules::ScriptedRule;
use crate::model::{Since, Text};
use crate::source::{FreeMap, Node};
use crate::target::clock::EventClock;

/// An agent written in YAML and built into the program: no network, no model, virtual time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedConfig {
    /// The agent's name in reports (default `scripted`).
    pub agent_id: Option<Text>,
    /// As of an AG-UI target, so that one can stand in for the other; a scripted agent looks at nothing of it.
    #[serde(default, deserialize_with = "crate::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub forwarded_props: Option<Node>,
    /// The state the conversation starts with; `state` steps change it.
    #[schemars(with = "Option<serde_json::Value>")]
    pub state: Option<Node>,
    /// As of an AG-UI target, so that one can stand in for the other; nothing is sent.
    pub headers: Option<FreeMap<Text>>,
    /// As of an AG-UI target, so that one can stand in for the other; a scripted agent has virtual time alone.
    pub clock: Option<EventClock>,
    /// What the agent does: the first rule whose `when` holds answers the turn.
    pub rules: Vec<ScriptedRule>,
}
