//! What an agent thinks: messages that no rule looks at, so that nothing that is odd about them fails a turn.
//!
//! Agents from before protocol 1.0 think without ids; such thoughts get one of our own and are not sent back.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::frame::{Frame, Key};
use super::speech::{Effects, named};
use crate::trace::Change;

/// The thoughts of one exchange.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    /// Those under way, by id, with their text so far.
    open: IndexMap<String, String>,
    /// The id of the stretch of thinking under way, for messages that name none.
    span: Option<String>,
    /// The id of thoughts that came without one.
    unnamed: Option<String>,
}

impl Thoughts {
    /// Tells what an event means.
    pub(super) fn take(&mut self, frame: &Frame<'_>, owner: &str, effects: &mut Effects<'_, '_>) {
        match frame.kind() {
            "REASONING_START" => self.span = named_by(frame, effects).map(Cow::into_owned),
            "REASONING_END" => self.span = None,
            "REASONING_MESSAGE_START" => {
                let id = self.id(frame, None, effects);
                self.open(&id, effects);
            }
            "REASONING_MESSAGE_CONTENT" => {
                let id = self.id(frame, None, effects);
                let delta = frame.text(Key::Delta, effects.warnings).unwrap_or_default();
                self.add(&id, &delta, owner, effects);
            }
            "REASONING_MESSAGE_END" => {
                let id = self.id(frame, None, effects);
                self.close(&id, effects);
            }
            "THINKING_TEXT_MESSAGE_START" | "THINKING_TEXT_MESSAGE_END" => self.unnamed = None,
            "THINKING_TEXT_MESSAGE_CONTENT" => {
                let delta = frame.text(Key::Delta, effects.warnings).unwrap_or_default();
                let id = self.unnamed.get_or_insert_with(|| effects.conversation.ids.next("reasoning"));
                tell(id, &delta, owner, effects);
            }
            _ => {}
        }
    }

    /// The id that an event names; without one, that of the thoughts under way, `current` first, else that of the
    /// stretch they are in, else one of our own.
    pub(super) fn id<'a>(
        &self,
        frame: &Frame<'a>,
        current: Option<&str>,
        effects: &mut Effects<'_, '_>,
    ) -> Cow<'a, str> {
        if let Some(id) = named_by(frame, effects) {
            return id;
        }
        let known = current.or(self.only_open()).or(self.span.as_deref());
        Cow::Owned(known.map_or_else(|| effects.conversation.ids.next("reasoning"), str::to_owned))
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.open.contains_key(id)
    }

    /// Those under way, where they are one.
    pub(super) fn only_open(&self) -> Option<&str> {
        let mut open = self.open.keys();
        open.next().filter(|_| open.next().is_none()).map(String::as_str)
    }

    /// Thoughts begin, or go on.
    pub(super) fn open(&mut self, id: &str, effects: &mut Effects<'_, '_>) {
        if !self.is_open(id) {
            self.open.insert(id.to_owned(), String::new());
            effects.conversation.history.open_thoughts(id);
        }
    }

    /// More of them; `subagent` thinks it unless it is empty.
    pub(super) fn add(&mut self, id: &str, delta: &str, subagent: &str, effects: &mut Effects<'_, '_>) {
        self.open(id, effects);
        if let Some(text) = self.open.get_mut(id) {
            text.push_str(delta);
        }
        tell(id, delta, subagent, effects);
    }

    /// They are complete.
    pub(super) fn close(&mut self, id: &str, effects: &mut Effects<'_, '_>) {
        if let Some((id, text)) = self.open.shift_remove_entry(id) {
            effects.conversation.history.close_thoughts(&id, &text);
        }
    }

    /// The run is finished, and all thinking with it.
    pub(super) fn close_all(&mut self, effects: &mut Effects<'_, '_>) {
        for (id, text) in std::mem::take(&mut self.open) {
            effects.conversation.history.close_thoughts(&id, &text);
        }
        (self.span, self.unnamed) = (None, None);
    }
}

/// An id of another kind than text is none.
fn named_by<'a>(frame: &Frame<'a>, effects: &mut Effects<'_, '_>) -> Option<Cow<'a, str>> {
    frame.id(Key::MessageId, effects.warnings).ok().flatten()
}

fn tell(id: &str, delta: &str, subagent: &str, effects: &mut Effects<'_, '_>) {
    if !delta.is_empty() {
        (effects.tell)(Change::Reasoning {
            id: Cow::Borrowed(id),
            delta: Cow::Borrowed(delta),
            subagent: named(subagent),
        });
    }
}
