//! A simulated conversation: who plays the user, and what the conversation must come by. Walks: what a
//! user may do, of which many random conversations are made.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{AssertBlock, Excludes, Number, Since, Text, TimeoutMs, Turn};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node};
use ananke_derive::Bounds;

/// Another agent, or a script, plays the user: it says what the user says next, until its goal is achieved or every
/// required checkpoint is reached.
#[derive(Clone, Debug, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = Simulate::bounds, transform = Excludes(&[("agent", "script")]))]
pub struct Simulate {
    /// The name of the target that plays the user (from the config's `targets`). Either this or `script`; without both,
    /// `--simulator` says it.
    #[schemars(length(min = 1), example = &"customer")]
    pub agent: Option<Text>,
    /// Instead of `agent`: the script that plays the user, one of the config's `scripts` or a file in `scripts/`.
    #[schemars(length(min = 1), example = &"customer")]
    pub script: Option<Text>,
    /// Who the user is.
    #[schemars(length(min = 1), example = &"an impatient customer who writes short messages")]
    pub persona: Option<Text>,
    /// What the user wants from the agent.
    #[schemars(length(min = 1), example = &"cancel the order O-7 and get the money back")]
    pub goal: Option<Text>,
    /// Which model plays the user: the `model` of a target that is a model; other agents receive it as `connector`.
    #[schemars(example = &"gpt-6.1-sol")]
    pub connector: Option<Text>,
    /// The largest number of turns, those that are written included: 1 to 1000 (default 20).
    #[schemars(example = 10)]
    #[bounds(default = 20, within = 1..=1000)]
    pub max_turns: Option<Number>,
    /// Time limit for the conversation in milliseconds, from the first message of the simulator on (default 300000).
    pub timeout_ms: Option<TimeoutMs>,
    /// Extra keys of each question to the simulator.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"order": "O-7"}))]
    pub with: Option<Node>,
    /// What the conversation must come by.
    #[schemars(length(min = 1), example = serde_json::json!([{"id": "cancelled", "assert": {"tools": {"require": ["cancel_order"]}}}]))]
    pub checkpoints: Option<Vec<Spanned<Checkpoint>>>,
}

/// The simulator that plays the user, as it is named outside of a YAML test: a target, with or without `agents:`, or
/// `scripts:NAME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulatorName<'a> {
    /// The target of this name.
    Agent(&'a str),
    /// The script of this name.
    Script(&'a str),
}

impl<'a> SimulatorName<'a> {
    /// The simulator that `text` names.
    pub fn parse(text: &'a str) -> Self {
        match text.split_once(':') {
            Some(("scripts", name)) => Self::Script(name),
            Some(("agents", name)) => Self::Agent(name),
            _ => Self::Agent(text),
        }
    }
}

/// Something that the conversation must come by: the first turn in which its rules pass reaches it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Checkpoint {
    /// The checkpoint's id, unique in the test.
    #[schemars(length(min = 1), example = &"cancelled")]
    pub id: Text,
    /// What it is about.
    #[schemars(length(min = 1), example = &"the order is cancelled")]
    pub description: Option<Text>,
    /// What is true of the turn that reaches it. Nothing is inherited.
    pub assert: Spanned<AssertBlock>,
    /// The ids of checkpoints that must be reached before it, or in the same turn.
    #[schemars(length(min = 1), example = serde_json::json!(["asked"]))]
    pub after: Option<Vec<Text>>,
    /// Whether the test fails without it (default true).
    pub required: Option<bool>,
}

/// Random conversations of actions, each on a thread of its own. The rules of the target and the test apply to each. A
/// walk that fails is shrunk to the fewest turns that violate the same rule.
#[derive(Clone, Debug, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = Walk::bounds)]
pub struct Walk {
    /// What the user may do: each action is a turn with a name of your choice.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 100))]
    #[schemars(with = "std::collections::BTreeMap<String, WalkAction>",
        example = serde_json::json!({"ask": {"user": "Where is my order?"}, "confirm": {"user": "Yes", "needs": {"text": {"contains": "Are you sure"}}}}))]
    pub actions: FreeMap<Spanned<WalkAction>>,
    /// The largest number of actions in a walk, from 1 to 1000 (default 8).
    #[schemars(example = 8)]
    #[bounds(default = 8, within = 1..=1000)]
    pub steps: Option<Number>,
    /// The number of walks, from 1 to 10000 (default 100).
    #[schemars(example = 200)]
    #[bounds(default = 100, within = 1..=10_000)]
    pub walks: Option<Number>,
    /// Where the random choices begin (default 1). The same seed and the same answers of the agent give the same walks.
    #[schemars(example = 7)]
    #[bounds(default = 1, within = 0..=u64::MAX)]
    pub seed: Option<Number>,
}

/// Something that a user may do: a turn, which may have `needs`.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct WalkAction(pub Turn);
