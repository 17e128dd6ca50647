//! What a person sees of a file to know a line of it: a place in a text in, that line with the lines it stands under out.
//!
//! **Invariant:** bounded in lines and in their length, whatever the file holds.

use super::{SourceFile, Span};

/// The most lines that are shown.
const MOST_LINES: usize = 12;

/// The most characters that are shown of a line.
const MOST_CHARACTERS: usize = 200;

/// How far up a line is looked for that others stand under.
const FARTHEST: usize = 1000;

/// Some lines of a file, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines.
    pub lines: Vec<ExcerptLine>,
}

/// One line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcerptLine {
    /// Its number in the file, counted from 1.
    pub number: u32,
    /// Its text, as much as is shown of it.
    pub text: String,
    /// Whether it is of the place itself; else the place stands under it.
    pub is_meant: bool,
}

impl SourceFile {
    /// The lines of `span`, below those that each of them stands under: of `forbid: [a]` in the block `tools:` of
    /// `assert:`, those three. The depth of a line is its indentation, so this reads YAML and nothing else well.
    pub fn excerpt(&self, span: Span) -> Excerpt {
        let first = self.place(span).line as usize;
        let meant = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let last = first + meant.trim_end().matches('\n').count().min(MOST_LINES - 1);
        let lines: Vec<&str> = self.text.lines().take(last).collect();
        let Some(meant) = lines.get(first - 1..) else { return Excerpt::default() };
        let room = MOST_LINES.saturating_sub(meant.len());
        let mut above = above(&lines[..first - 1], meant.first().copied().unwrap_or_default());
        above.truncate(room);
        let shown = above.into_iter().rev().map(|index| line(index, lines[index], false));
        let meant = meant.iter().enumerate().map(|(index, text)| line(first - 1 + index, text, true));
        Excerpt { lines: shown.chain(meant).collect() }
    }
}

fn line(index: usize, text: &str, is_meant: bool) -> ExcerptLine {
    let mut shown: String = text.chars().take(MOST_CHARACTERS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    ExcerptLine { number: u32::try_from(index + 1).unwrap_or(u32::MAX), text: shown, is_meant }
}

/// The places of the lines that `of` stands under, the nearest first.
fn above(lines: &[&str], of: &str) -> Vec<usize> {
    let (mut found, mut inner) = (Vec::new(), depth(of));
    for (index, text) in lines.iter().enumerate().rev().take(FARTHEST) {
        let is_blank = text.trim().is_empty() || text.trim_start().starts_with('#');
        if !is_blank && depth(text) < inner {
            inner = depth(text);
            found.push(index);
        }
    }
    found
}

/// How deep a line stands. An entry of a list stands deeper than a key in its column, which may hold the list.
fn depth(line: &str) -> (usize, bool) {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len(), text.starts_with("- "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, part: &str) -> String {
        let start = text.find(part).unwrap();
        let file = SourceFile::new("a", "a", text);
        let told = |line: ExcerptLine| format!("{}{} {}\n", if line.is_meant { '>' } else { ' ' }, line.number, line.text);
        file.excerpt(Span::new(start, start + part.len())).lines.into_iter().map(told).collect()
    }

    #[test]
    fn a_line_comes_with_those_it_stands_under() {
        let text = "name: a\nturns:\n- user: hi\n  assert:\n    # why\n\n    text: {}\n    tools:\n      require: [x]\n      forbid:\n      - pay\n      - refund\n";
        assert_eq!(
            excerpt(text, "refund"),
            " 2 turns:\n 3 - user: hi\n 4   assert:\n 8     tools:\n 10       forbid:\n>12       - refund\n"
        );
        assert_eq!(excerpt(text, "name"), ">1 name: a\n");
        assert_eq!(
            excerpt(text, "- pay\n      - refund\n"),
            " 2 turns:\n 3 - user: hi\n 4   assert:\n 8     tools:\n 10       forbid:\n>11       - pay\n>12       - refund\n"
        );
    }

    #[test]
    fn is_bounded() {
        let text = format!("{}: 1\n", "é".repeat(1000)) + &"a: 1\n".repeat(100);
        assert_eq!(excerpt(&text, &"é".repeat(1000)), format!(">1 {}…\n", "é".repeat(MOST_CHARACTERS)));
        assert_eq!(excerpt(&text, &"a: 1\n".repeat(100)).lines().count(), MOST_LINES);
        let file = SourceFile::new("a", "a", "");
        assert_eq!(file.excerpt(Span::new(5, 9)), Excerpt { lines: Vec::new() });
    }
}
