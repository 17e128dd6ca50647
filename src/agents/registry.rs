//! The protocols that there are: one line each.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::a2a::A2aConfig;
use super::agui::{AguiConfig, CommandConfig};
use super::common::TargetCommon;
use super::mcp::McpConfig;
use super::openai::OpenaiConfig;
use super::protocol::{Protocol, ProtocolConfig, TurnType};
use super::scripted::ScriptedConfig;
use super::served::ServedProtocol;
use crate::model::TAG_DEFAULTS;
use crate::source::{self, Node, TypeMismatch};

/// The protocols, in the order of messages and schemas.
pub(super) const PROTOCOLS: &[Registration] = &[
    Registration::of::<AguiConfig>(),
    Registration::of::<CommandConfig>(),
    Registration::of::<A2aConfig>(),
    Registration::of::<McpConfig>(),
    Registration::of::<OpenaiConfig>(),
    Registration::of::<ScriptedConfig>(),
];

/// The key that says which protocol a target speaks.
pub(super) const TYPE: &str = "type";

/// A protocol whose type is forgotten.
pub(super) struct Registration {
    /// The value of `type`.
    pub(super) name: &'static str,
    /// The schema version that has it first.
    pub(super) since: &'static str,
    /// Descriptions of common keys that mean something special here.
    pub(super) descriptions: &'static [(&'static str, &'static str)],
    /// The types of turns that it adds.
    pub(super) turn_types: &'static [TurnType],
    /// The page about its rules for the order of events.
    pub(super) rules: &'static str,
    /// By what its answers are known.
    pub(super) signs: &'static [&'static str],
    /// The other side of it, if it can be served.
    pub(super) served: Option<&'static dyn ServedProtocol>,
    read: fn(&Node) -> Result<Arc<dyn ProtocolConfig>, TypeMismatch>,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

impl Registration {
    const fn of<P: Protocol>() -> Self {
        Self {
            name: P::TYPE,
            since: P::SINCE,
            descriptions: P::DESCRIPTIONS,
            turn_types: P::TURN_TYPES,
            rules: P::RULES,
            signs: P::SIGNS,
            served: P::SERVED,
            read: |node| {
                let is_elsewhere = |key: &str| key == TYPE || TargetCommon::KEYS.contains(&key);
                let config: P = source::from_mapping(node, TAG_DEFAULTS, is_elsewhere)?;
                Ok(Arc::new(config))
            },
            schema: P::json_schema,
        }
    }

    /// Reads the protocol's own keys of a target.
    ///
    /// # Errors
    /// If the tree does not fit them: the first such place.
    pub(super) fn read(&self, node: &Node) -> Result<Arc<dyn ProtocolConfig>, TypeMismatch> {
        (self.read)(node)
    }

    /// The schema of the protocol's own keys.
    pub(super) fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    /// The protocol's own keys.
    pub(super) fn keys(&self) -> BTreeSet<String> {
        let schema = self.schema(&mut SchemaGenerator::default());
        let properties = schema.get("properties").and_then(Value::as_object);
        properties
            .into_iter()
            .flat_map(|properties| properties.keys().cloned())
            .collect()
    }

    /// The protocol that `name` names.
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        PROTOCOLS.iter().find(|protocol| protocol.name == name)
    }
}
