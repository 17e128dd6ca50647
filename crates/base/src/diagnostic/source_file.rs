//! A source text with its name, the way from byte offsets to lines and columns, and the indentation of its lines.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::Span;

/// A text that was read, under the name people know it by.
#[derive(Debug)]
pub struct SourceFile {
    /// The path as shown in messages: relative to the working directory if it is in it, with `/`.
    pub name: Arc<str>,
    /// The path it was read from.
    pub path: PathBuf,
    /// The text: all of the file, or the lines of one of its parts.
    pub text: String,
    /// The line of the file that the text begins with, counted from 1.
    pub first_line: u32,
    version: OnceLock<(u32, u32)>,
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
        self.is_same_part(other) && self.name == other.name && self.text == other.text
    }
}

impl Eq for SourceFile {}

impl SourceFile {
    /// A text under a name.
    pub fn new(
        name: impl Into<Arc<str>>,
        path: impl Into<PathBuf>,
        text: impl Into<String>,
    ) -> Self {
        Self::part(name, path, text, 1)
    }

    /// Some lines of a larger text, of which the first is `first_line`.
    pub fn part(
        name: impl Into<Arc<str>>,
        path: impl Into<PathBuf>,
        text: impl Into<String>,
        first_line: u32,
    ) -> Self {
        Self {
            name: name.into(),
            path: path.into(),
            text: text.into(),
            first_line,
            version: OnceLock::new(),
            line_starts: OnceLock::new(),
            parents: OnceLock::new(),
        }
    }

    /// Remembers the schema version, major and minor, that the file declares or has from its config.
    pub fn set_version(&self, version: (u32, u32)) {
        // The first reader has said it already: a file has one version.
        let _ = self.version.set(version);
    }

    /// Whether what is written here has the meaning of this schema version or a newer one. Text that declares no version has
    /// the newest.
    pub fn is_since(&self, version: (u32, u32)) -> bool {
        self.version.get().is_none_or(|own| *own >= version)
    }

    /// Whether both are the same lines of one file.
    pub(super) fn is_same_part(&self, other: &Self) -> bool {
        self.path == other.path && self.first_line == other.first_line
    }

    /// Line and column of the start of `span`.
    pub fn place(&self, span: Span) -> Place {
        let starts = self.line_starts();
        let line = starts.partition_point(|start| *start <= span.start).max(1);
        let start = starts.get(line - 1).copied().unwrap_or(0) as usize;
        let before = self.text.get(start..span.start as usize).unwrap_or("");
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let line = count(line - 1).saturating_add(self.first_line);
        Place {
            file: Arc::clone(&self.name),
            line,
            column: count(before.chars().count() + 1),
        }
    }

    /// The value that begins at `span`, its further lines without the indentation of the first. The span of a mapping or a list
    /// may be that of its beginning alone.
    pub fn written(&self, span: Span) -> String {
        let (start, end) = (span.start as usize, span.end as usize);
        let rest = self.text.get(start..).unwrap_or_default();
        let indentation = self.place(span).column.saturating_sub(1) as usize;
        let after = self
            .text
            .get(end..)
            .unwrap_or_default()
            .trim_start_matches(' ');
        let is_block =
            rest.starts_with("- ") || after.starts_with(": ") || after.starts_with(":\n");
        let length = match rest.as_bytes().first() {
            Some(b'{' | b'[') => flow_length(rest),
            _ if is_block
                || rest
                    .get(..end.saturating_sub(start))
                    .is_none_or(str::is_empty) =>
            {
                block_length(rest, indentation)
            }
            _ => end.saturating_sub(start),
        };
        let text = rest.get(..length).unwrap_or(rest).trim_end();
        let dedented = |line: &str| {
            line.get(blanks(line).min(indentation)..)
                .unwrap_or_default()
                .to_owned()
        };
        let lines = text.lines().enumerate();
        let lines = lines.map(|(index, line)| {
            if index == 0 {
                line.to_owned()
            } else {
                dedented(line)
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The lines from the line `index` of the text on, which is counted from 0.
    pub(super) fn lines_from(&self, index: usize) -> impl Iterator<Item = &str> {
        let start = self
            .line_starts()
            .get(index)
            .map_or(self.text.len(), |start| *start as usize);
        self.text.get(start..).unwrap_or_default().lines()
    }

    /// The line of the text that begins the block with the line `index`, counted from 0.
    pub(super) fn parent(&self, index: usize) -> Option<usize> {
        *self
            .parents
            .get_or_init(|| parents(self.lines_from(0)))
            .get(index)?
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0)
                .chain(ends.map(|end| u32::try_from(end + 1).unwrap_or(u32::MAX)))
                .collect()
        })
    }
}

/// The number of bytes of a value in brackets.
fn flow_length(text: &str) -> usize {
    let (mut depth, mut quote) = (0_usize, None);
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (quote, character) {
            (Some('"'), '\\') => {
                characters.next();
            }
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            (_, _) => {}
        }
    }
    text.len()
}

/// The number of bytes of a block whose lines are indented by as much as its first.
fn block_length(text: &str, indentation: usize) -> usize {
    let is_of_block = |line: &&str| line.trim().is_empty() || blanks(line) >= indentation;
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().map_or(0, str::len);
    first + lines.take_while(is_of_block).map(str::len).sum::<usize>()
}

fn blanks(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// The depth of a line. An entry of a list is deeper than a key in its column, which may hold the list.
pub(super) fn depth(line: &str) -> (usize, bool) {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len(), text.starts_with("- "))
}

/// For each line the earlier line that begins the block with it. Blank lines and comments begin no blocks.
pub(super) fn parents<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<Option<usize>> {
    // The lines whose blocks may contain a next one, each deeper than the one before.
    let mut open: Vec<(usize, (usize, bool))> = Vec::new();
    let parent = |(index, line): (usize, &str)| {
        let depth = depth(line);
        let shallower = open.partition_point(|(_, known)| *known < depth);
        let parent = open[..shallower].last().map(|(index, _)| *index);
        if !(line.trim().is_empty() || line.trim_start().starts_with('#')) {
            open.truncate(shallower);
            open.push((index, depth));
        }
        parent
    };
    lines.enumerate().map(parent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_written_out_whole_whatever_its_span() {
        let text =
            "a:\n  - { b: \"}\", c: [1,\n      2] }\n  - name: x\n    args:\n      d: 1\n  - y\n";
        let source = SourceFile::new("", "", text);
        let written = |start: &str, length: usize| {
            let start = text.find(start).unwrap();
            let offset = |at: usize| u32::try_from(at).unwrap();
            source.written(Span {
                start: offset(start),
                end: offset(start + length),
            })
        };
        assert_eq!(written("{ b", 1), "{ b: \"}\", c: [1,\n  2] }");
        assert_eq!(written("name: x", 4), "name: x\nargs:\n  d: 1");
        assert_eq!(written("y", 1), "y");
        assert_eq!(written("name: x", 0), "name: x\nargs:\n  d: 1");
    }
}
