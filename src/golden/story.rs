//! The text of a snapshot: turn by turn what was said, called and answered, what became of the state, and how it ended.
//!
//! Left out are times, tokens, thoughts and what is odd about the wire: they change while the agent does the same.

use serde_json::Value;

use super::names::Names;
use super::page::{Page, STEP, visible_line};
use super::state::{Change, States};
use super::volatile::{MASK, Masks, Volatile};
use super::{file, json};
use crate::redact::Redactor;
use crate::trace::{
    Args, Author, CustomEvent, Interrupt, Message, Origin, RunEnd, ToolCall, ToolResult, Trace, Turn,
};

/// Which part of a conversation is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// One turn, counted from 0, with what it was told again.
    Turn(usize),
    /// All turns but these, without what any was told again.
    Test {
        /// Counted from 0.
        left_out: &'a [usize],
    },
}

/// What a snapshot is written from.
#[derive(Clone, Copy, Debug)]
pub struct Story<'a> {
    /// What happened.
    pub trace: &'a Trace,
    /// The states of the turns that are told.
    pub states: &'a States,
    /// Which of it is told.
    pub part: Part<'a>,
    /// What of it is masked.
    pub volatile: &'a [Volatile],
    /// Masks secrets.
    pub redactor: &'a Redactor,
}

impl Story<'_> {
    /// The text, in whole lines.
    pub fn write(&self) -> String {
        let Self { trace, states, volatile, redactor, part } = *self;
        let mut writing = Writing {
            trace,
            states,
            masks: Masks(volatile),
            redactor,
            names: Names::of(trace),
            page: Page::default(),
        };
        writing.page.line(0, file::HEADER);
        match part {
            Part::Turn(index) => writing.turn("turn", index, true),
            Part::Test { left_out } => {
                for (index, turn) in trace.turns.iter().enumerate() {
                    let heading = format!("turn {}", index + 1);
                    if left_out.contains(&index) {
                        writing.heading(&format!("{heading}, left out"));
                    } else if turn.input.is_replay {
                        writing.heading(&heading);
                        writing.input(turn);
                    } else {
                        writing.turn(&heading, index, false);
                    }
                }
            }
        }
        writing.page.finish()
    }
}

/// Something that stands in a turn, in the order it began.
#[derive(Clone, Copy)]
enum Item<'t> {
    Says(&'t Message),
    Calls(&'t ToolCall),
    Answered(&'t ToolCall, &'t ToolResult),
    Custom(&'t CustomEvent),
}

impl Item<'_> {
    fn event(&self) -> u32 {
        match self {
            Self::Says(message) => message.opened,
            Self::Calls(call) => call.first_event,
            Self::Answered(_, result) => result.event,
            Self::Custom(custom) => custom.event,
        }
    }
}

struct Writing<'a> {
    trace: &'a Trace,
    states: &'a States,
    masks: Masks<'a>,
    redactor: &'a Redactor,
    names: Names<'a>,
    page: Page,
}

impl Writing<'_> {
    fn turn(&mut self, heading: &str, index: usize, with_replayed: bool) {
        let trace = self.trace;
        let Some(turn) = trace.turns.get(index) else { return };
        self.heading(heading);
        self.input(turn);
        for item in items(trace, index, turn, with_replayed) {
            match item {
                Item::Says(message) => self.says(message),
                Item::Calls(call) => self.call(call, index),
                Item::Answered(call, result) => {
                    let name = self.word(&call.name);
                    self.page.line(STEP, &format!("answer to {name}, called in an earlier turn"));
                    self.result(call, result);
                }
                Item::Custom(custom) => self.custom(custom),
            }
        }
        if let Some(change) = self.states.of(index) {
            self.state(change);
        }
        self.end(turn);
    }

    fn heading(&mut self, words: &str) {
        self.page.line(0, "");
        self.page.line(0, words);
    }

    fn input(&mut self, turn: &Turn) {
        let shown = self.value(&turn.input.shown);
        self.page.text(STEP, "user", &shown);
    }

    fn says(&mut self, message: &Message) {
        let by = self.by(&message.author);
        let text = if self.masks.text() { MASK.to_owned() } else { self.value(&message.text) };
        self.page.text(STEP, &format!("says{by}"), &text);
    }

    fn call(&mut self, call: &ToolCall, turn: usize) {
        let (name, by) = (self.word(&call.name), self.by(&call.author));
        let client = if call.is_client_side { ", answered by its mock" } else { "" };
        self.page.line(STEP, &format!("call {name}{by}{client}"));
        match call.args() {
            Args::Json(args) if args.as_object().is_some_and(serde_json::Map::is_empty) => {}
            Args::Json(args) => {
                let mut args = args.clone();
                self.masks.args(&call.name, &mut args);
                self.json(2 * STEP, "args", &args);
            }
            Args::Malformed(_) => {
                let args = self.value(&call.args_text);
                self.page.text(2 * STEP, "args that are no JSON", &args);
            }
        }
        let trace = self.trace;
        let here: Vec<&ToolResult> =
            call.results.iter().filter(|result| turn_of(trace, result.event) == Some(turn)).collect();
        for result in &here {
            self.result(call, result);
        }
        if here.is_empty() {
            self.page.line(2 * STEP, "no result");
        }
    }

    fn result(&mut self, call: &ToolCall, result: &ToolResult) {
        let label = match (result.is_denied, result.is_error) {
            (true, _) => "result, denied",
            (false, Some(true)) => "result, failed",
            (false, _) => "result",
        };
        let value = result.structured.clone().unwrap_or_else(|| Value::from(result.text.as_str()));
        let mut masked = value.clone();
        self.masks.result(&call.name, &mut masked);
        if result.structured.is_some() || masked != value {
            self.json(2 * STEP, label, &masked);
        } else {
            let text = self.value(&result.text);
            self.page.text(2 * STEP, label, &text);
        }
    }

    fn custom(&mut self, custom: &CustomEvent) {
        let name = self.word(&custom.name);
        let mut value = custom.value.clone();
        self.masks.custom(&custom.name, &mut value);
        self.json(STEP, &format!("custom {name}"), &value);
    }

    fn state(&mut self, change: &Change) {
        match change {
            Change::Whole(value) => self.json(STEP, "state", value),
            Change::Keys(keys) if keys.is_empty() => {}
            Change::Keys(keys) => {
                self.page.line(STEP, "state");
                for (key, value) in keys {
                    let key = self.key(key);
                    match value {
                        Some(value) => self.json(2 * STEP, &key, value),
                        None => self.page.line(2 * STEP, &format!("{key} is gone")),
                    }
                }
            }
        }
    }

    fn end(&mut self, turn: &Turn) {
        let exchanges = self.trace.exchanges.get(turn.exchanges.clone()).unwrap_or_default();
        match exchanges.last().and_then(|exchange| exchange.run_end.as_ref()) {
            None => self.page.line(STEP, "no end"),
            Some(RunEnd::Finished) => self.page.line(STEP, "finished"),
            Some(RunEnd::Cancelled) => self.page.line(STEP, "cancelled by the agent"),
            Some(error @ RunEnd::Error { .. }) => {
                let error = self.value(&error.to_string());
                self.page.text(STEP, "error", &error);
            }
            Some(RunEnd::Interrupted(interrupts)) => {
                self.page.line(STEP, "interrupted");
                for interrupt in interrupts {
                    self.interrupt(interrupt);
                }
            }
        }
    }

    fn interrupt(&mut self, interrupt: &Interrupt) {
        let id = self.names.id(&interrupt.id);
        let about = self.trace.tool_of(interrupt).map(str::to_owned);
        let about = about.map(|tool| format!(" about {}", self.word(&tool))).unwrap_or_default();
        self.page.line(2 * STEP, &format!("waits for an answer to {}{about}", visible_line(&id)));
        for (label, text) in [("reason", &interrupt.reason), ("asks", &interrupt.message)] {
            if let Some(text) = text {
                let text = self.value(text);
                self.page.text(3 * STEP, label, &text);
            }
        }
    }

    fn json(&mut self, indent: usize, label: &str, value: &Value) {
        let Self { redactor, names, page, .. } = self;
        let text = json::write(value, &mut |word| names.text(&redactor.text(word)).into_owned());
        page.lines(indent, label, &text);
    }

    /// A text with its secrets masked and its ids named.
    fn value(&mut self, text: &str) -> String {
        self.names.text(&self.redactor.text(text)).into_owned()
    }

    /// A name that the agent gives: it is no place for ids.
    fn word(&self, name: &str) -> String {
        visible_line(&self.redactor.text(name))
    }

    /// A key of the state; in quotes where it would not stand for itself.
    fn key(&mut self, key: &str) -> String {
        let key = self.value(key);
        let is_plain = |character: char| character.is_alphanumeric() || "_-.<>".contains(character);
        if !key.is_empty() && key.chars().all(is_plain) { key } else { json::quoted(&key) }
    }

    fn by(&mut self, lane: &Author) -> String {
        match lane {
            Author::Agent => String::new(),
            Author::Subagent(id) => format!(" by {}", visible_line(&self.names.id(id))),
        }
    }
}

fn items<'t>(trace: &'t Trace, index: usize, turn: &Turn, with_replayed: bool) -> Vec<Item<'t>> {
    let is_told = |origin: Origin| match origin {
        Origin::Streamed | Origin::SnapshotOnly => true,
        Origin::Replayed => with_replayed,
        Origin::History => false,
    };
    let messages = trace.messages.get(turn.messages.clone()).unwrap_or_default().iter();
    let said = messages.filter(|message| message.is_text() && is_told(message.origin));
    let calls = trace.calls.get(turn.calls.clone()).unwrap_or_default().iter();
    let calls = calls.filter(|call| is_told(call.origin)).map(Item::Calls);
    let answered = turn.late_results.iter().filter_map(|call| trace.calls.get(*call));
    let answered = answered.flat_map(|call| {
        let here = call.results.iter().filter(|result| turn_of(trace, result.event) == Some(index));
        here.map(move |result| Item::Answered(call, result))
    });
    let custom = trace.custom.get(turn.custom.clone()).unwrap_or_default().iter().map(Item::Custom);
    let mut items: Vec<Item<'t>> = said.map(Item::Says).chain(calls).chain(answered).chain(custom).collect();
    items.sort_by_key(Item::event);
    items
}

/// The turn in which an event came.
fn turn_of(trace: &Trace, event: u32) -> Option<usize> {
    let event = trace.events.get(event as usize)?;
    Some(trace.exchanges.get(usize::from(event.exchange))?.turn)
}
