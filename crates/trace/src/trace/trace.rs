//! The record of one conversation, and how turns, exchanges and events enter it.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::log::{Log, LogPlace};
use super::model::ModelSight;
use super::{
    Aside, CallPhase, Callers, CustomEvent, Declaration, Delta, Event, EventNumber, Exchange,
    Input, Interrupt, LoggedModelCall, Message, MessageKind, Origin, Peer, Prices, ResultContent,
    State, StateEvent, ToolCall, TraceItem, TurnRanges,
};
use super::{known::KnownItems, received_bytes::ReceivedBytes, tool_index::ToolIndex};
use crate::trace::facts::{Fact, Facts, KnownName, Ledger};
use ananke_base::context::At;
use ananke_base::message::{HistoryMessage, ToolAnswer};

/// The reason why a rule about results is neither passed nor failed if the agent does not show them.
const HIDDEN_RESULTS: &str = "the agent does not show the results of its calls";

/// The reason why a rule about requests to models is neither passed nor failed if there are none of `models`.
const UNSEEN_MODEL: &str =
    "no model of `models` answers the agent, so that its requests are not seen";

/// Everything one test observed of its agent.
#[derive(Debug, Default)]
pub struct Trace {
    /// The turns, in order.
    pub turns: Vec<TurnRanges>,
    /// The exchanges, in order.
    pub exchanges: Vec<Exchange>,
    /// The events, in order of arrival.
    pub events: Vec<Event>,
    /// The timestamps of events in microseconds of Unix time, as far as they were reported.
    pub(super) stamps: Vec<Option<u64>>,
    /// The messages of all turns, in the order in which they were first heard of: the log says in which they began.
    pub messages: Vec<Message>,
    /// The calls of all turns, in the order in which they were first heard of: the log says in which they began.
    pub calls: Vec<ToolCall>,
    /// The peer of the test.
    pub peer: Peer,
    /// Whether a call may be among them whose result the agent does not show.
    pub(super) hides_results: bool,
    /// The texts next to the answers, in order of arrival.
    pub asides: Vec<Aside>,
    /// The custom events, in order of arrival.
    pub custom: Vec<CustomEvent>,
    /// The calls to models, in order.
    pub model_calls: Vec<LoggedModelCall>,
    /// Whether requests to models are seen.
    pub(super) models: ModelSight,
    /// The tools that the agent declared, each time it did.
    pub declarations: Vec<Declaration>,
    /// The agent's state now.
    pub state: State,
    /// The changes of the state, in order.
    pub state_changes: Vec<StateEvent>,
    /// The state as it was before the running turn changed it.
    pub(super) state_before: Option<Value>,
    /// The conversation's thread, and every other id that the agent gave it.
    pub thread_ids: Vec<String>,
    /// The things that were not understood.
    pub ledger: Ledger,
    pub(super) known: KnownItems,
    /// The ids of messages and calls from before the first turn.
    pub(super) known_ids: HashSet<String>,
    pub(super) kept: ReceivedBytes,
    /// The state and the names from before a replay, while its turn runs.
    pub(super) before_replay: Option<BeforeReplay>,
    /// The positions at which each tool was first called and answered live.
    pub(super) tools: ToolIndex,
    /// Everything that happened, in the order in which it began.
    pub(super) log: Log,
    /// Whether the running exchange has events of its own; of a scripted agent each change is one.
    has_events: bool,
    /// Whether times are those of the agent's events.
    by_event_clock: bool,
    /// The conversation before the first turn.
    history: Option<Box<Trace>>,
    /// The prices of tokens; `None` if costs do not matter.
    pub(super) prices: Option<Arc<Prices>>,
}

/// State saved while a replay turn runs.
#[derive(Debug)]
pub(super) struct BeforeReplay {
    known: KnownItems,
    /// The state, until the agent sends one.
    pub(super) state: Option<State>,
}

impl Trace {
    /// The calls whose results the agent does not show.
    fn hidden_results(&self) -> impl Iterator<Item = &ToolCall> {
        let calls: &[ToolCall] = if self.hides_results { &self.calls } else { &[] };
        calls.iter().filter(|call| call.hides_result())
    }

    /// The record of a conversation whose state starts as `state`.
    pub fn new(state: Value) -> Self {
        Self {
            state: State::new(state),
            ..Self::default()
        }
    }

    /// The same record, of a conversation with `peer`.
    #[must_use]
    pub fn with_peer(mut self, peer: Peer) -> Self {
        self.peer = peer;
        self
    }

    /// The same record, in whose ledger these names do not count.
    #[must_use]
    pub fn knowing(mut self, known: &[KnownName]) -> Self {
        self.ledger = Ledger::knowing(known);
        self
    }

    /// The same record, which takes the times of a turn from its events if all of them have one.
    #[must_use]
    pub fn by_event_clock(mut self) -> Self {
        self.by_event_clock = true;
        self
    }

    /// The same record, in which tokens have a cost by these prices.
    #[must_use]
    pub fn priced(mut self, prices: Option<Arc<Prices>>) -> Self {
        self.prices = prices;
        self
    }

    /// The same record for a conversation on the thread `id`.
    #[must_use]
    pub fn on_thread(mut self, id: impl Into<String>) -> Self {
        self.thread_ids = vec![id.into()];
        self
    }

    /// The same record for a conversation in which messages and calls with these ids existed before.
    #[must_use]
    pub fn after(mut self, ids: impl IntoIterator<Item = String>) -> Self {
        self.known_ids = ids.into_iter().collect();
        self
    }

    /// The same record of a conversation that goes on after `messages`, which are no part of it.
    #[must_use]
    pub fn remembering(mut self, messages: &[HistoryMessage]) -> Self {
        self.history = Some(Box::new(Self::of_history(messages)));
        self
    }

    /// The conversation before the first turn, as a record of its own.
    pub fn history(&self) -> Option<&Self> {
        self.history.as_deref()
    }

    /// Begins a turn.
    pub fn begin_turn(&mut self, input: Input) {
        let id = input.message_id.clone();
        let text = input.text.clone();
        // A replay shows the whole thread again, so that nothing counts as known until the turn ends.
        if input.is_replay {
            let empty = State::new(Value::Object(serde_json::Map::new()));
            let state = Some(std::mem::replace(&mut self.state, empty));
            self.before_replay = Some(BeforeReplay {
                known: std::mem::take(&mut self.known),
                state,
            });
        }
        let begins = [
            self.exchanges.len(),
            self.messages.len(),
            self.calls.len(),
            self.custom.len(),
        ];
        let answers = u32::try_from(input.answered.len()).unwrap_or(u32::MAX);
        let turn = self.turns.len();
        let began = self.log.next();
        let first_event = self.next_event();
        for nth in 0..answers {
            self.log.append(TraceItem::Answer { turn, nth });
        }
        self.turns
            .push(TurnRanges::new((turn, input), began, first_event, begins));
        if let Some(id) = id {
            let message = Message::of_user(id.into(), text, self.current_turn(), self.next_event());
            let index = self.push_message(message);
            self.begin_message(index, LogPlace::End);
        }
    }

    /// Adds turns that were not needed, until there are `count` turns: later turns keep their numbers.
    pub fn pass_over_turns(&mut self, count: usize) {
        while self.turns.len() < count {
            self.begin_turn(Input {
                is_not_needed: true,
                ..Input::default()
            });
        }
    }

    /// The number of turns that were sent, with the one that runs.
    pub fn sent_turns(&self) -> usize {
        let turns = self.turns.iter();
        turns.filter(|turn| !turn.input.is_not_needed).count()
    }

    /// Begins an exchange of the running turn; `at` is when its request was sent.
    pub fn begin_exchange(&mut self, at: At) {
        self.has_events = false;
        self.exchanges.push(Exchange::sent(self.current_turn(), at));
        if let Some(turn) = self.turns.last_mut() {
            turn.exchanges.end = self.exchanges.len();
        }
    }

    /// Takes the head of the response of the running exchange.
    pub fn head(&mut self, at: At, status: u16) {
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.first_byte.get_or_insert(at);
            exchange.status = Some(status);
        }
    }

    /// The response of the running exchange did not come in time; `missing` says how far its request came.
    pub fn late(&mut self, missing: &str) {
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.missing = Some(missing.to_owned());
        }
    }

    /// Takes an event: the next changes come from it.
    pub fn event(&mut self, at: At) {
        self.has_events = true;
        self.push_event(at);
    }

    /// Ends the running exchange; `at` ends its time if no terminal event did.
    pub fn end_exchange(&mut self, at: At) {
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.ended.get_or_insert(at);
        }
    }

    /// Ends the running turn: arguments that never ended are complete as they are, open messages are closed. What that
    /// adds goes to `deltas`.
    pub fn end_turn(&mut self, deltas: &mut Vec<Delta>) {
        // The times come first, because what ends with the turn has the time of its end.
        if self.by_event_clock {
            self.take_event_times();
        }
        let Some(turn) = self.turns.last() else {
            return;
        };
        let messages = turn.messages.clone();
        let calls = turn.calls.clone();
        let is_replay = turn.input.is_replay;
        let at = self.turn_end(turn).unwrap_or_default();
        for index in messages {
            self.close_message(index, deltas);
        }
        for index in calls {
            self.complete_args(index, at, deltas);
        }

        // A replay changes no text in the state: it shows it again.
        if is_replay {
            self.state_before = None;
        }
        self.add_asides_of_state(deltas);
        if let Some(BeforeReplay { known, state }) = self.before_replay.take() {
            self.known.restore(known, &self.calls);
            if let Some(state) = state {
                self.state = state;
            }
        }
    }

    /// Answers a call as the client at the end of the running exchange: the client's time does not count (SPEC 7.3).
    pub fn answer_as_client(&mut self, answer: &ToolAnswer, deltas: &mut Vec<Delta>) {
        let id = &*answer.call;
        if let Some(index) = self.known_call(id) {
            self.calls[index].is_client_side = true;
        }
        let at = match self.exchanges.last() {
            Some(exchange) => exchange.ended.unwrap_or_default(),
            None => At::default(),
        };
        let result = ResultContent::Text(answer.text().into());
        let is_error = Some(answer.is_error);
        self.answer(at, id, (result, is_error), LogPlace::End, deltas);
    }

    /// The number of events of the running turn so far.
    pub fn events_so_far(&self) -> u32 {
        match self.turns.last() {
            Some(turn) => self.next_event() - turn.first_event,
            None => 0,
        }
    }

    /// The number of the newest event, as people name it.
    pub fn newest_event(&self) -> EventNumber {
        self.numbered(self.last_event())
    }

    /// The number of the event at `index` of [`Trace::events`], or of the one that comes there next.
    pub fn numbered(&self, index: u32) -> EventNumber {
        let begun = self.turns.partition_point(|turn| turn.first_event <= index);
        match begun.checked_sub(1) {
            Some(last) => self.turns[last].numbered(index),
            None => EventNumber::default(),
        }
    }

    /// The index of the newest event.
    pub(super) fn last_event(&self) -> u32 {
        self.next_event().saturating_sub(1)
    }

    /// The tool whose call an interrupt is about.
    pub fn tool_of(&self, interrupt: &Interrupt) -> Option<&str> {
        let call = self.known_call(interrupt.call.as_deref()?)?;
        Some(&self.calls[call].name)
    }

    /// The position at which the tool `name` was first called or answered live, as a [`ToolCall::order`].
    pub fn first(&self, name: &str, phase: CallPhase, callers: Callers) -> Option<u64> {
        self.tools.first(name, phase, callers)
    }

    /// Whether rules look at this call: made by the agent or a subagent, in this conversation.
    pub fn is_live(&self, call: usize) -> bool {
        match self.calls.get(call) {
            Some(call) => call.origin != Origin::History,
            None => false,
        }
    }

    /// The reason why a rule that rests on the facts `needed` of a turn, counted from 0, or of all turns, is neither passed
    /// nor failed: those of them that were not read, or are not shown. `is_about` says whether these facts of a tool may matter.
    pub fn lacking(
        &self,
        turn: Option<usize>,
        needed: Facts,
        is_about: &dyn Fn(&str, Facts) -> bool,
    ) -> Option<String> {
        let mut unread = self.ledger.about(turn, needed, is_about);
        if let Some((name, kind)) = unread.next() {
            let more = match unread.count() {
                0 => String::new(),
                others => format!(" (and {others} more)"),
            };
            let sentence = kind.sentence(name);
            let remedy = kind.remedy(name);
            return Some(format!("{sentence}{more}{remedy}"));
        }
        if needed.meets(Facts::OF_MODEL) && self.models == ModelSight::Unseen {
            return Some(UNSEEN_MODEL.to_owned());
        }
        if !needed.has(Fact::Results) && !needed.has(Fact::CallEnds) {
            return None;
        }
        for call in self.hidden_results() {
            let is_in_scope = turn.is_none() || turn == Some(call.counted_in);
            if is_in_scope && is_about(&call.name, Facts::of(&[Fact::Results])) {
                return Some(HIDDEN_RESULTS.to_owned());
            }
        }
        None
    }

    /// Whether everything in it was understood, and no result is hidden.
    pub fn is_whole(&self) -> bool {
        self.ledger.is_empty() && !self.hides_results
    }

    /// Adds a warning to the running turn, at most [`TurnRanges::MAX_WARNINGS`].
    pub fn warn(&mut self, text: impl Into<String>) {
        if let Some(turn) = self.turns.last_mut() {
            turn.warn(text.into());
        }
    }

    pub(super) fn close_message(&mut self, index: usize, deltas: &mut Vec<Delta>) {
        if self.messages[index].close() {
            self.add_known_text(index);
            deltas.push(Delta::MessageClosed(index));
        }
    }

    pub(super) fn add_known_text(&mut self, index: usize) {
        let message = &self.messages[index];
        if message.role == MessageKind::Assistant && !message.text.is_empty() {
            self.known.add_text(&message.text, index);
        }
    }

    /// The origin of what is streamed now.
    pub(super) fn origin(&self) -> Origin {
        if self.turns.last().is_some_and(|turn| turn.input.is_replay) {
            Origin::Replayed
        } else {
            Origin::Streamed
        }
    }

    pub(super) fn current_turn(&self) -> usize {
        self.turns.len().saturating_sub(1)
    }

    /// The index of the newest call of an id.
    pub(super) fn known_call(&self, id: &str) -> Option<usize> {
        self.known.call(id, &self.calls)
    }

    pub(super) fn next_event(&self) -> u32 {
        u32::try_from(self.events.len()).unwrap_or(u32::MAX)
    }

    /// Adds a message that has not begun, and returns its index.
    pub(super) fn push_message(&mut self, message: Message) -> usize {
        self.known
            .messages
            .insert(message.wire_id.clone(), self.messages.len());
        self.add_message(message)
    }

    /// The same for a message that is not found by its id.
    pub(super) fn add_message(&mut self, message: Message) -> usize {
        self.messages.push(message);
        if let Some(turn) = self.turns.last_mut() {
            turn.messages.end = self.messages.len();
        }
        self.messages.len() - 1
    }

    /// Begins a message, whose first text is there.
    pub(super) fn begin_message(&mut self, index: usize, place: LogPlace) {
        self.messages[index].order = self.add_to_log(TraceItem::Message(index), place);
    }

    pub(super) fn push_call(&mut self, mut call: ToolCall, place: LogPlace) {
        call.order = self.add_to_log(TraceItem::Call(self.calls.len()), place);
        if call.origin.is_new() {
            self.tools
                .note(&call.name, CallPhase::Called, &call.author, call.order);
        }
        self.calls.push(call);
        self.known.add_call(&self.calls);
        if let Some(turn) = self.turns.last_mut() {
            turn.calls.end = self.calls.len();
        }
    }

    /// The event that a change comes from, if the agent shows none of its own.
    pub(super) fn ensure_event(&mut self, at: At) {
        if !self.has_events {
            self.push_event(at);
        }
    }

    fn push_event(&mut self, at: At) {
        let exchange = u16::try_from(self.exchanges.len().saturating_sub(1)).unwrap_or(u16::MAX);
        self.events.push(Event { at, exchange });
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.first_byte.get_or_insert(at);
        }
    }
}
