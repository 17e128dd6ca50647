//! A report in a file, whose errors name the file.

use std::io;
use std::path::{Path, PathBuf};

use super::{FileOptions, create_report};
use crate::report::Reporter;
use ananke_base::context::{Destination, Scratch};
use ananke_model::model::ReportFormat;
use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// A report in a file, whose errors name the file and say whether an earlier one stays.
pub struct NamedReport {
    report: Box<dyn Reporter>,
    destination: PathBuf,
    /// The file, as shown in messages.
    shown: String,
}

impl NamedReport {
    /// A report of this format at `destination`, which messages call `shown`.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub fn create(
        format: ReportFormat,
        destination: PathBuf,
        shown: String,
        options: &FileOptions,
    ) -> io::Result<Self> {
        if let Ok(Destination::File(file)) = Destination::of(&destination) {
            Scratch::sweep(file.parent().unwrap_or(Path::new("")));
        }
        let report = create_report(format, &destination, options)
            .map_err(|error| not_written(&shown, &destination, &error))?;
        Ok(Self {
            report,
            destination,
            shown,
        })
    }
}

/// A report of this format at `destination`, which messages call `shown`. If it cannot be written, that is reported at the end,
/// with every other that cannot: the tests run.
pub fn report_or_error(
    format: ReportFormat,
    destination: PathBuf,
    shown: String,
    options: &FileOptions,
) -> Box<dyn Reporter> {
    match NamedReport::create(format, destination, shown, options) {
        Ok(report) => Box::new(report),
        Err(error) => Box::new(UnwrittenReport(error)),
    }
}

/// A report that cannot be written.
struct UnwrittenReport(io::Error);

impl Reporter for UnwrittenReport {
    fn event(&mut self, _: &Sealed<RunEvent>) -> io::Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Err(self.0)
    }
}

/// The error of a file at `destination` that cannot be written, which messages call `shown`.
pub fn not_written(shown: &str, destination: &Path, error: &io::Error) -> io::Error {
    let folder = destination
        .ancestors()
        .skip(1)
        .find(|folder| folder.is_file());
    let reason = match folder.and_then(Path::file_name) {
        Some(folder) => format!("`{}` is a file, not a directory", folder.display()),
        None => error.to_string(),
    };
    let stays = if destination.is_file() {
        "; the earlier file is unchanged"
    } else {
        ""
    };
    io::Error::new(
        error.kind(),
        format!("cannot write `{shown}`: {reason}{stays}"),
    )
}

impl Reporter for NamedReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.report
            .event(event)
            .map_err(|error| not_written(&self.shown, &self.destination, &error))
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let Self {
            report,
            destination,
            shown,
        } = *self;
        report
            .finish()
            .map_err(|error| not_written(&shown, &destination, &error))
    }
}
