//! The text of a snapshot: turn by turn the messages, calls, results, changes of the state, and the end.
//!
//! Times, tokens, reasoning and warnings are omitted: they differ between runs in which the agent does the same.

use serde_json::Value;

use super::masks::{MASK, Masks};
use super::rendered_text::RenderedText;
use super::tools::{by_name, normalised};
use super::writer::{LineWriter, STEP, visible_line};
use super::{Format, MaskPath, States, id_aliases::IdAliases, json, state::StateChange};
use crate::redact::Redactor;
use crate::trace::{
    Args, Author, CustomEvent, Interrupt, Message, Origin, ReportedItem, RunEnd, ToolCall,
    ToolResult, Trace, TraceItem, TurnRanges, is_same_json,
};
use ananke_base::message::DeclaredTool;

/// The part of a conversation that is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationPart<'a> {
    /// One turn (0-based), including replayed messages.
    Turn(usize),
    /// All turns except some, without replayed messages.
    Test {
        /// The turns (0-based) that are omitted.
        left_out: &'a [usize],
    },
}

/// The input from which a snapshot is rendered.
#[derive(Clone, Copy, Debug)]
pub struct GoldenText<'a> {
    /// The trace of the agent.
    pub trace: &'a Trace,
    /// The states of the rendered turns.
    pub states: &'a States,
    /// The part that is rendered.
    pub part: ConversationPart<'a>,
    /// The places that are masked.
    pub volatile: &'a [MaskPath],
    /// Masks secrets.
    pub redactor: &'a Redactor,
}

impl GoldenText<'_> {
    /// The text, in whole lines, in the order of a format.
    pub fn render(&self, format: Format) -> String {
        self.rendered(format).text
    }

    /// The text, which can be compared with a file in which numbers are spelled in another way.
    pub fn rendered(&self, format: Format) -> RenderedText {
        let Self {
            trace,
            states,
            volatile,
            redactor,
            part,
        } = *self;
        let mut renderer = Renderer {
            trace,
            states,
            masks: Masks(volatile),
            redactor,
            part,
            format,
            aliases: IdAliases::of(trace),
            writer: LineWriter::default(),
        };
        renderer.writer.line(0, &format.header());
        match part {
            ConversationPart::Turn(index) => renderer.turn("turn", index),
            ConversationPart::Test { left_out } => {
                for (index, turn) in trace.turns.iter().enumerate() {
                    if turn.input.is_not_needed {
                        continue;
                    }
                    let heading = format!("turn {}", index + 1);
                    if left_out.contains(&index) {
                        renderer.heading(&format!("{heading}, omitted"));
                    } else if turn.input.is_replay {
                        renderer.heading(&heading);
                        renderer.input(turn);
                    } else {
                        renderer.turn(&heading, index);
                    }
                }
            }
        }
        renderer.writer.finish()
    }
}

/// An item of a turn.
#[derive(Clone, Copy)]
enum TurnItem<'t> {
    Says(&'t Message),
    Calls(&'t ToolCall),
    Answered(&'t ToolCall, &'t ToolResult),
    Custom(&'t CustomEvent),
}

impl TurnItem<'_> {
    /// The number of the event that opened it.
    fn opened(&self) -> u32 {
        match self {
            Self::Says(message) => message.opened,
            Self::Calls(call) => call.first_event,
            Self::Answered(_, result) => result.event,
            Self::Custom(custom) => custom.event,
        }
    }
}

struct Renderer<'a> {
    trace: &'a Trace,
    states: &'a States,
    masks: Masks<'a>,
    redactor: &'a Redactor,
    part: ConversationPart<'a>,
    format: Format,
    aliases: IdAliases<'a>,
    writer: LineWriter,
}

impl Renderer<'_> {
    fn turn(&mut self, heading: &str, index: usize) {
        let trace = self.trace;
        let Some(turn) = trace.turns.get(index) else {
            return;
        };
        self.heading(heading);
        self.input(turn);
        let declared = trace
            .declarations
            .iter()
            .find(|declared| declared.turn == index && declared.is_answer);
        if let Some(declared) = declared {
            self.tools(&declared.tools);
        }
        for item in items(trace, turn, self.part, self.format) {
            match item {
                // The list of the tools once more.
                TurnItem::Says(_) if declared.is_some() => {}
                TurnItem::Says(message) => self.says(message),
                TurnItem::Calls(call) => self.call(call, index),
                TurnItem::Answered(call, result) => {
                    let name = self.word(&call.name);
                    self.writer.line(
                        STEP,
                        &format!("answer to {name}, called in an earlier turn"),
                    );
                    self.result(call, result);
                }
                TurnItem::Custom(custom) => self.custom(custom),
            }
        }
        if let Some(change) = self.states.of(index) {
            self.state(change);
        }
        self.end(turn);
    }

    fn heading(&mut self, words: &str) {
        self.writer.line(0, "");
        self.writer.line(0, words);
    }

    fn input(&mut self, turn: &TurnRanges) {
        let shown = self.value(&turn.input.shown);
        self.writer.text(STEP, "user", &shown);
    }

    fn says(&mut self, message: &Message) {
        let by = self.by(&message.author);
        let text = if self.masks.text() {
            MASK.to_owned()
        } else {
            self.value(&message.text)
        };
        self.writer.text(STEP, &format!("says{by}"), &text);
    }

    fn tools(&mut self, tools: &[DeclaredTool]) {
        if self.masks.text() {
            return self.writer.text(STEP, "tools", MASK);
        }
        if tools.is_empty() {
            self.writer.line(STEP, "no tools");
        }
        for tool in by_name(tools) {
            let name = self.word(&tool.name);
            self.writer.line(STEP, &format!("tool {name}"));
            if !tool.description.is_empty() {
                let description = self.value(&tool.description);
                self.writer.text(2 * STEP, "description", &description);
            }
            for (label, schema) in [("args", &tool.input), ("result", &tool.output)] {
                if let Some(schema) = schema {
                    self.json(2 * STEP, label, &normalised(schema));
                }
            }
            let mut rest: Vec<(&String, &Value)> = tool.rest.iter().collect();
            rest.sort_by_key(|(key, _)| *key);
            for (key, value) in rest {
                let key = self.key(key);
                self.json(2 * STEP, &key, value);
            }
        }
    }

    fn call(&mut self, call: &ToolCall, turn: usize) {
        let (name, by) = (self.word(&call.name), self.by(&call.author));
        let client = if call.is_client_side {
            ", answered by the client"
        } else {
            ""
        };
        self.writer.line(STEP, &format!("call {name}{by}{client}"));
        match call.args() {
            Args::Json(args) if args.as_object().is_some_and(serde_json::Map::is_empty) => {}
            Args::Json(args) => {
                let mut args = args.clone();
                self.masks.args(&call.name, &mut args);
                self.json(2 * STEP, "args", &args);
            }
            Args::Malformed(_) => {
                let args = self.value(&call.args_text);
                self.writer.text(2 * STEP, "args that are no JSON", &args);
            }
        }
        let trace = self.trace;
        let here: Vec<&ToolResult> = call
            .results
            .iter()
            .filter(|result| turn_of(trace, result.event) == Some(turn))
            .collect();
        for result in &here {
            self.result(call, result);
        }
        if here.is_empty() {
            let words = if call.hides_result() {
                "result not shown"
            } else {
                "no result"
            };
            self.writer.line(2 * STEP, words);
        }
    }

    fn result(&mut self, call: &ToolCall, result: &ToolResult) {
        let label = match (result.is_denied, result.is_error) {
            (true, _) => "result, denied",
            (false, Some(true)) => "result, failed",
            (false, _) => "result",
        };
        let value = result.value();
        let mut masked = value.clone();
        self.masks.result(&call.name, &mut masked);
        if result.structured().is_some() || !is_same_json(&masked, &value) {
            self.json(2 * STEP, label, &masked);
        } else {
            let text = self.value(&result.text);
            self.writer.text(2 * STEP, label, &text);
        }
    }

    fn custom(&mut self, custom: &CustomEvent) {
        let name = self.word(&custom.name);
        let mut value = custom.value.clone();
        self.masks.custom(&custom.name, &mut value);
        self.json(STEP, &format!("custom {name}"), &value);
    }

    fn state(&mut self, change: &StateChange) {
        match change {
            StateChange::Whole(value) => self.json(STEP, "state", value),
            StateChange::Keys(keys) if keys.is_empty() => {}
            StateChange::Keys(keys) => {
                self.writer.line(STEP, "state");
                for (key, value) in keys {
                    let key = self.key(key);
                    match value {
                        Some(value) => self.json(2 * STEP, &key, value),
                        None => self.writer.line(2 * STEP, &format!("{key} is gone")),
                    }
                }
            }
        }
    }

    fn end(&mut self, turn: &TurnRanges) {
        let exchanges = self
            .trace
            .exchanges
            .get(turn.exchanges.clone())
            .unwrap_or_default();
        match exchanges
            .last()
            .and_then(|exchange| exchange.run_end.as_ref())
        {
            None => self.writer.line(STEP, "no end"),
            Some(RunEnd::Finished) => self.writer.line(STEP, "finished"),
            Some(RunEnd::Cancelled) => self.writer.line(STEP, "cancelled by the agent"),
            Some(RunEnd::Unknown(outcome)) => {
                let outcome = self.value(outcome);
                self.writer.text(STEP, "unknown outcome", &outcome);
            }
            Some(error @ RunEnd::Error { .. }) => {
                let error = self.value(&error.to_string());
                self.writer.text(STEP, "error", &error);
            }
            Some(RunEnd::Interrupted(interrupts)) => {
                self.writer.line(STEP, "interrupted");
                for interrupt in interrupts {
                    self.interrupt(interrupt);
                }
            }
        }
    }

    fn interrupt(&mut self, interrupt: &Interrupt) {
        let id = self.aliases.id(&interrupt.id);
        let about = self.trace.tool_of(interrupt).map(str::to_owned);
        let about = about
            .map(|tool| format!(" about {}", self.word(&tool)))
            .unwrap_or_default();
        self.writer.line(
            2 * STEP,
            &format!("waits for an answer to {}{about}", visible_line(&id)),
        );
        for (label, text) in [("reason", &interrupt.reason), ("asks", &interrupt.message)] {
            if let Some(text) = text {
                let text = self.value(text);
                self.writer.text(3 * STEP, label, &text);
            }
        }
    }

    fn json(&mut self, indent: usize, label: &str, value: &Value) {
        let Self {
            redactor,
            aliases,
            writer,
            ..
        } = self;
        let text = json::write(value, &mut |word| {
            aliases.text(&redactor.text(word)).into_owned()
        });
        writer.json(indent, label, &text);
    }

    /// A text with its secrets masked and its ids replaced.
    fn value(&mut self, text: &str) -> String {
        self.aliases.text(&self.redactor.text(text)).into_owned()
    }

    /// A name that the agent gives: ids in it are not replaced.
    fn word(&self, name: &str) -> String {
        visible_line(&self.redactor.text(name))
    }

    /// A key of the state; in quotes unless it is a plain word.
    fn key(&mut self, key: &str) -> String {
        let key = self.value(key);
        let is_plain = |character: char| character.is_alphanumeric() || "_-.<>".contains(character);
        if !key.is_empty() && key.chars().all(is_plain) {
            key
        } else {
            json::quoted(&key)
        }
    }

    fn by(&mut self, lane: &Author) -> String {
        match lane {
            Author::Agent => String::new(),
            Author::Subagent(id) => format!(" by {}", visible_line(&self.aliases.id(id))),
        }
    }
}

/// The items of a turn that are rendered: replayed ones belong to a snapshot of its turn alone.
fn items<'t>(
    trace: &'t Trace,
    turn: &TurnRanges,
    part: ConversationPart<'_>,
    format: Format,
) -> Vec<TurnItem<'t>> {
    let is_rendered = |origin: Origin| match origin {
        Origin::Streamed | Origin::SnapshotOnly => true,
        Origin::Replayed => matches!(part, ConversationPart::Turn(_)),
        Origin::History => false,
    };
    let mut items: Vec<TurnItem<'t>> = Vec::new();
    for item in trace.items_of(turn) {
        match item {
            ReportedItem::Logged(TraceItem::Message(index)) => {
                let message = &trace.messages[index];
                if message.is_text() && is_rendered(message.origin) {
                    items.push(TurnItem::Says(message));
                }
            }
            ReportedItem::Logged(TraceItem::Call(index)) => {
                let call = &trace.calls[index];
                if is_rendered(call.origin) {
                    items.push(TurnItem::Calls(call));
                }
            }
            ReportedItem::Logged(item @ TraceItem::Result { call, .. }) => {
                let call = &trace.calls[call];
                if call.counted_in != turn.index
                    && let Some(result) = item.result(trace)
                {
                    items.push(TurnItem::Answered(call, result));
                }
            }
            ReportedItem::Logged(
                TraceItem::Answer { .. } | TraceItem::State(_) | TraceItem::ModelCall(_),
            ) => {}
            ReportedItem::Custom(index) => items.push(TurnItem::Custom(&trace.custom[index])),
        }
    }
    if format == Format::Opened {
        items.sort_by_key(TurnItem::opened);
    }
    items
}

/// The turn in which an event came.
fn turn_of(trace: &Trace, event: u32) -> Option<usize> {
    let event = trace.events.get(event as usize)?;
    Some(trace.exchanges.get(usize::from(event.exchange))?.turn)
}
