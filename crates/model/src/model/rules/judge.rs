//! Rules that another agent decides.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{Decimal, Number, Since, Text};
use ananke_base::source::Node;
use ananke_derive::Bounds;

/// A check that another agent decides: it receives the conversation and the criteria, and answers with a verdict. It is
/// asked only if all other rules pass.
#[derive(Clone, Debug, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = JudgeRule::bounds)]
pub struct JudgeRule {
    /// The name of the target that judges. It cannot be the target under test.
    #[schemars(length(min = 1), example = &"strict")]
    pub agent: Text,
    /// What must be true.
    #[schemars(length(min = 1), example = &"The answer is polite and names the total.")]
    pub criteria: Text,
    /// What the judge gets as `output`: all messages of the agent (default), the final one, or the conversation as text.
    /// It always gets the messages and calls too.
    #[schemars(example = &"final")]
    pub of: Option<JudgedText>,
    /// The smallest score that passes. An answer without a score is then an error. (Default: the verdict alone decides.)
    #[schemars(example = 0.8)]
    pub threshold: Option<Decimal>,
    /// How many times the judge is asked, from 1 to 100 (default 1).
    #[schemars(example = 3)]
    #[bounds(default = 1, within = 1..=100)]
    pub runs: Option<Number>,
    /// How many of the answers must pass, from 1 to 100 (default: more than half).
    #[schemars(example = 2)]
    #[bounds(within = 1..=100)]
    pub quorum: Option<Number>,
    /// Extra keys of the question.
    #[serde(default, deserialize_with = "crate::model::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"price_list": "2026"}))]
    pub with: Option<Node>,
    /// Which model the judge uses: the `model` of a target that is a model; other agents receive it as `connector`.
    #[schemars(example = &"gpt-6.1-sol")]
    pub connector: Option<Text>,
    /// Negate the check (default false): it passes if the judge rejects. An error stays an error.
    pub not: Option<bool>,
    /// Custom failure message.
    #[schemars(example = &"the answer must be polite")]
    pub message: Option<Text>,
}

/// Which part of a conversation a judge gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum JudgedText {
    /// All messages of the agent.
    #[default]
    Text,
    /// Its last non-empty message.
    Final,
    /// The conversation as text: messages of both sides, calls and results.
    Transcript,
}
