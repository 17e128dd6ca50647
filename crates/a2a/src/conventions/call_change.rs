//! The change of a tool call that a convention reports.

use serde_json::Value;

/// The change of a tool call that a convention reports, or of the reasoning that comes with it.
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
    /// A call or a result in this value, which has another form than the convention.
    Unreadable(Value),
    /// Text of the agent.
    Text(String),
    /// The reasoning of the agent.
    Reasoning(String),
}
