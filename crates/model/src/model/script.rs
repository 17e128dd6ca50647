//! Programs of the project's own: asked whether what the agent did is right, or what a tool answers.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::{Text, TimeoutMs};
use super::since::Since;
use ananke_base::source::{FreeMap, Node};

/// A custom check: a script that receives the conversation as JSON and prints `true`, `false` or `{pass, message}`. It
/// runs only if all other rules pass.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptRule {
    /// The name of one of the config's `scripts`, or of a file in `scripts/` in the config's directory, with or without
    /// its extension. An entry has either this or `cmd`.
    #[schemars(length(min = 1), example = &"check-total")]
    pub script: Option<Text>,
    /// Instead of `script`: program and arguments, one word per entry. It runs in the config's directory.
    #[schemars(length(min = 1), example = serde_json::json!(["python3", "scripts/check_total.py"]), extend("x-spelling" = "command"))]
    pub cmd: Option<Vec<Text>>,
    /// Timeout in milliseconds (default: the script's own, or 30000), after which it is killed with every process it
    /// started.
    pub timeout_ms: Option<TimeoutMs>,
    /// Extra data, passed to the script as `with`.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"currency": "EUR"}))]
    pub with: Option<Node>,
    /// What the answer should be, passed to the script as `expected`.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"total": 89.5}))]
    pub expected: Option<Node>,
    /// Negate the check (default false): it passes if the script rejects. An error stays an error.
    pub not: Option<bool>,
    /// Custom failure message.
    #[schemars(example = &"the total must be correct")]
    pub message: Option<Text>,
}

/// A named program for rules and mocks. It receives JSON on stdin and prints its answer to stdout, as JSON.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptProgram {
    /// Program and arguments, one word per entry. Not run through a shell: `~`, `*` and `$NAME` are not expanded.
    #[schemars(length(min = 1), example = serde_json::json!(["python3", "checks/total.py"]), extend("x-spelling" = "command"))]
    pub cmd: Vec<Text>,
    /// Timeout in milliseconds (default 30000), after which it is killed with every process it started.
    pub timeout_ms: Option<TimeoutMs>,
    /// Environment variables, in addition to ananke's own and `ANANKE_VAR_<NAME>` for each variable.
    #[schemars(example = serde_json::json!({"PRICES": "prices.csv"}))]
    pub env: Option<FreeMap<Text>>,
    /// Working directory, relative to the config's directory (default: that directory). `~` is the home directory.
    #[schemars(example = &"checks")]
    pub cwd: Option<Text>,
}
