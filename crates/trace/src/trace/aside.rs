//! Text that the agent sends next to its answer: no rule requires it, and every prohibition of a text looks at it (SPEC 13).

use serde_json::Value;

/// Text next to the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The text.
    pub text: String,
    /// The source of the text.
    pub source: AsideSource,
    /// The turn in which it came, counted from 0.
    pub turn: usize,
    /// The number of its event.
    pub event: u32,
}

/// The source of text next to the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsideSource {
    /// A message about the progress of the work, or one next to the answer.
    Status,
    /// The error with which a run ended.
    Error,
    /// A structured result that is the answer.
    StructuredResult,
    /// The state: a text that the turn changed or added.
    State,
    /// Messages that follow each other directly, as one text: a trace may have a message for each piece of one.
    Pieces,
}

/// The most bytes of texts of the state that a turn adds.
const MAX_STATE_BYTES: usize = 1 << 20;

/// The texts in `now` that were not at their place `before`: at most [`MAX_STATE_BYTES`].
pub(super) fn changed_texts(before: &Value, now: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    let mut room = MAX_STATE_BYTES;
    let mut open = vec![(Some(before), now)];
    while let Some((before, now)) = open.pop() {
        match now {
            Value::String(text) if before.and_then(Value::as_str) != Some(text) => {
                let Some(rest) = room.checked_sub(text.len()) else {
                    break;
                };
                room = rest;
                texts.push(text.clone());
            }
            Value::Array(items) => open.extend(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| (before.and_then(|before| before.get(index)), item)),
            ),
            Value::Object(fields) => open.extend(
                fields
                    .iter()
                    .map(|(key, field)| (before.and_then(|before| before.get(key)), field)),
            ),
            _ => {}
        }
    }
    texts
}

impl AsideSource {
    /// The source in words, after "the agent said in".
    pub fn words(self) -> &'static str {
        match self {
            Self::Status => "a status message",
            Self::Error => "an error message",
            Self::StructuredResult => "a structured result",
            Self::State => "the state",
            Self::Pieces => "messages that follow each other",
        }
    }
}
