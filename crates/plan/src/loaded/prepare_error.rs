//! The errors that keep a test from running although its plan was good.

use ananke_base::diagnostic::Diagnostic;
use ananke_model::variables::Secret;

/// The error that keeps a test from running although its plan was good.
#[derive(Clone, Debug)]
pub enum PrepareError {
    /// Its file is not what it was when the run was planned.
    Changed,
    /// The problems that it has now that its variables are known. The secrets found until then come with it.
    Broken(Vec<Diagnostic>, Vec<Secret>),
}
