//! Turns that are a protocol's own: how their keys are read and filled, and the two by which tools are listed and called.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::session::Action;
use ananke_base::diagnostic::Code;
use ananke_base::message::{OwnTurn, OwnTurnKind};
use ananke_base::source::{self, Node};
use ananke_model::model::{OwnTurnKeys, TAG_DEFAULTS, TYPE, TurnKind, TurnSettings, TurnType};
use ananke_model::variables::{Fill, Interpolation, Leaf};

/// The keys of a kind of turn that is a protocol's own, as they are written. Their doc comments are the descriptions of the
/// schema and of editors.
pub trait ProtocolTurn: DeserializeOwned + Fill<Map<String, Value>> + JsonSchema + 'static {
    /// The name in `type`, by which a session recognizes the turn again.
    const KIND: OwnTurnKind;

    /// The schema version that has it first.
    const SINCE: &'static str;

    /// The description in the schema and in editors.
    const DESCRIPTION: &'static str;

    /// The keys of [`TurnSettings`] that it takes.
    const SETTINGS: &'static [&'static str] = OwnTurnKeys::OF_REQUEST;

    /// The turn in words as it is written, if something of it is known later.
    fn describe_written(&self) -> String;
}

/// A type of turn that a protocol adds.
#[derive(Debug)]
pub struct ProtocolTurnType {
    pub(super) turn_type: TurnType,
    pub(super) code: OwnTurnCode,
}

/// The code for the keys of a turn that is a protocol's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnTurnCode {
    pub(super) fill: fn(&Node, &mut Interpolation<'_>) -> Leaf<Map<String, Value>>,
    pub(super) describe_written: fn(&Node) -> String,
}

impl ProtocolTurnType {
    /// The type of turn whose keys are the fields of `T`: its entry in the schema, and the code that reads such turns.
    pub const fn of<T: ProtocolTurn>() -> Self {
        let keys = OwnTurnKeys {
            schema: T::json_schema,
            settings: T::SETTINGS,
        };
        Self {
            turn_type: TurnType {
                name: T::KIND.name,
                since: T::SINCE,
                description: T::DESCRIPTION,
                kind: TurnKind::Own(&T::KIND, keys),
            },
            // These two functions are all that is known of `T` from here on, so that the types of turns of every protocol can be
            // in one list.
            code: OwnTurnCode {
                fill: |node, interpolation| match read::<T>(node) {
                    Ok(turn) => turn.fill(interpolation),
                    Err(wrong) => {
                        Err(interpolation.report(Code::WrongType, wrong.span, wrong.message, None))
                    }
                },
                // Wrong keys are reported by `fill`, so the name of the turn is enough here.
                describe_written: |node| match read::<T>(node) {
                    Ok(turn) => turn.describe_written(),
                    Err(_) => T::KIND.name.to_owned(),
                },
            },
        }
    }

    /// The value of `type`.
    pub(super) fn name(&self) -> &'static str {
        self.turn_type.name
    }

    pub(super) fn is_of(&self, kind: &OwnTurnKind) -> bool {
        self.turn_type.name == kind.name
    }
}

fn read<T: ProtocolTurn>(node: &Node) -> Result<T, source::TypeMismatch> {
    source::from_mapping(node, TAG_DEFAULTS, |key| {
        key == TYPE || TurnSettings::KEYS.contains(&key)
    })
}

/// The turns by which a test lists the tools of an agent and calls one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolTurns {
    /// A request for the list. It has no keys.
    pub list: &'static OwnTurnKind,
    /// A call. Its keys are `tool`, a name, and `args`, an object.
    pub call: &'static OwnTurnKind,
}

impl ToolTurns {
    /// The request for the list of tools.
    pub fn list(self) -> Action {
        self.list.turn([]).into()
    }

    /// The call to `tool` with `args`: an object, unless it is to be found out what comes of something else.
    pub fn call(self, tool: &str, args: &Value) -> OwnTurn {
        self.call
            .turn([("tool", tool.into()), ("args", args.clone())])
    }
}

/// The turns by which a test asks an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AgentTurns {
    /// A user says something.
    User,
    /// A client lists and calls tools, since nothing there answers words.
    Tools(ToolTurns),
}
