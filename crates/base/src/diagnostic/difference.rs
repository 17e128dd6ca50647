//! The difference of two texts as a value: two texts in, the places where they differ out.
//!
//! It is bounded in lines and in their width, whatever the texts are: what is not shown is counted. Only the last line's
//! end and the kind of line ends make no difference.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// The number of equal lines that are shown around those that differ.
const CONTEXT: usize = 3;

/// The most lines that are shown.
const MAX_LINES: usize = 120;

/// The most characters of a line that are shown.
const MAX_WIDTH: usize = 240;

/// The number of equal characters shown before the first that differs, in a line that is too long.
const BEFORE: usize = 40;

/// The difference of two texts. The old one is what was expected, the new one what is there instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The places, in their order; none where the texts are the same.
    pub hunks: Vec<Hunk>,
    /// The number of lines that differ and are not shown.
    pub left_out: usize,
}

/// One place where two texts differ, with some lines around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// The number of its first line in the old text, counted from 1.
    pub old_line: usize,
    /// The number of its first line in the new text, counted from 1.
    pub new_line: usize,
    /// Its lines.
    pub lines: Vec<DifferenceLine>,
}

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferenceLine {
    /// The text or texts that contain the line.
    pub side: Side,
    /// Its text, as much as is shown of it.
    pub text: String,
}

/// In which of two texts a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// In the old one.
    Old,
    /// In the new one.
    New,
    /// In both.
    Both,
}

impl Side {
    /// The sign before a line.
    pub fn sign(self) -> char {
        match self {
            Self::Old => '-',
            Self::New => '+',
            Self::Both => ' ',
        }
    }
}

/// The least share of two lines, as a divisor of the shorter one, that is equal if the characters that differ are marked.
const LEAST_EQUAL: usize = 2;

impl Hunk {
    /// Whether it begins with the first lines, so that a heading would say nothing.
    pub fn is_first(&self) -> bool {
        self.old_line == 1 && self.new_line == 1
    }

    /// Its lines; if one replaces another that is much like it, each with the range of bytes that differs.
    pub fn marked(&self) -> Vec<(&DifferenceLine, Option<Range<usize>>)> {
        let mut marked: Vec<(&DifferenceLine, Option<Range<usize>>)> =
            self.lines.iter().map(|line| (line, None)).collect();
        let mut from = 0;
        while from < self.lines.len() {
            let run = |from: usize, side: Side| {
                self.lines[from..]
                    .iter()
                    .take_while(|line| line.side == side)
                    .count()
            };
            let old = run(from, Side::Old);
            let new = run(from + old, Side::New);
            for (one, other) in (from..from + old).zip(from + old..from + old + new) {
                let ranges = different(&self.lines[one].text, &self.lines[other].text);
                (marked[one].1, marked[other].1) = ranges.unzip();
            }
            from += (old + new).max(1);
        }
        marked
    }

    /// Its lines in both texts, as tools that apply differences write them: `@@ -3,4 +3,5 @@`.
    pub fn heading(&self) -> String {
        let count = |not: Side| self.lines.iter().filter(|line| line.side != not).count();
        format!(
            "@@ -{},{} +{},{} @@",
            self.old_line,
            count(Side::New),
            self.new_line,
            count(Side::Old)
        )
    }
}

impl Difference {
    /// Compares two texts line by line.
    pub fn between(old: &str, new: &str) -> Self {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        // Lines that occur once on each side hold the texts together, since a person takes them for the same line too.
        Self::from_ops(
            capture_diff_slices(Algorithm::Patience, &old, &new),
            &old,
            &new,
        )
    }

    /// The difference of two lists whose lines are matched already: those of both and of one alone, in order.
    pub fn of(lines: &[DifferenceLine]) -> Self {
        let without = |side: Side| -> Vec<&str> {
            lines
                .iter()
                .filter(|line| line.side != side)
                .map(|line| line.text.as_str())
                .collect()
        };
        let (mut old_index, mut new_index) = (0, 0);
        let mut ops = Vec::new();
        for run in lines.chunk_by(|one, next| (one.side == Side::Both) == (next.side == Side::Both))
        {
            let count = |not: Side| run.iter().filter(|line| line.side != not).count();
            let (old_len, new_len) = (count(Side::New), count(Side::Old));
            ops.push(match run {
                [
                    DifferenceLine {
                        side: Side::Both, ..
                    },
                    ..,
                ] => DiffOp::Equal {
                    old_index,
                    new_index,
                    len: old_len,
                },
                _ => DiffOp::Replace {
                    old_index,
                    old_len,
                    new_index,
                    new_len,
                },
            });
            (old_index, new_index) = (old_index + old_len, new_index + new_len);
        }
        Self::from_ops(ops, &without(Side::New), &without(Side::Old))
    }

    fn from_ops(ops: Vec<DiffOp>, old: &[&str], new: &[&str]) -> Self {
        let mut difference = Self::default();
        let mut room = MAX_LINES;
        for group in group_diff_ops(ops, CONTEXT) {
            let (Some(first), true) = (group.first(), room > 0) else {
                difference.left_out += group.iter().map(changed_lines).sum::<usize>();
                continue;
            };
            let (old_line, new_line) = (first.old_range().start + 1, first.new_range().start + 1);
            let mut lines = Vec::new();
            for op in &group {
                let (removed, added) = (&old[op.old_range()], &new[op.new_range()]);
                let before = lines.len();
                if op.tag() == DiffTag::Equal {
                    lines.extend(
                        removed
                            .iter()
                            .take(room)
                            .map(|line| shown(Side::Both, line, 0)),
                    );
                } else {
                    let starts: Vec<usize> = removed
                        .iter()
                        .zip(added)
                        .map(|(old, new)| common_start(old, new))
                        .collect();
                    let start = |index: usize| starts.get(index).copied().unwrap_or_default();
                    // Replaced lines are shown on both sides, so each side has half the room.
                    let most = if added.is_empty() {
                        room
                    } else {
                        room.min(MAX_LINES / 2)
                    };
                    let of_old = removed.iter().take(most).enumerate();
                    lines.extend(of_old.map(|(index, line)| shown(Side::Old, line, start(index))));
                    let room = room - (lines.len() - before);
                    let of_new = added.iter().take(room).enumerate();
                    lines.extend(of_new.map(|(index, line)| shown(Side::New, line, start(index))));
                    difference.left_out += changed_lines(op) - (lines.len() - before);
                }
                room -= lines.len() - before;
            }
            difference.hunks.push(Hunk {
                old_line,
                new_line,
                lines,
            });
        }
        difference
    }

    /// The number of lines that differ and are not shown, in words.
    pub fn more(&self) -> String {
        match self.left_out {
            1 => "… (1 more line differs)".to_owned(),
            count => format!("… ({count} more lines differ)"),
        }
    }

    /// Whether the texts are the same.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty() && self.left_out == 0
    }
}

/// The lines as `diff -u` writes them.
impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for hunk in &self.hunks {
            writeln!(formatter, "{}", hunk.heading())?;
            for DifferenceLine { side, text } in &hunk.lines {
                writeln!(formatter, "{}{text}", side.sign())?;
            }
        }
        if self.left_out > 0 {
            writeln!(formatter, "{}", self.more())?;
        }
        Ok(())
    }
}

/// The ranges of bytes in which two lines differ; `None` if they have little in common.
fn different(old: &str, new: &str) -> Option<(Range<usize>, Range<usize>)> {
    let start: usize = old
        .chars()
        .zip(new.chars())
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one.len_utf8())
        .sum();
    let backwards = old[start..].chars().rev().zip(new[start..].chars().rev());
    let end: usize = backwards
        .take_while(|(one, other)| one == other)
        .map(|(one, _)| one.len_utf8())
        .sum();
    let is_alike = (start + end) * LEAST_EQUAL >= old.len().min(new.len());
    is_alike.then(|| (start..old.len() - end, start..new.len() - end))
}

/// The number of lines that a step takes away and adds.
fn changed_lines(op: &DiffOp) -> usize {
    if op.tag() == DiffTag::Equal {
        0
    } else {
        op.old_range().len() + op.new_range().len()
    }
}

/// A line, of which what is around `differs_at` is shown if it is long.
fn shown(side: Side, line: &str, differs_at: usize) -> DifferenceLine {
    DifferenceLine {
        side,
        text: shortened(line, differs_at),
    }
}

/// The number of characters that two lines have in common at their start.
fn common_start(one: &str, other: &str) -> usize {
    one.chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other)
        .count()
}

/// A line with as much as is shown of it: of a long one what is round the first character that differs.
fn shortened(line: &str, differs_at: usize) -> String {
    let length = line.chars().count();
    if length <= MAX_WIDTH {
        return line.to_owned();
    }
    let first = differs_at.saturating_sub(BEFORE).min(length - MAX_WIDTH);
    let shown: String = line.chars().skip(first).take(MAX_WIDTH).collect();
    let before = if first > 0 {
        format!("({first} characters) …")
    } else {
        String::new()
    };
    let after = length - first - MAX_WIDTH;
    let after = if after > 0 {
        format!("… ({after} characters)")
    } else {
        String::new()
    };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_characters_that_differ_are_marked_in_lines_that_are_alike() {
        let difference = Difference::between(
            "It arrives on Tuesday.\nBye\nx",
            "It arrives on Monday.\nHi there\nx",
        );
        let marked = difference.hunks[0].marked();
        let words: Vec<Option<&str>> = marked
            .iter()
            .map(|(line, range)| Some(&line.text[range.clone()?]))
            .collect();
        assert_eq!(words, [Some("Tues"), None, Some("Mon"), None, None]);
    }

    fn numbers(range: std::ops::Range<usize>) -> String {
        range.fold(String::new(), |text, number| {
            format!("{text}line {number}\n")
        })
    }

    #[test]
    fn what_differs_stands_between_what_does_not() {
        for (old, new, expected) in [
            ("a\nb\n", "a\nb\n", ""),
            ("a\r\nb", "a\nb\n", ""),
            ("", "a\n", "@@ -1,0 +1,1 @@\n+a\n"),
            ("a\n", "", "@@ -1,1 +1,0 @@\n-a\n"),
            (
                "a\nb\nc\n",
                "a\nx\nc\n",
                "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n",
            ),
        ] {
            assert_eq!(
                Difference::between(old, new).to_string(),
                expected,
                "{old:?} {new:?}"
            );
        }
    }

    #[test]
    fn places_far_from_each_other_are_shown_apart() {
        let old = numbers(1..31);
        let new = old.replace("line 5\n", "five\n").replace("line 25\n", "");
        assert_eq!(
            Difference::between(&old, &new).to_string(),
            "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+five\n line 6\n line 7\n line 8\n\
             @@ -22,7 +22,6 @@\n line 22\n line 23\n line 24\n-line 25\n line 26\n line 27\n line 28\n"
        );
        let near = old
            .replace("line 5\n", "five\n")
            .replace("line 12\n", "twelve\n");
        assert_eq!(
            Difference::between(&old, &near).hunks.len(),
            1,
            "six lines between them are all shown"
        );
        let further = old
            .replace("line 5\n", "five\n")
            .replace("line 13\n", "thirteen\n");
        assert_eq!(Difference::between(&old, &further).hunks.len(), 2);
    }

    #[test]
    fn what_goes_with_what_may_be_known_already() {
        let line = |(side, text): &(Side, &str)| DifferenceLine {
            side: *side,
            text: (*text).to_owned(),
        };
        let lines = [
            (Side::Both, "1. look()"),
            (Side::Old, "2. pay"),
            (Side::New, "pay(5)"),
            (Side::Both, "3. ship()"),
            (Side::New, "log()"),
        ];
        let difference = Difference::of(&lines.iter().map(line).collect::<Vec<_>>());
        assert_eq!(
            difference.to_string(),
            "@@ -1,3 +1,4 @@\n 1. look()\n-2. pay\n+pay(5)\n 3. ship()\n+log()\n"
        );
        assert!(Difference::of(&[line(&lines[0])]).is_empty());
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let difference = Difference::between(&numbers(0..500), &numbers(1000..1400));
        let shown: usize = difference.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        assert_eq!((shown, difference.left_out), (MAX_LINES, 900 - MAX_LINES));
        assert!(
            difference
                .to_string()
                .ends_with("… (780 more lines differ)\n")
        );
        let added = difference.hunks[0]
            .lines
            .iter()
            .filter(|line| line.side == Side::New)
            .count();
        assert_eq!(added, MAX_LINES / 2, "both sides are seen");
    }

    #[test]
    fn of_a_long_line_the_part_that_differs_is_shown() {
        let (same, tail) = ("é".repeat(1000), "z".repeat(1000));
        let difference =
            Difference::between(&format!("{same}old{tail}"), &format!("{same}new{tail}"));
        let texts: Vec<&str> = difference.hunks[0]
            .lines
            .iter()
            .map(|line| line.text.as_str())
            .collect();
        assert!(
            texts[0].contains("éold") && texts[1].contains("énew"),
            "{texts:?}"
        );
        assert!(
            texts[0].starts_with("(960 characters) …") && texts[0].ends_with("… (803 characters)")
        );
    }

    #[test]
    fn many_repeated_lines_are_compared_quickly() {
        let text = |words: [&str; 3]| -> String { (0..200_000).map(|at| words[at % 3]).collect() };
        let difference =
            Difference::between(&text(["a\n", "b\n", "c\n"]), &text(["b\n", "d\n", "a\n"]));
        assert!(difference.left_out > 100_000);
    }
}
