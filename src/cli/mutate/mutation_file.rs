//! A file that the report of `ananke mutate` goes to.

use std::io;
use std::path::PathBuf;

use ananke::context::{Context, write_file};
use ananke::model::ReportFormat;
use ananke::mutation::MutationReport;
use ananke::report::file::not_written;
use ananke::report::{mutation_junit, mutation_markdown, mutation_page};
use ananke::statistics::Percentage;

use super::report_json;
use crate::cli::named_path::named_path;
use crate::cli::output_files::{OutputFiles, OutputKind};

/// A file whose extension names its format.
#[derive(Clone, Debug)]
pub(crate) struct MutationFile {
    path: PathBuf,
    /// HTML, Markdown, JUnit or JSON.
    format: ReportFormat,
}

impl MutationFile {
    /// Takes a path whose extension names the format.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let formats = [
            ReportFormat::Html,
            ReportFormat::Markdown,
            ReportFormat::Junit,
            ReportFormat::Json,
        ];
        let format = ReportFormat::of(&path).filter(|format| formats.contains(format));
        let unknown = "the file extension names the format: `.html`, `.md`, `.xml` or `.json`";
        let format = format.ok_or_else(|| unknown.to_owned())?;
        Ok(Self { path, format })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(
        &self,
        report: &MutationReport,
        per_second: f64,
        min_score: Option<Percentage>,
        files: &OutputFiles,
        context: &Context,
    ) -> io::Result<()> {
        let (path, shown) = named_path(&self.path, context);
        files.check(&path, &self.path, OutputKind::Report(self.format))?;
        let bytes = match self.format {
            ReportFormat::Html => mutation_page(report).into_bytes(),
            ReportFormat::Markdown => mutation_markdown(report).into_bytes(),
            ReportFormat::Junit => mutation_junit(report, min_score)?,
            _ => format!("{}\n", report_json::json(report, per_second)).into_bytes(),
        };
        write_file(&path, &bytes).map_err(|error| not_written(&shown, &path, &error))
    }
}
