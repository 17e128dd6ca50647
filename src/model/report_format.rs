//! The kinds of reports that are written to files.

use std::path::Path;

/// What kind of report a file is, as its ending says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// `.xml`
    Junit,
    /// `.json`
    Json,
    /// `.jsonl`
    JsonLines,
    /// `.md`
    Markdown,
    /// `.tap`
    Tap,
    /// `.html`
    Html,
}

impl ReportFormat {
    /// The endings and what they mean, in words.
    pub const ENDINGS: &'static str = "`.xml` (JUnit), `.html` (a page to read), `.json` (one value), `.jsonl` (a line a test), `.md` (Markdown) or \
         `.tap` (TAP)";

    /// The kind that the ending of `path` says; `None` where it says none.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            "xml" => Some(Self::Junit),
            "json" => Some(Self::Json),
            "jsonl" => Some(Self::JsonLines),
            "md" => Some(Self::Markdown),
            "tap" => Some(Self::Tap),
            "html" => Some(Self::Html),
            _ => None,
        }
    }
}
