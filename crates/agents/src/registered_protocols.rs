//! The protocols that the program installed, as other crates ask for them: the turns of their own, the meaning of their rules
//! for the order of events, those that can be served, and the one that proposes a target.

use serde_json::Map;

use super::capabilities::Capability;
use super::config::TargetConfig;
use super::model_api::ModelWire;
use super::proposal::{ProposalPlace, ProposingProtocol};
use super::protocol_turn::{OwnTurnCode, ProtocolTurnType, ToolTurns};
use super::registry::{Registration, protocols};
use super::served::ServedProtocol;
use ananke_base::message::{OwnTurn, OwnTurnKind};
use ananke_base::source::Node;
use ananke_model::model::{connect_type_name, resume_type_name};
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
    match code_of(kind) {
        Some(code) => (code.describe_written)(written),
        None => String::new(),
    }
}

fn code_of(kind: &OwnTurnKind) -> Option<OwnTurnCode> {
    for protocol in protocols() {
        if let Some(own) = protocol.own_turns.iter().find(|own| own.is_of(kind)) {
            return Some(own.code);
        }
    }
    None
}

/// The first protocol that can propose a target for an agent at `place`.
pub fn proposing(place: ProposalPlace<'_>) -> Option<&'static dyn ProposingProtocol> {
    for protocol in protocols() {
        let Some(proposing) = protocol.proposing else {
            continue;
        };
        // Any URL may be one of an API, but a command line is skipped unless it sends a request, because it would be started.
        let is_right = match place {
            ProposalPlace::Url(_) => true,
            ProposalPlace::Command(words) => proposing.reads_command(words),
        };
        if is_right {
            return Some(proposing);
        }
    }
    None
}

/// The turns by which tests list and call tools: those of each protocol that has some.
pub fn tool_turns() -> impl Iterator<Item = ToolTurns> {
    protocols()
        .iter()
        .filter_map(|protocol| protocol.tool_turns)
}

/// The `type` of the targets whose tools a client lists and calls.
pub fn types_with_tool_turns() -> impl Iterator<Item = &'static str> {
    let having = protocols()
        .iter()
        .filter(|protocol| protocol.tool_turns.is_some());
    having.map(Registration::name)
}

/// The `type` of the targets that take turns of this kind.
pub fn types_with_turn(kind: &OwnTurnKind) -> Vec<&'static str> {
    let all = protocols().iter();
    let taking = all.filter(|protocol| protocol.takes_turn(kind));
    taking.map(Registration::name).collect()
}

/// The `type` of the targets that can have this capability.
pub fn types_with(capability: Capability) -> Vec<&'static str> {
    let all = protocols().iter();
    let able = all.filter(|protocol| protocol.abilities.has(capability));
    able.map(Registration::name).collect()
}

/// The types of turns that a test of `target` may have, as the key `type` of a turn names them.
pub fn turns_of(target: &TargetConfig) -> Vec<&'static str> {
    let capabilities = target.capabilities();
    let mut turns = Vec::new();
    if capabilities.has(Capability::UserTurns) {
        turns.push("user");
    }
    if capabilities.has(Capability::Connect) {
        turns.push(connect_type_name());
    }
    if capabilities.has(Capability::Interrupts) {
        turns.push(resume_type_name());
    }
    // A protocol may also have turns that no other protocol has.
    if let Some(protocol) = Registration::find(target.protocol) {
        turns.extend(protocol.own_turns.iter().map(ProtocolTurnType::name));
    }
    turns
}

/// The meaning of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDocs {
    /// The name by which findings report it.
    pub name: &'static str,
    /// A few sentences.
    pub about: String,
    /// The events of a response that violates this rule, and no other.
    pub wrong: Vec<&'static str>,
    /// The events of a similar response that violates none.
    pub right: Vec<&'static str>,
}

impl RuleDocs {
    /// The rules of all protocols.
    pub fn all() -> impl Iterator<Item = Self> {
        protocols()
            .iter()
            .flat_map(|protocol| Self::of(protocol.rules))
    }

    /// The rules that a page of Markdown explains, a section each.
    pub fn of(page: &'static str) -> impl Iterator<Item = Self> {
        page.split("\n### `").skip(1).map(Self::parse)
    }

    /// Reads the section of a rule in a page of Markdown. The mark of its heading and a backtick are before it. It has the name of the
    /// rule, a backtick, sentences about the rule, and two blocks of JSON with one event per line, the first of them wrong.
    fn parse(section: &'static str) -> Self {
        // The pages are part of the program, so a section of another form is read as far as possible, and no error is needed.
        let (name, content) = section.split_once('`').unwrap_or((section, ""));
        let mut parts = content.split("```");
        let text = parts.next().unwrap_or_default();
        // The last paragraph before a block introduces the block, and is not about the rule.
        let about = match text.trim_end().rsplit_once("\n\n") {
            Some((about, _)) => about,
            None => text,
        };
        // Text between the blocks is a part as well, so only the parts with the mark `json` are blocks.
        let mut blocks = parts.filter_map(|part| part.strip_prefix("json\n"));
        let wrong = blocks.next().unwrap_or_default();
        let right = blocks.next().unwrap_or_default();
        Self {
            name,
            about: about.split_whitespace().collect::<Vec<_>>().join(" "),
            wrong: wrong.lines().collect(),
            right: right.lines().collect(),
        }
    }
}

/// The protocols that can be served, in the order of the registry.
pub fn served_protocols() -> impl Iterator<Item = &'static dyn ServedProtocol> {
    protocols().iter().filter_map(|protocol| protocol.served)
}

/// The APIs of models whose provider can be replaced, in the order of the registry.
pub fn model_wires() -> Vec<&'static dyn ModelWire> {
    let mut wires = Vec::new();
    for protocol in protocols() {
        wires.extend(protocol.model_wire);
    }
    wires
}

/// The protocols that can be served, for a request to this path, with or without its query: first those whose requests have such a
/// path, then the others in the order of the registry.
pub fn served_protocols_at(path: &str) -> Vec<&'static dyn ServedProtocol> {
    let path = match path.split_once('?') {
        Some((path, _)) => path,
        None => path,
    };
    let mut protocols = Vec::new();
    for protocol in served_protocols() {
        let place = match protocol.path() {
            Some(end) if path.ends_with(end) => 0,
            _ => protocols.len(),
        };
        protocols.insert(place, protocol);
    }
    protocols
}
