//! What a snapshot of the conversation adds to what was streamed (SPEC 6, Snapshots).

use super::{Lane, Message, Origin, Role, SnapshotCall, SnapshotItem, ToolCall, Touch, Trace};
use crate::context::At;

/// How many of the newest messages are looked at for one that is under way while a snapshot tells it.
const UNFINISHED: usize = 16;

/// Which entries of a snapshot belong to the running turn.
pub(super) enum Live {
    /// Those from this position on.
    From(usize),
    /// This turn's own user message is not in it: everything not known before the turn.
    Unknown,
}

/// Finds this turn's own user message, by id, else the last one with its role and content.
pub(super) fn first_live(trace: &Trace, items: &[SnapshotItem]) -> Live {
    let Some(input) = trace.turns.last().map(|turn| &turn.input) else { return Live::Unknown };
    if input.message_id.is_none() {
        // The user said nothing in this turn.
        return Live::Unknown;
    }
    let own_id = |item: &SnapshotItem| matches!(item, SnapshotItem::Message { id, .. } if Some(id) == input.message_id.as_ref());
    let own_text = |item: &SnapshotItem| matches!(item, SnapshotItem::Message { role: Role::User, text, .. } if *text == input.text);
    let found = items.iter().position(own_id).or_else(|| items.iter().rposition(own_text));
    found.map_or(Live::Unknown, |position| Live::From(position + 1))
}

impl Trace {
    /// Takes one entry: what is known already is not counted twice, what is not live is history.
    pub(super) fn snapshot_item(&mut self, at: At, item: SnapshotItem, live: bool, touched: &mut Vec<Touch>) {
        let live = live && !self.is_earlier(&item);
        let origin = match self.origin() {
            Origin::Replayed => Origin::Replayed,
            _ if live => Origin::SnapshotOnly,
            _ => Origin::History,
        };
        match item {
            SnapshotItem::Message { id, role, text, calls } => {
                // What it says comes before what it does.
                if role == Role::Assistant && !text.is_empty() {
                    self.snapshot_message(at, (id, text), origin, touched);
                }
                for call in calls {
                    self.snapshot_call(at, call, origin, touched);
                }
            }
            SnapshotItem::Answer { call, result, is_error } => {
                let known = self.known.calls.get(&call).copied();
                // An answer that was streamed already is told again under any id; the call's id is what counts.
                if known.is_some_and(|index| self.calls[index].results.is_empty()) {
                    if live {
                        self.answer(at, &call, result, is_error, touched);
                    }
                } else if known.is_none() && live {
                    self.warn(format!("a result for the call `{call}`, which never started"));
                }
            }
        }
    }

    /// Whether the runner itself told it to the agent, as something of before.
    fn is_earlier(&self, item: &SnapshotItem) -> bool {
        match item {
            SnapshotItem::Message { id, calls, .. } => {
                self.earlier.contains(id) || calls.iter().any(|call| self.earlier.contains(&call.id))
            }
            SnapshotItem::Answer { call, .. } => self.earlier.contains(call),
        }
    }

    fn snapshot_call(&mut self, at: At, call: SnapshotCall, origin: Origin, touched: &mut Vec<Touch>) {
        if self.known.calls.contains_key(&call.id) {
            return;
        }
        let (turn, event) = (self.turns.len().saturating_sub(1), self.last_event());
        let mut known = ToolCall::new(call.id, call.name, Lane::Agent, turn, at, event);
        known.origin = origin;
        known.add_args(&call.args);
        known.finish_args(at, event);
        self.push_call(known);
        if origin != Origin::History {
            let index = self.calls.len() - 1;
            touched.extend([Touch::CallStarted(index), Touch::ArgsDone(index)]);
        }
    }

    fn snapshot_message(
        &mut self,
        at: At,
        (id, text): (String, String),
        origin: Origin,
        touched: &mut Vec<Touch>,
    ) {
        let turn = self.turns.len().saturating_sub(1);
        // Some servers give a message another id in the snapshot than in the stream: its words tell it again.
        let known = self.known.texts.get(&super::hash(&text)).map(|known| &self.messages[*known]);
        let is_it = |message: &Message| {
            message.role == Role::Assistant
                && message.text == text
                && (origin == Origin::History || message.turn == turn)
        };
        let newest = self.messages.iter().rev().take(UNFINISHED);
        if known.into_iter().chain(newest).any(is_it)
            || (!id.is_empty() && self.known.messages.contains_key(&id))
        {
            return;
        }
        let message = Message::new(id, Role::Assistant, Lane::Agent, turn, self.last_event());
        self.push_message(Message::of_snapshot(message, origin, at, text));
        self.note_text(self.messages.len() - 1);
        if origin != Origin::History {
            touched.push(Touch::MessageClosed(self.messages.len() - 1));
        }
    }
}
