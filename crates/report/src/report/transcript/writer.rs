//! Writes the transcript of a test: its turns in order, and in each what is wrong with it. An excerpt begins with what is
//! wrong, and leaves out what is far from it.
//!
//! A line that a finding cites has the number of its event in the gutter, and the finding names the same numbers; other
//! lines have none. Everything is bounded, and harmless on a terminal.

use std::borrow::Cow;
use std::collections::BTreeSet;

use anstyle::Style;
use indexmap::IndexMap;

use super::excerpt;
use super::style::{GUTTER, TranscriptScope, TranscriptStyle};
use crate::report::layout::{Page, mark};
use crate::report::words::checkpoints::{self, CheckpointWords};
use crate::report::words::turn_input::sender;
use ananke_base::text::{columns, compact_json, duration, escape, truncate};
use ananke_trace::outcome::{
    CallOutcome, CheckpointOutcome, EarlierMessage, InputOrigin, LateResult, OpenInterrupt,
    Outcome, PassedRule, ReportedRunEnd, TranscriptLine, TurnOutcome,
};
use ananke_trace::trace::Peer;

/// A call longer than this has its result on a line of its own.
const LONGEST_CALL: usize = 100;

/// How many turns of the end are in an excerpt that is about the whole test.
const LAST_TURNS: usize = 2;

/// How many turns of a walk are all in an excerpt: one that was shrunk has no turn that could be omitted.
const SHORT_WALK: usize = 6;

/// The width of ` → ` between a call and its result.
const ARROW: usize = 3;

/// The transcript of `outcome`: empty, or whole lines.
pub(crate) fn transcript(outcome: &Outcome, style: TranscriptStyle) -> String {
    let cited = cited(outcome);
    let shown = shown_turns(outcome, &cited, style.scope);
    let mut writer = TranscriptWriter {
        style,
        cited,
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

/// The events of the lines that a finding rests on: a call also if it rests on its result.
fn cited(outcome: &Outcome) -> BTreeSet<u32> {
    let named: BTreeSet<u32> = outcome
        .all_failures()
        .flat_map(|(_, failure)| failure.events.iter().copied())
        .collect();
    let is_named = |line: &&TranscriptLine| match line {
        TranscriptLine::Calls(call) => {
            named.contains(&call.event) || named.contains(&call.result_event)
        }
        other => named.contains(&other.event()),
    };
    let lines = outcome.transcript.turns.iter().flat_map(|turn| &turn.lines);
    lines.filter(is_named).map(TranscriptLine::event).collect()
}

/// Whether what is wrong is about the conversation as a whole: a rule of the test failed, its actions were those of a walk, or
/// a simulated conversation did not come by what it must.
fn is_about_whole(outcome: &Outcome) -> bool {
    let end = &outcome.verdict.end;
    let is_simulated = outcome
        .transcript
        .turns
        .iter()
        .any(|turn| turn.origin == InputOrigin::Simulator);
    let is_walk = outcome.walks.is_some();
    !end.failures().is_empty() || is_walk || is_simulated && end.problem().is_some()
}

/// The turns whose lines are written. In an excerpt those with findings and those that a finding rests on; if what is wrong
/// is about the whole conversation, its beginning and end too.
fn shown_turns(outcome: &Outcome, cited: &BTreeSet<u32>, scope: TranscriptScope) -> BTreeSet<u32> {
    let turns = &outcome.transcript.turns;
    let of_test = scope == TranscriptScope::Excerpt && is_about_whole(outcome);
    let is_short_walk = outcome.walks.is_some() && turns.len() <= SHORT_WALK;
    let is_shown = |(index, turn): &(usize, &TurnOutcome)| match scope {
        TranscriptScope::Everything => true,
        TranscriptScope::Findings => false,
        TranscriptScope::Excerpt => {
            !turn.failures().is_empty()
                || turn.status().fails_the_run()
                || turn.lines.iter().any(|line| cited.contains(&line.event()))
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

/// `for an answer to `i-1` about `delete`: Really?`
fn waits_for(interrupt: &OpenInterrupt) -> String {
    let OpenInterrupt {
        id,
        reason,
        message,
        tool,
    } = interrupt;
    let about = tool
        .as_ref()
        .map(|tool| format!(" about `{tool}`"))
        .unwrap_or_default();
    let asks = message
        .as_ref()
        .or(reason.as_ref())
        .map(|asks| format!(": {asks}"))
        .unwrap_or_default();
    format!("for an answer to `{id}`{about}{asks}")
}

/// Builds a transcript.
pub(super) struct TranscriptWriter {
    pub(super) style: TranscriptStyle,
    pub(super) cited: BTreeSet<u32>,
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
        let findings = !turn.failures().is_empty() || turn.status().fails_the_run();
        let with_lines = self.has_lines(turn);
        if !findings && !with_lines {
            return;
        }
        let is_excerpt = self.style.scope == TranscriptScope::Excerpt;
        let with_findings = turn.problem().is_some() || !turn.failures().is_empty();
        self.turns_between(turn.number, outcome);
        self.part();
        // The line of a test says the same about its only turn.
        let is_only = outcome.transcript.turns.len() == 1
            && outcome.transcript.turns_not_run == 0
            && turn.id.is_none();
        if !(is_excerpt && is_only) {
            self.heading(turn, outcome);
        }
        if is_excerpt {
            self.findings(turn.problem(), turn.failures());
            if with_findings {
                self.page.end();
            }
        }
        if with_lines {
            self.lines(turn, outcome);
        }
        if !is_excerpt {
            if with_lines && with_findings {
                self.page.end();
            }
            self.findings(turn.problem(), turn.failures());
        }
        let held = self.listed(turn.passed_rules());
        if !held.is_empty() {
            if with_lines {
                self.page.end();
            }
            self.held(&held);
        }
    }

    /// The passed rules that are listed: in a whole transcript those of judges in any case.
    fn listed<'h>(&self, held: &'h [PassedRule]) -> Vec<&'h PassedRule> {
        let is_whole = self.style.scope == TranscriptScope::Everything;
        held.iter()
            .filter(|held| self.style.held || is_whole && held.ruling.is_some())
            .collect()
    }

    fn has_lines(&self, turn: &TurnOutcome) -> bool {
        self.shown.contains(&turn.number)
    }

    /// How many turns are omitted between the last one that is shown before `number` and that one.
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
        self.page
            .put(palette.of(turn.status()), turn.status().as_str());
        let took = turn.duration_us.map(duration::rounded);
        let speaker = checkpoints::speaker(turn.origin).map(str::to_owned);
        for fact in took.into_iter().chain(speaker) {
            self.page.space(2);
            self.page.put(palette.faint, &fact);
        }
        self.page.end();
    }

    fn lines(&mut self, turn: &TurnOutcome, outcome: &Outcome) {
        let palette = self.style.palette;
        for EarlierMessage { role, text } in outcome
            .transcript
            .history
            .iter()
            .filter(|_| turn.number == 1)
        {
            self.row(None, "before", palette.faint, &format!("{role}: {text}"));
        }
        let peer = outcome.transcript.peer;
        if let Some(sender) = sender(peer, turn).filter(|_| !turn.input.is_empty()) {
            let colon = if peer == Peer::Agent { ":" } else { "" };
            self.row(None, &format!("{sender}{colon}"), Style::new(), &turn.input);
        }
        let kept = excerpt::kept(&turn.lines, &self.cited, self.style.scope);
        for (index, line) in turn.lines.iter().enumerate() {
            if !kept[index] {
                if index == 0 || kept[index - 1] {
                    let left_out = kept[index..].iter().take_while(|kept| !**kept).count();
                    self.row(None, "…", palette.faint, &format!("{left_out} more lines"));
                }
                continue;
            }
            match line {
                TranscriptLine::Says(said)
                    if said.repeats_result && !self.cited.contains(&said.event) => {}
                TranscriptLine::Says(said) => {
                    let label = match outcome.transcript.peer {
                        Peer::Agent => "agent:",
                        Peer::Server => "server:",
                    };
                    self.row(Some(said.event), label, Style::new(), &said.text);
                }
                TranscriptLine::Calls(call) => self.call(call),
                TranscriptLine::Answered(late) => self.late_result(late),
                TranscriptLine::Thinks(said) => {
                    self.row(Some(said.event), "thinks:", palette.faint, &said.text);
                }
                TranscriptLine::Custom {
                    event,
                    at_us: _,
                    name,
                    value,
                } => {
                    let name = self.harmless_line(name);
                    self.row(
                        Some(*event),
                        "custom",
                        palette.faint,
                        &format!("{name} {value}"),
                    );
                }
            }
        }
        // An unexpected error is shown as the problem.
        match turn.run_end.as_ref().filter(|_| turn.problem().is_none()) {
            Some(ReportedRunEnd::Error(message)) => self.row(None, "error:", Style::new(), message),
            Some(ReportedRunEnd::Cancelled) => {
                self.row(
                    None,
                    "ends",
                    palette.faint,
                    &format!("{} cancelled the run", outcome.transcript.peer.noun()),
                );
            }
            Some(ReportedRunEnd::Interrupted(interrupts)) if interrupts.is_empty() => {
                self.row(None, "waits", Style::new(), "for a message of the user");
            }
            Some(ReportedRunEnd::Interrupted(interrupts)) => {
                for interrupt in interrupts {
                    self.row(None, "waits", Style::new(), &waits_for(interrupt));
                }
            }
            Some(ReportedRunEnd::Finished) | None => {}
        }
        let reached = outcome
            .transcript
            .reached_in(turn.number)
            .collect::<Vec<_>>()
            .join(", ");
        if !reached.is_empty() {
            self.row(None, "reached", palette.faint, &reached);
        }
        for warning in &turn.warnings {
            self.warning(self.style.indent + GUTTER, warning);
        }
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
    fn row(&mut self, event: Option<u32>, label: &str, style: Style, message: &str) {
        self.gutter(event);
        self.page
            .put(self.style.palette.faint, &format!("{label:<7} "));
        let column = self.style.indent + GUTTER + 8;
        let message = self.harmless(message);
        self.page.block(column, style, &message);
        self.page.end();
    }

    fn late_result(&mut self, late: &LateResult) {
        let palette = self.style.palette;
        self.gutter(Some(late.event));
        self.page.put(palette.faint, "result  ");
        self.page.hang();
        let name = self.harmless_line(&late.name);
        self.page.put(palette.name, &name);
        let turn = format!(" of turn {}", late.called_in);
        self.page.put(palette.faint, &turn);
        let result = self.harmless(&compact_json(&late.result));
        let arrived = late
            .arrived_us
            .map(|us| format!("at {}", duration::rounded(us)));
        let failure = late.failure.map(|failure| failure.as_str().to_owned());
        let facts: Vec<String> = arrived.into_iter().chain(failure).collect();
        self.result(
            columns::width(&name) + turn.len(),
            &result,
            &facts.join(", "),
        );
    }

    /// A result on the line of its call, which has this length, if it fits there; else on the next line.
    fn result(&mut self, length: usize, result: &str, facts: &str) {
        let column = self.style.indent + GUTTER + 8;
        let longest = self
            .style
            .width
            .map_or(LONGEST_CALL, |width| width.saturating_sub(column + ARROW));
        if length + columns::width(result) <= longest.min(LONGEST_CALL) && !result.contains('\n') {
            self.page.plain(&format!(" → {result}"));
            self.facts(facts);
            return;
        }
        self.facts(facts);
        self.page.space(column);
        self.page.plain("→ ");
        self.page.block(column + 2, Style::new(), result);
        self.page.end();
    }

    fn call(&mut self, call: &CallOutcome) {
        let palette = self.style.palette;
        let name = self.harmless_line(&call.name);
        let args = self.harmless_line(&compact_json(&call.args));
        let result = call
            .result
            .as_deref()
            .map(|result| self.harmless(&compact_json(result)));
        let started = call
            .started_us
            .map(|us| format!("at {}", duration::rounded(us)));
        let is_answered = call.result.is_some() && call.is_client_side;
        let ended = match call.duration_us {
            _ if is_answered => Some("answered by its mock".to_owned()),
            taken => taken.map(|taken| format!("took {}", duration::rounded(taken))),
        };
        let failure = call.failure.map(|failure| failure.as_str().to_owned());
        let missing = match call.result {
            Some(_) => None,
            None if call.hides_result => Some("result not shown".to_owned()),
            None => Some("no result".to_owned()),
        };
        let facts: Vec<String> = [started, ended, failure, missing]
            .into_iter()
            .flatten()
            .collect();
        let facts = facts.join(", ");
        self.gutter(Some(call.event));
        self.page.put(palette.faint, "call    ");
        self.page.hang();
        self.page.put(palette.name, &name);
        self.page.plain(&format!("({args})"));
        match result {
            Some(result) => self.result(
                columns::width(&name) + columns::width(&args),
                &result,
                &facts,
            ),
            None => self.facts(&facts),
        }
    }

    /// What else is known of a call or a result, in parentheses.
    fn facts(&mut self, facts: &str) {
        if !facts.is_empty() {
            self.page.space(2);
            self.page
                .put(self.style.palette.faint, &format!("({facts})"));
        }
        self.page.end();
    }

    fn whole_test(&mut self, outcome: &Outcome) {
        let palette = self.style.palette;
        let held = self.listed(outcome.passed_rules());
        let lists_held = !held.is_empty();
        let (problem, failures) = (
            outcome.verdict.end.problem(),
            outcome.verdict.end.failures(),
        );
        let with_findings = problem.is_some() || !failures.is_empty();
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
        let not_shown = &outcome.verdict.not_shown;
        if lists_held || with_findings || !listed.is_empty() || !not_shown.is_empty() {
            self.part();
            // If it comes first, or there is no turn, it needs no heading.
            if !outcome.transcript.turns.is_empty() && self.style.scope != TranscriptScope::Excerpt
            {
                self.page.space(self.style.indent);
                self.page.line(palette.strong, "whole test");
            }
            self.findings(problem, failures);
            self.checkpoints(&listed);
            self.not_shown(not_shown);
            if lists_held {
                if with_findings || !listed.is_empty() || !not_shown.is_empty() {
                    self.page.end();
                }
                self.held(&held);
            }
        }
    }

    fn not_run(&mut self, outcome: &Outcome) {
        let palette = self.style.palette;
        let stopped = outcome.transcript.turns_not_run > 0 && !outcome.transcript.turns.is_empty();
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

    /// The start of a row: spaces, with the number of the event if a finding is about it.
    fn gutter(&mut self, event: Option<u32>) {
        let number = event
            .filter(|event| self.cited.contains(event))
            .map(|event| format!("#{event}"));
        self.page.space(self.style.indent);
        match number {
            Some(number) => {
                self.page
                    .put(self.style.palette.failed, &format!("{number:>5}"));
                self.page.space(1);
            }
            None => self.page.space(GUTTER),
        }
    }

    /// An empty line before all parts but the first.
    fn part(&mut self) {
        if !self.page.is_empty() {
            self.page.end();
        }
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
