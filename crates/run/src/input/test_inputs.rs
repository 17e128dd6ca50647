//! The inputs of one attempt's conversation: first the turns that are written, then what is said after them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::written_turns::WrittenTurns;
use crate::attempt::Attempt;
use crate::context::{TestStep, UnwrittenInput, UnwrittenRequest, UnwrittenTurn};
use ananke_conversation::{ConditionalTurn, ConversationSoFar, InputSource, NextTurn, TurnReview};
use ananke_plan::TurnDefaults;
use ananke_trace::outcome::{Halt, InputOrigin, TurnOutcome};
use ananke_trace::trace::Trace;

/// The inputs of one attempt.
pub(crate) struct TestInputs<'a> {
    pub(crate) attempt: &'a Attempt<'a>,
    /// Whether the first turn is the message that the test begins with.
    pub(crate) begins_with_input: bool,
    /// The parts that the test gives to turns that are not written.
    pub(crate) defaults: Arc<TurnDefaults>,
    pub(crate) written: WrittenTurns<'a>,
    /// The source of input after the written turns, if there may be any.
    pub(crate) unwritten: Option<Box<dyn UnwrittenInput + 'a>>,
}

impl InputSource for TestInputs<'_> {
    fn next<'a>(
        &'a mut self,
        so_far: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>> {
        Box::pin(async move {
            let Some(unwritten) = &mut self.unwritten else {
                return self.written.next(so_far).await;
            };
            if self.written.remaining() != Some(0) {
                let next = self.written.next(so_far).await?;
                let is_initial = self.written.ended() == 0 && self.begins_with_input;
                let origin = if is_initial {
                    InputOrigin::Initial
                } else {
                    InputOrigin::Static
                };
                return Ok(next.map(|next| NextTurn { origin, ..next }));
            }
            let Some(said) = unwritten.next(self.written.ended() + 1, so_far).await? else {
                self.attempt
                    .case
                    .watchdog
                    .begin(TestStep::Evaluate, Duration::ZERO)?;
                return Ok(None);
            };
            let UnwrittenTurn {
                sends,
                origin,
                time_left,
            } = said;
            let (turn, rules) = match sends {
                UnwrittenRequest::Says(input) => (self.defaults.turn(input), None),
                UnwrittenRequest::Prepared(prepared) => (prepared.0, Some(prepared.1)),
            };
            let request = self.written.start(turn)?;
            Ok(Some(NextTurn {
                request,
                origin,
                time_left,
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
        let review = self.written.review(trace, turn);
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.ended(trace, turn);
        }
        let unwritten = self.unwritten.as_mut();
        TurnReview {
            awaits: unwritten.and_then(|unwritten| unwritten.awaits(trace)),
            ..review
        }
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
