//! The input from a program after the written turns, and the client-side tools that it executes.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::judges::TestOracle;
use crate::attempt::Attempt;
use crate::context::{
    ConversationDriver, DriverRequest, RequestPace, UnwrittenInput, UnwrittenRequest,
    UnwrittenTurn, turn_count,
};
use ananke_conversation::{ConversationSoFar, Oracle as _};
use ananke_trace::outcome::{Halt, InputOrigin, TurnOutcome};
use ananke_trace::trace::Trace;

/// The input from a program.
pub(crate) struct DriverInput<'a> {
    pub(crate) attempt: &'a Attempt<'a>,
    pub(crate) pace: &'a RequestPace,
    pub(crate) driver: Arc<dyn ConversationDriver>,
    /// Answers what rules of the program ask.
    pub(crate) oracle: &'a TestOracle<'a>,
}

impl UnwrittenInput for DriverInput<'_> {
    /// The turn `number` with the next input from the program; `None` once the program has no more.
    fn next<'a>(
        &'a mut self,
        number: usize,
        _: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<UnwrittenTurn>, Halt>> {
        Box::pin(async move {
            self.attempt.environment.begin_turn(turn_count(number));
            // Rules of the program can ask for any number of decisions before it says something.
            loop {
                // The time that the program takes between two turns does not count for the timeouts of the test, so `hold` stops
                // them while it waits. Its future returns nothing, so the request is put into a variable.
                let mut request = None;
                let next = async { request = self.driver.next().await };
                self.pace.hold(next).await;
                match request {
                    Some(DriverRequest::Decide(question, answer)) => {
                        // A program that is gone needs no answer.
                        let _is_gone = answer.send(self.oracle.decide(&question).await);
                    }
                    Some(DriverRequest::Say(input)) => {
                        return Ok(Some(UnwrittenTurn {
                            sends: UnwrittenRequest::Adds(input),
                            origin: InputOrigin::Human,
                            time_left: None,
                        }));
                    }
                    None => return Ok(None),
                }
            }
        })
    }

    fn ended(&mut self, trace: &Trace, turn: &TurnOutcome) {
        self.driver.ended(trace, turn);
    }
}
