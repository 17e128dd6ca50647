//! Where the inputs of a conversation come from: turns written in a test, a simulator, a person.

use futures_util::future::BoxFuture;

use super::budget::TimeLeft;
use super::checkpoints::Checkpoints;
use ananke_base::message::TurnRequest;
use ananke_rules::TurnRules;
use ananke_trace::outcome::{Halt, InputDecision, InputOrigin, Problem, TurnOutcome};
use ananke_trace::trace::Trace;

/// What an input source sees of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct ConversationSoFar<'a> {
    /// What was said and done.
    pub trace: &'a Trace,
    /// What it has come by.
    pub checkpoints: &'a Checkpoints,
}

/// The next turn of a conversation.
#[derive(Clone, Debug)]
pub struct NextTurn {
    /// What it sends.
    pub request: TurnRequest,
    /// Who says it.
    pub origin: InputOrigin,
    /// What is left of the time of a simulated conversation.
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

/// What an input source finds out about a turn that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnReview {
    /// Warnings about the turn.
    pub warnings: Vec<String>,
    /// Why the turn does not count as it ended.
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

    /// Looks at a turn that has just ended, for what later inputs need from it.
    fn review(&mut self, trace: &Trace, turn: &TurnOutcome) -> TurnReview {
        let _ = (trace, turn);
        TurnReview::default()
    }

    /// Whether a conversation in which nothing was sent is a mistake.
    fn must_send(&self) -> bool {
        true
    }

    /// How many turns [`Self::next`] has not given yet; `None` if that is not known.
    fn remaining(&self) -> Option<usize>;
}
