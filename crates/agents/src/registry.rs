//! The protocols of the program: their registrations, which it installs before anything is read.
//!
//! **Why:** The protocols are installed once for the process, because each derived `Deserialize` of a target's keys would
//! have to pass them on otherwise; and before anything is read, so that two readers never see different ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use super::candidate::{AgentPlace, ProbedProtocol, TargetCandidate};
use super::capabilities::Capabilities;
use super::common::TargetCommon;
use super::model_api::ModelWire;
use super::proposal::ProposingProtocol;
use super::protocol::{Protocol, ProtocolConfig};
use super::protocol_turn::{ProtocolTurnType, ToolTurns};
use super::served::ServedProtocol;
use ananke_base::message::OwnTurnKind;
use ananke_base::source::{self, Node, TypeMismatch};
use ananke_model::model::{TAG_DEFAULTS, TYPE, TurnType, install_turn_types, take_properties};
use ananke_model::schema::{self, CommittedSchemas};

static INSTALLED: OnceLock<&'static [Registration]> = OnceLock::new();

/// Makes these the protocols of the program, in the order of messages and schemas, and `schemas` the schemas of its files.
/// The first call counts.
pub fn install(protocols: &'static [Registration], schemas: CommittedSchemas) {
    INSTALLED.get_or_init(|| {
        install_turn_types(protocols.iter().flat_map(Registration::all_turn_types));
        schema::install(schemas);
        protocols
    });
}

/// The protocols of the program, in the order of messages and schemas.
pub(crate) fn protocols() -> &'static [Registration] {
    INSTALLED
        .get()
        .expect("a program installs its protocols before it reads anything")
}

/// The targets that the agent at `place` could be, in the order in which they are tried. `name` is the agent or the model there,
/// if the user names one.
pub fn candidates(place: &AgentPlace, name: Option<&str>) -> Vec<TargetCandidate> {
    let mut candidates = Vec::new();
    for protocol in protocols() {
        if let Some(probed) = protocol.probed {
            candidates.extend(probed.candidates(place, name));
        }
    }
    // The place that the user gave comes before usual paths, and the question that costs least comes first. Then (`false` sorts
    // before `true`) come targets with a `type` of ananke, and candidates that a lookup can rule out before the question.
    candidates.sort_by_key(|candidate| {
        (
            candidate.place,
            candidate.question,
            candidate.target.is_none(),
            candidate.lookup.is_none(),
        )
    });
    candidates
}

/// A protocol whose type is forgotten.
pub struct Registration {
    /// The value of `type`.
    pub(super) name: &'static str,
    /// The schema version that has it first.
    pub(super) since: &'static str,
    /// The most that one of its targets can do.
    pub(super) abilities: Capabilities,
    /// Descriptions of common keys that mean something special here.
    pub(super) descriptions: &'static [(&'static str, &'static str)],
    /// Common keys that are wrong here.
    pub(super) idle_keys: &'static [&'static str],
    /// The types of turns that several protocols may have.
    turn_types: &'static [TurnType],
    /// The turns that no other protocol knows.
    pub(super) own_turns: &'static [ProtocolTurnType],
    /// The turns by which tests list and call its tools.
    pub(super) tool_turns: Option<ToolTurns>,
    /// The page about its rules for the order of events.
    pub(super) rules: &'static str,
    /// By what its answers are known.
    pub(super) signs: &'static [&'static str],
    /// The other side of it, if it can be served.
    pub(super) served: Option<&'static dyn ServedProtocol>,
    /// The provider's side of it, if it is an API of models.
    pub(super) model_wire: Option<&'static dyn ModelWire>,
    /// The way in which its targets are found, if they can be.
    probed: Option<&'static dyn ProbedProtocol>,
    pub(super) proposing: Option<&'static dyn ProposingProtocol>,
    read: fn(&Node) -> Result<Arc<dyn ProtocolConfig>, TypeMismatch>,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

impl Registration {
    /// The registration of the protocol whose keys are the fields of `P`. `P` is not in its type, so that one list has them all.
    pub const fn of<P: Protocol>() -> Self {
        Self {
            name: P::TYPE,
            since: P::SINCE,
            abilities: P::ABILITIES,
            descriptions: P::DESCRIPTIONS,
            idle_keys: P::IDLE_KEYS,
            turn_types: P::TURN_TYPES,
            own_turns: P::OWN_TURNS,
            tool_turns: P::TOOL_TURNS,
            // A protocol that checks the order of events adds its page with `with_rules`.
            rules: "",
            signs: P::SIGNS,
            served: P::SERVED,
            model_wire: P::MODEL_WIRE,
            probed: P::PROBED,
            proposing: P::PROPOSING,
            // These two functions are all that is known of `P` from here on.
            read: |node| {
                // `type` and the keys of every target are read elsewhere, so they are skipped here and are not unknown.
                let config: P = source::from_mapping(node, TAG_DEFAULTS, |key| {
                    key == TYPE || TargetCommon::KEYS.contains(&key)
                })?;
                Ok(Arc::new(config))
            },
            schema: P::json_schema,
        }
    }

    /// The same, with the page about its rules for the order of events: Markdown with a section for each, see
    /// [`RuleDocs`](super::RuleDocs).
    #[must_use]
    pub const fn with_rules(mut self, page: &'static str) -> Self {
        self.rules = page;
        self
    }

    /// The value of `type`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether its targets take turns of this kind.
    pub(super) fn takes_turn(&self, kind: &OwnTurnKind) -> bool {
        self.own_turns.iter().any(|own| own.is_of(kind))
    }

    fn all_turn_types(&self) -> impl Iterator<Item = &'static TurnType> + use<> {
        let own = self.own_turns.iter().map(|own| &own.turn_type);
        self.turn_types.iter().chain(own)
    }

    /// The texts by which answers of the protocol are known.
    pub fn signs(&self) -> &'static [&'static str] {
        self.signs
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
        let mut schema = self.schema(&mut SchemaGenerator::default());
        take_properties(&mut schema).keys().cloned().collect()
    }

    /// The other spellings of the protocol's own keys, each with the key.
    pub(super) fn spellings(&self) -> BTreeMap<String, String> {
        let mut schema = self.schema(&mut SchemaGenerator::default());
        let mut spellings = BTreeMap::new();
        for (key, property) in take_properties(&mut schema) {
            if let Some(Value::String(spelling)) = property.get("x-spelling") {
                spellings.insert(spelling.clone(), key);
            }
        }
        spellings
    }

    /// The protocol that `name` names.
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        protocols().iter().find(|protocol| protocol.name == name)
    }
}
