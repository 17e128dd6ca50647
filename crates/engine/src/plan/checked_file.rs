//! The result of the checks of a test file.

use super::check::CheckedTest;
use ananke_base::diagnostic::Diagnostic;

/// The result of the checks of a file.
#[derive(Default)]
pub(super) struct CheckedFile {
    /// Its good tests.
    pub(super) tests: Vec<CheckedTest>,
    /// Whether it is broken and may give its tests variables.
    pub(super) broken_with_variables: bool,
    pub(super) problems: Vec<Diagnostic>,
}
