//! Messages in order, each found by its id without a search: an agent may send a million of them.

use std::collections::HashMap;

use super::message::{REASONING, SentCall, SentMessage};

/// Messages in order; the results of calls are kept with the message that made the call.
#[derive(Debug, Default)]
pub(super) struct MessageList {
    messages: Vec<SentMessage>,
    /// Where the message of each id is.
    places: HashMap<String, MessagePosition>,
    /// The message of the call of each key, and its number in it.
    calls: HashMap<String, (usize, usize)>,
    /// Where the result of the call of each key is.
    results: HashMap<String, MessagePosition>,
}

/// Where a message is.
#[derive(Clone, Copy, Debug)]
enum MessagePosition {
    /// On its own.
    At(usize),
    /// With another one, as the result of one of its calls.
    With(usize, usize),
}

impl MessageList {
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Every message, each followed by the results of its calls.
    pub(super) fn iter(&self) -> impl Iterator<Item = &SentMessage> {
        self.messages.iter().flat_map(|message| std::iter::once(message).chain(&message.answers))
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// The message of an id.
    pub(super) fn message(&mut self, id: &str) -> Option<&mut SentMessage> {
        let place = *self.places.get(id)?;
        Some(self.at(place))
    }

    /// The call of a key.
    pub(super) fn call(&mut self, id: &str) -> Option<&mut SentCall> {
        let (message, number) = *self.calls.get(id)?;
        self.messages[message].tool_calls.get_mut(number)
    }

    /// The call of a key, to look at.
    pub(super) fn find_call(&self, id: &str) -> Option<&SentCall> {
        let (message, number) = *self.calls.get(id)?;
        self.messages[message].tool_calls.get(number)
    }

    /// The message of an id, to look at.
    pub(super) fn find(&self, id: &str) -> Option<&SentMessage> {
        self.at_place(*self.places.get(id)?)
    }

    /// The result of a call, to look at.
    pub(super) fn find_result(&self, call: &str) -> Option<&SentMessage> {
        self.at_place(*self.results.get(call)?)
    }

    /// The messages without results, the newest first.
    pub(super) fn newest(&self) -> impl Iterator<Item = &SentMessage> {
        self.messages.iter().rev()
    }

    /// The message that made a call.
    pub(super) fn message_of_call(&mut self, call: &str) -> Option<&mut SentMessage> {
        let (message, _) = *self.calls.get(call)?;
        self.messages.get_mut(message)
    }

    /// The result of a call.
    pub(super) fn result_of(&mut self, call: &str) -> Option<&mut SentMessage> {
        let place = *self.results.get(call)?;
        Some(self.at(place))
    }

    /// Adds a message at the end.
    pub(super) fn push(&mut self, message: SentMessage) {
        let place = self.messages.len();
        for (number, call) in message.tool_calls.iter().enumerate() {
            self.calls.insert(call.key().to_owned(), (place, number));
        }
        self.note(&message, MessagePosition::At(place));
        self.messages.push(message);
    }

    /// Adds a call to the assistant's message `owner`; without that message, the call gets it.
    pub(super) fn push_call(&mut self, owner: &str, call: SentCall) {
        match self.places.get(owner) {
            Some(MessagePosition::At(place)) if self.messages[*place].role == "assistant" => {
                let calls = &mut self.messages[*place].tool_calls;
                self.calls.insert(call.key().to_owned(), (*place, calls.len()));
                calls.push(call);
            }
            _ => self.push(SentMessage { tool_calls: vec![call], ..SentMessage::new(owner, "assistant") }),
        }
    }

    /// Adds the result of `call`, after the message that made the call and the results that are there. A second result
    /// of a call replaces the first: models know one result per call.
    pub(super) fn push_result(&mut self, call: &str, result: SentMessage) {
        match self.results.get(call).copied() {
            Some(place) => {
                let id = result.id.clone();
                let replaced = std::mem::replace(self.at(place), result);
                self.places.remove(&replaced.id);
                self.places.insert(id, place);
            }
            None => match self.calls.get(call) {
                Some((owner, _)) => self.push_with(*owner, result),
                None => self.push(result),
            },
        }
    }

    /// Replaces all messages by these, in their order.
    pub(super) fn replace(&mut self, messages: Vec<SentMessage>) {
        *self = Self::default();
        for message in messages {
            let call = message.answers().and_then(|call| self.calls.get(call));
            match call {
                // A result that does not follow its message keeps its place.
                Some((owner, _)) if *owner + 1 == self.messages.len() => self.push_with(*owner, message),
                _ => self.push(message),
            }
        }
    }

    /// Drops what never became complete.
    pub(super) fn discard_open(&mut self) {
        let is_open = |message: &SentMessage| message.open || message.tool_calls.iter().any(|call| call.open);
        if !self.messages.iter().any(is_open) {
            return;
        }
        let mut kept = Vec::with_capacity(self.messages.len());
        for mut message in std::mem::take(&mut self.messages) {
            message.tool_calls.retain(|call| !call.open);
            if std::mem::take(&mut message.open) {
                message.content = None;
            }
            let results = std::mem::take(&mut message.answers);
            let may_be_empty = !matches!(message.role.as_ref(), "assistant" | REASONING);
            if may_be_empty || !message.is_empty() {
                kept.push(message);
            }
            kept.extend(results);
        }
        self.replace(kept);
    }

    fn push_with(&mut self, owner: usize, result: SentMessage) {
        let place = MessagePosition::With(owner, self.messages[owner].answers.len());
        self.note(&result, place);
        let answers = &mut self.messages[owner].answers;
        if answers.is_empty() {
            // Most calls have one.
            answers.reserve_exact(1);
        }
        answers.push(result);
    }

    fn note(&mut self, message: &SentMessage, place: MessagePosition) {
        self.places.insert(message.id.clone(), place);
        if let Some(call) = message.answers() {
            self.results.insert(call.to_owned(), place);
        }
    }

    fn at_place(&self, place: MessagePosition) -> Option<&SentMessage> {
        match place {
            MessagePosition::At(place) => self.messages.get(place),
            MessagePosition::With(owner, number) => self.messages.get(owner)?.answers.get(number),
        }
    }

    fn at(&mut self, place: MessagePosition) -> &mut SentMessage {
        match place {
            MessagePosition::At(place) => &mut self.messages[place],
            MessagePosition::With(owner, number) => &mut self.messages[owner].answers[number],
        }
    }
}
