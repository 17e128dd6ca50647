//! Programs of the project's own: servers that run while the tests run, commands that prepare a test, and scripts that are asked
//! whether what the agent did is right, or what a tool answers.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{Excludes, Flag, Number, Since, Text, TimeoutMs};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node};

/// A program that is started before the first test and stopped after the last one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Server {
    /// Program and arguments, one word per entry. Not run through a shell: `~`, `*` and `$NAME` are not expanded.
    #[schemars(length(min = 1), example = serde_json::json!(["python", "agent.py", "--port", "${PORT}"]), extend("x-spelling" = "command"))]
    pub cmd: Vec<Text>,
    /// Environment variables, in addition to ananke's own.
    #[schemars(example = serde_json::json!({"LOG_LEVEL": "debug"}))]
    pub env: Option<FreeMap<Text>>,
    /// Working directory, relative to this file's directory (default: that directory). `~` is the home directory.
    #[schemars(example = &"agent")]
    pub cwd: Option<Text>,
    /// How to detect that the server is ready: one of `url`, `port` and `stdout`. Tests start after that.
    #[schemars(example = serde_json::json!({"port": 8000}))]
    pub ready: Spanned<Ready>,
    /// Startup timeout in milliseconds (default 30000). If it is exceeded, no test starts.
    pub timeout_ms: Option<TimeoutMs>,
    /// Whether to use a server that is already running at its `url` or `port`, and leave it running (default `false`:
    /// an error).
    #[schemars(example = &"${ENV.REUSE_AGENT:-false}")]
    pub reuse: Option<Flag>,
}

/// How to detect that a server is ready.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = Since("1.3"))]
pub enum Ready {
    /// A URL that answers a GET, with any status below 500.
    #[schemars(example = &"http://127.0.0.1:8000/health")]
    Url(Text),
    /// A port of this machine that accepts connections.
    #[schemars(example = 8000)]
    Port(Number),
    /// Regular expression for a line of its standard output.
    #[schemars(example = &"listening on")]
    Stdout(Text),
}

/// A command that runs before the first turn. It prints one JSON object, whose keys become variables.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct Hook {
    /// Program and arguments, one word per entry. Not run through a shell: `~`, `*` and `$NAME` are not expanded.
    #[schemars(length(min = 1), example = serde_json::json!(["bash", "scripts/seed-cart.sh", "${THREAD_ID}"]), extend("x-spelling" = "command"))]
    pub cmd: Vec<Text>,
    /// Timeout in milliseconds (default 30000), after which it is killed with every process it started.
    pub timeout_ms: Option<TimeoutMs>,
    /// Environment variables, in addition to ananke's own and `ANANKE_VAR_<NAME>` for each variable.
    #[schemars(example = serde_json::json!({"CART_SIZE": "2"}))]
    pub env: Option<FreeMap<Text>>,
    /// Working directory, relative to the config's directory (default: that directory). `~` is the home directory.
    #[schemars(example = &"scripts")]
    pub cwd: Option<Text>,
}

/// A custom check: a script that receives the conversation as JSON and prints `true`, `false` or `{pass, message}`. It
/// runs only if all other rules pass.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = Excludes(&[("script", "cmd")]))]
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
    #[serde(default, deserialize_with = "crate::model::scalars::optional_mapping")]
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
