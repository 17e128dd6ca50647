//! The targets of a config: the one under test, and others that have names.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::{Value, json};

use super::{AguiTarget, AssertBlock, ClientTool, Number, ScriptedRule, ScriptedTarget, Target, Text};
use crate::diagnostic::Spanned;
use crate::source::{FreeMap, Node};

/// The agent under test: a target, or the name of one.
#[derive(Clone, Debug)]
pub enum ChosenTarget {
    /// One of `targets`.
    Named(Text),
    /// Written here.
    Own(Box<Target>),
}

/// A target that tests can name.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[schemars(tag = "type")]
pub enum NamedTarget {
    /// An agent that speaks AG-UI: one HTTP POST a turn, answered by a stream of server-sent events.
    #[serde(rename = "agui")]
    #[schemars(extend("x-since" = "1.3"))]
    Agui(AguiTarget),
    /// An agent written in YAML and built into the program: no network, no model, virtual time.
    #[serde(rename = "scripted")]
    #[schemars(extend("x-since" = "1.3"))]
    Scripted(ScriptedTarget),
    /// Another target, but for the keys written here.
    #[serde(rename = "extends")]
    #[schemars(extend("x-since" = "1.3"))]
    Heir(HeirTarget),
}

impl NamedTarget {
    /// The assertions written here.
    pub fn assert_block(&self) -> Option<&AssertBlock> {
        match self {
            Self::Agui(target) => target.assert.as_ref(),
            Self::Scripted(target) => target.assert.as_ref(),
            Self::Heir(target) => target.assert.as_ref(),
        }
    }

    /// The target that this one takes over from.
    pub fn extends(&self) -> Option<&Text> {
        match self {
            Self::Agui(_) | Self::Scripted(_) => None,
            Self::Heir(target) => Some(&target.extends),
        }
    }
}

/// A target that is like another, but for the keys written here: any key of a target but its `type`.
///
/// What is written is read here for its shape; it is merged as a tree, and the result read as a [`Target`].
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "most keys are read for their shape alone")]
pub struct HeirTarget {
    /// The other target's name.
    pub extends: Text,
    endpoint: Option<Text>,
    agent_id: Option<Text>,
    thread_id: Option<Text>,
    #[serde(default, deserialize_with = "super::leaf::optional_mapping")]
    forwarded_props: Option<Node>,
    state: Option<Node>,
    transport: Option<Spanned<super::AguiTransport>>,
    protocol_version: Option<Spanned<super::ProtocolVersion>>,
    history: Option<super::HistorySent>,
    connect: Option<super::Connect>,
    headers: Option<FreeMap<Text>>,
    clock: Option<super::EventClock>,
    #[serde(rename = "timeout_ms")]
    timeout_ms: Option<Number>,
    #[serde(rename = "client_tools")]
    client_tools: Option<Vec<ClientTool>>,
    /// What tests of this target inherit beside what they inherit from the other.
    pub assert: Option<AssertBlock>,
    rules: Option<Vec<ScriptedRule>>,
}

// Every key of every kind of target, with its own description, and none of them required.
impl JsonSchema for HeirTarget {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "HeirTarget".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let extends = json!({
            "description": "The name of the target that this one is like, but for the keys written beside. Mappings are \
                            merged, `assert` as that of an inner level; anything else is replaced.",
            "x-since": "1.3",
            "type": "string",
            "examples": ["default"],
        });
        let mut keys = serde_json::Map::from_iter([("extends".to_owned(), extends)]);
        for mut target in [AguiTarget::json_schema(generator), ScriptedTarget::json_schema(generator)] {
            let written = target.as_object_mut().and_then(|target| target.remove("properties"));
            let Some(Value::Object(written)) = written else { continue };
            for (key, mut property) in written {
                if let Some(property) = property.as_object_mut() {
                    property.insert("x-since".to_owned(), "1.3".into());
                }
                keys.entry(key).or_insert(property);
            }
        }
        json_schema!({ "type": "object", "properties": keys, "additionalProperties": false, "required": ["extends"] })
    }
}

impl<'de> Deserialize<'de> for ChosenTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ChosenVisitor;
        impl<'de> Visitor<'de> for ChosenVisitor {
            type Value = ChosenTarget;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a target or the name of one")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, one: D) -> Result<ChosenTarget, D::Error> {
                Text::deserialize(one).map(ChosenTarget::Named)
            }

            fn visit_some<D: Deserializer<'de>>(self, own: D) -> Result<ChosenTarget, D::Error> {
                Target::deserialize(own).map(Box::new).map(ChosenTarget::Own)
            }
        }
        deserializer.deserialize_newtype_struct(crate::source::TEXT_OR_MAPPING, ChosenVisitor)
    }
}

impl JsonSchema for ChosenTarget {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ChosenTarget".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let own = generator.subschema_for::<Target>();
        json_schema!({ "anyOf": [own, { "type": "string", "x-since": "1.3" }] })
    }
}
