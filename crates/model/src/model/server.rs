//! A program that runs while the tests run: the agent itself, mostly, or what it needs.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::{Flag, Number, Text, TimeoutMs};
use super::since::Since;
use ananke_base::diagnostic::Spanned;
use ananke_base::source::FreeMap;

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
