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

    /// Forgets what came so far.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.is_cut = false;
    }

    /// The last lines, at most so many, without empty ones at their end. A line before them that names an error is the first
    /// one then: some programs print it above a long list of calls.
    pub fn last_lines(&self, most: usize) -> String {
        let text = String::from_utf8_lossy(&self.bytes).replace("\r\n", "\n");
        let text = text.trim_end();
        let start = start_of_last(text, most);
        if !text[start..].lines().any(names_error)
            && let Some(named) = text[..start].lines().rfind(|line| names_error(line))
        {
            let at = named.as_ptr().addr() - text.as_ptr().addr();
            let shown = named.len().min(self.kept);
            let named = excerpt(text, at..text.floor_char_boundary(at + shown));
            return format!(
                "{named}\n…\n{}",
                self.end_of(text, start_of_last(text, most - 2))
            );
        }
        self.end_of(text, start)
    }

    /// The end of `text` from `start`, or what is kept of it.
    fn end_of(&self, text: &str, start: usize) -> String {
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

/// The place at which the last lines of a text begin.
fn start_of_last(text: &str, most: usize) -> usize {
    text.rmatch_indices('\n')
        .nth(most - 1)
        .map_or(0, |(end, _)| end + 1)
}

/// Whether a line begins with the name of an error: `KeyError: 'a'`, `Error [ERR_X]: no file`, `app.errors.NoCartException`.
fn names_error(line: &str) -> bool {
    let head = line.split([':', '[']).next().unwrap_or_default().trim_end();
    let name = head.rsplit(['.', ' ']).next().unwrap_or_default();
    !line.starts_with(char::is_whitespace)
        && (name.ends_with("Error") || name.ends_with("Exception") || head == "error")
}

/// The text between a message and the last lines of a program's stderr.
const STDERR_ENDS: &str = "\nits stderr ends:";

/// A message on one line: of the last lines of a program's stderr only the last that names an error, or else the last.
pub fn in_one_line(message: &str) -> String {
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match message.split_once(STDERR_ENDS) {
        Some((before, lines)) => {
            let lines = || {
                lines
                    .lines()
                    .map(|line| line.strip_prefix("  ").unwrap_or(line))
            };
            let last = || lines().rfind(|line| !line.trim().is_empty());
            let chosen = lines().rfind(|line| names_error(line)).or_else(last);
            let chosen = joined(chosen.unwrap_or_default());
            let before = joined(before);
            // An agent that says what is wrong often prints it, too.
            if before.ends_with(&chosen) {
                return before;
            }
            format!("{before}: {chosen}")
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
        let again = format!("agent error: ValueError: no cart{}", stderr_ends(traceback));
        assert_eq!(in_one_line(&again), "agent error: ValueError: no cart");
    }

    #[test]
    fn keeps_the_last_lines() {
        assert_eq!(tail(&[]), "");
        assert_eq!(tail(&["one\ntw", "o\n\n"]), "one\ntwo");
        let many: Vec<String> = (1..=12).map(|line| format!("{line}\n")).collect();
        assert_eq!(tail(&[&many.concat()]), "3\n4\n5\n6\n7\n8\n9\n10\n11\n12");
    }

    /// What Node.js prints about an error that nothing catches.
    #[test]
    fn a_line_that_names_the_error_stays() {
        let calls = |first: u32| {
            let calls: Vec<String> = (first..=11)
                .map(|line| format!("    at call {line}"))
                .collect();
            calls.join("\n")
        };
        let error = "Error [NO_FILE]: no a.mjs";
        let shown = tail(&[&format!("file:1\n\n{error}\n{}\n\nNode.js v22\n", calls(1))]);
        assert_eq!(shown, format!("{error}\n…\n{}\n\nNode.js v22", calls(6)));
        assert_eq!(
            in_one_line(&format!("it ended{}", stderr_ends(&shown))),
            "it ended: Error [NO_FILE]: no a.mjs"
        );
        for (line, is_named) in [
            ("KeyError: 'a'", true),
            ("error: no file", true),
            ("app.errors.NoCartException", true),
            ("  KeyError: 'a'", false),
            ("no error: all is well", false),
            ("INFO: started", false),
        ] {
            assert_eq!(names_error(line), is_named, "{line}");
        }
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
