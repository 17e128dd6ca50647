//! Why a test cannot run although its plan was good.

use ananke_base::diagnostic::Diagnostic;
use ananke_model::variables::Secret;

/// Why a test cannot run although its plan was good.
#[derive(Clone, Debug)]
pub enum PrepareError {
    /// Its file is not what it was when the run was planned.
    Changed,
    /// What is wrong with it now that its variables are known. The secrets found until then come with it.
    Broken(Vec<Diagnostic>, Vec<Secret>),
}
