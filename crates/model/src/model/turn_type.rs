//! Turns in files: their types are those that the program installs, and each is a kind of turn that the model has.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, EnumAccess, VariantAccess, Visitor};
use serde_json::Value;

use super::{
    AssertBlock, ResumeTurn, SentByTurn, TAG_DEFAULTS, TYPE, Turn, TurnSettings, UserTurn,
    WalkAction, branch, take_properties,
};
use ananke_base::message::OwnTurnKind;
use ananke_base::source::{Node, TypeMismatch, from_mapping};

/// A type of turn, as a file names it.
#[derive(Debug)]
pub struct TurnType {
    /// The value of `type`.
    pub name: &'static str,
    /// The schema version that has it first.
    pub since: &'static str,
    /// The description in the schema and in editors.
    pub description: &'static str,
    /// The kind of turn, whatever its name.
    pub kind: TurnKind,
}

/// The kinds of turns, whatever a protocol calls them.
#[derive(Clone, Copy, Debug)]
pub enum TurnKind {
    /// [`SentByTurn::User`].
    User,
    /// [`SentByTurn::Connect`].
    Connect,
    /// [`SentByTurn::Resume`].
    Resume,
    /// [`SentByTurn::Own`].
    Own(&'static OwnTurnKind, OwnTurnKeys),
}

/// The keys of turns that are a protocol's own.
#[derive(Clone, Copy, Debug)]
pub struct OwnTurnKeys {
    /// The schema of its own keys.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// The settings of turns that it takes.
    pub settings: &'static [&'static str],
}

impl OwnTurnKeys {
    /// The settings of a request that a server may ask back about.
    pub const OF_REQUEST: &'static [&'static str] =
        &["respond", "id", "timeout_ms", "capture", "assert"];
    /// The settings of a message of the user.
    pub const OF_MESSAGE: &'static [&'static str] = &[
        "id",
        "timeout_ms",
        "forwardedProps",
        "options",
        "request",
        "if",
        "capture",
        "assert",
    ];
}

impl TurnKind {
    /// The settings that such a turn takes.
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::User => OwnTurnKeys::OF_MESSAGE,
            Self::Connect | Self::Resume => &[
                "id",
                "timeout_ms",
                "forwardedProps",
                "request",
                "if",
                "capture",
                "assert",
            ],
            Self::Own(_, keys) => keys.settings,
        }
    }
}

/// The type of a turn in which the user says something, whatever the protocol.
const USER: TurnType = TurnType {
    name: "user",
    since: "1.0",
    description: "A user message.",
    kind: TurnKind::User,
};

/// The type of a turn that answers what the agent waits for, on every protocol that has interrupts.
const RESUME: TurnType = TurnType {
    name: "resume",
    since: "1.4",
    description: "Answers open interrupts, or a call that only a person can answer.",
    kind: TurnKind::Resume,
};

static INSTALLED: OnceLock<Vec<&'static TurnType>> = OnceLock::new();

/// Makes these the types of turns of the program, in addition to those of every protocol, in the order of messages and schemas.
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

/// Every type of turn, those of every protocol first.
fn turn_types() -> impl Iterator<Item = &'static TurnType> {
    [&USER, &RESUME]
        .into_iter()
        .chain(installed().iter().copied())
}

/// The `type` of turns that answer what an agent waits for, in files of the newest schema version.
pub fn resume_type_name() -> &'static str {
    RESUME.name
}

/// The `type` of turns that replay the thread; if several protocols have one, the first.
pub fn connect_type_name() -> &'static str {
    let connect = turn_types().find(|turn_type| matches!(turn_type.kind, TurnKind::Connect));
    connect.map_or("", |turn_type| turn_type.name)
}

impl Turn {
    /// Reads a turn of this type.
    ///
    /// # Errors
    /// If the tree does not fit: the first such place.
    fn read(turn_type: &TurnType, node: &Node) -> Result<Self, TypeMismatch> {
        let own = |key: &str| key == TYPE || TurnSettings::KEYS.contains(&key);
        let sent = match turn_type.kind {
            TurnKind::User => from_mapping(node, TAG_DEFAULTS, own).map(SentByTurn::User)?,
            TurnKind::Connect => SentByTurn::Connect,
            TurnKind::Resume => from_mapping(node, TAG_DEFAULTS, own).map(SentByTurn::Resume)?,
            TurnKind::Own(kind, _) => SentByTurn::Own(kind, node.clone()),
        };
        let settings = from_mapping(node, TAG_DEFAULTS, |key| !TurnSettings::KEYS.contains(&key))?;
        Ok(Self { settings, sent })
    }
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
                let turn_type = turn_types()
                    .find(|turn_type| turn_type.name == name)
                    .ok_or_else(|| de::Error::unknown_variant(&name, &[]))?;
                let node: Node = turn.newtype_variant()?;
                Turn::read(turn_type, &node).map_err(de::Error::custom)
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
        let branches: Vec<Value> = turn_types()
            .map(|turn_type| {
                let mut branch = turn_branch(turn_type, generator);
                let since = turn_type.since.max(ACTIONS_SINCE);
                branch["x-since"] = since.into();
                if let Some(properties) = branch["properties"].as_object_mut() {
                    properties.remove("id");
                    properties.remove("if");
                    let mut needs = needs.clone();
                    needs.insert("x-since".to_owned(), since.into());
                    properties.insert("needs".to_owned(), needs.to_value());
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

/// The schema of one type of turn: its own keys, and the settings that it takes.
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
        TurnKind::Connect => json_schema!({}),
        TurnKind::Resume => ResumeTurn::json_schema(generator),
        TurnKind::Own(_, own) => (own.schema)(generator),
    };
    let mut properties = take_properties(&mut keys);
    // A key is not older than the type, although another name of the type may be.
    for property in properties.values_mut() {
        if property["x-since"].as_str() < Some(since) {
            property["x-since"] = Value::from(*since);
        }
    }
    for (key, mut setting) in take_properties(&mut TurnSettings::json_schema(generator)) {
        if kind.settings().contains(&key.as_str()) {
            let known = setting["x-since"].as_str().unwrap_or_default();
            setting["x-since"] = Value::from(known.max(since));
            properties.insert(key, setting);
        }
    }
    keys.insert("properties".to_owned(), Value::Object(properties));
    keys.insert("description".to_owned(), (*description).into());
    branch(name, since, keys)
}
