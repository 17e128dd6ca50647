//! The turns that a test writes down, as the inputs of its conversation.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec;

use futures_util::future::BoxFuture;

use super::attempt::Attempt;
use super::capture_values::capture_values;
use super::event::RunEvent;
use super::problems::{recording_problem, unprepared_problem};
use super::turn_count::turn_count;
use crate::compile::{Capture, PreparedTurn};
use crate::engine::{Halt, InputSource, NextTurn, TurnRequest, TurnReview};
use crate::outcome::{ErrorKind, Problem, Status, TurnEnd};
use crate::plan::Preparation;
use crate::recording::Player;
use crate::trace::Trace;

/// The written turns of one attempt, from its first to its last.
pub(super) struct WrittenTurns<'a, 'p> {
    attempt: &'a Attempt<'a>,
    preparation: &'a Mutex<Preparation<'p>>,
    turns: vec::IntoIter<Option<PreparedTurn>>,
    total: usize,
    /// How many have ended.
    ended: usize,
    /// What the running turn is to capture.
    captures: Vec<Capture>,
}

impl<'a, 'p> WrittenTurns<'a, 'p> {
    pub(super) fn new(
        attempt: &'a Attempt<'a>,
        preparation: &'a Mutex<Preparation<'p>>,
        turns: Vec<Option<PreparedTurn>>,
    ) -> Self {
        let total = turns.len();
        Self { attempt, preparation, turns: turns.into_iter(), total, ended: 0, captures: Vec::new() }
    }

    fn preparation(&self) -> MutexGuard<'a, Preparation<'p>> {
        self.preparation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Captures what the turn that has just ended is to capture; the problem names what is missing.
    fn capture(&self, trace: &Trace, review: &mut TurnReview) {
        let Attempt { tape, redactor, .. } = self.attempt;
        let (values, missing) = capture_values(&self.captures, trace, redactor);
        if !values.is_empty() {
            let mut preparation = self.preparation();
            review.warnings = preparation.keep(values);
            let secrets = preparation.secrets();
            redactor.add(&secrets);
            tape.learn(&secrets, redactor);
        }
        if !missing.is_empty() {
            review.problem =
                Some(Problem { kind: ErrorKind::Capture, message: missing.join("\n"), help: None });
        }
    }
}

impl InputSource for WrittenTurns<'_, '_> {
    fn next<'a>(&'a mut self, _: &'a Trace) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>> {
        Box::pin(async move {
            let Attempt { shared, key, tape, redactor, .. } = self.attempt;
            let index = self.ended;
            let (turn, rules) = match self.turns.next() {
                None => return Ok(None),
                Some(Some(turn)) => (turn, None),
                Some(None) => {
                    let filled = self.preparation().late_turn(index);
                    let (turn, rules) = filled.map_err(|error| unprepared_problem(redactor, error))?;
                    (turn, Some(rules))
                }
            };
            if !tape.is_rehearsal {
                let (id, turn, of) = (key.test.clone(), index + 1, self.total);
                shared.tell(redactor.seal(RunEvent::TurnStarted { id, turn, of })).await;
            }
            tape.begin_turn(turn_count(index + 1));
            let PreparedTurn { id, input, message, timeout, props, captures } = turn;
            self.captures = captures;
            Ok(Some(NextTurn { request: TurnRequest { id, input, message, timeout, props }, rules }))
        })
    }

    fn review(&mut self, trace: &Trace, end: &TurnEnd) -> TurnReview {
        self.ended += 1;
        let mut review = TurnReview::default();
        self.capture(trace, &mut review);
        if end.status() != Status::Passed {
            review.problem = None;
        }
        if let Some(stale) = self.attempt.tape.player().and_then(Player::trouble) {
            review.problem = Some(recording_problem(stale));
        }
        review
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.total - self.ended)
    }
}
