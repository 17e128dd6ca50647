//! The tools that may be called without a test that says so (SPEC 10).

use ananke_base::message::DeclaredTool;

/// The tools that are called although they may change data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermittedTools {
    /// The ones with these names.
    Named(Vec<String>),
    /// All of them.
    All,
}

impl PermittedTools {
    /// Whether a tool may be called: one that changes nothing always may.
    pub fn contains(&self, tool: &DeclaredTool) -> bool {
        !tool.may_change_data
            || match self {
                Self::Named(names) => names.contains(&tool.name),
                Self::All => true,
            }
    }
}
