//! The neutral record of what an agent did; knows no protocol.
//!
//! A [`Trace`] is fed wire events and [`Change`]s in the order they arrived and is valid after every one of them. It
//! tells what each change touched ([`Touch`]), so that rules look only at what is new.

mod apply;
mod aside;
mod call;
mod change;
mod clock;
mod exchange;
mod firsts;
mod message;
mod path;
mod snapshot;
mod state;
mod turn;
mod usage;
mod violation;
mod waiting;

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use serde_json::Value;

use crate::context::At;

pub use aside::Custom;
pub use call::{Args, ToolCall, ToolResult};
pub use change::{Change, Interrupt, Outcome, ResultContent, Role, SnapshotCall, SnapshotItem};
pub use exchange::{Event, Exchange};
pub use firsts::First;
pub use message::Message;
pub use path::Path;
pub use state::State;
pub use turn::{Input, Turn};
pub use usage::{Tokens, Usage};
pub use violation::{Violation, Violations};
pub use waiting::Gap;

/// How a message or call came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was streamed.
    Streamed,
    /// It is known from a snapshot of the conversation alone.
    SnapshotOnly,
    /// It was told again in a turn that asked for what was before: the business of that turn alone (SPEC 6).
    Replayed,
    /// It was there before this conversation began; never judged.
    History,
}

/// Who did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The agent under test.
    Agent,
    /// A helper agent of the agent's own, by its id.
    Subagent(String),
}

/// What one change touched: what a rule may want to look at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// This call began.
    CallStarted(usize),
    /// This call's arguments are complete.
    ArgsDone(usize),
    /// This call got a result.
    Answered(usize),
    /// This message is complete.
    MessageClosed(usize),
}

/// Everything one test saw of its agent.
#[derive(Debug, Default)]
pub struct Trace {
    /// The turns, in order.
    pub turns: Vec<Turn>,
    /// The exchanges, in order.
    pub exchanges: Vec<Exchange>,
    /// The events, in order of arrival.
    pub events: Vec<Event>,
    /// The messages of all turns, in order of their start.
    pub messages: Vec<Message>,
    /// The calls of all turns, in order of their start.
    pub calls: Vec<ToolCall>,
    /// The events of the application's own, in order of arrival.
    pub custom: Vec<Custom>,
    /// The agent's state now.
    pub state: State,
    /// The conversation's thread, and every other id that the agent gave it.
    pub thread_ids: Vec<String>,
    raw: Vec<u8>,
    known: Known,
    /// The ids of messages and calls of before the first turn.
    earlier: HashSet<String>,
    kept: aside::Kept,
    /// What was known before the running turn, where that turn is told it again.
    before: Option<Before>,
    /// When each tool was first called and answered live.
    firsts: firsts::Firsts,
    /// How many messages and calls have started and results have come.
    moments: u32,
    /// Whether the running exchange shows frames; a scripted agent shows changes alone.
    framed: bool,
    /// Whether times are to be those that the agent's events tell.
    by_event_clock: bool,
}

/// What is known by its id on the wire.
#[derive(Debug, Default)]
struct Known {
    /// The newest call of each id.
    calls: HashMap<String, usize>,
    /// The newest message of each id.
    messages: HashMap<String, usize>,
    /// The newest complete message of the agent with each text, by the text's hash.
    texts: HashMap<u64, usize>,
    /// The newest thoughts of each id, which may be that of a message as well.
    thoughts: HashMap<String, usize>,
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// What a turn that is told everything again starts without.
#[derive(Debug)]
struct Before {
    known: Known,
    /// The state, until the agent tells one.
    state: Option<State>,
}

impl Trace {
    /// The record of a conversation whose state starts as `state`.
    pub fn new(state: Value) -> Self {
        Self { state: State::new(state), ..Self::default() }
    }

    /// The same record, which takes the times of a turn from what its events tell, where all of them do.
    #[must_use]
    pub fn by_event_clock(self, by_event_clock: bool) -> Self {
        Self { by_event_clock, ..self }
    }

    /// The same record of a conversation on the thread `id`.
    #[must_use]
    pub fn on_thread(self, id: impl Into<String>) -> Self {
        Self { thread_ids: vec![id.into()], ..self }
    }

    /// The same record of a conversation in which messages and calls with these ids were there before.
    #[must_use]
    pub fn after(self, ids: impl IntoIterator<Item = String>) -> Self {
        Self { earlier: ids.into_iter().collect(), ..self }
    }

    /// Begins a turn.
    pub fn begin_turn(&mut self, input: Input) {
        let (id, text) = (input.message_id.clone(), input.text.clone());
        if input.is_replay {
            let empty = State::new(Value::Object(serde_json::Map::new()));
            let state = Some(std::mem::replace(&mut self.state, empty));
            self.before = Some(Before { known: std::mem::take(&mut self.known), state });
        }
        let begins = [self.exchanges.len(), self.messages.len(), self.calls.len(), self.custom.len()];
        self.turns.push(Turn::new(input, begins));
        if let Some(id) = id {
            self.push_message(Message::of_user(id, text, self.turns.len() - 1, self.next_event()));
        }
    }

    /// Begins an exchange of the running turn; `at` is when its request was sent.
    pub fn begin_exchange(&mut self, at: At) {
        self.framed = false;
        self.exchanges.push(Exchange::sent(self.turns.len().saturating_sub(1), at));
        if let Some(turn) = self.turns.last_mut() {
            turn.exchanges.end = self.exchanges.len();
        }
    }

    /// The head of the running exchange's answer.
    pub fn head(&mut self, at: At, status: u16) {
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.first_byte.get_or_insert(at);
            exchange.status = Some(status);
        }
    }

    /// A raw frame: the event that the next changes come from.
    pub fn frame(&mut self, at: At, raw: &[u8]) {
        self.framed = true;
        let start = self.raw.len();
        self.raw.extend_from_slice(raw);
        self.push_event(at, start..self.raw.len());
    }

    /// The running exchange is over; `at` ends its time where no terminal event did.
    pub fn end_exchange(&mut self, at: At) {
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.ended.get_or_insert(at);
        }
    }

    /// The running turn is over: arguments that never ended are complete as they are, messages that were never closed
    /// are closed. What that touches goes to `touched`.
    pub fn end_turn(&mut self, touched: &mut Vec<Touch>) {
        let Some(turn) = self.turns.last() else { return };
        let (messages, calls) = (turn.messages.clone(), turn.calls.clone());
        if self.by_event_clock {
            self.take_event_times();
        }
        let at = self.turns.last().and_then(|turn| self.turn_end(turn)).unwrap_or_default();
        let event = self.last_event();
        for index in messages {
            self.close_message(index, touched);
        }
        for index in calls {
            if self.calls[index].finish_args(at, event) {
                touched.push(Touch::ArgsDone(index));
            }
        }
        if let Some(Before { known, state }) = self.before.take() {
            // What is told again is known by what it was the first time.
            self.known.calls.extend(known.calls);
            self.known.messages.extend(known.messages);
            self.known.texts.extend(known.texts);
            self.known.thoughts.extend(known.thoughts);
            self.state = state.unwrap_or_else(|| std::mem::take(&mut self.state));
        }
    }

    /// The client answers a call at the end of the running exchange: its own time costs the agent nothing (SPEC 7.3).
    pub fn answer_as_client(&mut self, id: &str, text: String, is_error: bool, touched: &mut Vec<Touch>) {
        if let Some(call) = self.known.calls.get(id).and_then(|index| self.calls.get_mut(*index)) {
            call.is_clients = true;
        }
        let at = self.exchanges.last().and_then(|exchange| exchange.ended).unwrap_or_default();
        self.answer(at, id, ResultContent::Text(text.into()), Some(is_error), touched);
    }

    /// The number of the newest event.
    pub fn last_event(&self) -> u32 {
        self.next_event().saturating_sub(1)
    }

    /// The raw bytes of an event; empty for an agent that shows no frames.
    pub fn raw(&self, event: &Event) -> &[u8] {
        let Range { start, end } = event.raw;
        self.raw.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The tool whose call an interrupt is about.
    pub fn tool_of(&self, interrupt: &Interrupt) -> Option<&str> {
        let id = interrupt.call.as_ref()?;
        let call = self.known.calls.get(id).and_then(|index| self.calls.get(*index))?;
        Some(&call.name)
    }

    /// When the tool `name` was first called or answered live, counted as in [`ToolCall::began`].
    pub fn first(&self, name: &str, what: First, with_subagents: bool) -> Option<u32> {
        self.firsts.get(name, what, with_subagents)
    }

    /// Whether rules look at this call: made by the agent or a helper of its own, in this conversation.
    pub fn is_live(&self, call: usize) -> bool {
        self.calls.get(call).is_some_and(|call| call.origin != Origin::History)
    }

    /// The text of a turn: the agent's messages in order, joined by newlines, empty ones ignored (SPEC 6).
    pub fn turn_text(&self, turn: &Turn) -> String {
        let messages = self.messages.get(turn.messages.clone()).unwrap_or_default();
        let texts: Vec<&str> = messages
            .iter()
            .filter(|message| message.is_text())
            .map(|message| message.text.as_str())
            .collect();
        texts.join("\n")
    }

    /// The text of all turns but those that are told what was before, joined by newlines, empty ones ignored.
    pub fn text(&self) -> String {
        self.text_of(|_| true)
    }

    /// The text of the turns that are wanted, but for those that are told what was before, joined by newlines, empty
    /// ones ignored.
    pub fn text_of(&self, wanted: impl Fn(usize) -> bool) -> String {
        let turns =
            self.turns.iter().enumerate().filter(|(index, turn)| !turn.input.is_replay && wanted(*index));
        let texts: Vec<String> =
            turns.map(|(_, turn)| self.turn_text(turn)).filter(|text| !text.is_empty()).collect();
        texts.join("\n")
    }

    /// The agent's time in a turn: from sending to the terminal event of each exchange, in microseconds.
    pub fn turn_micros(&self, turn: &Turn) -> u64 {
        let exchanges = self.exchanges.get(turn.exchanges.clone()).unwrap_or_default();
        exchanges.iter().map(Exchange::micros).sum()
    }

    /// The moment `at` on the agent's own clock of a turn: microseconds since it was first sent, without the time
    /// between its exchanges.
    pub fn agent_micros(&self, turn: &Turn, at: At) -> u64 {
        let exchanges = self.exchanges.get(turn.exchanges.clone()).unwrap_or_default();
        exchanges.iter().map(|exchange| at.0.saturating_sub(exchange.sent.0).min(exchange.micros())).sum()
    }

    /// What a turn took in tokens; `None` where nothing of it came to an end.
    pub fn turn_usage(&self, turn: &Turn) -> Option<Usage> {
        let exchanges = self.exchanges.get(turn.exchanges.clone())?;
        exchanges.iter().filter_map(|exchange| exchange.usage).reduce(|sum, usage| sum + usage)
    }

    /// When a turn was sent.
    pub fn turn_start(&self, turn: &Turn) -> Option<At> {
        Some(self.exchanges.get(turn.exchanges.start)?.sent)
    }

    /// When a turn's last exchange ended.
    pub fn turn_end(&self, turn: &Turn) -> Option<At> {
        self.exchanges.get(turn.exchanges.clone())?.last()?.ended
    }

    /// Remembers something odd about the running turn; never more than [`Turn::MAX_WARNINGS`].
    pub fn warn(&mut self, text: impl Into<String>) {
        if let Some(turn) = self.turns.last_mut() {
            turn.warn(text.into());
        }
    }

    fn close_message(&mut self, index: usize, touched: &mut Vec<Touch>) {
        if self.messages[index].close() {
            self.note_text(index);
            touched.push(Touch::MessageClosed(index));
        }
    }

    fn note_text(&mut self, index: usize) {
        let message = &self.messages[index];
        if message.role == Role::Assistant && !message.text.is_empty() {
            self.known.texts.insert(hash(&message.text), index);
        }
    }

    /// How what comes now is known.
    fn origin(&self) -> Origin {
        if self.turns.last().is_some_and(|turn| turn.input.is_replay) {
            Origin::Replayed
        } else {
            Origin::Streamed
        }
    }

    fn next_event(&self) -> u32 {
        u32::try_from(self.events.len()).unwrap_or(u32::MAX)
    }

    fn push_message(&mut self, message: Message) {
        self.known.messages.insert(message.wire_id.clone(), self.messages.len());
        self.add_message(message);
    }

    fn add_message(&mut self, mut message: Message) {
        message.began = self.next_moment();
        self.messages.push(message);
        if let Some(turn) = self.turns.last_mut() {
            turn.messages.end = self.messages.len();
        }
    }

    fn push_event(&mut self, at: At, raw: Range<usize>) {
        let offset = |value| u32::try_from(value).unwrap_or(u32::MAX);
        let exchange = u16::try_from(self.exchanges.len().saturating_sub(1)).unwrap_or(u16::MAX);
        let raw = offset(raw.start)..offset(raw.end);
        self.events.push(Event { at, exchange, raw, stamp: None });
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.first_byte.get_or_insert(at);
        }
    }
}
