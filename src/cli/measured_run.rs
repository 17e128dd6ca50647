//! A run whose conversations are measured.

use std::sync::{Arc, OnceLock};

use ananke::coverage::CoverageCollector;
use ananke::outcome::RunFacts;
use ananke::redact::Sealed;

/// What a run exercises of the agent, and what the run was made with.
#[derive(Debug, Default)]
pub(super) struct MeasuredRun {
    /// Takes the conversations.
    pub(super) collector: Arc<CoverageCollector>,
    /// The facts of the run, once it has begun.
    pub(super) facts: OnceLock<Sealed<RunFacts>>,
}
