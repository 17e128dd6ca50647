//! The view of a rule on a conversation.
//!
//! **Why:** Scope, replayed threads, subagents and turns that switch a rule off are decided here for all rules. A rule
//! that read the trace by itself would have to think of each of them, and would forget one.

use std::collections::BTreeSet;

use super::RuleScope;
use crate::describe::short;
use ananke_model::model::TextOf;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{
    Author, CallPhase, Callers, Message, MessageKind, Origin, Trace, TraceItem, TurnRanges,
};

/// The parts of its scope that a rule does not look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exclusions {
    /// The turns that switch the rule off, counted from 0.
    pub(crate) turns: BTreeSet<usize>,
    /// Whether calls of subagents are excluded.
    pub(crate) subagents: bool,
}

/// The conversation so far, and which part of it a rule is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// Everything so far.
    pub(crate) trace: &'a Trace,
    pub(crate) scope: RuleScope,
    /// The parts of the scope that do not count.
    pub(crate) exclusions: &'a Exclusions,
    /// Knows what must not be quoted in part: a part of a secret cannot be masked any more.
    pub(crate) redactor: &'a Redactor,
}

impl<'a> View<'a> {
    /// The turn that is the scope; `None` if it is the test.
    pub(crate) fn turn(&self) -> Option<&'a TurnRanges> {
        match self.scope {
            RuleScope::Turn(turn) => self.trace.turns.get(turn),
            RuleScope::Test => None,
        }
    }

    /// The turns of the scope that were sent and that the rule looks at, with their indices.
    pub(crate) fn turns(&self) -> impl DoubleEndedIterator<Item = (usize, &'a TurnRanges)> {
        let scope = self.scope;
        let excluded = &self.exclusions.turns;
        let turns = self.trace.turns.iter().enumerate();
        turns.filter(move |(index, turn)| match scope {
            RuleScope::Turn(turn) => turn == *index,
            RuleScope::Test => !excluded.contains(index) && !turn.input.is_not_needed,
        })
    }

    /// The scope is the test, and its last turn is one that the rule does not look at.
    pub(crate) fn leaves_out_last_turn(&self) -> bool {
        // A turn that replays the thread adds nothing to it, so that the last word is that of the turn before.
        let last = self.trace.turns.iter().rfind(|turn| !turn.input.is_replay);
        let Some(last) = last else {
            return false;
        };
        self.scope == RuleScope::Test && self.exclusions.turns.contains(&last.index)
    }

    /// Everything that happened in the scope, in the order in which it began; also what the rule does not look at.
    pub(crate) fn log(&self) -> &'a [TraceItem] {
        match self.scope {
            RuleScope::Turn(turn) => self.trace.log_of(turn),
            RuleScope::Test => self.trace.log(),
        }
    }

    /// The calls that count for the rule, in the order in which they started.
    pub(crate) fn calls(&self) -> impl Iterator<Item = usize> {
        let started = self.log().iter().filter_map(|item| match item {
            TraceItem::Call(call) => Some(*call),
            _ => None,
        });
        started.filter(|call| self.counts(*call))
    }

    /// Whether a call counts for the rule: live, and started in its scope.
    pub(crate) fn counts(&self, call: usize) -> bool {
        match self.trace.calls.get(call) {
            Some(started) => self.is_visible(call) && self.includes_turn(started.counted_in),
            None => false,
        }
    }

    /// Whether a call is visible to the rule: a live one, and a replayed one only in its own turn (SPEC 6, Snapshots).
    pub(crate) fn is_visible(&self, call: usize) -> bool {
        let Some(call) = self.trace.calls.get(call) else {
            return false;
        };
        self.includes_author(&call.author) && self.includes_origin(call.origin, call.counted_in)
    }

    /// Whether a message is part of the agent's text that the rule looks at.
    pub(crate) fn includes_text(&self, message: &Message) -> bool {
        message.is_text() && self.includes_message(message)
    }

    /// Whether a message is one of the user that the rule looks at.
    pub(crate) fn includes_user_text(&self, message: &Message) -> bool {
        message.role == MessageKind::User
            && !message.text.is_empty()
            && self.includes_message(message)
    }

    /// Whether a call counts for the rule: a live call that started in the scope, or one of an earlier turn whose result came in
    /// the turn that is the scope.
    pub(crate) fn counts_or_was_answered(&self, call: usize) -> bool {
        let Some(started) = self.trace.calls.get(call) else {
            return false;
        };
        // Replayed calls never count here, and calls of subagents only if the rule looks at them.
        if !self.trace.is_live(call) || !self.includes_author(&started.author) {
            return false;
        }
        // If the scope is the test, every call started in it, so that no result is late.
        let was_answered = match self.turn() {
            Some(turn) => turn.late_results.contains(&call),
            None => false,
        };
        was_answered || self.counts(call)
    }

    /// Whether the last result of a call arrived in the scope, whichever turn the call started in.
    pub(crate) fn was_answered(&self, call: usize) -> bool {
        if let Some(started) = self.trace.calls.get(call)
            && let Some(turn) = started.answered_in
        {
            return self.is_visible(call) && self.includes_turn(turn);
        }
        false
    }

    /// The position of the first call to the tool `name`, or of its first answer, as far as the rule sees.
    pub(crate) fn first(&self, name: &str, what: CallPhase) -> Option<u64> {
        let callers = if self.exclusions.subagents {
            Callers::Agent
        } else {
            Callers::All
        };
        let live = self.trace.first(name, what, callers);
        live.or_else(|| self.first_replayed(name, what))
    }

    /// The position of the first replayed call to the tool `name`, or of its first answer. Replayed calls are visible only to
    /// rules of the turn that replays them. So the index of the trace does not contain them, and they are searched here.
    fn first_replayed(&self, name: &str, phase: CallPhase) -> Option<u64> {
        let turn = self.turn()?;
        if !turn.input.is_replay {
            return None;
        }
        for item in self.trace.log_of(turn.index) {
            let call = match item {
                TraceItem::Call(call) if phase == CallPhase::Called => *call,
                TraceItem::Result { call, .. } if phase == CallPhase::Answered => *call,
                _ => continue,
            };
            if self.is_visible(call) && self.trace.calls[call].name == name {
                return Some(item.order(self.trace));
            }
        }
        None
    }

    /// An item of the trace in words, for messages: `` `pay` was called ``.
    pub(crate) fn describe(&self, item: TraceItem) -> String {
        match item {
            // Names come from the agent and may be long, so that they are shortened.
            TraceItem::Call(call) => {
                format!("`{}` was called", short(&self.trace.calls[call].name))
            }
            TraceItem::Result { call, .. } => {
                format!("`{}` was answered", short(&self.trace.calls[call].name))
            }
            TraceItem::Message(index) => {
                let speaker = self.speaker(&self.trace.messages[index]);
                format!("{speaker} said something")
            }
            TraceItem::Answer { .. } => "an interrupt was answered".to_owned(),
            TraceItem::State(_) => "the state changed".to_owned(),
            TraceItem::ModelCall(_) => "the model was asked".to_owned(),
        }
    }

    /// The author of a message: `the user`, `the agent`.
    pub(crate) fn speaker(&self, message: &Message) -> &'static str {
        if message.role == MessageKind::User {
            "the user"
        } else {
            self.trace.peer.noun()
        }
    }

    /// The text of the agent that a rule is about: the last message in the scope, or all text in it. Turns that switch the rule
    /// off are left aside.
    pub(crate) fn text(&self, of: TextOf) -> String {
        if of == TextOf::Final {
            // The last turn with text counts: the agent may only have called tools in the turns after it.
            let mut texts = self.turns().rev().map(|(_, turn)| self.last_message(turn));
            return texts.find(|text| !text.is_empty()).unwrap_or_default();
        }
        match self.scope {
            // The text of each turn that does not switch the rule off.
            RuleScope::Test => self
                .trace
                .text_of(|turn| !self.exclusions.turns.contains(&turn)),
            RuleScope::Turn(_) => match self.turn() {
                Some(turn) => self.trace.turn_text(turn),
                // A turn that was not sent has no text.
                None => String::new(),
            },
        }
    }

    /// The agent's text in the running turn; `None` if the rule does not look at it.
    pub(crate) fn text_of_running_turn(&self, of: TextOf) -> Option<String> {
        let turn = self.trace.turns.last()?;
        let index = self.trace.turns.len() - 1;
        if self.exclusions.turns.contains(&index) {
            return None;
        }
        match of {
            TextOf::Final => Some(self.last_message(turn)),
            TextOf::All | TextOf::Everything if self.has_seen(turn) => None,
            TextOf::All | TextOf::Everything => Some(self.trace.turn_text(turn)),
        }
    }

    /// The text of each turn in the scope, with the index of the turn: its last message, or all its text.
    pub(crate) fn texts(&self, of: TextOf) -> Vec<(usize, String)> {
        let mut texts = Vec::new();
        for (index, turn) in self.turns() {
            // A turn that replays the thread repeats texts that are in the list already.
            if self.has_seen(turn) {
                continue;
            }
            let text = match of {
                TextOf::Final => self.last_message(turn),
                TextOf::All | TextOf::Everything => self.trace.turn_text(turn),
            };
            texts.push((index, text));
        }
        texts
    }

    /// A turn that replays the thread: a rule of the whole test has seen its texts in the turns where they were said.
    fn has_seen(&self, turn: &TurnRanges) -> bool {
        turn.input.is_replay && self.scope == RuleScope::Test
    }

    fn last_message(&self, turn: &TurnRanges) -> String {
        let mut messages = self.trace.messages_of(turn);
        match messages.rfind(|message| self.includes_text(message)) {
            Some(message) => message.text.clone(),
            None => String::new(),
        }
    }

    fn includes_message(&self, message: &Message) -> bool {
        !self.exclusions.turns.contains(&message.turn)
            && self.includes_origin(message.origin, message.turn)
    }

    fn includes_origin(&self, origin: Origin, turn: usize) -> bool {
        match origin {
            Origin::Streamed | Origin::SnapshotOnly => true,
            Origin::Replayed => self.scope == RuleScope::Turn(turn),
            Origin::History => false,
        }
    }

    /// Whether the rule looks at what `author` does.
    pub(crate) fn includes_author(&self, author: &Author) -> bool {
        !(self.exclusions.subagents && matches!(author, Author::Subagent(_)))
    }

    /// Whether the rule looks at a turn.
    pub(crate) fn includes_turn(&self, turn: usize) -> bool {
        (self.scope == RuleScope::Test || self.scope == RuleScope::Turn(turn))
            && !self.exclusions.turns.contains(&turn)
    }
}
