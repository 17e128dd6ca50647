//! A format of traces: what opens files of it.

use std::path::Path;

use super::trace_file::{TraceContext, TraceError, TraceFile};

/// A format of traces.
pub trait TraceFormat: Sync {
    /// The name of the format on the command line.
    fn name(&self) -> &'static str;

    /// Whether its files are recordings of tests of a project.
    fn is_of_tests(&self) -> bool {
        false
    }

    /// Opens the file at `path`, which messages call `shown`.
    ///
    /// # Errors
    /// If it cannot be read, or is not of this format.
    fn open(
        &self,
        path: &Path,
        shown: &str,
        context: &TraceContext,
    ) -> Result<Box<dyn TraceFile>, TraceError>;
}
