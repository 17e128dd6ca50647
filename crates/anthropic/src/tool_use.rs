//! A call that waits for the client.

/// A call that the client executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolUse {
    /// The key of the call in reports and answers.
    pub(super) key: String,
    /// The id by which the server knows it.
    pub(super) id: String,
    pub(super) tool: String,
    /// Whether it is of a set of tools that the API has, such as a browser, which the client does not declare one by one.
    pub(super) is_of_toolset: bool,
}
