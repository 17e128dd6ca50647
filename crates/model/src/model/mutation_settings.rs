//! The requirements of `ananke mutate`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::mutation_operator::MutationOperator;
use super::percent::Percent;
use super::scalars::Text;
use super::since::Since;
use ananke_base::diagnostic::Spanned;

/// What `ananke mutate` requires, and which changes to a conversation need not be noticed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct MutationSettings {
    /// The share of changes that rules must notice. `--min-score`
    #[schemars(example = &"95%")]
    pub min_score: Option<Spanned<Percent>>,
    /// Changes that need not be noticed, each with the reason.
    #[schemars(example = serde_json::json!([{ "operator": "change_word", "reason": "the wording is free" }]))]
    pub harmless: Option<Vec<HarmlessMutation>>,
}

/// Changes that need not be noticed: those to which all of `operator`, `tool` and `test` apply.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct HarmlessMutation {
    /// The kind of change.
    #[schemars(example = &"change_word")]
    pub operator: Option<MutationOperator>,
    /// The tool whose calls are changed.
    #[schemars(length(min = 1), example = &"get_time")]
    pub tool: Option<Text>,
    /// The id of a test as `ananke list` prints it, or a pattern for ids: `*` matches any text, `?` any one character.
    #[schemars(length(min = 1), example = &"checkout.test.yaml::*")]
    pub test: Option<Text>,
    /// Why such a change is harmless.
    #[schemars(length(min = 1), example = &"the wording is free; facts are checked with `contains`")]
    pub reason: Text,
}
