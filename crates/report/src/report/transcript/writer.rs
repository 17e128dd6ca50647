//! Writes the transcript of a test: its turns in order, and in each what is wrong with it. An excerpt begins with what is
//! wrong, and leaves out what is far from it.
//!
//! A line that a finding cites has the number of its event in the gutter, and the finding names the same numbers; other
//! lines have none. Everything is bounded, and harmless on a terminal.

mod lines;

use std::borrow::Cow;
use std::collections::BTreeSet;

use anstyle::Style;
use indexmap::IndexMap;

use super::style::{GUTTER, LABEL};
use super::{Headline, TranscriptScope, TranscriptStyle, event_marks::EventMarks};
use crate::report::layout::{Page, mark};
use crate::report::words::checkpoints::{self, CheckpointWords};
use ananke_base::text::{columns, duration, escape, truncate};
use ananke_trace::outcome::{
    CheckpointOutcome, InputOrigin, Outcome, RuleResult, TurnOutcome, ValueDifference,
};
use ananke_trace::trace::EventNumber;

/// The number of turns of the end that are in an excerpt that is about the whole test.
const LAST_TURNS: usize = 2;

/// The number of turns of a walk that are all in an excerpt: one that was shrunk has no turn that could be omitted.
const SHORT_WALK: usize = 6;

/// The transcript of `outcome`: empty, or whole lines.
pub(crate) fn transcript(outcome: &Outcome, style: TranscriptStyle) -> String {
    let marks = EventMarks::of(outcome);
    let shown = shown_turns(outcome, &marks, style.scope);
    let mut writer = TranscriptWriter {
        style,
        marks,
        turn: 1,
        differences: outcome
            .all_failures()
            .flat_map(|(_, failure)| failure.differences.iter().cloned())
            .collect(),
        found: outcome
            .all_failures()
            .filter_map(|(_, failure)| failure.found.clone())
            .filter(|found| !found.is_empty())
            .collect(),
        headline: outcome
            .headline()
            .filter(|_| style.headline == Headline::Above)
            .map(|(_, message)| message.to_owned()),
        file: outcome.test.file.clone(),
        quoted: Vec::new(),
        shown,
        page: Page::of_width(style.width),
    };
    let is_excerpt = style.scope == TranscriptScope::Excerpt;
    writer.set_up(outcome);
    if is_excerpt {
        writer.whole_test(outcome);
    }
    for turn in &outcome.transcript.turns {
        writer.turn(turn, outcome);
    }
    writer.turns_between(u32::MAX, outcome);
    if is_excerpt {
        outcome
            .verdict
            .failures()
            .for_each(|failure| writer.rule(failure));
        writer.warnings_of_turns(outcome);
    } else {
        writer.whole_test(outcome);
    }
    writer.not_run(outcome);
    let text = writer.page.into_text();
    match truncate::lines(&text, style.whole) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shortened) => shortened,
    }
}

/// The first finding of `outcome`, with the marks of its events; empty if there is none.
pub(crate) fn headline(outcome: &Outcome) -> String {
    outcome
        .headline()
        .map(|(_, message)| {
            let first = outcome.all_failures().next();
            let turn = first.map_or(1, |(turn, _)| turn.max(1));
            EventMarks::of(outcome).put_into(message, turn)
        })
        .unwrap_or_default()
}

/// Whether what is wrong is about the conversation as a whole: a rule of the test failed, its actions were those of a walk, or
/// a simulated conversation did not come by what it must.
fn is_about_whole(outcome: &Outcome) -> bool {
    let verdict = &outcome.verdict;
    let is_simulated = outcome
        .transcript
        .turns
        .iter()
        .any(|turn| turn.origin == InputOrigin::Simulator);
    let is_walk = outcome.walks.is_some();
    verdict.failures().next().is_some()
        || is_walk
        || is_simulated && verdict.end().problem().is_some()
}

/// The turns whose lines are written. In an excerpt those with findings and those that a finding rests on; if what is wrong
/// is about the whole conversation, its beginning and end too.
fn shown_turns(outcome: &Outcome, marks: &EventMarks, scope: TranscriptScope) -> BTreeSet<u32> {
    let turns = &outcome.transcript.turns;
    let of_test = scope == TranscriptScope::Excerpt && is_about_whole(outcome);
    let is_short_walk = outcome.walks.is_some() && turns.len() <= SHORT_WALK;
    let is_shown = |(index, turn): &(usize, &TurnOutcome)| match scope {
        TranscriptScope::Everything => true,
        TranscriptScope::Findings => false,
        TranscriptScope::Excerpt => {
            turn.failures().next().is_some()
                || turn.status().fails_the_run()
                || turn.reason_not_needed().is_some()
                || turn.lines.iter().any(|line| marks.contains(line.event()))
                || is_short_walk
                || of_test && (*index == 0 || index + LAST_TURNS >= turns.len())
        }
    };
    turns
        .iter()
        .enumerate()
        .filter(is_shown)
        .map(|(_, turn)| turn.number)
        .collect()
}

/// Builds a transcript.
pub(super) struct TranscriptWriter {
    pub(super) style: TranscriptStyle,
    pub(super) marks: EventMarks,
    /// The turn that is written, or the first.
    pub(super) turn: u32,
    /// The values of calls that differ from what rules expect.
    differences: Vec<ValueDifference>,
    /// The words that text rules found.
    found: Vec<String>,
    /// The finding that is written above, until it is met.
    headline: Option<String>,
    /// The file of the test.
    pub(super) file: String,
    /// The files and lines of the rules whose lines are written.
    pub(super) quoted: Vec<(String, u32)>,
    /// The turns whose lines are written.
    shown: BTreeSet<u32>,
    pub(super) page: Page,
}

impl TranscriptWriter {
    fn set_up(&mut self, outcome: &Outcome) {
        if self.style.scope != TranscriptScope::Findings {
            for warning in &outcome.verdict.warnings {
                self.warning(self.style.indent, warning);
            }
            for known in &outcome.verdict.silenced {
                let line = format!("silenced by `known` of the target: {known}");
                self.warning(self.style.indent, &line);
            }
        }
    }

    fn turn(&mut self, turn: &TurnOutcome, outcome: &Outcome) {
        if self.style.only_turn.is_some_and(|only| only != turn.number) {
            return;
        }
        let findings = turn.failures().next().is_some() || turn.status().fails_the_run();
        let with_lines = self.has_lines(turn);
        if !findings && !with_lines {
            return;
        }
        let is_excerpt = self.style.scope == TranscriptScope::Excerpt;
        let has_findings = turn.problem().is_some() || turn.failures().next().is_some();
        let with_findings = has_findings && !self.style.findings_are_elsewhere;
        self.turns_between(turn.number, outcome);
        self.turn = turn.number;
        self.part();
        // The line of a test says the same about its only turn.
        let is_only = outcome.transcript.turns.len() == 1
            && outcome.transcript.turns_not_run == 0
            && turn.id.is_none();
        if !(is_excerpt && is_only) || checkpoints::speaker(turn.origin).is_some() {
            self.heading(turn, outcome);
        }
        if is_excerpt {
            self.headlines(turn.problem(), turn.failures());
        }
        if let Some(reason) = turn.reason_not_needed() {
            self.row(None, "because", self.style.palette.faint, reason);
        } else if with_lines {
            self.lines(turn, outcome);
        }
        if is_excerpt {
            turn.failures().for_each(|failure| self.rule(failure));
        } else {
            if with_lines && with_findings {
                self.page.end();
            }
            if with_findings {
                self.findings(turn.problem(), turn.failures());
            }
        }
        let passed = self.listed(turn.passed_rules());
        if !passed.is_empty() {
            if with_lines {
                self.page.end();
            }
            self.passed(&passed);
        }
        self.turn = 1;
    }

    /// The passed rules that are listed: in a whole transcript those of judges in any case.
    fn listed<'h>(&self, passed: impl Iterator<Item = &'h RuleResult>) -> Vec<&'h RuleResult> {
        let is_whole = self.style.scope == TranscriptScope::Everything;
        passed
            .filter(|rule| self.style.lists_passed || is_whole && rule.ruling.is_some())
            .collect()
    }

    fn has_lines(&self, turn: &TurnOutcome) -> bool {
        self.shown.contains(&turn.number)
    }

    /// Writes the number of turns that are omitted between the last one that is shown before `number` and that one.
    fn turns_between(&mut self, number: u32, outcome: &Outcome) {
        let of_test = is_about_whole(outcome);
        if self.style.scope != TranscriptScope::Excerpt || !of_test {
            return;
        }
        let before = self.shown.range(..number).next_back().copied().unwrap_or(0);
        let turns = outcome.transcript.turns.iter();
        let count = turns
            .filter(|turn| turn.number > before && turn.number < number)
            .count();
        if count > 0 {
            self.part();
            self.page.space(self.style.indent);
            let plural = if count == 1 { "turn" } else { "turns" };
            self.page.line(
                self.style.palette.faint,
                &format!("… {count} more {plural}"),
            );
        }
    }

    /// The warnings of turns whose lines are omitted: a test that passed shows them too. A warning of several turns
    /// is shown once.
    fn warnings_of_turns(&mut self, outcome: &Outcome) {
        let turns = outcome
            .transcript
            .turns
            .iter()
            .filter(|turn| !self.has_lines(turn));
        let mut warnings: IndexMap<&str, Vec<u32>> = IndexMap::new();
        for turn in turns {
            for warning in &turn.warnings {
                warnings.entry(warning).or_default().push(turn.number);
            }
        }
        if warnings.is_empty() {
            return;
        }
        self.part();
        for (warning, turns) in warnings {
            let place = match turns.as_slice() {
                _ if outcome.transcript.turns.len() == 1 => String::new(),
                [turn] => format!("turn {turn}: "),
                [turn, more @ ..] => format!("turn {turn} and {} more: ", more.len()),
                [] => String::new(),
            };
            self.warning(self.style.indent, &format!("{place}{warning}"));
        }
    }

    fn heading(&mut self, turn: &TurnOutcome, outcome: &Outcome) {
        let palette = self.style.palette;
        self.page.space(self.style.indent);
        let turns = outcome.transcript.turns.len() + outcome.transcript.turns_not_run as usize;
        let id = turn
            .id
            .as_ref()
            .map(|id| format!(", {}", self.harmless_line(id)))
            .unwrap_or_default();
        self.page.put(
            palette.strong,
            &format!("turn {} of {turns}{id}", turn.number),
        );
        self.page.space(2);
        self.page.put(palette.of(turn.status()), turn.status_word());
        let took = turn.duration_us.map(duration::rounded);
        let speaker = checkpoints::speaker(turn.origin).map(str::to_owned);
        for fact in took.into_iter().chain(speaker) {
            self.page.space(2);
            self.page.put(palette.faint, &fact);
        }
        self.page.end();
    }

    /// The checkpoints of a simulated conversation; in an excerpt, those that were not reached.
    fn checkpoints(&mut self, checkpoints: &[&CheckpointOutcome]) {
        let palette = self.style.palette;
        for checkpoint in checkpoints {
            let CheckpointWords { status, text, note } = checkpoints::words(checkpoint);
            self.page.sign(
                self.style.indent + GUTTER - 2,
                palette.of(status),
                mark(status),
            );
            let text = self.harmless_line(&text);
            self.page.plain(&text);
            self.page.space(2);
            let note = self.harmless_line(&format!("({note})"));
            self.page.line(palette.faint, &note);
        }
    }

    /// A warning at `column`, its further lines aligned with its first.
    fn warning(&mut self, column: usize, warning: &str) {
        let label = "warning ";
        self.page.space(column);
        self.page.put(self.style.palette.warning, label);
        self.page.block(
            column + label.len(),
            self.style.palette.faint,
            &self.harmless(warning),
        );
        self.page.end();
    }

    /// A message, its further lines aligned with its first.
    fn row(&mut self, event: Option<EventNumber>, label: &str, style: Style, message: &str) {
        self.gutter(event);
        self.page
            .put(self.style.palette.faint, &format!("{label:<LABEL$}"));
        let column = self.style.indent + GUTTER + LABEL;
        let message = self.harmless(message);
        self.page.block(column, style, &message);
        self.page.end();
    }

    fn whole_test(&mut self, outcome: &Outcome) {
        let palette = self.style.palette;
        let passed = self.listed(outcome.passed_rules());
        let lists_passed = !passed.is_empty();
        let (problem, failures) = (outcome.verdict.end().problem(), outcome.verdict.failures());
        let has_findings = problem.is_some() || failures.clone().next().is_some();
        let with_findings = has_findings && !self.style.findings_are_elsewhere;
        let is_listed = |checkpoint: &&CheckpointOutcome| match self.style.scope {
            TranscriptScope::Everything => true,
            TranscriptScope::Excerpt => checkpoint.is_missing() && with_findings,
            TranscriptScope::Findings => false,
        };
        let listed: Vec<_> = outcome
            .transcript
            .checkpoints
            .iter()
            .filter(is_listed)
            .collect();
        let is_not_shown = outcome.verdict.not_shown().next().is_some();
        if lists_passed || with_findings || !listed.is_empty() || is_not_shown {
            self.part();
            // If it comes first, or there is no turn, it needs no heading.
            if !outcome.transcript.turns.is_empty() && self.style.scope != TranscriptScope::Excerpt
            {
                self.page.space(self.style.indent);
                self.page.line(palette.strong, "whole test");
            }
            if self.style.scope == TranscriptScope::Excerpt {
                self.headlines(problem, failures);
            } else if with_findings {
                self.findings(problem, failures);
            }
            self.checkpoints(&listed);
            self.not_shown(outcome.verdict.not_shown());
            if lists_passed {
                if with_findings || !listed.is_empty() || is_not_shown {
                    self.page.end();
                }
                self.passed(&passed);
            }
        }
    }

    fn not_run(&mut self, outcome: &Outcome) {
        let palette = self.style.palette;
        let stopped = outcome.transcript.turns_not_run > 0
            && !outcome.transcript.turns.is_empty()
            && self.style.only_turn.is_none();
        if stopped && self.style.scope != TranscriptScope::Findings {
            self.part();
            self.page.space(self.style.indent);
            let plural = if outcome.transcript.turns_not_run == 1 {
                "turn"
            } else {
                "turns"
            };
            self.page.line(
                palette.faint,
                &format!("{} {plural} not run", outcome.transcript.turns_not_run),
            );
        }
    }

    /// The start of a row: spaces, with the mark of the event if a finding is about it.
    fn gutter(&mut self, event: Option<EventNumber>) {
        let mark = event.and_then(|event| self.marks.get(event));
        let mark = mark.unwrap_or_default().to_owned();
        let column = self.style.indent + GUTTER;
        self.page
            .space(column.saturating_sub(columns::width(&mark) + 1));
        self.page.put(self.style.palette.failed, &mark);
        self.page.space(1);
    }

    /// An empty line before all parts but the first.
    fn part(&mut self) {
        if !self.page.is_empty() && self.style.headline == Headline::Inside {
            self.page.end();
        }
    }

    /// Whether `message` is the finding that is written above; it is so once.
    pub(super) fn is_headline(&mut self, message: &str) -> bool {
        self.headline.take_if(|above| above == message).is_some()
    }

    pub(super) fn harmless(&self, text: &str) -> String {
        escape::terminal(&truncate::bytes(text, self.style.item)).into_owned()
    }

    /// A part of a finding. What it quotes is short already, and says itself how much is missing.
    pub(super) fn harmless_finding(&self, text: &str) -> String {
        const LONGEST: usize = 4 << 10;
        escape::terminal(&truncate::bytes(text, self.style.item.max(LONGEST))).into_owned()
    }

    pub(super) fn harmless_line(&self, text: &str) -> String {
        escape::line(&truncate::bytes(text, self.style.item)).into_owned()
    }
}
