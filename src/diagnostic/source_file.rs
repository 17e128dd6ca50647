//! A source text with its name, and the way from byte offsets to lines and columns.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::indentation::parents;
use super::span::Span;

/// A text that was read, under the name people know it by.
#[derive(Debug)]
pub struct SourceFile {
    /// The path as shown in messages: relative to the working directory where it lies below it, with `/`.
    pub name: Arc<str>,
    /// The path it was read from.
    pub path: PathBuf,
    /// The whole text.
    pub text: String,
    line_starts: OnceLock<Vec<u32>>,
    parents: OnceLock<Vec<Option<usize>>>,
}

/// A file, a line and a column, as editors count them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The file's name as shown in messages.
    pub file: Arc<str>,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

/// Two are the same where they were read from the same place and say the same.
impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.path == other.path && self.text == other.text
    }
}

impl Eq for SourceFile {}

impl SourceFile {
    /// A text under a name.
    pub fn new(name: impl Into<Arc<str>>, path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            path: path.into(),
            text: text.into(),
            line_starts: OnceLock::new(),
            parents: OnceLock::new(),
        }
    }

    /// Line and column of the start of `span`.
    pub fn place(&self, span: Span) -> Place {
        let starts = self.line_starts();
        let line = starts.partition_point(|start| *start <= span.start).max(1);
        let start = starts.get(line - 1).copied().unwrap_or(0) as usize;
        let before = self.text.get(start..span.start as usize).unwrap_or("");
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Place { file: Arc::clone(&self.name), line: count(line), column: count(before.chars().count() + 1) }
    }

    /// The lines from the line `index` on, which is counted from 0.
    pub(super) fn lines_from(&self, index: usize) -> impl Iterator<Item = &str> {
        let start = self.line_starts().get(index).map_or(self.text.len(), |start| *start as usize);
        self.text.get(start..).unwrap_or_default().lines()
    }

    /// The line that the line `index`, counted from 0, stands under.
    pub(super) fn parent(&self, index: usize) -> Option<usize> {
        *self.parents.get_or_init(|| parents(self.lines_from(0))).get(index)?
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0).chain(ends.map(|end| u32::try_from(end + 1).unwrap_or(u32::MAX))).collect()
        })
    }
}
