//! The turns that are the own ones of the installed protocols, by their kinds.

use serde_json::Map;

use super::protocol_turn::{OwnTurnCode, ToolTurns};
use super::registry::{Registration, protocols};
use ananke_base::message::{OwnTurn, OwnTurnKind};
use ananke_base::source::Node;
use ananke_model::variables::{Interpolation, Leaf};

/// Checks and fills the keys of a turn of this kind.
///
/// # Errors
/// If something is known later or was reported.
pub fn fill_own_turn(
    kind: &'static OwnTurnKind,
    written: &Node,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<OwnTurn> {
    let keys = match code_of(kind) {
        Some(code) => (code.fill)(written, interpolation)?,
        None => Map::new(),
    };
    Ok(OwnTurn { kind, keys })
}

/// A turn of this kind in words as it is written, if something of it is known later.
pub fn describe_own_turn(kind: &OwnTurnKind, written: &Node) -> String {
    code_of(kind).map_or_else(String::new, |code| (code.describe_written)(written))
}

fn code_of(kind: &OwnTurnKind) -> Option<OwnTurnCode> {
    let mut own = protocols().iter().flat_map(|protocol| protocol.own_turns);
    own.find(|own| own.is_of(kind)).map(|own| own.code)
}

/// The turns by which tests list and call tools: those of each protocol that has some.
pub fn tool_turns() -> impl Iterator<Item = ToolTurns> {
    protocols()
        .iter()
        .filter_map(|protocol| protocol.tool_turns)
}

/// The `type` of the targets that take turns of this kind.
pub fn protocol_of_turn(kind: &OwnTurnKind) -> Option<&'static str> {
    let mut all = protocols().iter();
    let of = all.find(|protocol| protocol.takes_turn(kind));
    of.map(Registration::name)
}
