//! Messages in order, each found by its id without a search: an agent may send a million of them.

use std::collections::HashSet;

use super::message::{REASONING, SentCall, SentMessage, TOOL};
use super::message_positions::{CallPositions, MessagePosition, MessagePositions};

/// Messages in order; the results of calls are kept with the message that made the call.
#[derive(Debug, Default)]
pub(super) struct MessageList {
    messages: Vec<SentMessage>,
    positions: MessagePositions,
}

impl MessageList {
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Every message, each followed by the results of its calls, as a conversation that a model accepts: each result
    /// answers a call that is listed before it, and each call has one result at most. Other results are omitted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SentMessage> {
        (0..).zip(&self.messages).flat_map(move |(place, message)| {
            let own = self
                .is_valid(message, MessagePosition::At(place))
                .then_some(message);
            let results = (0..)
                .zip(&message.answers)
                .filter_map(move |(number, result)| {
                    self.is_valid(result, MessagePosition::With(place, number))
                        .then_some(result)
                });
            let early = message
                .tool_calls
                .iter()
                .filter_map(move |call| self.early_result(call, place));
            own.into_iter().chain(results).chain(early)
        })
    }

    /// The calls that have no result.
    pub(super) fn into_unanswered(self) -> impl Iterator<Item = SentCall> {
        let answered: HashSet<(u32, u32)> = self.positions.answered().collect();
        let calls = (0..).zip(self.messages).flat_map(|(place, message)| {
            (0..)
                .zip(message.tool_calls)
                .map(move |(number, call)| ((place, number), call))
        });
        calls
            .filter(move |(made, _)| !answered.contains(made))
            .map(|(_, call)| call)
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.positions.message(id, &self.messages).is_some()
    }

    /// The message of an id.
    pub(crate) fn message(&mut self, id: &str) -> Option<&mut SentMessage> {
        self.positions
            .message(id, &self.messages)?
            .in_list_mut(&mut self.messages)
    }

    /// The call of a key.
    pub(crate) fn call(&mut self, key: &str) -> Option<&mut SentCall> {
        let (message, number) = self.positions(key).made?;
        self.messages[message as usize]
            .tool_calls
            .get_mut(number as usize)
    }

    /// The call of a key, to look at.
    pub(super) fn find_call(&self, key: &str) -> Option<&SentCall> {
        let (message, number) = self.positions(key).made?;
        self.messages[message as usize]
            .tool_calls
            .get(number as usize)
    }

    /// The message of an id, to look at.
    pub(crate) fn find(&self, id: &str) -> Option<&SentMessage> {
        self.positions
            .message(id, &self.messages)?
            .in_list(&self.messages)
    }

    /// The result of a call, to look at.
    pub(super) fn find_result(&self, call: &str) -> Option<&SentMessage> {
        self.positions(call).result?.in_list(&self.messages)
    }

    /// The messages without results, the newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &SentMessage> {
        self.messages.iter().rev()
    }

    /// The message that made a call.
    pub(super) fn message_of_call(&mut self, call: &str) -> Option<&mut SentMessage> {
        let (message, _) = self.positions(call).made?;
        self.messages.get_mut(message as usize)
    }

    /// The result of a call.
    pub(super) fn result_of(&mut self, call: &str) -> Option<&mut SentMessage> {
        self.positions(call).result?.in_list_mut(&mut self.messages)
    }

    /// Adds a message at the end.
    pub(crate) fn push(&mut self, message: SentMessage) {
        let place = position(self.messages.len());
        let calls = position(message.tool_calls.len());
        self.messages.push(message);
        for number in 0..calls {
            self.positions.note_call((place, number), &self.messages);
        }
        self.positions
            .note(MessagePosition::At(place), &self.messages);
    }

    /// Adds a call to the assistant's message `owner`; without that message, the call gets it.
    pub(super) fn push_call(&mut self, owner: &str, call: SentCall) {
        match self.positions.message(owner, &self.messages) {
            Some(MessagePosition::At(place))
                if self.messages[place as usize].role == "assistant" =>
            {
                let calls = &mut self.messages[place as usize].tool_calls;
                let number = position(calls.len());
                calls.push(call);
                self.positions.note_call((place, number), &self.messages);
            }
            _ => self.push(SentMessage {
                tool_calls: vec![call],
                ..SentMessage::new(owner, "assistant")
            }),
        }
    }

    /// Adds the result of `call`, after the message that made the call and the results that are there. A second result
    /// of a call replaces the first: models know one result per call.
    pub(super) fn push_result(&mut self, call: &str, result: SentMessage) {
        match self.positions(call) {
            CallPositions {
                result: Some(place),
                ..
            } => {
                if let Some(known) = place.in_list(&self.messages) {
                    self.positions.forget(&known.id, &self.messages);
                }
                if let Some(known) = place.in_list_mut(&mut self.messages) {
                    *known = result;
                }
                self.positions.note(place, &self.messages);
            }
            CallPositions {
                made: Some((owner, _)),
                ..
            } => self.push_with(owner, result),
            CallPositions {
                made: None,
                result: None,
            } => self.push(result),
        }
    }

    /// Replaces all messages by these, in their order.
    pub(crate) fn replace(&mut self, messages: Vec<SentMessage>) {
        *self = Self::default();
        for message in messages {
            let made = message.answers().and_then(|call| self.positions(call).made);
            match made {
                // A result that does not follow its message keeps its place.
                Some((owner, _)) if owner as usize + 1 == self.messages.len() => {
                    self.push_with(owner, message);
                }
                _ => self.push(message),
            }
        }
    }

    /// Drops what never became complete.
    pub(crate) fn discard_open(&mut self) {
        let is_open =
            |message: &SentMessage| message.open || message.tool_calls.iter().any(|call| call.open);
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

    fn push_with(&mut self, owner: u32, result: SentMessage) {
        let answers = &mut self.messages[owner as usize].answers;
        let number = position(answers.len());
        if answers.is_empty() {
            // Most calls have one.
            answers.reserve_exact(1);
        }
        answers.push(result);
        self.positions
            .note(MessagePosition::With(owner, number), &self.messages);
    }

    /// The positions of the call of a key and of its result.
    fn positions(&self, key: &str) -> CallPositions {
        self.positions.call(key, &self.messages)
    }

    /// Whether a message may be sent at its position: a result is sent only after its call, and only if it is the one result
    /// of that call.
    fn is_valid(&self, message: &SentMessage, position: MessagePosition) -> bool {
        if message.role != TOOL {
            return true;
        }
        let call = message
            .answers()
            .map(|call| self.positions(call))
            .unwrap_or_default();
        let follows = |(made, _): (u32, u32)| match position {
            MessagePosition::At(place) => made < place,
            MessagePosition::With(owner, _) => made <= owner,
        };
        call.result == Some(position) && call.made.is_some_and(follows)
    }

    /// The result of a call of the message at `place`, if it came before the call.
    fn early_result(&self, call: &SentCall, place: u32) -> Option<&SentMessage> {
        let positions = self.positions(call.key());
        match positions.result? {
            MessagePosition::At(result) if result < place && positions.made?.0 == place => {
                self.messages.get(result as usize)
            }
            _ => None,
        }
    }
}

/// A position in a list, which a response is too small to make longer.
fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
