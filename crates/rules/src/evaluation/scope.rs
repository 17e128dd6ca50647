//! Scope: the part of a test that a rule is about.

use ananke_trace::trace::{Trace, TurnRanges};

/// The level that a rule is defined on, as the part of the conversation that it judges (SPEC 7.1).
///
/// What a target defines has the test as its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleScope {
    /// One turn, counted from 0.
    Turn(usize),
    /// The test as a whole.
    Test,
}

impl RuleScope {
    /// The event at `index` of [`Trace::events`] in a text about this scope: `#5`, and `#5 of turn 2` if there are others.
    pub(crate) fn event(self, trace: &Trace, index: u32) -> String {
        let turn = match self {
            Self::Turn(turn) => trace.turns.get(turn).map(TurnRanges::number),
            Self::Test => (trace.turns.len() == 1).then_some(1),
        };
        trace.numbered(index).shown_in(turn)
    }

    /// `the test` or `the turn`.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Test => "the test",
            Self::Turn(_) => "the turn",
        }
    }

    /// `the test` or `this turn`: the scope that has just ended.
    pub(crate) fn this(self) -> &'static str {
        match self {
            Self::Test => "the test",
            Self::Turn(_) => "this turn",
        }
    }
}
