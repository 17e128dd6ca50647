//! Programs of the project's own: asked whether what the agent did is right, or what a tool answers.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::{Number, Text};
use super::since::Since;
use crate::source::{FreeMap, Node};

/// A script that says whether the agent did right: it gets the conversation as JSON, and answers `true`, `false` or
/// `{pass, message}`. It is asked when all other rules hold.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptRule {
    /// Which script: the name of one of the config's `scripts`, else of a file below `scripts/` in the config's folder,
    /// with or without its ending. An entry has this or `cmd`.
    #[schemars(length(min = 1), example = &"check-total")]
    pub script: Option<Text>,
    /// Instead of `script`: the program and its arguments, a word an entry. It runs in the config's folder.
    #[schemars(length(min = 1), example = serde_json::json!(["python3", "scripts/check_total.py"]))]
    pub cmd: Option<Vec<Text>>,
    /// How long it may take, in milliseconds (default what the script says itself, else 30000). Then it is killed, with
    /// every process it started.
    pub timeout_ms: Option<Number>,
    /// What it gets as `with`.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"currency": "EUR"}))]
    pub with: Option<Node>,
}

/// A program that rules and mocks know by a name. It gets JSON on its stdin and prints its answer to stdout, as JSON.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptProgram {
    /// The program and its arguments, a word an entry. No shell reads them; `~`, `*` and `$NAME` mean nothing here.
    #[schemars(length(min = 1), example = serde_json::json!(["python3", "checks/total.py"]))]
    pub cmd: Vec<Text>,
    /// How long it may take, in milliseconds (default 30000). Then it is killed, with every process it started.
    pub timeout_ms: Option<Number>,
    /// Environment variables it gets beside those of ananke itself and `ANANKE_VAR_<NAME>` for each variable.
    #[schemars(example = serde_json::json!({"PRICES": "prices.csv"}))]
    pub env: Option<FreeMap<Text>>,
    /// The folder it runs in, from the config's folder (default that folder). `~` is the home folder.
    #[schemars(example = &"checks")]
    pub cwd: Option<Text>,
}
