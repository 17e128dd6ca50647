//! What is wrong with a turn or a test, and where it says so.

use std::ops::Range;

use anstyle::Style;

use super::style::{GUTTER, TranscriptScope};
use super::writer::TranscriptWriter;
use crate::report::layout::{Palette, mark};
use crate::report::words::measured::got_of_limit;
use crate::report::words::ruling;
use ananke_base::diagnostic::{Difference, DifferenceLine, Excerpt, ExcerptLine, Side};
use ananke_base::text::{columns, escape};
use ananke_trace::outcome::{Failure, NotShownRule, PassedRule, Problem, Ruling, Status};

/// How many of the things that were seen instead are shown with a failure.
const MOST_SEEN: usize = 10;

/// How many lines of a rule are quoted.
const MOST_QUOTED: usize = 4;

/// What is between a value that was found and the one that was expected.
const UNEQUAL: &str = " ≠ ";

enum TranscriptFinding<'a> {
    Problem(&'a Problem),
    Rule(&'a Failure),
}

impl TranscriptWriter {
    /// All that is wrong in one part of the transcript, with an empty line between each two.
    pub(crate) fn findings(&mut self, problem: Option<&Problem>, failures: &[Failure]) {
        let rules = failures.iter().map(TranscriptFinding::Rule);
        let findings = problem
            .map(TranscriptFinding::Problem)
            .into_iter()
            .chain(rules);
        for (index, finding) in findings.enumerate() {
            if index > 0 {
                self.page.end();
            }
            match finding {
                TranscriptFinding::Problem(problem) => self.problem(problem),
                TranscriptFinding::Rule(failure) => self.failure(failure),
            }
        }
    }

    /// The rules that passed, one per line; a limit with what there was of it, and a judge's rule with its answer.
    pub(crate) fn held(&mut self, held: &[&PassedRule]) {
        let Palette { passed, faint, .. } = self.style.palette;
        for passed_rule in held {
            let PassedRule {
                rule,
                level,
                place,
                wanted,
                ..
            } = passed_rule;
            self.page
                .sign(self.style.indent + GUTTER - 2, passed, mark(Status::Passed));
            let wanted = self.harmless_line(wanted);
            self.page.plain(&wanted);
            if let Some(measured) = got_of_limit(passed_rule) {
                self.page.put(passed, &format!(": {measured}"));
            }
            self.page.space(2);
            let place = self.harmless_line(&format!("({} rule {rule}, {place})", level.as_str()));
            self.page.line(faint, &place);
            self.ruling(passed_rule.ruling.as_ref(), "");
        }
    }

    /// The rules that a trace does not show, each with what is missing.
    pub(crate) fn not_shown(&mut self, rules: &[NotShownRule]) {
        let Palette { warning, faint, .. } = self.style.palette;
        for NotShownRule {
            rule,
            level,
            place,
            wanted,
            lacks,
            ..
        } in rules
        {
            self.page.sign(
                self.style.indent + GUTTER - 2,
                warning,
                mark(Status::NotShown),
            );
            let wanted = self.harmless_line(wanted);
            self.page.plain(&wanted);
            self.page.space(2);
            let place = self.harmless_line(&format!("({} rule {rule}, {place})", level.as_str()));
            self.page.line(faint, &place);
            self.field("not shown", lacks);
        }
    }

    /// What a judge decided; without a reason that `message` gives already.
    fn ruling(&mut self, ruling: Option<&Ruling>, message: &str) {
        let lines = ruling
            .map(|ruling| ruling::lines(ruling, message))
            .unwrap_or_default();
        for (number, line) in lines.iter().enumerate() {
            self.field(if number == 0 { "judge" } else { "" }, line);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.finding(mark(Status::Error), &problem.message);
        if let Some(help) = &problem.help {
            self.field("help", help);
        }
    }

    /// What differs first, then what the message does not say of it, then the rule as it is written.
    fn failure(&mut self, failure: &Failure) {
        self.finding(mark(Status::Failed), &failure.message);
        if let Some(difference) = &failure.difference {
            self.difference(difference);
        }
        let seen: Vec<&str> = failure.evidence().collect();
        for (number, seen) in seen.iter().take(MOST_SEEN).enumerate() {
            self.field(if number == 0 { "seen" } else { "" }, seen);
        }
        if seen.len() > MOST_SEEN {
            self.field("", &format!("… and {} more", seen.len() - MOST_SEEN));
        }
        self.ruling(failure.ruling.as_ref(), &failure.message);
        self.field("expected", failure.expectation().unwrap_or_default());
        let is_named = |event: &&u32| {
            let name = format!("#{event}");
            seen.iter()
                .any(|seen| seen.split([':', ' ']).any(|word| word == name))
        };
        let cited = failure
            .events
            .iter()
            .filter(|event| self.cited.contains(event) && !is_named(event));
        let cited: Vec<String> = cited.map(|event| format!("#{event}")).collect();
        if self.style.scope != TranscriptScope::Findings {
            self.field("events", &cited.join(", "));
        }
        let Failure {
            level, place, rule, ..
        } = failure;
        let rule = if rule.is_empty() {
            String::new()
        } else {
            format!(" {rule}")
        };
        self.field("rule", &format!("{} rule{rule}, {place}", level.as_str()));
        self.quoted(&failure.excerpt);
        self.field("help", failure.help.as_deref().unwrap_or_default());
    }

    /// The lines of the rule in its file, without the indentation that they share.
    fn quoted(&mut self, excerpt: &Excerpt) {
        let lines: Vec<&ExcerptLine> = excerpt.lines.iter().filter(|line| line.is_meant).collect();
        let depth = |line: &&&ExcerptLine| line.text.len() - line.text.trim_start().len();
        let shared = lines
            .iter()
            .filter(|line| !line.text.trim().is_empty())
            .map(|line| depth(&line))
            .min();
        let width = lines.last().map_or(0, |line| line.number.to_string().len());
        for ExcerptLine { number, text, .. } in lines.iter().take(MOST_QUOTED) {
            self.page.space(self.style.indent + GUTTER + 10);
            self.page
                .put(self.style.palette.faint, &format!("{number:>width$} | "));
            self.page.hang();
            let text = escape::line(text.get(shared.unwrap_or_default()..).unwrap_or_default());
            self.page.line(Style::new(), text.trim_end());
        }
        if lines.len() > MOST_QUOTED {
            self.field("", "…");
        }
    }

    /// The lines that differ: what was expected in green, what was there instead in red.
    fn difference(&mut self, difference: &Difference) {
        let palette = self.style.palette;
        let column = self.style.indent + GUTTER;
        let is_whole = matches!(difference.hunks.as_slice(), [only] if only.is_first());
        self.page.space(column);
        self.page.put(palette.passed, "- expected");
        self.page.space(2);
        self.page.line(palette.removed, "+ seen");
        for hunk in &difference.hunks {
            if !is_whole {
                self.page.space(column);
                self.page.line(palette.name, &hunk.heading());
            }
            for (DifferenceLine { side, text }, marked) in hunk.marked() {
                let style = match side {
                    Side::Old => palette.passed,
                    Side::New => palette.removed,
                    Side::Both => Style::new(),
                };
                self.page.space(column);
                self.page.hang_at(column + 1);
                self.difference_line(column, style, (side.sign(), text), marked);
            }
        }
        if difference.left_out > 0 {
            self.page.space(column);
            self.page.line(palette.faint, &difference.more());
        }
    }

    /// One line, with the characters that differ underlined; without colours, by a line of `^` below.
    fn difference_line(
        &mut self,
        column: usize,
        style: Style,
        (sign, text): (char, &str),
        marked: Option<Range<usize>>,
    ) {
        let marked = marked
            .filter(|marked| !marked.is_empty())
            .unwrap_or_default();
        let parts = [
            &text[..marked.start],
            &text[marked.clone()],
            &text[marked.end..],
        ];
        let [before, differs, after] = parts.map(escape::line);
        let before = format!("{sign}{before}");
        if differs.is_empty() {
            self.page.put(style, format!("{before}{after}").trim_end());
            return self.page.end();
        }
        let width = columns::width(&format!("{before}{differs}{after}"));
        let is_one_line = self.style.width.is_none_or(|most| column + width <= most);
        self.page.put(style, &before);
        self.page.put(
            if style.is_plain() {
                style
            } else {
                style.underline()
            },
            &differs,
        );
        self.page.line(style, after.trim_end());
        if style.is_plain() && is_one_line {
            self.page.space(column + columns::width(&before));
            self.page.line(style, &"^".repeat(columns::width(&differs)));
        }
    }

    fn finding(&mut self, mark: &str, message: &str) {
        let Palette { failed, strong, .. } = self.style.palette;
        let column = self.style.indent + GUTTER;
        self.page.sign(column - 2, failed, mark);
        let message = self.harmless_finding(message);
        self.page.block(column, strong, &message);
        self.page.end();
    }

    /// A labelled part of a finding; nothing where it has no text. Of `found ≠ expected`, what was found is red, what was
    /// expected green.
    fn field(&mut self, label: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        let Palette {
            faint,
            passed,
            removed,
            ..
        } = self.style.palette;
        let column = self.style.indent + GUTTER;
        self.page.space(column);
        self.page.put(faint, &format!("{label:<8}  "));
        let value = self.harmless_finding(value);
        if value.contains('\n') || !value.contains(UNEQUAL) {
            self.page.block(column + 10, Style::new(), &value);
            return self.page.end();
        }
        self.page.hang_at(column + 10);
        let mut rest = value.as_str();
        while let Some(at) = rest.find(UNEQUAL) {
            let found = at - last_value(&rest[..at]);
            let behind = &rest[at + UNEQUAL.len()..];
            let (expected, after) = behind.split_at(first_value(behind));
            self.page.plain(&rest[..found]);
            self.page.put(removed, &rest[found..at]);
            self.page.plain(UNEQUAL);
            self.page.put(passed, expected);
            rest = after;
        }
        self.page.plain(rest);
        self.page.end();
    }
}

/// How many bytes the value takes that `text` begins with: a text in quotes, a mapping, a list, or up to what follows it.
fn first_value(text: &str) -> usize {
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' | ',' | ':' if depth == 0 => return at,
            '}' | ']' | ')' => depth -= 1,
            ' ' if depth == 0 && text[at..].starts_with(" → ") => return at,
            _ => {}
        }
    }
    text.len()
}

/// The same for the value that `text` ends with.
fn last_value(text: &str) -> usize {
    let (mut depth, mut is_quoted) = (0_usize, false);
    for (at, character) in text.char_indices().rev() {
        let end = at + character.len_utf8();
        match character {
            '"' if !text[..at].ends_with('\\') => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '}' | ']' | ')' => depth += 1,
            '{' | '[' | '(' | ',' | ' ' if depth == 0 => return text.len() - end,
            '{' | '[' | '(' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_around_the_sign_are_found() {
        let line = r#"call #5: ship({"to": {"by": "a b, \"c\"" ≠ "x, y", …}, "n": [1, 2] ≠ 3 entries}) → {"ok": 1} ≠ a match of `x`"#;
        let (mut found, mut rest) = (Vec::new(), line);
        while let Some(at) = rest.find(UNEQUAL) {
            let behind = &rest[at + UNEQUAL.len()..];
            let end = first_value(behind);
            found.push((&rest[at - last_value(&rest[..at])..at], &behind[..end]));
            rest = &behind[end..];
        }
        let expected = [
            (r#""a b, \"c\"""#, r#""x, y""#),
            ("[1, 2]", "3 entries"),
            (r#"{"ok": 1}"#, "a match of `x`"),
        ];
        assert_eq!(found, expected);
    }
}
