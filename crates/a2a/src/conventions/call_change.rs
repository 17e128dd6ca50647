//! What a convention says about a tool call.

use serde_json::Value;

/// What a convention says about a tool call, or about what goes with it.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum ConventionChange {
    /// A call. It may be announced several times.
    Call {
        /// Its id; empty if there is none.
        id: String,
        /// The tool.
        name: String,
        /// The arguments; null if they are not known.
        args: Value,
    },
    /// The result of a call.
    Result {
        /// The call's id; empty if there is none.
        id: String,
        /// The tool.
        name: String,
        /// The result.
        result: Value,
        /// Whether it is an error, if that is said.
        is_error: Option<bool>,
    },
    /// The call was cancelled by its user, and not executed.
    Denied {
        /// The call's id.
        id: String,
    },
    /// Text of the agent.
    Text(String),
    /// What the agent thinks.
    Reasoning(String),
}
