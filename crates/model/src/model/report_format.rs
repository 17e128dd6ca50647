//! The formats of report files, and the entries of `reports` and `report` in a config.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Since, Text, TextOr};

macro_rules! report_formats {
    ($($format:ident $name:literal $extension:literal $words:literal;)*) => {
        /// The format of a report file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub enum ReportFormat {
            $(#[doc = $words] #[serde(rename = $name)] $format,)*
        }

        impl ReportFormat {
            /// Every format with its name, its file extension and what it is.
            const ALL: &[(Self, &str, &str, &str)] = &[$((Self::$format, $name, $extension, $words)),*];
        }
    };
}

// The variant, its name in a config, its file extension, what it is.
report_formats! {
    Junit "junit" "xml" "JUnit";
    Html "html" "html" "HTML";
    Json "json" "json" "JSON";
    JsonLines "jsonl" "jsonl" "JSON lines";
    Markdown "markdown" "md" "Markdown";
    Tap "tap" "tap" "TAP";
}

impl ReportFormat {
    /// The format of a file with the extension of `path`, if it is one of a report.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL
            .iter()
            .find(|(_, _, known, _)| *known == extension)
            .map(|(format, ..)| *format)
    }

    /// The format with this name, in a config or as a file extension.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, known, extension, _)| [*known, *extension].contains(&name))
            .map(|(format, ..)| *format)
    }

    /// Its name in a config.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(format, ..)| *format == self)
            .map_or("", |(_, name, ..)| *name)
    }

    /// Every file extension and its format, in words.
    pub fn extensions() -> String {
        listed(
            Self::ALL
                .iter()
                .map(|(_, _, extension, words)| format!("`.{extension}` ({words})")),
        )
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(format, ..)| *format == self)
            .map_or("", |(_, _, extension, _)| *extension)
    }

    /// The names of all formats, in words.
    pub fn names() -> String {
        listed(Self::ALL.iter().map(|(_, name, ..)| format!("`{name}`")))
    }
}

/// `a, b or c`.
fn listed(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    let [all @ .., last] = &words[..] else {
        return String::new();
    };
    format!("{} or {last}", all.join(", "))
}

/// A report that every run writes: the path of a file whose extension selects the format, or a path and a format.
pub type ReportEntry = TextOr<ReportTarget>;

/// A report file with its format.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ReportTarget {
    /// The file, relative to the directory of the config.
    #[schemars(example = "reports/junit.xml")]
    pub path: Text,
    /// The format. Default: from the file extension.
    pub format: Option<ReportFormat>,
}

/// What reports contain.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ReportSettings {
    /// The tests for which JSON reports and kept runs contain what was sent and received, as it was: `failed` (default) those that
    /// did not pass, without the bodies of requests; `all` every test, with them; `none` no test.
    #[schemars(example = &"all")]
    pub events: Option<ReportedEvents>,
}

/// The tests for which reports contain what was sent and received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ReportedEvents {
    /// Tests that did not pass, without the bodies of requests.
    Failed,
    /// Every test, with the bodies of requests.
    All,
    /// No test.
    #[default]
    #[serde(rename = "none")]
    Off,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_names_a_format() {
        for (path, expected) in [
            ("a/report.XML", Some(ReportFormat::Junit)),
            ("report.jsonl", Some(ReportFormat::JsonLines)),
            ("report", None),
            ("report.txt", None),
            (".md", None),
        ] {
            assert_eq!(ReportFormat::of(Path::new(path)), expected, "{path}");
        }
        assert!(ReportFormat::extensions().ends_with("`.md` (Markdown) or `.tap` (TAP)"));
    }
}
