//! One turn of the conversation.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Violations;

/// What a turn sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The id the user's message has in the history; none where the user said nothing.
    pub message_id: Option<String>,
    /// What the user said in words; empty where nothing was said.
    pub text: String,
    /// What was sent, as people are told of it.
    pub shown: String,
    /// Whether the turn asks for what was before: all that comes is told again.
    pub is_replay: bool,
}

/// One turn: stretches of the trace's lists.
#[derive(Clone, Debug)]
pub struct Turn {
    /// What was sent.
    pub input: Input,
    /// Its exchanges.
    pub exchanges: Range<usize>,
    /// The messages that began in it.
    pub messages: Range<usize>,
    /// The calls that started in it.
    pub calls: Range<usize>,
    /// The custom events that came in it.
    pub custom: Range<usize>,
    /// Calls that started before it and were answered in it.
    pub answered: BTreeSet<usize>,
    /// How it broke the order that the protocol demands.
    pub violations: Violations,
    /// Oddities that fail nothing.
    pub warnings: Vec<String>,
}

impl Turn {
    /// How many warnings of a turn are kept; the rest is counted.
    pub const MAX_WARNINGS: usize = 20;

    pub(super) fn new(input: Input, [exchanges, messages, calls, custom]: [usize; 4]) -> Self {
        Self {
            input,
            exchanges: exchanges..exchanges,
            messages: messages..messages,
            calls: calls..calls,
            custom: custom..custom,
            answered: BTreeSet::new(),
            violations: Violations::default(),
            warnings: Vec::new(),
        }
    }

    pub(super) fn warn(&mut self, text: String) {
        match self.warnings.len() {
            length if length < Self::MAX_WARNINGS => self.warnings.push(text),
            Self::MAX_WARNINGS => self.warnings.push("more warnings of this turn are not shown".to_owned()),
            _ => {}
        }
    }
}
