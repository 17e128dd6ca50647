//! One turn of the conversation.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{EventNumber, Violations};

/// The input of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The id of the user's message in the history, if the user said something.
    pub message_id: Option<String>,
    /// The text of the user's message; may be empty.
    pub text: String,
    /// The input, in words for people.
    pub shown: String,
    /// Whether it is a replay turn: it asks the agent for the conversation so far.
    pub is_replay: bool,
    /// Whether nothing was sent: the turn was not needed.
    pub is_not_needed: bool,
    /// The interrupts that the turn answers.
    pub answered: Vec<AnsweredInterrupt>,
}

/// An interrupt that a turn answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredInterrupt {
    /// Its id.
    pub id: String,
    /// The status of the answer.
    pub status: InterruptStatus,
}

/// The status of an answered interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptStatus {
    /// With an answer.
    Resolved,
    /// It was cancelled.
    Cancelled,
}

/// One turn: ranges of the trace's lists.
#[derive(Clone, Debug)]
pub struct TurnRanges {
    /// Its place among the turns, counted from 0.
    pub index: usize,
    /// The input of the turn.
    pub input: Input,
    /// The place in the order of all that happened from which on everything came in it or after it.
    pub began: u64,
    /// The index of its first event in the trace's events.
    pub(super) first_event: u32,
    /// Its exchanges.
    pub exchanges: Range<usize>,
    /// The messages that began in it.
    pub messages: Range<usize>,
    /// The calls that started in it.
    pub calls: Range<usize>,
    /// The custom events that arrived in it.
    pub custom: Range<usize>,
    /// Calls that started before it and got a result in it.
    pub late_results: BTreeSet<usize>,
    /// Its violations of the protocol's event order.
    pub violations: Violations,
    /// Oddities that fail no rule.
    pub warnings: Vec<String>,
}

impl TurnRanges {
    /// Its number, from 1.
    pub fn number(&self) -> u32 {
        u32::try_from(self.index + 1).unwrap_or(u32::MAX)
    }

    /// The number of the event at `index` of [`Trace::events`](super::Trace::events), as one of this turn.
    pub fn numbered(&self, index: u32) -> EventNumber {
        EventNumber {
            turn: self.number(),
            number: index.saturating_sub(self.first_event).saturating_add(1),
        }
    }

    /// The most warnings of a turn that are kept; the rest is counted.
    pub const MAX_WARNINGS: usize = 20;

    pub(super) fn new(
        (index, input): (usize, Input),
        began: u64,
        first_event: u32,
        [exchanges, messages, calls, custom]: [usize; 4],
    ) -> Self {
        Self {
            index,
            input,
            began,
            first_event,
            exchanges: exchanges..exchanges,
            messages: messages..messages,
            calls: calls..calls,
            custom: custom..custom,
            late_results: BTreeSet::new(),
            violations: Violations::default(),
            warnings: Vec::new(),
        }
    }

    pub(super) fn warn(&mut self, text: String) {
        match self.warnings.len() {
            length if length < Self::MAX_WARNINGS => self.warnings.push(text),
            Self::MAX_WARNINGS => self
                .warnings
                .push("more warnings of this turn are not shown".to_owned()),
            _ => {}
        }
    }
}
