//! From a format to the report that writes it.

use std::io;
use std::path::Path;

use super::file_report::{FileOptions, FileReport};
use super::json::{JsonLinesReport, JsonReport};
use super::markdown::MarkdownReport;
use super::tap::TapReport;
use crate::report::reporter::Reporter;
use ananke_model::model::ReportFormat;

/// A report of this format at `destination`.
///
/// # Errors
/// If nothing can be written next to `destination`, it is a directory, or the Cargo feature of the format is off.
pub fn create_report(
    format: ReportFormat,
    destination: &Path,
    options: &FileOptions,
) -> io::Result<Box<dyn Reporter>> {
    Ok(match format {
        #[cfg(feature = "junit")]
        ReportFormat::Junit => Box::new(super::junit::JunitReport::create(destination, options)?),
        #[cfg(feature = "html")]
        ReportFormat::Html => Box::new(super::html::HtmlReport::create(destination, options)?),
        ReportFormat::Json => Box::new(JsonReport::create(destination, options)?),
        ReportFormat::JsonLines => Box::new(JsonLinesReport::create(destination, options)?),
        ReportFormat::Markdown => Box::new(MarkdownReport::create(destination, options)?),
        ReportFormat::Tap => Box::new(TapReport::create(destination, options)?),
        #[cfg(not(all(feature = "junit", feature = "html")))]
        _ => {
            let message = format!(
                "this program was built without the feature `{}`",
                format.name()
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
    })
}
