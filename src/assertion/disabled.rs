//! `false` in the place of a block, a list or a number: what outer levels say there does not apply (SPEC 7.1).

use super::rule::Origin;

/// What a level switches off of what it inherits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Off {
    /// The path of a rule in an assert block (`tools.forbid`), or of a whole block (`tools`).
    pub path: &'static str,
    /// Who wrote the `false`.
    pub origin: Origin,
}

impl Off {
    /// Whether rules of this path are switched off.
    pub fn covers(&self, path: &str) -> bool {
        path.strip_prefix(self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}
