//! Warnings of rules that have a code.

use super::rule_origin::RuleOrigin;
use ananke_base::diagnostic::Code;

/// The schema version that brings these warnings: `--deny-warnings` denies them for what is written in files of this version or
/// a newer one.
const SINCE: (u32, u32) = (1, 4);

/// Something that a person should know although the rule passes, with the code under which `ananke explain` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodedWarning {
    /// The code.
    pub(crate) code: Code,
    /// What is odd; the words follow the code.
    pub(crate) words: String,
}

impl CodedWarning {
    /// The warning about the rule `path` in one line.
    pub(crate) fn line(&self, path: &str, origin: &RuleOrigin) -> String {
        let Self { code, words } = self;
        format!("`{path}` ({}): {}: {words}", origin.place, code.as_str())
    }

    /// Whether `--deny-warnings` makes it a failure where its rule is written.
    pub(crate) fn is_deniable(origin: &RuleOrigin) -> bool {
        origin.source.is_since(SINCE)
    }
}
