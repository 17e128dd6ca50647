//! Where the inputs of a conversation come from: turns written in a test, a simulator, a person.

use futures_util::future::BoxFuture;

use crate::assertion::TurnRules;
use crate::message::TurnRequest;
use crate::outcome::{Halt, Problem, TurnEnd};
use crate::trace::Trace;

/// The next turn of a conversation.
#[derive(Clone, Debug)]
pub struct NextTurn {
    /// What it sends.
    pub request: TurnRequest,
    /// The rules that apply to it, if they were not known when the conversation began.
    pub rules: Option<TurnRules>,
}

/// What an input source finds out about a turn that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnReview {
    /// Warnings about the turn.
    pub warnings: Vec<String>,
    /// Why the turn does not count as it ended.
    pub problem: Option<Problem>,
}

/// Gives a conversation its inputs, one after the other. How many there will be need not be known.
pub trait InputSource: Send {
    /// The next turn; `None` if the conversation is over.
    ///
    /// # Errors
    /// If there should be one and it cannot be made.
    fn next<'a>(&'a mut self, trace: &'a Trace) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>>;

    /// Looks at a turn that has just ended, for what later inputs need from it.
    fn review(&mut self, trace: &Trace, end: &TurnEnd) -> TurnReview {
        let _ = (trace, end);
        TurnReview::default()
    }

    /// How many turns [`Self::next`] has not given yet; `None` if that is not known.
    fn remaining(&self) -> Option<usize>;
}
