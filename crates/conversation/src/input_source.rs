//! The source of the inputs of a conversation: turns written in a test, a simulator, a person.
//!
//! **Why:** Written turns, simulators, walks, people and programs differ only in where the next turn comes from. The conversation
//! asks for one turn at a time, and never for their number: what a simulator says depends on what the agent has answered.

use futures_util::future::BoxFuture;

use super::budget::TimeLeft;
use super::checkpoints::Checkpoints;
use super::conditional_turn::ConditionalTurn;
use ananke_base::message::TurnRequest;
use ananke_rules::TurnRules;
use ananke_trace::outcome::{Halt, InputDecision, InputOrigin, Problem, TurnOutcome};
use ananke_trace::trace::Trace;

/// The conversation as an input source sees it.
#[derive(Clone, Copy, Debug)]
pub struct ConversationSoFar<'a> {
    /// The messages and calls so far.
    pub trace: &'a Trace,
    /// The checkpoints and those that were reached.
    pub checkpoints: &'a Checkpoints,
}

/// The next turn of a conversation.
#[derive(Clone, Debug)]
pub struct NextTurn {
    /// The request that it sends.
    pub request: TurnRequest,
    /// The origin of the input.
    pub origin: InputOrigin,
    /// The rest of the time of a simulated conversation.
    pub time_left: Option<TimeLeft>,
    /// The rules that apply to it, if they were not known when the conversation began.
    pub rules: Option<TurnRules>,
}

impl NextTurn {
    /// A turn that the test has written down.
    pub fn written(request: TurnRequest, rules: Option<TurnRules>) -> Self {
        Self {
            request,
            origin: InputOrigin::Static,
            time_left: None,
            rules,
        }
    }
}

/// The review of a turn that has ended by its input source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnReview {
    /// Warnings about the turn.
    pub warnings: Vec<String>,
    /// The reason that the turn does not count as it ended.
    pub problem: Option<Problem>,
    /// Whether the agent waits for input, if that was looked at.
    pub awaits: Option<InputDecision>,
}

/// Gives a conversation its inputs, one after the other. How many there will be need not be known.
pub trait InputSource: Send {
    /// The next turn; `None` if the conversation is over.
    ///
    /// # Errors
    /// If there should be one and it cannot be made.
    fn next<'a>(
        &'a mut self,
        so_far: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>>;

    /// The next turn, if it is sent on a condition.
    ///
    /// # Errors
    /// If the condition cannot be filled.
    fn conditional(&mut self) -> Result<Option<ConditionalTurn>, Halt> {
        Ok(None)
    }

    /// The next turn is not needed: [`Self::next`] does not give it.
    fn pass_over(&mut self) {}

    /// Looks at a turn that has just ended, for what later inputs need from it.
    fn review(&mut self, trace: &Trace, turn: &TurnOutcome) -> TurnReview {
        let _ = (trace, turn);
        TurnReview::default()
    }

    /// Whether a conversation in which nothing was sent is a mistake.
    fn must_send(&self) -> bool {
        true
    }

    /// The number of turns that [`Self::next`] has not given yet; `None` if that is not known.
    fn remaining(&self) -> Option<usize>;
}
