//! Parts of the config: its limits, files of environment variables, secrets in addition to those in headers, tests that may fail for
//! a while, and the requirements of `ananke mutate`.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{Decimal, Flag, MutationOperator, Number, Percent, Since, Text, TextOr};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::FreeMap;
use ananke_derive::Bounds;

/// Limits of every test, whatever it tests.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = ProjectLimits::bounds)]
pub struct ProjectLimits {
    /// Time limit for the rules of one test in milliseconds, without what scripts and judges take (default 30000).
    #[schemars(example = 60000)]
    #[bounds(default = 30_000, within = 1..=u64::MAX)]
    pub evaluation_ms: Option<Number>,
}

/// Prices of models: the path of a file with them, or a mapping.
pub type WrittenPrices = TextOr<FreeMap<ModelPrice>>;

/// The prices of a model's tokens, in US dollars per million tokens.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ModelPrice {
    /// Price of the tokens that the model reads.
    #[schemars(example = 2.5, range(min = 0))]
    pub input: Decimal,
    /// Price of those of them that the server had in a cache (default: that of `input`).
    #[schemars(example = 0.25, range(min = 0))]
    pub cached: Option<Decimal>,
    /// Price of the tokens that the model writes.
    #[schemars(example = 10, range(min = 0))]
    pub output: Decimal,
}

/// A file of environment variables: its path, or a mapping.
pub type EnvFileEntry = TextOr<EnvFile>;

/// A file of environment variables, which may be missing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct EnvFile {
    /// The file, relative to the directory of the config.
    #[schemars(example = &".env")]
    pub path: Text,
    /// Whether a missing file is an error (default `true`).
    #[schemars(example = false)]
    pub required: Option<Flag>,
}

/// Something to mask: the name of a variable, whatever sets it, or a pattern.
pub type RedactEntry = TextOr<RedactMatch>;

/// Regular expression for secrets to mask.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactMatch {
    /// Regular expression: what it matches is masked in all output.
    #[schemars(extend("x-since" = "1.3"), example = "sk-[A-Za-z0-9]{8,}")]
    #[serde(rename = "match")]
    pub pattern: Text,
}

/// Known failures. These tests run and are reported, and do not fail the run until a given date.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct QuarantineEntry {
    /// The id of a test as `ananke list` prints it, or a pattern for ids: `*` matches any text, `?` any one character.
    #[schemars(length(min = 1), example = "checkout.test.yaml::pays once")]
    pub test: Text,
    /// Person or team responsible.
    #[schemars(length(min = 1), example = "payments team")]
    pub owner: Text,
    /// The last day on which the entry is valid, in UTC. After that it fails the run.
    #[schemars(example = "2026-12-31")]
    pub expires: Text,
    /// Why the tests are in quarantine.
    #[schemars(example = "the new model pays twice, ticket 4711")]
    pub reason: Option<Text>,
}

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
