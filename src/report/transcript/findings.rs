//! What is wrong with a turn or a test, and where it says so.

use anstyle::Style;

use super::style::{GUTTER, TranscriptScope};
use super::writer::TranscriptWriter;
use crate::diagnostic::{Difference, DifferenceLine, Side};
use crate::outcome::{Failure, PassedRule, Problem, Status};
use crate::report::layout::{Palette, mark};
use crate::text::escape;

/// How many of the things that were seen instead are shown with a failure.
const MOST_SEEN: usize = 10;

enum TranscriptFinding<'a> {
    Problem(&'a Problem),
    Rule(&'a Failure),
}

impl TranscriptWriter {
    /// All that is wrong in one part of the transcript, with an empty line between each two.
    pub(crate) fn findings(&mut self, problem: Option<&Problem>, failures: &[Failure]) {
        let rules = failures.iter().map(TranscriptFinding::Rule);
        let findings = problem.map(TranscriptFinding::Problem).into_iter().chain(rules);
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

    /// The rules that passed, one per line.
    pub(crate) fn held(&mut self, held: &[PassedRule]) {
        let Palette { passed, faint, .. } = self.style.palette;
        for PassedRule { rule, level, place, wanted, .. } in held {
            self.page.sign(self.style.indent + GUTTER - 2, passed, mark(Status::Passed));
            let wanted = self.harmless_line(wanted);
            self.page.plain(&wanted);
            self.page.space(2);
            let place = self.harmless_line(&format!("({} rule {rule}, {place})", level.as_str()));
            self.page.line(faint, &place);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.finding(mark(Status::Error), &problem.message);
        if let Some(help) = &problem.help {
            self.field("help", help);
        }
    }

    fn failure(&mut self, failure: &Failure) {
        self.finding(mark(Status::Failed), &failure.message);
        self.field("expected", &failure.expected);
        let seen: Vec<&str> = failure.seen.iter().take(MOST_SEEN).map(String::as_str).collect();
        for (number, seen) in seen.iter().enumerate() {
            self.field(if number == 0 { "seen" } else { "" }, seen);
        }
        if failure.seen.len() > MOST_SEEN {
            self.field("", &format!("… and {} more", failure.seen.len() - MOST_SEEN));
        }
        if let Some(difference) = &failure.difference {
            self.difference(difference);
        }
        let cited = failure.events.iter().filter(|event| self.cited.contains(event));
        let cited: Vec<String> = cited.map(|event| format!("#{event}")).collect();
        if self.style.scope != TranscriptScope::Findings {
            self.field("events", &cited.join(", "));
        }
        let Failure { level, place, rule, .. } = failure;
        let rule = if rule.is_empty() { String::new() } else { format!(" {rule}") };
        self.field("rule", &format!("{} rule{rule}, {place}", level.as_str()));
        self.field("help", failure.help.as_deref().unwrap_or_default());
    }

    /// The lines that differ, in the colours of what is gone and what is new.
    fn difference(&mut self, difference: &Difference) {
        let palette = self.style.palette;
        let column = self.style.indent + GUTTER;
        let mut line = |style: Style, text: String| {
            if !text.is_empty() {
                self.page.space(column);
                self.page.hang();
                self.page.put(style, &text);
            }
            self.page.end();
        };
        for hunk in &difference.hunks {
            line(palette.name, hunk.heading());
            for DifferenceLine { side, text } in &hunk.lines {
                let style = match side {
                    Side::Old => palette.removed,
                    Side::New => palette.passed,
                    Side::Both => Style::new(),
                };
                line(style, format!("{}{}", side.sign(), escape::line(text)).trim_end().to_owned());
            }
        }
        if difference.left_out > 0 {
            line(palette.faint, difference.more());
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

    /// A labelled part of a finding; nothing where it has no text.
    fn field(&mut self, label: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        let column = self.style.indent + GUTTER;
        self.page.space(column);
        self.page.put(self.style.palette.faint, &format!("{label:<8}  "));
        let value = self.harmless_finding(value);
        self.page.block(column + 10, Style::new(), &value);
        self.page.end();
    }
}
