//! The turns that a test writes down, as the inputs of its conversation.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::attempt::{Attempt, MissingValue, capture_values};
use crate::context::{AttemptPurpose, TestStep, turn_count};
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
}

impl<'a> WrittenTurns<'a> {
    pub(crate) fn new(
        attempt: &'a Attempt<'a>,
        preparation: &'a Mutex<Preparation>,
        turns: Vec<Option<PreparedTurn>>,
        timeout: Duration,
    ) -> Self {
        let total = turns.len();
        let (turns, captures, longest_wait) = (turns.into(), Vec::new(), Duration::ZERO);
        Self {
            attempt,
            preparation,
            turns,
            total,
            ended: 0,
            confirmation_tools: Vec::new(),
            captures,
            timeout,
            longest_wait,
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

    /// The number of turns that have ended, or were not needed.
    pub(super) fn ended(&self) -> usize {
        self.ended
    }

    /// The next turn is sent.
    ///
    /// # Errors
    /// If the test has ended without this thread.
    pub(super) fn start(&mut self, turn: PreparedTurn) -> Result<TurnRequest, Halt> {
        let Attempt {
            case, key, purpose, ..
        } = self.attempt;
        if *purpose == AttemptPurpose::Report {
            let (id, turn, of) = (key.test.clone(), self.ended + 1, self.total);
            case.tell(RunEvent::TurnStarted { id, turn, of });
        }
        let PreparedTurn { request, captures } = turn;
        self.captures = captures;
        case.watchdog.begin(
            TestStep::Turn(self.ended + 1),
            request.timeout.unwrap_or(self.timeout),
        )?;
        case.watchdog.extend(self.longest_wait);
        Ok(request)
    }

    /// Captures what the turn that has just ended is to capture; the problem names what is missing.
    fn capture(&self, trace: &Trace, review: &mut TurnReview) {
        let Attempt {
            case, environment, ..
        } = self.attempt;
        let (values, missing) = capture_values(&self.captures, trace, &case.redactor);
        if !values.is_empty() {
            let mut preparation = self.preparation();
            review.warnings = preparation.keep(values);
            environment.add_secrets(&preparation.secrets());
        }
        if !missing.is_empty() {
            let lines = |line: fn(&MissingValue) -> &str| {
                missing.iter().map(line).collect::<Vec<_>>().join("\n")
            };
            review.problem = Some(Problem {
                kind: ErrorKind::Capture,
                message: lines(|value| &value.message),
                help: Some(lines(|value| &value.help)),
            });
        }
    }
}

impl InputSource for WrittenTurns<'_> {
    fn next<'a>(
        &'a mut self,
        _: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>> {
        Box::pin(async move {
            let case = self.attempt.case;
            let index = self.ended;
            let Some(written) = self.turns.front_mut().map(Option::take) else {
                case.watchdog.begin(TestStep::Evaluate, Duration::ZERO)?;
                return Ok(None);
            };
            let (turn, rules) = if let Some(turn) = written {
                (turn, None)
            } else {
                let late = self.preparation().late_turn(index);
                let late = late.map_err(|error| case.unprepared(error))?;
                self.attempt.environment.add_secrets(&late.secrets);
                (late.turn, Some(late.rules))
            };
            // A turn that cannot be filled was not given.
            self.turns.pop_front();
            self.attempt
                .environment
                .begin_turn(turn_count(self.ended + 1));
            Ok(Some(NextTurn::written(self.start(turn)?, rules)))
        })
    }

    fn conditional(&mut self) -> Result<Option<ConditionalTurn>, Halt> {
        let Some(next) = self.turns.front() else {
            return Ok(None);
        };
        let preparation = self.preparation();
        let condition = preparation.condition(self.ended);
        let condition = condition.map_err(|error| self.attempt.case.unprepared(error))?;
        let shown = match next {
            Some(turn) => turn.request.input.describe(),
            None => preparation.written_input(self.ended),
        };
        Ok(condition.map(|condition| ConditionalTurn {
            condition,
            confirmation_tools: self.confirmation_tools.clone(),
            id: next.as_ref().and_then(|turn| turn.request.id.clone()),
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
        if turn.status() != Status::Passed {
            review.problem = None;
        }
        review.problem = self.attempt.environment.error().or(review.problem);
        review
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.turns.len())
    }
}
