//! The keys of a target that is a server of MCP.

use schemars::JsonSchema;
use serde::Deserialize;

use ananke_agents::http::HttpConfig;
use ananke_base::diagnostic::Spanned;
use ananke_base::source::FreeMap;
use ananke_model::model::{Since, Text};

/// A server of the Model Context Protocol, whose tools the tests list and call. A program is started by the first turn of a test.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.2"))]
pub struct McpConfig {
    /// How the server is reached.
    pub transport: Spanned<McpTransport>,
    /// The program that is the server, and its arguments, one word per entry. Not run through a shell: `~`, `*` and `$NAME` are
    /// not expanded. For `transport: stdio`.
    #[schemars(length(min = 1), example = serde_json::json!(["python3", "server.py"]), extend("x-spelling" = "cmd"))]
    pub command: Option<Vec<Text>>,
    /// The URL of the server, for `transport: http` and `sse`. With `sse` it is that of the stream.
    #[schemars(example = &"http://localhost:8000/mcp")]
    pub endpoint: Option<Text>,
    /// HTTP headers of every request, for `transport: http` and `sse`. A variable in one of them is a secret.
    #[schemars(example = serde_json::json!({"authorization": "Bearer ${ENV.SHOP_TOKEN}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// Environment variables, in addition to ananke's own.
    #[schemars(example = serde_json::json!({"LOG_LEVEL": "debug"}))]
    pub env: Option<FreeMap<Text>>,
    /// Working directory, relative to the config's directory (default: that directory). `~` is the home directory.
    #[schemars(example = &"server")]
    pub cwd: Option<Text>,
    /// Which tests have a process of the server, for `transport: stdio`: each its own (`per_test`, the default), or one after the other
    /// the same (`shared`).
    #[schemars(extend("x-since" = "1.4"), example = &"shared")]
    pub process: Option<Spanned<McpProcess>>,
    /// Which versions are spoken: those that begin with `initialize` (`legacy`), the one without (`modern`), or what the server
    /// speaks, which is found out first (`auto`, the default).
    #[schemars(example = &"legacy")]
    pub protocol: Option<McpProtocol>,
    /// What every connection over HTTP has; the size limits are those of a program too.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub http: HttpConfig,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum McpTransport {
    /// It is a program that is started: messages are lines of its stdin and stdout.
    Stdio,
    /// It has one endpoint: every message is a request over HTTP.
    Http,
    /// It has the two endpoints of version `2024-11-05`: a stream of events, and one for messages.
    Sse,
}

/// Which tests have a process of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum McpProcess {
    /// Each test has its own.
    PerTest,
    /// All tests with the same `command`, `env`, `cwd` and `protocol` have one, which begins with the first of them and ends with
    /// the run. They run one after the other, and see what those before them left.
    Shared,
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
