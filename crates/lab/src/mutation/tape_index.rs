//! The places of calls, messages and ends of a conversation on its tape.

use serde_json::Value;

use ananke_base::context::At;
use ananke_base::source::received_json;
use ananke_conversation::{TapeItem, TurnDecision};
use ananke_run::TapedConversation;
use ananke_trace::trace::{
    Args, Change, EventNumber, MessageKind, ResultContent, RunEnd, Trace, read_json,
};

/// A call on a tape.
#[derive(Clone, Debug)]
pub(super) struct TapedCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) turn: usize,
    /// The number of the event that opens it.
    pub(super) event: EventNumber,
    /// The items that announce it, the one that opens it first.
    pub(super) parts: Vec<usize>,
    /// The items that answer it.
    pub(super) answers: Vec<usize>,
    /// The text of its arguments.
    pub(super) args: String,
    /// The agent's last result, unless the client answered.
    pub(super) result: Option<(usize, ResultContent<'static>)>,
    /// Whether it failed or was denied.
    pub(super) has_failed: bool,
    /// The number of times that it is announced.
    openings: usize,
}

/// A message of the agent on a tape.
#[derive(Clone, Debug)]
pub(super) struct TapedText {
    pub(super) id: String,
    pub(super) turn: usize,
    pub(super) event: EventNumber,
    /// The items that bring its text.
    pub(super) parts: Vec<usize>,
    pub(super) text: String,
}

/// The place of a turn on a tape.
#[derive(Clone, Debug, Default)]
pub(super) struct TapedTurn {
    pub(super) is_replay: bool,
    /// The items of its events, each with its moment.
    pub(super) moments: Vec<(usize, At)>,
    /// The item of its last run end, or of its last response's end.
    pub(super) end: Option<usize>,
    /// Whether that is the end of a run.
    pub(super) is_run_end: bool,
    /// Whether that run failed.
    pub(super) has_failed: bool,
}

/// The index of a tape: the places of its turns and items.
#[derive(Debug, Default)]
pub(super) struct TapeIndex {
    pub(super) calls: Vec<TapedCall>,
    pub(super) texts: Vec<TapedText>,
    pub(super) turns: Vec<TapedTurn>,
    /// The number of the event of each item.
    pub(super) events: Vec<EventNumber>,
    /// The items that change the state, each with its turn.
    pub(super) states: Vec<(usize, usize)>,
}

impl TapeIndex {
    /// The index of a conversation. What is replayed in it is not listed.
    pub(super) fn of(taped: &TapedConversation) -> Self {
        let mut index = Self::default();
        let (mut trace, mut deltas) = (taped.start.trace(), Vec::new());
        for (at, item) in taped.items.iter().enumerate() {
            grow(&mut trace, item.clone());
            deltas.clear();
            if let TapeItem::Change(moment, change) = item {
                trace.apply(*moment, change.clone(), &mut deltas);
            }
            index.events.push(trace.newest_event());
            index.add(at, item);
        }
        index.calls.retain(|call| call.openings == 1);
        index.texts.retain(|text| !text.text.trim().is_empty());
        index
    }

    fn add(&mut self, at: usize, item: &TapeItem) {
        if let TapeItem::Decided(_, decision) = item
            && *decision != TurnDecision::Needed
        {
            // The turns after one that was not needed keep their numbers.
            self.turns.push(TapedTurn::default());
        }
        if let TapeItem::Turn(input, _) = item {
            self.turns.push(TapedTurn {
                is_replay: input.is_replay,
                ..TapedTurn::default()
            });
        }
        let Some(taped) = self.turns.last_mut().filter(|turn| !turn.is_replay) else {
            return;
        };
        match item {
            TapeItem::Frame(moment) | TapeItem::Change(moment, _) => {
                taped.moments.push((at, *moment));
            }
            TapeItem::Closed(_) if !taped.is_run_end => taped.end = Some(at),
            _ => {}
        }
        if let TapeItem::Answered(answer) = item
            && let Some(call) = self.calls.iter_mut().rfind(|call| call.id == answer.call)
        {
            call.answers.push(at);
            (call.result, call.has_failed) = (None, answer.is_error);
        }
        if let TapeItem::Change(_, change) = item {
            self.add_change(at, change);
        }
    }

    /// Takes a change of a turn that is no replay.
    fn add_change(&mut self, at: usize, change: &Change<'static>) {
        let event = self.events[at];
        let turn = self.turns.len().saturating_sub(1);
        match change {
            Change::RunEnded(how) => {
                if let Some(taped) = self.turns.last_mut() {
                    (taped.end, taped.is_run_end) = (Some(at), true);
                    taped.has_failed = matches!(how, RunEnd::Error { .. });
                }
            }
            Change::StateReplaced(_) | Change::StatePatched(_) => self.states.push((at, turn)),
            Change::MessageOpened {
                id,
                role: MessageKind::Assistant,
                ..
            } => {
                self.texts.push(TapedText {
                    id: id.to_string(),
                    turn,
                    event,
                    parts: Vec::new(),
                    text: String::new(),
                });
            }
            Change::MessageText { id, delta } => {
                if let Some(text) = self
                    .texts
                    .iter_mut()
                    .rfind(|text| text.id == *id && text.turn == turn)
                {
                    text.parts.push(at);
                    text.text.push_str(delta);
                }
            }
            Change::CallOpened { id, name, .. } => match self.call(id) {
                Some(call) => call.openings += 1,
                None => self.calls.push(TapedCall {
                    id: id.to_string(),
                    name: name.to_string(),
                    turn,
                    event,
                    parts: vec![at],
                    answers: Vec::new(),
                    args: String::new(),
                    result: None,
                    has_failed: false,
                    openings: 1,
                }),
            },
            Change::CallArgs { id, .. }
            | Change::CallArgsDone { id }
            | Change::CallAnswered { id, .. }
            | Change::CallFailed { id, .. } => {
                if let Some(call) = self.call(id) {
                    call.add_change(at, change);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, id: &str) -> Option<&mut TapedCall> {
        self.calls.iter_mut().rfind(|call| call.id == id)
    }
}

impl TapedCall {
    /// Takes a change that is about it.
    fn add_change(&mut self, at: usize, change: &Change<'static>) {
        match change {
            Change::CallArgs { delta, .. } => {
                self.parts.push(at);
                self.args.push_str(delta);
            }
            Change::CallArgsDone { .. } => self.parts.push(at),
            Change::CallAnswered {
                result, is_error, ..
            } => {
                self.answers.push(at);
                self.result = Some((at, result.clone()));
                self.has_failed = *is_error == Some(true);
            }
            Change::CallFailed { .. } => {
                self.answers.push(at);
                self.has_failed = true;
            }
            _ => {}
        }
    }

    /// Whether another call has the same arguments and the same result.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let result = |call: &Self| call.result.as_ref().map(|(_, result)| result.clone());
        self.args() == other.args()
            && self.has_failed == other.has_failed
            && result(self) == result(other)
    }

    /// Its arguments as JSON, or else as text.
    fn args(&self) -> Args {
        read_json(&self.args).map_or_else(
            |_| Args::Malformed(self.args.clone()),
            |read| Args::Json(read.value),
        )
    }

    /// Its result as JSON, or else as text.
    pub(super) fn result_value(&self) -> Value {
        match self.result.as_ref().map(|(_, result)| result) {
            None => Value::Null,
            Some(ResultContent::Json(value) | ResultContent::Structured { value, .. }) => {
                value.clone()
            }
            Some(ResultContent::Text(text)) => received_json::read(text)
                .map_or_else(|_| Value::from(text.as_ref()), |read| read.value),
        }
    }

    /// Its result as text.
    pub(super) fn result_text(&self) -> String {
        self.result
            .as_ref()
            .map(|(_, result)| text_of(result))
            .unwrap_or_default()
    }

    /// Its arguments, if they are an object.
    pub(super) fn arguments(&self) -> Option<serde_json::Map<String, Value>> {
        if self.args.trim().is_empty() {
            return Some(serde_json::Map::new());
        }
        received_json::read_as(self.args.as_bytes()).ok()
    }
}

/// A result as text.
fn text_of(result: &ResultContent<'_>) -> String {
    match result {
        ResultContent::Text(text) => text.to_string(),
        ResultContent::Json(value) | ResultContent::Structured { value, .. } => value.to_string(),
    }
}

/// Adds an item other than a change to a trace.
fn grow(trace: &mut Trace, item: TapeItem) {
    match item {
        TapeItem::Turn(input, _) => trace.begin_turn(input),
        TapeItem::Sent(at) => trace.begin_exchange(at),
        TapeItem::Frame(at) => trace.event(at),
        TapeItem::Closed(at) => trace.end_exchange(at),
        TapeItem::Decided(..)
        | TapeItem::Head(..)
        | TapeItem::Late(_)
        | TapeItem::Change(..)
        | TapeItem::Answered(_)
        | TapeItem::TurnEnded(_) => {}
    }
}
