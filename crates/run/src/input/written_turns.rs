//! The turns that a test writes down, as the inputs of its conversation.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::attempt::{Attempt, capture_values};
use crate::context::{AttemptPurpose, TestStep, turn_count};
use crate::models::AttemptModels;
use ananke_base::context::lock;
use ananke_base::message::TurnRequest;
use ananke_conversation::{ConditionalTurn, ConversationSoFar, InputSource, NextTurn, TurnReview};
use ananke_plan::Preparation;
use ananke_plan::compile::{CompiledCapture, PreparedTurn};
use ananke_trace::outcome::{ErrorKind, Halt, Problem, RunEvent, Status, TurnOutcome};
use ananke_trace::trace::Trace;

/// The written turns of one attempt, from its first to its last.
pub(crate) struct WrittenTurns<'a> {
    attempt: &'a Attempt<'a>,
    preparation: &'a Mutex<Preparation>,
    turns: VecDeque<Option<PreparedTurn>>,
    /// The number of turns, or the largest one.
    total: usize,
    /// The number of turns that have ended, or were not needed.
    ended: usize,
    /// The tools that ask the user.
    confirmation_tools: Vec<String>,
    /// The values that the running turn is to capture.
    captures: Vec<CompiledCapture>,
    /// The timeout of a turn that has none of its own.
    timeout: Duration,
    /// The time for which a session may wait by itself in a turn.
    longest_wait: Duration,
    /// The models that the agent asks.
    models: Arc<AttemptModels>,
}

impl<'a> WrittenTurns<'a> {
    /// The `turns` of a test, each with the timeout `timeout` unless it has one of its own. A turn that is `None` uses captured
    /// values, and is filled from `preparation` when its time comes.
    pub(crate) fn new(
        attempt: &'a Attempt<'a>,
        preparation: &'a Mutex<Preparation>,
        turns: Vec<Option<PreparedTurn>>,
        timeout: Duration,
    ) -> Self {
        Self {
            attempt,
            preparation,
            // The number is read before the turns move.
            total: turns.len(),
            turns: turns.into(),
            ended: 0,
            // `with_confirmation_tools` and `waiting` set this and the longest wait for the tests that have them.
            confirmation_tools: Vec::new(),
            captures: Vec::new(),
            timeout,
            longest_wait: Duration::ZERO,
            models: Arc::default(),
        }
    }

    /// The same turns with an agent that asks `models`, which get the values of variables.
    pub(crate) fn asking(self, models: &Arc<AttemptModels>) -> Self {
        models.set_values(&self.preparation().varying_values());
        Self {
            models: Arc::clone(models),
            ..self
        }
    }

    /// The same turns with a session that may wait so long by itself.
    pub(crate) fn waiting(self, longest_wait: Duration) -> Self {
        Self {
            longest_wait,
            ..self
        }
    }

    /// The same turns in a test in which these tools ask the user.
    pub(crate) fn with_confirmation_tools(self, confirmation_tools: Vec<String>) -> Self {
        Self {
            confirmation_tools,
            ..self
        }
    }

    fn preparation(&self) -> MutexGuard<'a, Preparation> {
        lock(self.preparation)
    }

    pub(super) fn ended(&self) -> usize {
        self.ended
    }

    /// Begins `turn` as the next one, in reports and for the watchdog, and returns the request to send.
    ///
    /// # Errors
    /// If the watchdog has ended the test, because it took too long: this thread must then send nothing more.
    pub(super) fn start(&mut self, turn: PreparedTurn) -> Result<TurnRequest, Halt> {
        let Attempt {
            case, key, purpose, ..
        } = self.attempt;
        let number = self.ended + 1;
        // An attempt that verifies a recording repeats turns that were reported already.
        if *purpose == AttemptPurpose::Report {
            case.tell(RunEvent::TurnStarted {
                id: key.test.clone(),
                turn: number,
                of: self.total,
            });
        }
        // `capture` looks the values up when the turn has ended.
        self.captures = turn.captures;
        let timeout = turn.request.timeout.unwrap_or(self.timeout);
        case.watchdog.begin(TestStep::Turn(number), timeout)?;
        // A session may wait by itself in the turn, which is no time of the agent.
        case.watchdog.extend(self.longest_wait);
        Ok(turn.request)
    }

    /// Captures the values of the turn that has just ended for later turns. The review gets warnings about them, and a problem
    /// that names the values that the turn lacks.
    fn capture(&self, trace: &Trace, review: &mut TurnReview) {
        let Attempt {
            case, environment, ..
        } = self.attempt;
        let (values, missing_values) = capture_values(&self.captures, trace, &case.redactor);
        // A captured value can be a secret, because the config masks its variable or a header will contain it.
        if !values.is_empty() {
            let mut preparation = self.preparation();
            review.warnings = preparation.keep(values);
            environment.add_secrets(&preparation.secrets());
            self.models.set_values(&preparation.varying_values());
        }
        // The problem names all missing values at once, so that a test need not run again for each.
        if !missing_values.is_empty() {
            let mut messages = Vec::new();
            let mut help = Vec::new();
            for value in missing_values {
                messages.push(value.message);
                help.push(value.help);
            }
            let problem = Problem::new(ErrorKind::Capture, messages.join("\n"));
            review.problem = Some(problem.help(help.join("\n")));
        }
    }
}

impl InputSource for WrittenTurns<'_> {
    /// The next written turn, with its own rules if they could be filled only now; `None` after the last one.
    fn next<'a>(
        &'a mut self,
        _: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>> {
        Box::pin(async move {
            let Attempt {
                case, environment, ..
            } = self.attempt;
            // After the last turn, the rules of the whole test are evaluated. That waits for no agent, so the watchdog allows
            // only the time that it adds to every step for computing.
            let Some(front) = self.turns.front_mut() else {
                case.watchdog.begin(TestStep::Evaluate, Duration::ZERO)?;
                return Ok(None);
            };
            let mut rules = None;
            let turn = if let Some(turn) = front.take() {
                turn
            } else {
                // A turn that uses what an earlier one captured can be filled only now. The number of turns that have ended is
                // its index.
                let late = self.preparation().late_turn(self.ended);
                let late = late.map_err(|error| case.unprepared(error))?;
                environment.add_secrets(&late.secrets);
                rules = Some(late.rules);
                late.turn
            };
            // The turn is removed only now: one that could not be filled above remains, and is reported as a turn that did not
            // run.
            self.turns.pop_front();
            environment.begin_turn(turn_count(self.ended + 1));
            Ok(Some(NextTurn::written(self.start(turn)?, rules)))
        })
    }

    /// The next turn, if it has a condition; `None` if it is sent in any case, or there is none.
    ///
    /// # Errors
    /// If the condition cannot be filled.
    fn conditional(&mut self) -> Result<Option<ConditionalTurn>, Halt> {
        let Some(next) = self.turns.front() else {
            return Ok(None);
        };
        // The number of turns that have ended is the index of the next one.
        let preparation = self.preparation();
        let condition = preparation.condition(self.ended);
        let condition = condition.map_err(|error| self.attempt.case.unprepared(error))?;
        let Some(condition) = condition else {
            return Ok(None);
        };
        // Reports show the turn also if it is not sent. One that uses captured values is filled only if it is sent, so it is
        // shown as it is written, and has no id yet.
        let mut id = None;
        let shown = match next {
            Some(turn) => {
                id.clone_from(&turn.request.id);
                turn.request.input.describe()
            }
            None => preparation.written_input(self.ended),
        };
        Ok(Some(ConditionalTurn {
            condition,
            confirmation_tools: self.confirmation_tools.clone(),
            id,
            shown,
        }))
    }

    fn pass_over(&mut self) {
        self.turns.pop_front();
        self.preparation().pass_over(self.ended);
        self.ended += 1;
        let number = turn_count(self.ended);
        self.attempt.environment.pass_over_turn(number);
    }

    fn review(&mut self, trace: &Trace, turn: &TurnOutcome) -> TurnReview {
        self.ended += 1;
        let mut review = TurnReview::default();
        self.capture(trace, &mut review);
        // A turn that did not pass has another reason, from which a missing value follows.
        if turn.status() != Status::Passed {
            review.problem = None;
        }
        // A recording that lacks something is the reason of whatever else is wrong.
        if let Some(problem) = self.attempt.environment.error() {
            review.problem = Some(problem);
        }
        review
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.turns.len())
    }
}
