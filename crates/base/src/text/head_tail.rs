//! The start and the end of a text of lines, with how many lines are omitted between them.
//!
//! **Invariant:** shortening in two steps gives the same as shortening at once.

use std::fmt;

/// A text of whole lines that can be shortened again and again.
#[derive(Clone, Debug)]
pub struct HeadTail {
    head: String,
    /// The number of lines that are missing between head and tail; if there are none, everything is in the head.
    left_out: usize,
    tail: String,
    /// The indentation of the first line, and so of the line that says how many are missing.
    indent: usize,
}

impl HeadTail {
    /// The most bytes of the line that says how many are missing, without its indentation.
    pub const LONGEST_MARK: usize = "… (18446744073709551615 lines omitted)\n".len();

    /// All of `text`.
    pub fn new(text: String) -> Self {
        let indent = text.len() - text.trim_start_matches(' ').len();
        Self {
            head: text,
            left_out: 0,
            tail: String::new(),
            indent,
        }
    }

    /// The number of bytes of the text that are kept, without the line that says how many are missing.
    pub fn size(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// At most `max` bytes of the text: a quarter of them from its beginning.
    #[must_use]
    pub fn shortened(mut self, max: usize) -> Self {
        if self.size() <= max {
            return self;
        }
        let (of_head, of_tail) = (max / 4, max - max / 4);
        let end = if self.head.len() <= of_head {
            self.head.len()
        } else {
            last_line_end(&self.head, of_head)
        };
        let rest = self.head.split_off(end);
        let (of_rest, behind) = if self.left_out == 0 {
            (0, rest)
        } else {
            (lines(&rest), std::mem::take(&mut self.tail))
        };
        let start = first_line_start(&behind, of_tail);
        self.left_out += of_rest + lines(&behind[..start]);
        behind[start..].clone_into(&mut self.tail);
        self
    }
}

fn lines(text: &str) -> usize {
    text.lines().count()
}

/// The end of the last line that is whole in the first `max` bytes.
fn last_line_end(text: &str, max: usize) -> usize {
    text[..text.floor_char_boundary(max)]
        .rfind('\n')
        .map_or(0, |end| end + 1)
}

/// The start of the first line that is whole in the last `max` bytes.
fn first_line_start(text: &str, max: usize) -> usize {
    let Some(from) = text.len().checked_sub(max) else {
        return 0;
    };
    let from = text.ceil_char_boundary(from);
    if from == 0 || text[..from].ends_with('\n') {
        return from;
    }
    text[from..]
        .find('\n')
        .map_or(text.len(), |end| from + end + 1)
}

impl fmt::Display for HeadTail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            head,
            left_out,
            tail,
            indent,
        } = self;
        formatter.write_str(head)?;
        if *left_out > 0 {
            let plural = if *left_out == 1 { "" } else { "s" };
            writeln!(
                formatter,
                "{:indent$}… ({left_out} line{plural} omitted)",
                ""
            )?;
        }
        formatter.write_str(tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortening_twice_is_shortening_once() {
        let text = (1..=300).fold(String::new(), |text, number| {
            format!("{text}  {}line {number}é\n", "x".repeat(number % 40))
        });
        let whole = HeadTail::new(text);
        for first in [0, 1, 50, 400, 1000, 5000, 100_000] {
            for second in [0, 3, 40, 399, 1000, 2000] {
                if second > first {
                    continue;
                }
                let once = whole.clone().shortened(second);
                let twice = whole.clone().shortened(first).shortened(second);
                assert_eq!(once.to_string(), twice.to_string(), "{first} {second}");
                assert!(once.to_string().len() <= second + 2 + HeadTail::LONGEST_MARK);
            }
        }
        assert!(whole.shortened(100).to_string().contains("\n  … (29"));
    }
}
