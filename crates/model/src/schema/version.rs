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
        let number = |digits: &str| {
            let is_plain = digits == "0" || !digits.starts_with(['0', '+']);
            digits.parse().ok().filter(|_| is_plain)
        };
        let (major, minor) = text.split_once('.')?;
        let (major, minor) = (number(major)?, number(minor)?);
        Some(Self { major, minor })
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

/// Makes a `version` that is written as a number the text that is written: `1.10` is another version than `1.1`.
pub(super) fn spell(source: &Arc<SourceFile>, root: &mut Node) {
    if let Some(Node { value, span }) = root.get_mut("version")
        && matches!(value, NodeValue::Number(_))
        && let Some(text) = source.text.get(span.range())
    {
        *value = NodeValue::String(text.to_owned());
    }
}

/// The version a file declares, or has from its config.
pub(super) fn of(
    source: &Arc<SourceFile>,
    root: &Node,
    of_config: Option<Version>,
) -> Result<Version, Diagnostic> {
    let newest = Version::newest();
    let wrong = |span: Span, message: String| {
        Diagnostic::error(Code::Version, message).at(source, span, "")
    };
    let Some(node) = root.get("version") else {
        if let Some(version) = of_config {
            return Ok(version);
        }
        return Err(wrong(root.span, "the key `version` is missing".to_owned())
            .help(format!("begin the file with `version: \"{newest}\"`")));
    };
    let NodeValue::String(text) = &node.value else {
        return Err(wrong(
            node.span,
            format!("`version` must be a text, found {}", node.describe()),
        )
        .help(format!("write `version: \"{newest}\"`")));
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
