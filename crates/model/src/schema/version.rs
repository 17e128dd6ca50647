//! The schema version a file says it is written for.

use std::fmt;
use std::sync::Arc;

use crate::model::{NEWEST_VERSION, VERSIONS};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};
use ananke_base::source::{Node, NodeValue, printable};

/// A schema version this program may know, as `MAJOR.MINOR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Another one is another language.
    pub major: u32,
    /// A newer one only adds.
    pub minor: u32,
}

impl Version {
    /// Reads `MAJOR.MINOR`: digits without signs and superfluous zeros.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        let version = Self {
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
        };
        (version.to_string() == text).then_some(version)
    }

    /// The newest version this program knows.
    pub fn newest() -> Self {
        Self::parse(NEWEST_VERSION).unwrap_or(Self { major: 1, minor: 0 })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

/// The version a file declares.
pub(super) fn of(source: &Arc<SourceFile>, root: &Node) -> Result<Version, Diagnostic> {
    let newest = Version::newest();
    let wrong = |span: Span, message: String| {
        Diagnostic::error(Code::Version, message).at(source, span, "")
    };
    let Some(node) = root.get("version") else {
        return Err(wrong(root.span, "the key `version` is missing".to_owned())
            .help(format!("begin the file with `version: \"{newest}\"`")));
    };
    let text = match &node.value {
        NodeValue::String(text) => text,
        NodeValue::Number(_) => {
            // As written: `1.10` is another version than the number 1.1.
            let range = node.span.start as usize..node.span.end as usize;
            let written = source
                .text
                .get(range)
                .filter(|text| Version::parse(text).is_some());
            let example = written.map_or_else(|| newest.to_string(), str::to_owned);
            let problem = wrong(
                node.span,
                "`version` must be a quoted text, this is a number".to_owned(),
            )
            .help(format!("put quotes around it: `version: \"{example}\"`"));
            return Err(match written.filter(|text| VERSIONS.contains(text)) {
                Some(known) => problem.fix(source, node.span, format!("\"{known}\"")),
                None => problem,
            });
        }
        _ => {
            return Err(wrong(
                node.span,
                format!("`version` must be a quoted text, found {}", node.describe()),
            )
            .help(format!("write `version: \"{newest}\"`")));
        }
    };
    let known = VERSIONS.join("`, `");
    match Version::parse(text) {
        Some(version) if VERSIONS.contains(&text.as_str()) => Ok(version),
        Some(version) if version.major == newest.major => Err(wrong(
            node.span,
            format!(
                "version {version} is newer than this program, which knows versions up to {newest}"
            ),
        )
        .help("upgrade ananke")),
        _ => Err(
            wrong(node.span, format!("unknown version `{}`", printable(text)))
                .help(format!("the known versions are `{known}`")),
        ),
    }
}
