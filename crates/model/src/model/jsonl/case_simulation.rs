//! The simulated conversation of a case of a JSONL file.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{AssertionOptions, CaseAssertions, Since, Text, short::ShortForm};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::Node;

/// Whether the conversation of a case has several turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CaseType {
    /// It has as many turns as are written.
    SingleTurn,
    /// It goes on after what is written, as long as the agent waits for input.
    MultiTurn,
}

/// Whether a person at the terminal answers (`enabled`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CaseInteractive {
    /// Whether a person is asked (default true). `true` or `false` alone is `enabled`.
    pub enabled: Option<bool>,
    /// How long the person may take for one answer: `5m` (default), `30s`.
    #[schemars(length(min = 1), example = &"5m")]
    pub timeout: Option<Text>,
}

impl ShortForm for CaseInteractive {
    const KEY: &'static str = "enabled";

    type Value = bool;
}

/// An agent that plays the user.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CaseSimulator {
    /// Who plays the user: a target, with or without `agents:`, or `scripts:NAME`.
    #[serde(rename = "use")]
    #[schemars(length(min = 1), example = &"tests.simulator")]
    pub used: Text,
    /// Who the user is; also in `metadata`.
    #[schemars(length(min = 1), example = &"A new employee")]
    pub persona: Option<Text>,
    /// The goal of the user; also in `metadata`.
    #[schemars(length(min = 1), example = &"cancel the order")]
    pub goal: Option<Text>,
    /// The largest number of turns; also in `metadata`, and on the case, which takes precedence.
    pub max_turns: Option<Spanned<u64>>,
    /// How the simulator is asked.
    pub options: Option<AssertionOptions>,
    /// The persona, the goal and further data for the simulator.
    #[serde(default, deserialize_with = "crate::model::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"goal": "cancel the order"}))]
    pub metadata: Option<Node>,
}

/// What a conversation must come by.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CaseCheckpoint {
    /// The checkpoint's id, unique in the case.
    #[schemars(length(min = 1), example = &"asks_for_date")]
    pub id: Text,
    /// What it is about.
    pub description: Option<Text>,
    /// What is true of a turn that reaches it.
    pub assert: Option<Spanned<CaseAssertions>>,
    /// The same as `assert`.
    pub assertions: Option<Spanned<CaseAssertions>>,
    /// The same as `assert`.
    pub assertion: Option<Spanned<CaseAssertions>>,
    /// The checkpoints that must be reached before.
    pub after: Option<Vec<Text>>,
    /// Whether it must be reached (default true).
    pub required: Option<bool>,
}
