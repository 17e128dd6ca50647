//! The formats of report files, one line each.

use std::io;
use std::path::Path;

use super::json::{JsonLinesReport, JsonReport};
use super::{FileOptions, FileReport, markdown::MarkdownReport, tap::TapReport};
use crate::report::Reporter;
use ananke_model::model::ReportFormat;

/// A format, and the report that writes it.
struct RegisteredFormat {
    format: ReportFormat,
    words: &'static str,
    is_own: fn(&Path, &str) -> bool,
    create: fn(&Path, &FileOptions) -> io::Result<Box<dyn Reporter>>,
}

/// The formats; those whose Cargo feature is off are missing.
const FORMATS: &[RegisteredFormat] = &[
    #[cfg(feature = "junit")]
    RegisteredFormat::of::<super::junit::JunitReport>(ReportFormat::Junit),
    #[cfg(feature = "html")]
    RegisteredFormat::of::<super::html::HtmlReport>(ReportFormat::Html),
    RegisteredFormat::of::<JsonReport>(ReportFormat::Json),
    RegisteredFormat::of::<JsonLinesReport>(ReportFormat::JsonLines),
    RegisteredFormat::of::<MarkdownReport>(ReportFormat::Markdown),
    RegisteredFormat::of::<TapReport>(ReportFormat::Tap),
];

impl RegisteredFormat {
    const fn of<R: FileReport>(format: ReportFormat) -> Self {
        Self {
            format,
            words: R::WORDS,
            is_own: R::is_own,
            create: |destination, options| Ok(Box::new(R::create(destination, options)?)),
        }
    }

    fn find(format: ReportFormat) -> Option<&'static Self> {
        FORMATS.iter().find(|known| known.format == format)
    }
}

/// A report of this format at `destination`.
///
/// # Errors
/// If nothing can be written next to `destination`, it is a directory, or the Cargo feature of the format is off.
pub fn create_report(
    format: ReportFormat,
    destination: &Path,
    options: &FileOptions,
) -> io::Result<Box<dyn Reporter>> {
    let Some(known) = RegisteredFormat::find(format) else {
        let name = format.name();
        let message = format!("this program was built without the feature `{name}`");
        return Err(io::Error::new(io::ErrorKind::Unsupported, message));
    };
    (known.create)(destination, options)
}

/// The words for a file of this format: `JUnit XML`.
pub fn words_of_format(format: ReportFormat) -> &'static str {
    RegisteredFormat::find(format).map_or("report", |known| known.words)
}

/// Whether a file is a report of this format, so that another may take its place unasked. `beginning` is its first text.
pub fn is_report(format: ReportFormat, file: &Path, beginning: &str) -> bool {
    RegisteredFormat::find(format).is_some_and(|known| (known.is_own)(file, beginning))
}
