//! The findings of a turn or a test, and their places in the file.

use std::borrow::Cow;
use std::ops::Range;

use anstyle::Style;

use super::style::{GUTTER, LABEL};
use super::{Headline, TranscriptScope, writer::TranscriptWriter};
use crate::report::layout::{Palette, mark};
use crate::report::words::measured::got_of_limit;
use crate::report::words::ruling;
use ananke_base::diagnostic::{Difference, DifferenceLine, Excerpt, ExcerptLine, Side};
use ananke_base::text::{columns, escape};
use ananke_trace::outcome::{
    EvidenceLine, Problem, RuleResult, Ruling, Status, UNEQUAL, ValueDifference,
};

/// The number of the things seen instead that are shown with a failure.
const MOST_SEEN: usize = 10;

/// The number of lines of a rule that are quoted.
const MOST_QUOTED: usize = 4;

enum TranscriptFinding<'a> {
    Problem(&'a Problem),
    Rule(&'a RuleResult),
}

impl TranscriptWriter {
    /// All that is wrong in one part of the transcript, with an empty line between each two.
    pub(crate) fn findings<'a>(
        &mut self,
        problem: Option<&'a Problem>,
        failures: impl Iterator<Item = &'a RuleResult>,
    ) {
        let rules = failures.map(TranscriptFinding::Rule);
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
                TranscriptFinding::Rule(failure) => {
                    self.failure(failure);
                    self.rule(failure);
                }
            }
        }
    }

    /// Writes the findings of one part of an excerpt, without the lines of the rules.
    pub(super) fn headlines<'a>(
        &mut self,
        problem: Option<&'a Problem>,
        failures: impl Iterator<Item = &'a RuleResult>,
    ) {
        if let Some(problem) = problem {
            self.problem(problem);
        }
        failures.for_each(|failure| self.failure(failure));
    }

    /// The rules that passed, one per line; a limit with what there was of it, and a judge's rule with its answer.
    pub(crate) fn passed(&mut self, rules: &[&RuleResult]) {
        let style = self.style.palette.passed;
        for rule in rules {
            self.expectation(rule, (style, Status::Passed));
            self.ruling(rule.ruling.as_ref(), "");
        }
    }

    /// Writes the expectation of a rule, with the measured value and its place.
    fn expectation(&mut self, rule: &RuleResult, (style, status): (Style, Status)) {
        self.page
            .sign(self.style.indent + GUTTER - 2, style, mark(status));
        let expected = self.harmless_line(&rule.expected);
        self.page.plain(&expected);
        if let Some(measured) = got_of_limit(rule) {
            self.page.put(style, &format!(": {measured}"));
        }
        self.page.space(2);
        let (level, path, place) = (rule.level.as_str(), &rule.rule, &rule.place);
        let place = self.harmless_line(&format!("({level} rule {path}, {place})"));
        self.page.line(self.style.palette.faint, &place);
    }

    /// The rules that a trace does not show, each with what is missing.
    pub(crate) fn not_shown<'a>(&mut self, rules: impl Iterator<Item = &'a RuleResult>) {
        let style = self.style.palette.warning;
        for rule in rules {
            self.expectation(rule, (style, Status::NotShown));
            self.field("not shown", &rule.message);
        }
    }

    /// Writes the decision of a judge; without a reason that `message` gives already.
    fn ruling(&mut self, ruling: Option<&Ruling>, message: &str) {
        let lines = ruling
            .map(|ruling| ruling::lines(ruling, message))
            .unwrap_or_default();
        for (number, line) in lines.iter().enumerate() {
            self.field(if number == 0 { "judge" } else { "" }, line);
        }
    }

    fn problem(&mut self, problem: &Problem) {
        if !self.is_headline(&problem.message) {
            self.finding(mark(Status::Error), &problem.message);
        }
        if let Some(help) = &problem.help {
            self.field("help", help);
        }
    }

    /// Writes the difference, and the rest that neither the headline nor the lines of the transcript contain.
    fn failure(&mut self, failure: &RuleResult) {
        if !self.is_headline(&failure.message) {
            let message = self.marks.put_into(&failure.message, self.turn);
            self.finding(mark(Status::Failed), &message);
        }
        if let Some(difference) = &failure.difference {
            self.difference(difference);
        }
        let has_lines = self.style.scope != TranscriptScope::Findings;
        let seen: Vec<Cow<'_, str>> = failure
            .evidence()
            .filter_map(|line| match line {
                EvidenceLine::Call { event, remark, .. } if has_lines => {
                    let Some(mark) = self.marks.get(*event) else {
                        return Some(Cow::Borrowed(line.text()));
                    };
                    (!remark.is_empty()).then(|| Cow::Owned(format!("{mark} {remark}")))
                }
                EvidenceLine::Said(_) if has_lines => None,
                _ => Some(Cow::Borrowed(line.text())),
            })
            .collect();
        for (number, seen) in seen.iter().take(MOST_SEEN).enumerate() {
            let label = if number == 0 { "seen" } else { "" };
            self.seen(label, seen, &failure.differences);
        }
        if seen.len() > MOST_SEEN {
            self.field("", &format!("… and {} more", seen.len() - MOST_SEEN));
        }
        self.ruling(failure.ruling.as_ref(), &failure.message);
        // The values that differ, and in a block the lines of the rule, say what was expected.
        let says_values = has_lines && !failure.differences.is_empty();
        let has_rule = self.is_block() && !failure.excerpt.lines.is_empty();
        let expectation = failure.expectation();
        let expectation = expectation.filter(|_| !says_values && !has_rule);
        self.field("expected", expectation.unwrap_or_default());
    }

    /// Whether it is the block of a failure, in which nothing is written twice.
    fn is_block(&self) -> bool {
        self.style.headline == Headline::Above
    }

    /// The rule as it is written, with its place, and what to do.
    pub(super) fn rule(&mut self, failure: &RuleResult) {
        let RuleResult {
            level, place, rule, ..
        } = failure;
        let is_known = self.is_block() && *place.file == *self.file;
        // A rule may fail several times, and a line may have several rules.
        let lines = (place.file.to_string(), place.line);
        if self.is_block() && self.quoted.contains(&lines) {
            return self.field("help", failure.help.as_deref().unwrap_or_default());
        }
        self.quoted.push(lines);
        let level = level.as_str();
        if !is_known {
            let rule = if rule.is_empty() {
                String::new()
            } else {
                format!(" {rule}")
            };
            self.field("rule", &format!("{level} rule{rule}, {place}"));
        }
        self.quoted(&failure.excerpt, if is_known { "rule" } else { "" });
        self.field("help", failure.help.as_deref().unwrap_or_default());
    }

    /// The lines of the rule in its file, without the indentation that they share.
    fn quoted(&mut self, excerpt: &Excerpt, label: &str) {
        let lines: Vec<&ExcerptLine> = excerpt.lines.iter().filter(|line| line.is_meant).collect();
        let depth = |line: &&&ExcerptLine| line.text.len() - line.text.trim_start().len();
        let shared = lines
            .iter()
            .filter(|line| !line.text.trim().is_empty())
            .map(|line| depth(&line))
            .min();
        let width = lines.last().map_or(0, |line| line.number.to_string().len());
        for (index, line) in lines.iter().take(MOST_QUOTED).enumerate() {
            let ExcerptLine { number, text, .. } = line;
            let label = if index == 0 { label } else { "" };
            let begin = format!("{label:<LABEL$}{number:>width$} | ");
            self.page.space(self.style.indent + GUTTER);
            self.page.put(self.style.palette.faint, &begin);
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

    /// A labelled part of a finding; nothing where it has no text.
    fn field(&mut self, label: &str, value: &str) {
        self.seen(label, value, &[]);
    }

    /// The same of what was seen: of a value that differs, what was found is red, what was expected green.
    fn seen(&mut self, label: &str, value: &str, differences: &[ValueDifference]) {
        if value.is_empty() {
            return;
        }
        let Palette {
            faint,
            passed,
            removed,
            ..
        } = self.style.palette;
        let margin = self.style.indent + GUTTER;
        self.page.space(margin);
        // A label that fills its column is two columns apart from its value all the same.
        let width = match label.len() {
            length if length < LABEL => LABEL,
            length => length + 2,
        };
        self.page.put(faint, &format!("{label:<width$}"));
        let column = margin + width;
        let value = self.harmless_finding(value);
        if value.contains('\n') || !value.contains(UNEQUAL) {
            self.page.block(column, Style::new(), &value);
            return self.page.end();
        }
        self.page.hang_at(column);
        let mut rest = value.as_str();
        let pairs = differences
            .iter()
            .map(|difference| difference.shown().map(escape::terminal));
        let pairs: Vec<_> = pairs.collect();
        let next = |rest: &str| {
            let place = |[actual, expected]: &[Cow<'_, str>; 2]| {
                let at = rest.find(&format!("{actual}{UNEQUAL}{expected}"))?;
                Some((at, at + actual.len(), expected.len()))
            };
            pairs.iter().filter_map(place).min()
        };
        while let Some((from, to, expected)) = next(rest) {
            let behind = to + UNEQUAL.len();
            self.page.plain(&rest[..from]);
            self.page.put(removed, &rest[from..to]);
            self.page.plain(UNEQUAL);
            self.page.put(passed, &rest[behind..behind + expected]);
            rest = &rest[behind + expected..];
        }
        self.page.plain(rest);
        self.page.end();
    }
}
