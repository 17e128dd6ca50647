//! An excerpt of a file by which a person recognises a line. The input is a place in a text, the output that line with the
//! keys of the blocks that contain it.
//!
//! **Invariant:** bounded in lines and in their length, whatever the file holds.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Place, SourceFile, source_file::depth};
use crate::text::truncate;

/// The most lines that are shown.
const MOST_LINES: usize = 12;

/// The most characters that are shown of a line.
const MOST_CHARACTERS: usize = 200;

/// The most bytes that are taken of a line: more than is shown, so that a secret across the end can be masked whole.
const MOST_BYTES: usize = 8 << 10;

/// The most lines that are searched upwards for a line that contains others.
const FARTHEST: usize = 1000;

/// Some lines of a file, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The lines.
    pub lines: Vec<ExcerptLine>,
}

/// One line of an excerpt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcerptLine {
    /// Its number in the file, counted from 1.
    pub number: u32,
    /// Its text, as much as is shown of it.
    pub text: String,
    /// Whether it is of the place itself; else the place stands under it.
    pub is_meant: bool,
}

impl SourceFile {
    /// The line of `place` after the keys of the blocks that contain it: three lines for `forbid: [a]` in the block `tools:`
    /// of `assert:`. If the line begins with what is at the place, the lines in its own block belong to it. Blocks are known
    /// by their indentation, so this works for YAML only.
    pub fn excerpt(&self, place: &Place) -> Excerpt {
        let first = self.first_line as usize;
        let meant = (place.line as usize).saturating_sub(first);
        let lines: Vec<&str> = self.lines_from(meant).take(MOST_LINES).collect();
        let Some((begin, behind)) = lines.split_first() else {
            return Excerpt::default();
        };
        let before = begin
            .chars()
            .take_while(|character| matches!(character, ' ' | '-'))
            .count();
        let own = if place.column as usize == before + 1 {
            below(behind, begin)
        } else {
            0
        };
        let above = std::iter::successors(self.parent(meant), |line| self.parent(*line));
        let mut above: Vec<usize> = above
            .take_while(|line| meant - line <= FARTHEST)
            .take(MOST_LINES - 1 - own)
            .collect();
        above.reverse();
        let above = above.iter().map(|index| {
            line(
                first + index,
                self.lines_from(*index).next().unwrap_or_default(),
            )
        });
        let own = (meant..=meant + own).zip(&lines);
        let own = own.map(|(index, text)| ExcerptLine {
            is_meant: true,
            ..line(first + index, text)
        });
        Excerpt {
            lines: above.chain(own).collect(),
        }
    }
}

impl Excerpt {
    /// One line of a file, of which `text` is shown alone.
    pub fn of_line(number: u32, text: &str) -> Self {
        let own = ExcerptLine {
            is_meant: true,
            ..line(number as usize, text)
        };
        Self { lines: vec![own] }
    }

    /// Truncates long lines, once secrets are masked in them.
    pub fn truncate(&mut self) {
        for ExcerptLine { text, .. } in &mut self.lines {
            if let Cow::Owned(truncated) = truncate::chars(text, MOST_CHARACTERS) {
                *text = truncated;
            }
        }
    }
}

fn line(number: usize, text: &str) -> ExcerptLine {
    let text = text[..text.floor_char_boundary(MOST_BYTES)].to_owned();
    ExcerptLine {
        number: u32::try_from(number).unwrap_or(u32::MAX),
        text,
        is_meant: false,
    }
}

/// The number of `lines` in the block of `of`, which comes before them.
fn below(lines: &[&str], of: &str) -> usize {
    let is_under = |line: &&&str| line.trim().is_empty() || depth(line) > depth(of);
    let under = lines.iter().take_while(is_under).count();
    lines[..under]
        .iter()
        .rposition(|line| !line.trim().is_empty())
        .map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;

    fn excerpt(text: &str, part: &str) -> String {
        let start = text.find(part).unwrap();
        let file = SourceFile::new("a", "a", text);
        let place = file.place(Span::new(start, start + part.len()));
        let mut excerpt = file.excerpt(&place);
        excerpt.truncate();
        let drawn = |line: ExcerptLine| {
            format!(
                "{}{} {}\n",
                if line.is_meant { '>' } else { ' ' },
                line.number,
                line.text
            )
        };
        excerpt.lines.into_iter().map(drawn).collect()
    }

    #[test]
    fn a_line_comes_with_those_it_stands_under() {
        let text = "name: a\nturns:\n- user: hi\n  assert:\n    # why\n\n    text: {}\n    tools:\n      require: [x]\n      forbid:\n      - pay\n      - refund\n";
        assert_eq!(
            excerpt(text, "refund"),
            " 2 turns:\n 3 - user: hi\n 4   assert:\n 8     tools:\n 10       forbid:\n>12       - refund\n"
        );
        assert_eq!(excerpt(text, "a\n"), ">1 name: a\n");
    }

    #[test]
    fn a_block_comes_with_all_of_it() {
        let text = "a:\n  - b: 1\n\n    c: 2\n\n  - b: 2\n";
        assert_eq!(
            excerpt(text, "b: 1"),
            " 1 a:\n>2   - b: 1\n>3 \n>4     c: 2\n"
        );
        assert_eq!(excerpt(text, "1"), " 1 a:\n>2   - b: 1\n");
    }

    #[test]
    fn is_bounded() {
        let long = format!("a:\n  b: {}\n", "é".repeat(1000));
        let shown = format!(" 1 a:\n>2   b: {}…\n", "é".repeat(MOST_CHARACTERS - 5));
        assert_eq!(excerpt(&long, "é"), shown);
        let many = format!("x:\n  - a: 1\n{}", "    b: 1\n".repeat(100));
        assert_eq!(excerpt(&many, "a: 1").lines().count(), MOST_LINES);
        let deep: String = (0..100).map(|depth| " ".repeat(depth) + "a:\n").collect();
        assert_eq!(
            excerpt(&(deep + &" ".repeat(100) + "z: 1"), "1")
                .lines()
                .count(),
            MOST_LINES
        );
        let empty = SourceFile::new("a", "a", "");
        assert_eq!(
            empty.excerpt(&Place {
                file: "a".into(),
                line: 5,
                column: 1
            }),
            Excerpt::default()
        );
    }
}
