//! The items that a snapshot of the conversation adds to those that were streamed (SPEC 6, Snapshots).

use super::{
    Author, Delta, Input, Message, MessageKind, Origin, SnapshotCall, SnapshotItem, ToolCall, Trace,
};
use ananke_base::context::At;

/// The number of the newest messages that are compared with a snapshot's message: one that is still open has no known text.
const UNFINISHED: usize = 16;

/// The position of the first item of the running turn: after its own user message, found by id, else the last one with
/// its text. Without that message, everything that was not known before the turn belongs to it.
fn first_live(input: Option<&Input>, items: &[SnapshotItem]) -> usize {
    let Some(input) = input.filter(|input| input.message_id.is_some()) else {
        return 0;
    };
    let own_id = |item: &SnapshotItem| matches!(item, SnapshotItem::Message { id, .. } if Some(id) == input.message_id.as_ref());
    let own_text = |item: &SnapshotItem| matches!(item, SnapshotItem::Message { role: MessageKind::User, text, .. } if *text == input.text);
    let found = items
        .iter()
        .position(own_id)
        .or_else(|| items.iter().rposition(own_text));
    found.map_or(0, |position| position + 1)
}

impl Trace {
    /// Takes a snapshot of the conversation: what is already known is not counted twice, what is not live is history.
    pub(super) fn snapshot(&mut self, at: At, items: Vec<SnapshotItem>, deltas: &mut Vec<Delta>) {
        let first_live = first_live(self.turns.last().map(|turn| &turn.input), &items);
        for (position, item) in items.into_iter().enumerate() {
            let is_live = position >= first_live && !self.is_earlier(&item);
            let origin = match self.origin() {
                Origin::Replayed => Origin::Replayed,
                _ if is_live => Origin::SnapshotOnly,
                _ => Origin::History,
            };
            match item {
                SnapshotItem::Message {
                    id,
                    role,
                    text,
                    calls,
                } => {
                    // Its text comes before its calls.
                    if role == MessageKind::Assistant && !text.is_empty() {
                        self.snapshot_message(at, (id, text), origin, deltas);
                    }
                    for call in calls {
                        self.snapshot_call(at, call, origin, deltas);
                    }
                }
                SnapshotItem::Answer {
                    call,
                    result,
                    is_error,
                } if is_live => {
                    let known = self.known_call(call.as_str());
                    // A snapshot may repeat a streamed result under another message id; the call's id is what counts.
                    if known.is_some_and(|index| self.calls[index].results.is_empty()) {
                        self.answer(at, &call, result, is_error, deltas);
                    } else if known.is_none() {
                        self.warn(format!(
                            "a result for the call `{call}`, which never started"
                        ));
                    }
                }
                SnapshotItem::Answer { .. } => {}
            }
        }
    }

    /// Whether the test itself sent it to the agent as history.
    fn is_earlier(&self, item: &SnapshotItem) -> bool {
        match item {
            SnapshotItem::Message { id, calls, .. } => {
                self.known_ids.contains(id)
                    || calls.iter().any(|call| self.known_ids.contains(&call.id))
            }
            SnapshotItem::Answer { call, .. } => self.known_ids.contains(call),
        }
    }

    fn snapshot_call(
        &mut self,
        at: At,
        call: SnapshotCall,
        origin: Origin,
        deltas: &mut Vec<Delta>,
    ) {
        if self.known_call(&call.id).is_some() {
            return;
        }
        let (turn, event) = (self.current_turn(), self.last_event());
        let mut known = ToolCall::new(
            call.id.into(),
            call.name.into(),
            Author::Agent,
            turn,
            at,
            event,
        );
        known.origin = origin;
        known.add_args(&call.args);
        known.finish_args(at, event);
        self.push_call(known);
        if origin != Origin::History {
            let index = self.calls.len() - 1;
            self.take_args(index);
            deltas.extend([Delta::CallStarted(index), Delta::ArgsDone(index)]);
        }
    }

    fn snapshot_message(
        &mut self,
        at: At,
        (id, text): (String, String),
        origin: Origin,
        deltas: &mut Vec<Delta>,
    ) {
        let turn = self.current_turn();
        // Some servers give a message another id in the snapshot than in the stream: it is recognised by its text.
        let known = self
            .known
            .message_with(&text)
            .map(|known| &self.messages[known]);
        let is_it = |message: &Message| {
            message.role == MessageKind::Assistant
                && message.text == text
                && (origin == Origin::History || message.turn == turn)
        };
        let newest = self.messages.iter().rev().take(UNFINISHED);
        if known.into_iter().chain(newest).any(is_it)
            || (!id.is_empty() && self.known.messages.contains_key(id.as_str()))
        {
            return;
        }
        let message = Message::new(
            id.into(),
            MessageKind::Assistant,
            Author::Agent,
            turn,
            self.last_event(),
        );
        self.push_message(Message::of_snapshot(message, origin, at, text));
        self.add_known_text(self.messages.len() - 1);
        if origin != Origin::History {
            deltas.push(Delta::MessageClosed(self.messages.len() - 1));
        }
    }
}
