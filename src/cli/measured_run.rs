//! A run whose conversations are measured.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ananke::coverage::CoverageCollector;
use ananke::outcome::RunFacts;
use ananke::redact::Sealed;

use super::output_files::OutputKind;

/// The coverage of the agent by a run, and the facts of the run.
#[derive(Debug, Default)]
pub(super) struct MeasuredRun {
    /// Takes the conversations.
    pub(super) collector: Arc<CoverageCollector>,
    /// The files that the coverage goes to.
    pub(super) files: Vec<(PathBuf, OutputKind)>,
    /// The facts of the run, once it has begun.
    pub(super) facts: OnceLock<Sealed<RunFacts>>,
}
