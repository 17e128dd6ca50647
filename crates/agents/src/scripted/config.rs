//! The keys of an agent written in YAML.

use schemars::JsonSchema;
use serde::Deserialize;

use super::rules::ScriptedRule;
use crate::common::EventClock;
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::{Since, Text};

/// A scripted agent, defined in YAML and run inside the program: no network, no model, virtual time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedConfig {
    /// The agent's name in reports (default `scripted`).
    pub agent_id: Option<Text>,
    /// As for an AG-UI target, so that the two are interchangeable; a scripted agent ignores it.
    #[serde(default, deserialize_with = "ananke_model::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub forwarded_props: Option<Node>,
    /// The initial state; `state` steps change it.
    #[schemars(with = "Option<serde_json::Value>")]
    pub state: Option<Node>,
    /// As for an AG-UI target, so that the two are interchangeable; nothing is sent.
    pub headers: Option<FreeMap<Text>>,
    /// As for an AG-UI target, so that the two are interchangeable; a scripted agent has only virtual time.
    pub clock: Option<EventClock>,
    /// What the agent does: the first rule whose `when` matches handles the turn.
    #[schemars(example = serde_json::json!([{ "when": { "user": "(?i)checkout" }, "do": [{ "say": "Order confirmed." }] }]))]
    pub rules: Vec<ScriptedRule>,
}
