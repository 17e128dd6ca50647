//! The end of what a program prints.

use crate::redact::excerpt;

/// The end of a text that may be long.
#[derive(Debug)]
pub struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
    /// The number of bytes that are kept.
    kept: usize,
}

impl Tail {
    /// Keeps so many bytes.
    pub fn of(kept: usize) -> Self {
        Self {
            bytes: Vec::new(),
            is_cut: false,
            kept,
        }
    }

    /// Takes what comes next.
    pub fn push(&mut self, more: &[u8]) {
        self.bytes.extend_from_slice(more);
        if self.bytes.len() > 3 * self.kept {
            // What is before the end is looked at, so that a secret across its beginning is masked whole.
            self.bytes.drain(..self.bytes.len() - 2 * self.kept);
            self.is_cut = true;
        }
    }

    /// The last lines, at most so many, without empty ones at their end.
    pub fn last_lines(&self, most: usize) -> String {
        let text = String::from_utf8_lossy(&self.bytes).replace("\r\n", "\n");
        let text = text.trim_end();
        let start = text
            .rmatch_indices('\n')
            .nth(most - 1)
            .map_or(0, |(end, _)| end + 1);
        let first = text.ceil_char_boundary(text.len().saturating_sub(self.kept));
        if first <= start && (start > 0 || !self.is_cut) {
            return excerpt(&text[start..], 0..text.len() - start);
        }
        let line = text[..first].rfind('\n').map_or(0, |end| end + 1);
        format!(
            "…{}",
            excerpt(&text[line..], first - line..text.len() - line)
        )
    }

    /// The same end of another text, which `change` makes of this one.
    #[must_use]
    pub fn map(self, change: impl FnOnce(&str) -> String) -> Self {
        Self {
            bytes: change(&String::from_utf8_lossy(&self.bytes)).into_bytes(),
            ..self
        }
    }

    /// Every line that is known whole.
    pub fn lines(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        match text.split_once('\n').filter(|_| self.is_cut) {
            Some((_, whole)) => whole.to_owned(),
            None => text.into_owned(),
        }
    }
}

/// The text between a message and the last lines of a program's stderr.
const STDERR_ENDS: &str = "\nits stderr ends:";

/// A message on one line: of the last lines of a program's stderr only the last, which says most often what is wrong.
pub fn in_one_line(message: &str) -> String {
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match message.split_once(STDERR_ENDS) {
        Some((before, lines)) => {
            let last = lines.lines().rfind(|line| !line.trim().is_empty());
            format!("{}: {}", joined(before), joined(last.unwrap_or_default()))
        }
        None => joined(message),
    }
}

/// The last lines of a program's stderr as the end of a message about it; nothing if it printed none.
pub fn stderr_ends(last_lines: &str) -> String {
    let mut text = String::new();
    if !last_lines.is_empty() {
        text.push_str(STDERR_ENDS);
        last_lines
            .lines()
            .for_each(|line| text.extend(["\n  ", line]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redactor;

    const KEPT: usize = 4 << 10;

    fn tail(parts: &[&str]) -> String {
        let mut tail = Tail::of(KEPT);
        for part in parts {
            tail.push(part.as_bytes());
        }
        Redactor::default().text(&tail.last_lines(10)).into_owned()
    }

    #[test]
    fn one_line_has_the_last_line_of_stderr() {
        let traceback =
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no cart\n";
        let message = format!("hook 1 ended with exit code 1{}", stderr_ends(traceback));
        assert_eq!(
            in_one_line(&message),
            "hook 1 ended with exit code 1: ValueError: no cart"
        );
        assert_eq!(in_one_line("one\n  two"), "one two");
    }

    #[test]
    fn keeps_the_last_lines() {
        assert_eq!(tail(&[]), "");
        assert_eq!(tail(&["one\ntw", "o\n\n"]), "one\ntwo");
        let many: Vec<String> = (1..=12).map(|line| format!("{line}\n")).collect();
        assert_eq!(tail(&[&many.concat()]), "3\n4\n5\n6\n7\n8\n9\n10\n11\n12");
    }

    #[test]
    fn is_bounded_and_says_where_it_was_cut() {
        let long = "é".repeat(KEPT);
        let shown = tail(&["x", &long, &long]);
        assert!(
            shown.starts_with('…') && shown.len() <= KEPT + '…'.len_utf8(),
            "{} bytes",
            shown.len()
        );
        let mut tail = Tail::of(KEPT);
        for _ in 0..10_000 {
            tail.push(&[b'a'; 100]);
            assert!(tail.bytes.len() <= 3 * KEPT + 100);
        }
    }
}
