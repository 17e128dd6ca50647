//! The keys of a target that is a server of MCP.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{Number, Since, Text};
use crate::source::FreeMap;

/// A server of the Model Context Protocol, whose tools the tests list and call. Each test starts one with its first turn.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.2"))]
pub struct McpConfig {
    /// How the server is reached.
    pub transport: McpTransport,
    /// The program that is the server, and its arguments, one word per entry. Not run through a shell: `~`, `*` and `$NAME` are
    /// not expanded.
    #[schemars(length(min = 1), example = serde_json::json!(["python3", "server.py"]))]
    pub command: Vec<Text>,
    /// Environment variables, in addition to ananke's own.
    #[schemars(example = serde_json::json!({"LOG_LEVEL": "debug"}))]
    pub env: Option<FreeMap<Text>>,
    /// Working directory, relative to the config's directory (default: that directory). `~` is the home directory.
    #[schemars(example = &"server")]
    pub cwd: Option<Text>,
    /// Which versions are spoken: those that begin with `initialize` (`legacy`), the one without (`modern`), or what the server
    /// speaks, which is found out first (`auto`, the default).
    #[schemars(example = &"legacy")]
    pub protocol: Option<McpProtocol>,
    /// Size limit for all that the server says in a turn, in bytes (default 67108864, which is 64 MiB). More is an error.
    #[schemars(extend("x-since" = "1.3"), example = 1_000_000)]
    pub max_response_bytes: Option<Number>,
    /// Size limit for a line in bytes (default 16777216, which is 16 MiB). A larger one is an error.
    #[schemars(extend("x-since" = "1.3"), example = 100_000)]
    pub max_event_bytes: Option<Number>,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum McpTransport {
    /// It is a program that is started: messages are lines of its stdin and stdout.
    Stdio,
}

/// Which versions of the protocol are spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum McpProtocol {
    /// What the server speaks, which is found out with its first turn.
    #[default]
    Auto,
    /// The version without `initialize`.
    Modern,
    /// A version that begins with `initialize`.
    Legacy,
}
