//! The lines of a turn: what was sent and said, the calls and their results, and how the turn ended. What a rule found is in red.

use anstyle::Style;
use serde_json::Value;

use super::TranscriptWriter;
use crate::report::layout::Palette;
use crate::report::transcript::style::{GUTTER, LABEL};
use crate::report::transcript::{Headline, excerpt};
use crate::report::words::sender;
use ananke_base::text::{columns, compact_json, duration, escape, grouped};
use ananke_trace::outcome::{
    CallOutcome, ComparedValue, EarlierMessage, FocusMark, FocusedJson, JsonFocus, LateResult,
    ModelLine, OpenInterrupt, Outcome, ReportedRunEnd, SaidLine, TranscriptLine, TurnOutcome,
    focused, surrounded,
};
use ananke_trace::trace::{EventNumber, Peer};

/// A call longer than this has its result on a line of its own.
const LONGEST_CALL: usize = 100;

/// A value of at most so many bytes is shown whole, though only a part of it differs.
const LONGEST_WHOLE: usize = 90;

/// The width of ` → ` between a call and its result.
const ARROW: usize = 3;

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

/// The tokens of a call to a model, and the number of its attempts if there were several: `1,204 → 31 tokens, 2 attempts`.
fn model_facts(model: &ModelLine) -> String {
    let mut facts = Vec::new();
    if let Some(input) = model.input_tokens
        && let Some(output) = model.output_tokens
    {
        facts.push(format!("{} → {} tokens", grouped(input), grouped(output)));
    }
    if model.attempts > 1 {
        facts.push(format!("{} attempts", model.attempts));
    }
    facts.join(", ")
}

impl TranscriptWriter {
    pub(super) fn lines(&mut self, turn: &TurnOutcome, outcome: &Outcome) {
        let palette = self.style.palette;
        let peer = outcome.transcript.peer;
        if turn.number == 1 {
            for EarlierMessage { role, text } in &outcome.transcript.history {
                self.row(None, "before", palette.faint, &format!("{role}: {text}"));
            }
        }
        if let Some(sender) = sender(peer, turn).filter(|_| !turn.input.is_empty()) {
            let colon = if peer == Peer::Agent { ":" } else { "" };
            self.row(None, &format!("{sender}{colon}"), Style::new(), &turn.input);
        }
        let kept = excerpt::kept(&turn.lines, &self.marks, self.style.scope);
        for (index, line) in turn.lines.iter().enumerate() {
            if kept[index] {
                self.line(line, peer);
            } else if index == 0 || kept[index - 1] {
                let left_out = kept[index..].iter().take_while(|kept| !**kept).count();
                self.row(None, "…", palette.faint, &format!("{left_out} more lines"));
            }
        }
        // An unexpected error is shown as the problem.
        if let Some(end) = turn.run_end.as_ref().filter(|_| turn.problem().is_none()) {
            self.run_end(end, peer);
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

    fn line(&mut self, line: &TranscriptLine, peer: Peer) {
        let faint = self.style.palette.faint;
        match line {
            TranscriptLine::Says(said)
                if said.repeats_result && !self.marks.contains(said.event) => {}
            TranscriptLine::Says(said) => {
                let label = match peer {
                    Peer::Agent => "agent:",
                    Peer::Server => "server:",
                };
                self.said(said, label);
            }
            TranscriptLine::Calls(call) => self.call(call),
            TranscriptLine::Answered(late) => self.late_result(late),
            TranscriptLine::Asks(model) => self.model(model),
            TranscriptLine::Thinks(said) => {
                self.row(Some(said.event), "thinks:", faint, &said.text);
            }
            TranscriptLine::Custom {
                event,
                at_us: _,
                name,
                value,
            } => {
                let text = format!("{} {value}", self.harmless_line(name));
                self.row(Some(*event), "custom", faint, &text);
            }
        }
    }

    /// Writes a call to a model: `model    2  gpt-5  1,204 → 31 tokens  ← charge_card result  → say "You paid."`. It has no mark,
    /// since it is no event.
    fn model(&mut self, model: &ModelLine) {
        let palette = self.style.palette;
        self.gutter(None);
        let label = format!("{:<LABEL$}", "model");
        self.page.put(palette.faint, &label);
        self.page.hang();
        let name = self.harmless_line(&model.model);
        self.page.plain(&format!("{}  ", model.number));
        self.page.put(palette.name, &name);
        let facts = model_facts(model);
        if !facts.is_empty() {
            self.page.put(palette.faint, &format!("  {facts}"));
        }
        let asked = self.harmless_line(&model.asked);
        let answered = self.harmless_line(&model.answered);
        self.page.plain(&format!("  ← {asked}  → {answered}"));
        self.page.end();
    }

    fn run_end(&mut self, end: &ReportedRunEnd, peer: Peer) {
        match end {
            ReportedRunEnd::Error(message) => self.row(None, "error:", Style::new(), message),
            ReportedRunEnd::Cancelled => {
                let words = format!("{} cancelled the run", peer.noun());
                self.row(None, "ends", self.style.palette.faint, &words);
            }
            ReportedRunEnd::Interrupted(interrupts) if interrupts.is_empty() => {
                self.row(None, "waits", Style::new(), "for a message of the user");
            }
            ReportedRunEnd::Interrupted(interrupts) => {
                for interrupt in interrupts {
                    self.row(None, "waits", Style::new(), &waits_for(interrupt));
                }
            }
            ReportedRunEnd::Finished => {}
        }
    }

    /// Writes a text of the conversation, with the words that a text rule found in red.
    fn said(&mut self, said: &SaidLine, label: &str) {
        let text = self.harmless(&said.text);
        let found = self.found.iter().find_map(|found| {
            let found = escape::terminal(found);
            let at = text.find(&*found)?;
            Some(at..at + found.len())
        });
        let Some(found) = found else {
            return self.row(Some(said.event), label, Style::new(), &said.text);
        };
        let column = self.style.indent + GUTTER + LABEL;
        let failed = self.style.palette.failed;
        self.gutter(Some(said.event));
        self.page
            .put(self.style.palette.faint, &format!("{label:<LABEL$}"));
        self.page.block(column, Style::new(), &text[..found.start]);
        self.page.block(column, failed, &text[found.clone()]);
        self.page.block(column, Style::new(), &text[found.end..]);
        self.page.end();
    }

    fn late_result(&mut self, late: &LateResult) {
        let palette = self.style.palette;
        self.gutter(Some(late.event));
        self.page
            .put(palette.faint, &format!("{:<LABEL$}", "result"));
        self.page.hang();
        let name = self.harmless_line(&late.name);
        self.page.put(palette.name, &name);
        let turn = format!(" of turn {}", late.called_in);
        self.page.put(palette.faint, &turn);
        let result = FocusedJson::of_text(self.harmless(&compact_json(&late.result)), &[]);
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
    fn result(&mut self, length: usize, result: &FocusedJson, facts: &str) {
        let column = self.style.indent + GUTTER + LABEL;
        let longest = self
            .style
            .width
            .map_or(LONGEST_CALL, |width| width.saturating_sub(column + ARROW));
        let is_short = length + columns::width(&result.text) <= longest.min(LONGEST_CALL);
        if is_short && !result.text.contains('\n') {
            self.page.plain(" → ");
            self.unequal(result);
            self.facts(facts);
            return;
        }
        let is_line = self.style.headline == Headline::Above && !result.text.contains('\n');
        self.facts(if is_line { "" } else { facts });
        self.page.space(column);
        self.page.plain("→ ");
        if is_line {
            self.page.hang_at(column + 2);
            self.unequal(result);
            return self.facts(facts);
        }
        if result.marks.is_empty() {
            self.page.block(column + 2, Style::new(), &result.text);
        } else {
            self.page.hang_at(column + 2);
            self.unequal(result);
        }
        self.page.end();
    }

    /// The arguments or the result of the call that began with `event`, with the values that differ from what rules expect.
    fn compared(&self, text: &str, event: EventNumber, of: ComparedValue) -> FocusedJson {
        let differing = self
            .differences
            .iter()
            .filter(|difference| difference.event == Some(event) && difference.of == of);
        let mut focus: Vec<JsonFocus> = Vec::new();
        for difference in differing {
            let place = JsonFocus {
                path: difference.path.clone(),
                expected: Some(difference.expected.clone()),
            };
            if !focus.contains(&place) {
                focus.push(place);
            }
        }
        let plain = match of {
            ComparedValue::Result => self.harmless(&compact_json(text)),
            _ => self.harmless_line(&compact_json(text)),
        };
        let value = serde_json::from_str::<Value>(text).ok();
        match value.filter(|value| value.is_object() || value.is_array()) {
            _ if focus.is_empty() => FocusedJson::of_text(plain, &[]),
            Some(value) if plain.len() <= LONGEST_WHOLE => surrounded(&value, &focus),
            Some(value) => focused(&value, &focus),
            None => FocusedJson::of_text(plain, &focus),
        }
    }

    /// A line with what was found in red and what was expected in green.
    fn unequal(&mut self, line: &FocusedJson) {
        let Palette {
            passed, removed, ..
        } = self.style.palette;
        let mut from = 0;
        for FocusMark { actual, expected } in &line.marks {
            let parts = [
                (Style::new(), from..actual.start),
                (removed, actual.clone()),
                (Style::new(), actual.end..expected.start),
                (passed, expected.clone()),
            ];
            for (style, range) in parts {
                let text = escape::line(line.text.get(range).unwrap_or_default()).into_owned();
                self.page.put(style, &text);
            }
            from = expected.end;
        }
        let rest = escape::line(&line.text[from..]).into_owned();
        self.page.plain(&rest);
    }

    fn call(&mut self, call: &CallOutcome) {
        let palette = self.style.palette;
        let name = self.harmless_line(&call.name);
        let args = self.compared(&call.args, call.event, ComparedValue::Arguments);
        let result = call
            .result
            .as_deref()
            .map(|result| self.compared(result, call.event, ComparedValue::Result));
        let is_brief = self.style.headline == Headline::Above;
        let started = call
            .started_us
            .filter(|_| !is_brief)
            .map(|us| format!("at {}", duration::rounded(us)));
        let is_answered = call.result.is_some() && call.is_client_side;
        let ended = match call.duration_us {
            _ if is_answered => Some("answered by the client".to_owned()),
            taken if is_brief => taken.filter(|taken| *taken >= 1000).map(duration::rounded),
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
        self.page.put(palette.faint, &format!("{:<LABEL$}", "call"));
        self.page.hang();
        self.page.put(palette.name, &name);
        self.page.plain("(");
        self.unequal(&args);
        self.page.plain(")");
        match result {
            Some(result) => self.result(
                columns::width(&name) + columns::width(&args.text),
                &result,
                &facts,
            ),
            None => self.facts(&facts),
        }
    }

    /// Writes the other facts of a call or a result, in parentheses.
    fn facts(&mut self, facts: &str) {
        if !facts.is_empty() {
            self.page.space(2);
            self.page
                .put(self.style.palette.faint, &format!("({facts})"));
        }
        self.page.end();
    }
}
