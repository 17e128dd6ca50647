//! A file that the report of `ananke mutate` goes to.

use std::io;
use std::path::PathBuf;

use ananke::context::{Context, write_file};
use ananke::mutation::MutationReport;
use ananke::report::file::not_written;
use ananke::report::{mutation_junit, mutation_markdown, mutation_page};
use ananke::statistics::Percentage;

use super::report_json;
use crate::cli::named_path::named_path;

/// A file whose extension names its format.
#[derive(Clone, Debug)]
pub(crate) struct MutationFile {
    path: PathBuf,
    form: MutationFormat,
}

#[derive(Clone, Copy, Debug)]
enum MutationFormat {
    Html,
    Markdown,
    Junit,
    Json,
}

impl MutationFile {
    /// Takes a path whose extension names the format.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        let form = match extension.as_deref() {
            Some("html") => MutationFormat::Html,
            Some("md") => MutationFormat::Markdown,
            Some("xml") => MutationFormat::Junit,
            Some("json") => MutationFormat::Json,
            _ => {
                let message =
                    "the file extension names the format: `.html`, `.md`, `.xml` or `.json`";
                return Err(message.to_owned());
            }
        };
        Ok(Self { path, form })
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
        context: &Context,
    ) -> io::Result<()> {
        let bytes = match self.form {
            MutationFormat::Html => mutation_page(report).into_bytes(),
            MutationFormat::Markdown => mutation_markdown(report).into_bytes(),
            MutationFormat::Junit => mutation_junit(report, min_score)?,
            MutationFormat::Json => {
                format!("{}\n", report_json::json(report, per_second)).into_bytes()
            }
        };
        let (path, shown) = named_path(&self.path, context);
        write_file(&path, &bytes).map_err(|error| not_written(&shown, &path, &error))
    }
}
