//! The positions of messages, calls and results in a list of messages, by their ids and keys.
//!
//! The list itself has the texts, so that nothing here keeps them again. **Invariant:** a message is in the list before it is
//! noted, and keeps its id and its place.

use super::message::{SentCall, SentMessage};
use ananke_base::text::TextIndex;

/// The position of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessagePosition {
    /// On its own.
    At(u32),
    /// With another one, as the result of one of its calls.
    With(u32, u32),
}

/// The places of a call and its result, if there are any.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallPositions {
    /// The message that made it, and its number in it.
    pub(super) made: Option<(u32, u32)>,
    pub(crate) result: Option<MessagePosition>,
}

/// The positions of everything in a list of messages.
#[derive(Debug, Default)]
pub(super) struct MessagePositions {
    /// The message of each id.
    messages: TextIndex<MessagePosition>,
    /// The call of each key, and its result.
    calls: TextIndex<CallPositions>,
}

impl MessagePosition {
    /// The message of the list that is here.
    pub(super) fn in_list(self, list: &[SentMessage]) -> Option<&SentMessage> {
        match self {
            Self::At(place) => list.get(place as usize),
            Self::With(owner, number) => list.get(owner as usize)?.answers.get(number as usize),
        }
    }

    /// The message of the list that is here, to change.
    pub(super) fn in_list_mut(self, list: &mut [SentMessage]) -> Option<&mut SentMessage> {
        match self {
            Self::At(place) => list.get_mut(place as usize),
            Self::With(owner, number) => list
                .get_mut(owner as usize)?
                .answers
                .get_mut(number as usize),
        }
    }

    fn id(self, list: &[SentMessage]) -> &str {
        self.in_list(list).map_or("", |message| &message.id)
    }
}

impl CallPositions {
    fn key(self, list: &[SentMessage]) -> &str {
        let call = || {
            list.get(self.made?.0 as usize)?
                .tool_calls
                .get(self.made?.1 as usize)
        };
        let result = || self.result?.in_list(list)?.answers();
        call()
            .map(SentCall::key)
            .or_else(result)
            .unwrap_or_default()
    }
}

impl MessagePositions {
    /// The message of an id.
    pub(crate) fn message(&self, id: &str, list: &[SentMessage]) -> Option<MessagePosition> {
        self.messages.get(id, |position| position.id(list)).copied()
    }

    /// The call of a key, and its result.
    pub(crate) fn call(&self, key: &str, list: &[SentMessage]) -> CallPositions {
        self.calls
            .get(key, |positions| positions.key(list))
            .copied()
            .unwrap_or_default()
    }

    /// Every call that has a result.
    pub(crate) fn answered(&self) -> impl Iterator<Item = (u32, u32)> {
        self.calls
            .iter()
            .filter(|call| call.result.is_some())
            .filter_map(|call| call.made)
    }

    /// A message is here now, with the call that it answers.
    pub(super) fn note(&mut self, position: MessagePosition, list: &[SentMessage]) {
        self.messages
            .insert(position.id(list), position, |position| position.id(list));
        if let Some(call) = position.in_list(list).and_then(SentMessage::answers) {
            let known = self.call(call, list);
            let positions = CallPositions {
                result: Some(position),
                ..known
            };
            self.calls
                .insert(call, positions, |positions| positions.key(list));
        }
    }

    /// The message of an id is replaced, and has another id afterwards.
    pub(crate) fn forget(&mut self, id: &str, list: &[SentMessage]) {
        self.messages.remove(id, |position| position.id(list));
    }

    /// A call is here now, as a message and its number in it.
    pub(super) fn note_call(&mut self, made: (u32, u32), list: &[SentMessage]) {
        let made = CallPositions {
            made: Some(made),
            result: None,
        };
        let key = made.key(list);
        let positions = CallPositions {
            result: self.call(key, list).result,
            ..made
        };
        self.calls
            .insert(key, positions, |positions| positions.key(list));
    }
}
