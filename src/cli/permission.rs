//! The options that permit calls of tools that may change data.

use ananke::audit::PermittedTools;
use clap::Args;

/// The tools that may be called although they may change data.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PermissionOptions {
    /// Call this tool although it may change data (repeatable)
    #[arg(long = "call", value_name = "NAME")]
    pub(crate) permitted: Vec<String>,
    /// Call all tools, also those that may change data
    #[arg(long)]
    pub(crate) destructive: bool,
}

impl PermissionOptions {
    /// The tools that may be called.
    pub(crate) fn permitted(&self) -> PermittedTools {
        if self.destructive {
            PermittedTools::All
        } else {
            PermittedTools::Named(self.permitted.clone())
        }
    }
}
