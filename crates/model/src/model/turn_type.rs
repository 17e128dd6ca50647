//! Turns in files: their types are those that the program installs, and each is a kind of turn that the model has.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, EnumAccess, VariantAccess, Visitor};
use serde_json::Value;

use super::assert_block::AssertBlock;
use super::branch::branch;
use super::turn::{
    CallToolTurn, ConnectTurn, GetPromptTurn, ListToolsTurn, PartsTurn, ReadResourceTurn,
    ResumeTurn, Turn, TurnKind, UserTurn,
};
use super::walk::WalkAction;

/// A type of turn, as a file names it.
#[derive(Debug)]
pub struct TurnType {
    /// The value of `type`.
    pub name: &'static str,
    /// The schema version that has it first.
    pub since: &'static str,
    /// The description of such a turn, in the schema and in editors.
    pub description: &'static str,
    /// The kind of turn, whatever its name.
    pub kind: TurnKind,
}

/// The type of a turn in which the user says something, whatever the protocol.
const USER: TurnType = TurnType {
    name: "user",
    since: "1.0",
    description: "A user message.",
    kind: TurnKind::User,
};

static INSTALLED: OnceLock<Vec<&'static TurnType>> = OnceLock::new();

/// Makes these the types of turns of the program, in addition to that of the user, in the order of messages and schemas.
/// The first call counts.
pub fn install_turn_types(types: impl Iterator<Item = &'static TurnType>) {
    INSTALLED.get_or_init(|| types.collect());
}

#[cfg(not(test))]
fn installed() -> &'static [&'static TurnType] {
    INSTALLED
        .get()
        .expect("a program installs the types of its turns before it reads anything")
}

#[cfg(test)]
fn installed() -> &'static [&'static TurnType] {
    &[]
}

/// Every type of turn, that of the user first.
fn turn_types() -> impl Iterator<Item = &'static TurnType> {
    std::iter::once(&USER).chain(installed().iter().copied())
}

/// The `type` that a turn of this kind has in files; if several protocols have one, the first.
pub fn turn_type_name(kind: TurnKind) -> &'static str {
    turn_types()
        .find(|turn_type| turn_type.kind == kind)
        .map_or("", |turn_type| turn_type.name)
}

impl<'de> Deserialize<'de> for Turn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TurnVisitor;
        impl<'de> Visitor<'de> for TurnVisitor {
            type Value = Turn;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a turn")
            }

            fn visit_enum<A: EnumAccess<'de>>(self, turn: A) -> Result<Turn, A::Error> {
                let (name, turn) = turn.variant::<String>()?;
                match turn_types()
                    .find(|turn_type| turn_type.name == name)
                    .map(|turn_type| turn_type.kind)
                {
                    Some(TurnKind::User) => turn.newtype_variant().map(Turn::User),
                    Some(TurnKind::Connect) => turn.newtype_variant().map(Turn::Connect),
                    Some(TurnKind::Resume) => turn.newtype_variant().map(Turn::Resume),
                    Some(TurnKind::CallTool) => turn.newtype_variant().map(Turn::CallTool),
                    Some(TurnKind::ListTools) => turn.newtype_variant().map(Turn::ListTools),
                    Some(TurnKind::Parts) => turn.newtype_variant().map(Turn::Parts),
                    Some(TurnKind::ReadResource) => turn.newtype_variant().map(Turn::ReadResource),
                    Some(TurnKind::GetPrompt) => turn.newtype_variant().map(Turn::GetPrompt),
                    None => Err(de::Error::unknown_variant(&name, &[])),
                }
            }
        }
        deserializer.deserialize_enum("Turn", &[], TurnVisitor)
    }
}

impl JsonSchema for Turn {
    fn schema_name() -> Cow<'static, str> {
        "Turn".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let branches: Vec<Value> = turn_types()
            .map(|turn_type| turn_branch(turn_type, generator))
            .collect();
        json_schema!({
            "description": "One turn: what is sent, and the assertions about the response. `type` is optional for `user`.",
            "oneOf": branches,
        })
    }
}

impl JsonSchema for WalkAction {
    fn schema_name() -> Cow<'static, str> {
        "WalkAction".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut needs = generator.subschema_for::<AssertBlock>();
        needs.insert("description".to_owned(), NEEDS.into());
        needs.insert("x-since".to_owned(), ACTIONS_SINCE.into());
        let branches: Vec<Value> = turn_types()
            .map(|turn_type| {
                let mut branch = turn_branch(turn_type, generator);
                branch["x-since"] = turn_type.since.max(ACTIONS_SINCE).into();
                if let Some(properties) = branch["properties"].as_object_mut() {
                    properties.remove("id");
                    properties.insert("needs".to_owned(), needs.clone().to_value());
                }
                branch
            })
            .collect();
        json_schema!({
            "description": "An action of a walk: a turn, and what it needs. `type` is optional for `user`.",
            "oneOf": branches,
        })
    }
}

/// The description of the key `needs`, which only actions have.
const NEEDS: &str =
    "What must be true of the turn before. Without it, the action is always possible.";

/// The schema version that has actions first.
const ACTIONS_SINCE: &str = "1.3";

/// The schema of one type of turn.
fn turn_branch(
    TurnType {
        name,
        since,
        description,
        kind,
    }: &TurnType,
    generator: &mut SchemaGenerator,
) -> Value {
    let mut keys = match kind {
        TurnKind::User => UserTurn::json_schema(generator),
        TurnKind::Connect => ConnectTurn::json_schema(generator),
        TurnKind::Resume => ResumeTurn::json_schema(generator),
        TurnKind::CallTool => CallToolTurn::json_schema(generator),
        TurnKind::ListTools => ListToolsTurn::json_schema(generator),
        TurnKind::Parts => PartsTurn::json_schema(generator),
        TurnKind::ReadResource => ReadResourceTurn::json_schema(generator),
        TurnKind::GetPrompt => GetPromptTurn::json_schema(generator),
    };
    keys.insert("description".to_owned(), (*description).into());
    branch(name, since, keys)
}
