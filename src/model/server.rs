//! A program that runs while the tests run: the agent itself, mostly, or what it needs.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::{Flag, Number, Text};
use super::since::Since;
use crate::diagnostic::Spanned;
use crate::source::FreeMap;

/// A program that is started before the first test, waited for, and ended after the last.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Server {
    /// The program and its arguments, a word an entry. No shell reads them; `~`, `*` and `$NAME` mean nothing here.
    #[schemars(length(min = 1), example = serde_json::json!(["python", "agent.py", "--port", "${PORT}"]))]
    pub cmd: Vec<Text>,
    /// Environment variables it gets beside those of ananke itself.
    #[schemars(example = serde_json::json!({"LOG_LEVEL": "debug"}))]
    pub env: Option<FreeMap<Text>>,
    /// The folder it runs in, from this file's folder (default that folder). `~` is the home folder.
    #[schemars(example = &"agent")]
    pub cwd: Option<Text>,
    /// How it is known that it can be talked to: `url`, `port` or `stdout`, one of them. No test begins before.
    #[schemars(example = serde_json::json!({"port": 8000}))]
    pub ready: Spanned<Ready>,
    /// How long it may take to be ready, in milliseconds (default 30000). Then the run ends, and no test has begun.
    pub timeout_ms: Option<Number>,
    /// Whether something that already answers at its `url` or `port` is used in its place, and not ended afterwards
    /// (default `false`: then it is an error).
    #[schemars(example = &"${ENV.REUSE_AGENT:-false}")]
    pub reuse: Option<Flag>,
}

/// How it is known that a server can be talked to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = Since("1.3"))]
pub enum Ready {
    /// A URL that answers a GET, with any status below 500.
    #[schemars(example = &"http://127.0.0.1:8000/health")]
    Url(Text),
    /// A port of this machine that takes connections.
    #[schemars(example = 8000)]
    Port(Number),
    /// A pattern that a line of its standard output matches.
    #[schemars(example = &"listening on")]
    Stdout(Text),
}
