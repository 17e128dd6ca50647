//! One conversation with its rules, so that the rules can watch it again, as it was or changed.
//!
//! Flows in: what a conversation begins with, and everything that happens in it. Flows out: a [`TapedConversation`]. It is
//! not bounded as an outcome is, and belongs to one attempt at one test.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::context::{ConversationBeginning, ConversationStart, Follower, Tap};
use crate::coverage::NoticedChanges;
use ananke_agents::Wire;
use ananke_base::context::{At, lock};
use ananke_base::message::{Lane, ToolAnswer};
use ananke_conversation::{ConditionalTurn, Observer, TapeItem, TapePlayer, TurnDecision};
use ananke_model::variables::Patterns;
use ananke_rules::{Evaluator, Following, Inherited, TurnRules};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Change, Input, Trace};

/// Tapes one conversation. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ConversationTape(Arc<Mutex<TapedConversation>>);

/// A conversation and the rules that watched it.
#[derive(Clone, Debug, Default)]
pub struct TapedConversation {
    /// The rules.
    pub rules: Inherited,
    /// Masks what is secret in their findings.
    pub redactor: Redactor,
    /// The facts that were known before the first turn.
    pub start: ConversationStart,
    /// The items of the tape.
    pub items: Vec<TapeItem>,
}

/// Changes conversations, and says which changes their rules notice.
pub trait ConversationMutator: Debug + Send + Sync {
    /// The changes to this conversation that its rules notice; none if it did not pass.
    fn noticed(&self, taped: TapedConversation) -> NoticedChanges;
}

impl TapedConversation {
    /// The decisions about conditional turns, in their order.
    pub fn decisions(&self) -> impl Iterator<Item = &TurnDecision> {
        self.items.iter().filter_map(|item| match item {
            TapeItem::Decided(_, decision) => Some(decision),
            _ => None,
        })
    }

    /// A player that begins as the conversation did; `patterns` need not be compiled again.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn player(&self, patterns: Patterns) -> Result<TapePlayer, regex::Error> {
        let evaluator = Evaluator::start_with(patterns, self.rules.clone(), self.redactor.clone())?;
        Ok(TapePlayer::new(self.start.trace(), evaluator.withholding()))
    }
}

impl ConversationTape {
    /// The conversation so far.
    pub fn take(&self) -> TapedConversation {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, TapedConversation> {
        lock(&self.0)
    }

    /// Forgets what was taped, and begins with another conversation.
    pub(super) fn begin(&self, beginning: &ConversationBeginning<'_>) {
        *self.lock() = TapedConversation {
            rules: beginning.rules.clone(),
            redactor: beginning.redactor.clone(),
            start: beginning.start.clone(),
            items: Vec::new(),
        };
    }

    fn push(&self, item: TapeItem) {
        self.lock().items.push(item);
    }
}

impl Tap for ConversationTape {
    fn follow(&self, beginning: &ConversationBeginning<'_>) -> Option<Box<dyn Follower>> {
        self.begin(beginning);
        Some(Box::new(self.clone()))
    }
}

impl Follower for ConversationTape {
    fn observer(&self) -> Option<Box<dyn Observer>> {
        Some(Box::new(self.clone()))
    }
}

impl Observer for ConversationTape {
    fn wire(&mut self, _: &Lane, at: At, wire: Wire<'_>) {
        self.lock().items.extend(TapeItem::of_wire(at, wire));
    }

    fn change(&mut self, _: &Lane, at: At, change: &Change<'_>) {
        self.push(TapeItem::Change(at, change.clone().into_owned()));
    }

    fn decided(&mut self, turn: &ConditionalTurn, decision: &TurnDecision) {
        self.push(TapeItem::Decided(Box::new(turn.clone()), decision.clone()));
    }

    fn turn_began(&mut self, _: &Trace, input: &Input, rules: Option<&TurnRules>) {
        self.push(TapeItem::Turn(input.clone(), rules.cloned().map(Box::new)));
    }

    fn answered(&mut self, answer: &ToolAnswer) {
        self.push(TapeItem::Answered(answer.clone()));
    }

    fn turn_ended(&mut self, following: Following) {
        self.push(TapeItem::TurnEnded(following));
    }
}
