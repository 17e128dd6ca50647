//! The program that executes the tools that a model calls.

use schemars::JsonSchema;
use serde::Deserialize;

/// Who executes the tools that a model calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ToolExecution {
    /// The runner: the mocks of the `client_tools` answer the calls.
    #[default]
    Run,
    /// The server: its calls are observed, and nothing answers them.
    Observed,
}
