//! The base of every report in a file: it is created for a path, with options.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

#[cfg(feature = "junit")]
use super::junit::JunitProfile;
use crate::report::Reporter;
use crate::report::build_job::BuildJob;

/// A report in a file, whose line in `model::report_format` names it.
pub trait FileReport: Reporter + Sized + 'static {
    /// The words for such a file: `JUnit XML`.
    const WORDS: &'static str;

    /// Whether a file is such a report, so that another may take its place unasked. `beginning` is its first text.
    fn is_own(file: &Path, beginning: &str) -> bool;

    /// A report that will be at `destination`, whose directories are made. Until it is complete there are only hidden
    /// files next to it.
    ///
    /// # Errors
    /// If nothing can be written next to `destination`, or it is a directory.
    fn create(destination: &Path, options: &FileOptions) -> io::Result<Self>;
}

/// The facts of a run that its report files contain; each format reads those that it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOptions {
    /// The readers of JUnit reports.
    #[cfg(feature = "junit")]
    #[serde(default)]
    pub junit_profile: JunitProfile,
    /// The job of a CI server that the report is for.
    pub job: BuildJob,
}
