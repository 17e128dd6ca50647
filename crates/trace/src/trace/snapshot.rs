//! The items that a snapshot of the conversation adds to those that were streamed (SPEC 6, Snapshots). What is new stands
//! directly before the next item of the snapshot that is known already, else at the end.

use std::collections::{HashMap, HashSet};

use super::log::LogPlace;
use super::{
    Author, Delta, Input, Message, MessageKind, Origin, ResultContent, SnapshotCall, SnapshotItem,
    ToolCall, Trace,
};
use crate::trace::facts::Unread;
use ananke_base::context::At;

/// The number of the newest messages that are compared with a snapshot's message: one that is still open has no known text.
const UNFINISHED: usize = 16;

/// The position of the first item of the running turn: after its own user message, found by id, else the last one with
/// its text. Without that message, everything that was not known before the turn belongs to it.
fn first_live(input: Option<&Input>, items: &[SnapshotItem]) -> usize {
    let Some(input) = input else {
        return 0;
    };
    let Some(own_id) = &input.message_id else {
        return 0;
    };
    let mut found = items
        .iter()
        .position(|item| matches!(item, SnapshotItem::Message { id, .. } if id == own_id));
    if found.is_none() {
        found = items.iter().rposition(|item| matches!(item, SnapshotItem::Message { role: MessageKind::User, text, .. } if *text == input.text));
    }
    match found {
        Some(position) => position + 1,
        None => 0,
    }
}

/// One thing that a snapshot shows: it has a place of its own in the log.
enum SnapshotEntry {
    Text {
        id: String,
        text: String,
        /// The message that it is, if it is known.
        known: Option<usize>,
    },
    Call(SnapshotCall),
    Answer {
        call: String,
        tool: Option<String>,
        result: ResultContent<'static>,
        is_error: Option<bool>,
    },
}

/// The entries of an item; the text of a message comes before its calls.
fn entries(item: SnapshotItem) -> Vec<SnapshotEntry> {
    match item {
        SnapshotItem::Message {
            id,
            role,
            text,
            calls,
        } => {
            let mut entries = Vec::with_capacity(calls.len() + 1);
            if role == MessageKind::Assistant && !text.is_empty() {
                entries.push(SnapshotEntry::Text {
                    id,
                    text,
                    known: None,
                });
            }
            entries.extend(calls.into_iter().map(SnapshotEntry::Call));
            entries
        }
        SnapshotItem::Answer {
            call,
            tool,
            result,
            is_error,
        } => vec![SnapshotEntry::Answer {
            call,
            tool,
            result,
            is_error,
        }],
    }
}

impl Trace {
    /// Takes a snapshot of the conversation: what is already known is not counted twice, what is not live is history.
    pub(super) fn snapshot(&mut self, at: At, items: Vec<SnapshotItem>, deltas: &mut Vec<Delta>) {
        let first_live = first_live(self.turns.last().map(|turn| &turn.input), &items);
        let mut shown = Vec::with_capacity(items.len());
        for (position, item) in items.into_iter().enumerate() {
            let is_live = position >= first_live && !self.is_earlier(&item);
            let origin = match self.origin() {
                Origin::Replayed => Origin::Replayed,
                _ if is_live => Origin::SnapshotOnly,
                _ => Origin::History,
            };
            let is_ignored = !is_live && matches!(item, SnapshotItem::Answer { .. });
            if !is_ignored {
                shown.extend(entries(item).into_iter().map(|entry| (entry, origin)));
            }
        }
        self.recognise(&mut shown);
        let places = self.places(&shown);
        for ((entry, origin), place) in shown.into_iter().zip(places) {
            self.take_entry(at, entry, origin, place, deltas);
        }
    }

    /// The places of what a snapshot shows, should it be new: directly before the next thing that is known already.
    fn places(&self, shown: &[(SnapshotEntry, Origin)]) -> Vec<LogPlace> {
        let began = self.turns.last().map_or(0, |turn| turn.began);
        let mut places = Vec::with_capacity(shown.len());
        let mut place = LogPlace::End;
        for (entry, origin) in shown.iter().rev() {
            // The history has no place in the order.
            if *origin == Origin::History {
                places.push(LogPlace::End);
                continue;
            }
            places.push(place);
            // Nothing new comes before an item of an earlier turn, since it would be in that turn.
            if let Some(order) = self.order_of(entry)
                && order >= began
            {
                place = LogPlace::Before(order, 0);
            } else if let LogPlace::Before(next, further) = place {
                place = LogPlace::Before(next, further + 1);
            }
        }
        places.reverse();
        places
    }

    /// Finds the messages that are known already: by their ids, else by their texts, since some servers give a message another
    /// id in the snapshot than in the stream. Each message is found once, so that a repeated text is not lost.
    fn recognise(&self, shown: &mut [(SnapshotEntry, Origin)]) {
        let mut found = HashSet::new();
        for (entry, _) in &mut *shown {
            if let SnapshotEntry::Text { id, known, .. } = entry
                && !id.is_empty()
            {
                *known = self.known.messages.get(id.as_str()).copied();
                found.extend(*known);
            }
        }
        let mut searched: HashMap<String, usize> = HashMap::new();
        for (entry, origin) in shown {
            let SnapshotEntry::Text { text, known, .. } = entry else {
                continue;
            };
            if known.is_some() {
                continue;
            }

            // The search for a text that is repeated goes on where it ended, so that no message is looked at twice.
            let complete = self.known.messages_with(text);
            let searched = searched.entry(text.clone()).or_default();
            while known.is_none() && *searched < complete.len() {
                let index = complete[*searched];
                if self.is_text(index, text, *origin) && !found.contains(&index) {
                    *known = Some(index);
                }
                *searched += 1;
            }
            if known.is_none() {
                let mut newest = (0..self.messages.len()).rev().take(UNFINISHED);
                *known = newest
                    .find(|index| self.is_text(*index, text, *origin) && !found.contains(index));
            }
            found.extend(*known);
        }
    }

    /// Whether a message of the agent has this text; one of an earlier turn is the same only as history.
    fn is_text(&self, index: usize, text: &str, origin: Origin) -> bool {
        let message = &self.messages[index];
        message.role == MessageKind::Assistant
            && message.text == text
            && (origin == Origin::History || message.turn == self.current_turn())
    }

    /// The order of what a snapshot shows, if it is known already.
    fn order_of(&self, entry: &SnapshotEntry) -> Option<u64> {
        match entry {
            SnapshotEntry::Text { known, .. } => {
                let known = &self.messages[(*known)?];
                if !known.has_begun() {
                    return None;
                }
                Some(known.order)
            }
            SnapshotEntry::Call(call) => Some(self.calls[self.known_call(&call.id)?].order),
            SnapshotEntry::Answer { call, .. } => {
                let result = self.calls[self.known_call(call)?].result()?;
                Some(result.order)
            }
        }
    }

    fn take_entry(
        &mut self,
        at: At,
        entry: SnapshotEntry,
        origin: Origin,
        place: LogPlace,
        deltas: &mut Vec<Delta>,
    ) {
        match entry {
            SnapshotEntry::Text { known: Some(_), .. } => {}
            SnapshotEntry::Text { id, text, .. } => {
                self.snapshot_message((id, text), origin, (at, place), deltas);
            }
            SnapshotEntry::Call(call) => self.snapshot_call(call, origin, (at, place), deltas),
            SnapshotEntry::Answer {
                call,
                tool,
                result,
                is_error,
            } => {
                if self.known_call(&call).is_none()
                    && let Some(tool) = tool
                {
                    self.prove_call(&call, tool, origin, (at, place), deltas);
                }
                // A snapshot may repeat a streamed result under another message id; the call's id is what counts.
                let is_answered = match self.known_call(&call) {
                    Some(index) => !self.calls[index].results.is_empty(),
                    None => false,
                };
                if !is_answered {
                    self.answer(at, &call, (result, is_error), place, deltas);
                }
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

    /// A result whose call is nowhere names its tool: there was a call to it, whose arguments are not known.
    fn prove_call(
        &mut self,
        id: &str,
        tool: String,
        origin: Origin,
        place: (At, LogPlace),
        deltas: &mut Vec<Delta>,
    ) {
        let call = SnapshotCall {
            id: id.to_owned(),
            name: tool.clone(),
            args: String::new(),
        };
        self.snapshot_call(call, origin, place, deltas);
        self.enter(Unread::arguments(
            tool,
            "only the result of the call is there",
        ));
    }

    fn snapshot_call(
        &mut self,
        call: SnapshotCall,
        origin: Origin,
        (at, place): (At, LogPlace),
        deltas: &mut Vec<Delta>,
    ) {
        if self.known_call(&call.id).is_some() {
            return;
        }
        let event = self.last_event();
        let mut known = ToolCall::new(
            call.id.into(),
            call.name.into(),
            Author::Agent,
            self.current_turn(),
            at,
            event,
        );
        known.origin = origin;
        known.add_args(&call.args);
        known.finish_args(at, event);
        self.push_call(known, place);
        if origin != Origin::History {
            let index = self.calls.len() - 1;
            self.take_args(index);
            deltas.extend([Delta::CallStarted(index), Delta::ArgsDone(index)]);
        }
    }

    fn snapshot_message(
        &mut self,
        (id, text): (String, String),
        origin: Origin,
        (at, place): (At, LogPlace),
        deltas: &mut Vec<Delta>,
    ) {
        // The snapshot may list an id twice.
        if !id.is_empty() && self.known.messages.contains_key(id.as_str()) {
            return;
        }
        let message = Message::new(
            id.into(),
            MessageKind::Assistant,
            Author::Agent,
            self.current_turn(),
            self.last_event(),
        );
        let index = self.push_message(Message::of_snapshot(message, origin, at, text));
        self.begin_message(index, place);
        self.add_known_text(index);
        if origin != Origin::History {
            deltas.push(Delta::MessageClosed(index));
        }
    }
}
