//! Everything that happened in a conversation, so that rules can watch it again without an agent.
//!
//! Flows in: items in their order, as they happened or changed. Flows out: the trace that they make, and what the rules found.
//! **Invariant:** the items of a conversation make the trace that the conversation made.

use std::mem::discriminant;

use super::conditional_turn::{ConditionalTurn, TurnDecision};
use ananke_agents::Wire;
use ananke_base::context::At;
use ananke_base::message::ToolAnswer;
use ananke_rules::{Completion, Evaluator, Following, TurnRules};
use ananke_trace::outcome::RuleResult;
use ananke_trace::trace::{Change, Delta, Input, Trace};

/// Something that happened.
#[derive(Clone, Debug)]
pub enum TapeItem {
    /// The decision whether a conditional turn is sent.
    Decided(Box<ConditionalTurn>, TurnDecision),
    /// A turn began with this input; its rules, if they were not known when the conversation began.
    Turn(Input, Option<Box<TurnRules>>),
    /// A request was sent.
    Sent(At),
    /// The head of a response came, with this status.
    Head(At, u16),
    /// No response came in time: what was missing, in words.
    Late(String),
    /// An event of a response came.
    Frame(At),
    /// A response ended.
    Closed(At),
    /// The agent did this.
    Change(At, Change<'static>),
    /// The client answered a call.
    Answered(ToolAnswer),
    /// The turn is over, and rules about its end decide.
    TurnEnded(Following),
}

impl TapeItem {
    /// The event of the connection, if it is part of a trace.
    pub fn of_wire(at: At, wire: Wire<'_>) -> Option<Self> {
        match wire {
            Wire::Request { .. } | Wire::Headers(_) | Wire::Taken(_) | Wire::Alive => None,
            Wire::Sent { .. } => Some(Self::Sent(at)),
            Wire::Head { status, .. } => Some(Self::Head(at, status)),
            Wire::Late { missing } => Some(Self::Late(missing.to_owned())),
            Wire::Frame(_) => Some(Self::Frame(at)),
            Wire::Closed => Some(Self::Closed(at)),
        }
    }

    /// The same item, as if it had happened `micros` microseconds later.
    #[must_use]
    pub fn later(mut self, micros: u64) -> Self {
        match &mut self {
            Self::Sent(at) | Self::Head(at, _) | Self::Frame(at) | Self::Closed(at) => {
                at.0 = at.0.saturating_add(micros);
            }
            Self::Change(at, change) => {
                at.0 = at.0.saturating_add(micros);
                // A stamp is the time of the agent's own clock. It moves too, or it would show an agent that is as fast as
                // before.
                if let Change::Stamped(stamp) = change {
                    *stamp = stamp.saturating_add(micros);
                }
            }
            // The other items have no moment of their own: those of the client happen at once, and the time of a turn is that of
            // its exchanges.
            Self::Decided(..)
            | Self::Turn(..)
            | Self::Late(_)
            | Self::Answered(_)
            | Self::TurnEnded(_) => {}
        }
        self
    }
}

/// A trace that grows again, with rules that watch.
#[derive(Debug)]
pub struct TapePlayer {
    /// The trace so far.
    pub trace: Trace,
    /// The rules that watch it.
    pub evaluator: Evaluator,
    /// The failures that the rules found in turns that have ended.
    pub failures: Vec<RuleResult>,
    /// The first conditional turn of which the decision is another one than when the conversation was held, in words.
    pub changed_decision: Option<String>,
    deltas: Vec<Delta>,
    turns: usize,
}

impl TapePlayer {
    /// A player that has played nothing yet.
    pub fn new(trace: Trace, evaluator: Evaluator) -> Self {
        Self {
            trace,
            evaluator,
            failures: Vec::new(),
            changed_decision: None,
            deltas: Vec::new(),
            turns: 0,
        }
    }

    /// The reason that a rule that was decided since the last call neither passed nor failed.
    pub fn take_not_shown(&mut self) -> Option<String> {
        if self.trace.is_whole() {
            return None;
        }
        // The evaluator puts aside what rests on unread parts when it is asked for the rules that passed.
        self.evaluator.take_passed(&self.trace);
        let mut rules = self.evaluator.take_not_shown();
        if rules.is_empty() {
            return None;
        }
        Some(rules.swap_remove(0).message)
    }

    /// Adds the item that happened next to the trace, and shows what changed to the rules.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn play(&mut self, item: TapeItem) -> Result<(), regex::Error> {
        match item {
            TapeItem::Decided(turn, decision) => self.decide(&turn, &decision)?,
            TapeItem::Turn(input, rules) => {
                // `self.turns` counts turns that were not sent too. The trace gets them first, so that this turn has the same
                // number as in the test.
                self.trace.pass_over_turns(self.turns);
                // The item has rules only if they were not known when the conversation began. The evaluator has all others.
                if let Some(rules) = rules {
                    self.evaluator.set_turn_rules(self.turns, *rules);
                }
                self.trace.begin_turn(input);
                self.evaluator.begin_turn(self.turns)?;
                self.turns += 1;
            }
            // Events of the connection cause no deltas, so rules are shown nothing.
            TapeItem::Sent(at) => self.trace.begin_exchange(at),
            TapeItem::Head(at, status) => self.trace.head(at, status),
            TapeItem::Late(missing) => self.trace.late(&missing),
            TapeItem::Frame(at) => self.trace.event(at),
            TapeItem::Closed(at) => self.trace.end_exchange(at),
            // The trace notes what changed in `self.deltas`, which `show_deltas` hands to the rules.
            TapeItem::Change(at, change) => {
                self.trace.apply(at, change, &mut self.deltas);
                self.show_deltas();
            }
            TapeItem::Answered(answer) => {
                self.trace.answer_as_client(&answer, &mut self.deltas);
                self.show_deltas();
            }
            // The end of a turn closes open messages and calls, which the rules see before they decide about the end. If
            // no turn follows (`following`), rules of this turn wait for nothing more. Only complete turns are watched again.
            TapeItem::TurnEnded(following) => {
                self.trace.end_turn(&mut self.deltas);
                self.show_deltas();
                let found = self
                    .evaluator
                    .end_turn(&self.trace, Completion::Complete, following);
                self.failures.extend(found);
            }
        }
        Ok(())
    }

    /// Decides again whether a conditional turn is sent, and notes it if the result is another than the `recorded` one. The
    /// player goes on as it was recorded, since it has no other items.
    fn decide(
        &mut self,
        turn: &ConditionalTurn,
        recorded: &TurnDecision,
    ) -> Result<(), regex::Error> {
        let decision = turn.decide(&self.trace, &mut self.evaluator)?;
        let number = self.turns + 1;
        // Only the kinds of the decisions are compared: their reasons may differ.
        if discriminant(&decision) != discriminant(recorded) {
            let verb = match decision {
                TurnDecision::Needed => "is",
                TurnDecision::NotNeeded(_) | TurnDecision::Undecided(_) => "is not",
            };
            let words = format!("turn {number} {verb} sent");
            // The first change is kept, since every later one may follow from it.
            self.changed_decision.get_or_insert(words);
        }
        // A turn that was not sent has no item of its own, so it is counted here.
        if *recorded != TurnDecision::Needed {
            self.turns = number;
        }
        Ok(())
    }

    fn show_deltas(&mut self) {
        for delta in self.deltas.drain(..) {
            self.evaluator.touched(&self.trace, delta);
        }
    }
}
