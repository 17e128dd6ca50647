//! The end of a tool's execution.

use serde::Deserialize;

/// The end of a tool's execution.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolEnd {
    Succeeded,
    Failed,
    /// It was refused, and the tool did not run.
    Denied,
}
