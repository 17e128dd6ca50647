//! The inputs of one attempt's conversation: first the turns that are written, then what is said after them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::written_turns::WrittenTurns;
use crate::attempt::Attempt;
use crate::context::{TestStep, UnwrittenInput, UnwrittenRequest};
use ananke_conversation::{ConditionalTurn, ConversationSoFar, InputSource, NextTurn, TurnReview};
use ananke_plan::TurnDefaults;
use ananke_trace::outcome::{Halt, InputOrigin, TurnOutcome};
use ananke_trace::trace::Trace;

/// The inputs of one attempt.
pub(crate) struct TestInputs<'a> {
    pub(crate) attempt: &'a Attempt<'a>,
    /// The first turn is the message that the test begins with.
    pub(crate) begins_with_input: bool,
    /// The parts that the test gives to turns that are not written.
    pub(crate) defaults: Arc<TurnDefaults>,
    pub(crate) written: WrittenTurns<'a>,
    /// The source of input after the written turns, if there may be any.
    pub(crate) unwritten: Option<Box<dyn UnwrittenInput + 'a>>,
}

impl InputSource for TestInputs<'_> {
    /// The next turn: first those that are written, then what the unwritten source says.
    fn next<'a>(
        &'a mut self,
        so_far: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>> {
        Box::pin(async move {
            // A test without unwritten input has only written turns, so reports need not show which of them are written.
            let Some(unwritten) = &mut self.unwritten else {
                return self.written.next(so_far).await;
            };
            // All written turns are sent before the first unwritten one, and `remaining` is always `Some` for them. Since others
            // may follow, reports show that these are written, and which one is the message that the test begins with.
            if self.written.remaining() != Some(0) {
                let mut next = self.written.next(so_far).await?;
                if let Some(next) = &mut next {
                    let is_initial = self.written.ended() == 0 && self.begins_with_input;
                    next.origin = if is_initial {
                        InputOrigin::Initial
                    } else {
                        InputOrigin::Static
                    };
                }
                return Ok(next);
            }

            // If the source has no further input, the conversation is over, and the rules of the whole test are evaluated. That
            // waits for no agent, so the watchdog allows only the time that it adds to every step for computing.
            let number = self.written.ended() + 1;
            let Some(unwritten_turn) = unwritten.next(number, so_far).await? else {
                let watchdog = &self.attempt.case.watchdog;
                watchdog.begin(TestStep::Evaluate, Duration::ZERO)?;
                return Ok(None);
            };
            // A text gets the settings of the test, and no rules of its own. A prepared turn, such as an action of a walk, has
            // both.
            let mut rules = None;
            let turn = match unwritten_turn.sends {
                UnwrittenRequest::Says(input) => self.defaults.turn(input),
                UnwrittenRequest::Adds(asked) => {
                    let mut turn = self.defaults.turn(asked.input);
                    turn.request.context.request = asked.request;
                    turn
                }
                UnwrittenRequest::Prepared(prepared) => {
                    let (turn, turn_rules) = *prepared;
                    rules = Some(turn_rules);
                    turn
                }
            };
            // The turn begins like a written one: reports and the watchdog count both in one row.
            Ok(Some(NextTurn {
                request: self.written.start(turn)?,
                origin: unwritten_turn.origin,
                time_left: unwritten_turn.time_left,
                rules,
            }))
        })
    }

    fn conditional(&mut self) -> Result<Option<ConditionalTurn>, Halt> {
        self.written.conditional()
    }

    fn pass_over(&mut self) {
        self.written.pass_over();
    }

    fn review(&mut self, trace: &Trace, turn: &TurnOutcome) -> TurnReview {
        let mut review = self.written.review(trace, turn);
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.ended(trace, turn);
            review.awaits = unwritten.awaits(trace);
        }
        review
    }

    fn must_send(&self) -> bool {
        self.attempt.case.shared.conversations.driver().is_none()
    }

    fn remaining(&self) -> Option<usize> {
        if self.unwritten.is_some() {
            None
        } else {
            self.written.remaining()
        }
    }
}
