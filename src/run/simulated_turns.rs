//! The turns of a simulated conversation: first those that are written, then what a simulator says.

use std::time::Duration;

use futures_util::future::BoxFuture;

use super::attempt::Attempt;
use super::simulator::Simulator;
use super::watchdog::TestStep;
use super::written_turns::WrittenTurns;
use crate::context::At;
use crate::engine::{ConversationSoFar, InputSource, NextTurn, TimeLeft, TurnReview, conversation_timeout};
use crate::helper::SimulatorAnswer;
use crate::message::{AnswerTo, PendingAnswer, TurnInput, UserContent};
use crate::outcome::{ErrorKind, Halt, InputOrigin, Problem, TurnEnd};
use crate::trace::{RunEnd, Trace};

/// The turns of one attempt.
pub(super) struct SimulatedTurns<'a> {
    attempt: &'a Attempt<'a>,
    written: WrittenTurns<'a>,
    simulator: Simulator<'a>,
    /// When the simulator was asked first, and how many turns there were before.
    asked: Option<(At, usize)>,
}

impl<'a> SimulatedTurns<'a> {
    pub(super) fn new(attempt: &'a Attempt<'a>, written: WrittenTurns<'a>, simulator: Simulator<'a>) -> Self {
        Self { attempt, written, simulator, asked: None }
    }

    /// What the user says next; `None` if the conversation is over.
    async fn simulated(&mut self, so_far: ConversationSoFar<'_>) -> Result<Option<NextTurn>, Halt> {
        let (number, max_turns) = (self.written.ended() + 1, self.simulator.simulation.max_turns);
        if so_far.checkpoints.are_complete() {
            return Ok(None);
        }
        if number > max_turns {
            return Err(failed(format!("max turns ({max_turns}) exceeded"), so_far));
        }
        self.written.begin();
        let left = self.time_left(so_far)?;
        let deadline = self.attempt.environment.context.clock.now().plus(left);
        let whole = self.simulator.helpers.limits.deadline;
        let answer = self.simulator.ask(number, so_far, left).await;
        // The clock of a replay need not have come to the deadline.
        if let Err(Halt::Broken(Problem { kind: ErrorKind::Timeout, .. })) = &answer
            && whole.is_none_or(|whole| deadline <= whole)
        {
            return Err(self.time_is_up(so_far.trace));
        }
        let left = self.time_left(so_far)?;
        let SimulatorAnswer { input, is_goal_achieved, .. } = answer?;
        if is_goal_achieved {
            return achieved(number, so_far);
        }
        let scripts = self.simulator.helpers.scripts;
        let turn = scripts.preparation().unwritten_turn(answer_of(so_far.trace, input));
        let time_left = Some(TimeLeft { left, of: self.simulator.simulation.timeout });
        let request = self.written.start(turn)?;
        Ok(Some(NextTurn { request, origin: InputOrigin::Simulator, time_left, rules: None }))
    }

    /// What is left of the time of the conversation, which begins with the first question to the simulator.
    fn time_left(&mut self, so_far: ConversationSoFar<'_>) -> Result<Duration, Halt> {
        let allowed = self.simulator.simulation.timeout;
        let now = self.attempt.environment.context.clock.now();
        let trace = so_far.trace;
        let (asked, before) = *self.asked.get_or_insert((now, trace.turns.len()));
        // The time of an agent can be virtual.
        let of_agent = trace.turns.iter().skip(before).map(|turn| trace.turn_micros(turn)).sum();
        let left = allowed.saturating_sub(now.since(asked).max(Duration::from_micros(of_agent)));
        if left.is_zero() { Err(self.time_is_up(trace)) } else { Ok(left) }
    }

    /// The time of the conversation is over between two turns.
    fn time_is_up(&self, trace: &Trace) -> Halt {
        let turns = trace.turns.len();
        let reached = format!(", in which it had {turns} turn{}", if turns == 1 { "" } else { "s" });
        let message = conversation_timeout(self.simulator.simulation.timeout, &reached);
        Problem { kind: ErrorKind::Timeout, message, help: None }.into()
    }
}

/// How it ends if the simulator says that the user has what they want, before the turn `number`.
fn achieved(number: usize, so_far: ConversationSoFar<'_>) -> Result<Option<NextTurn>, Halt> {
    if number == 1 {
        let message = "simulator error: the goal was achieved before the agent was asked anything";
        let problem = Problem { kind: ErrorKind::Simulator, message: message.to_owned(), help: None };
        return Err(problem.into());
    }
    match so_far.checkpoints.missing().as_slice() {
        [] => Ok(None),
        missing => Err(failed(format!("missing checkpoints: {}", missing.join(", ")), so_far)),
    }
}

/// What a user's text is for the agent: the answer to the one interrupt that is open, else a message.
fn answer_of(trace: &Trace, text: String) -> TurnInput {
    let end = trace.exchanges.last().and_then(|exchange| exchange.run_end.as_ref());
    match end {
        Some(RunEnd::Interrupted(open)) if open.len() == 1 => {
            let (to, payload) = (AnswerTo::TheOnlyOne, Some(text.into()));
            TurnInput::Resume(vec![PendingAnswer { to, is_resolved: true, payload }])
        }
        _ => TurnInput::User(UserContent::Text(text.into())),
    }
}

/// A conversation that did not come by what it must; the help names the checkpoints that are missing.
fn failed(message: String, so_far: ConversationSoFar<'_>) -> Halt {
    let missing = so_far.checkpoints.missing();
    let help = (!missing.is_empty() && !message.starts_with("missing"))
        .then(|| format!("these checkpoints were not reached: {}", missing.join(", ")));
    Problem { kind: ErrorKind::Conversation, message, help }.into()
}

impl InputSource for SimulatedTurns<'_> {
    fn next<'a>(
        &'a mut self,
        so_far: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<NextTurn>, Halt>> {
        Box::pin(async move {
            if self.written.remaining() != Some(0) {
                let next = self.written.next(so_far).await?;
                let preparation = self.simulator.helpers.scripts.preparation();
                let is_initial = self.written.ended() == 0 && preparation.begins_with_input();
                let origin = if is_initial { InputOrigin::Initial } else { InputOrigin::Static };
                return Ok(next.map(|next| NextTurn { origin, ..next }));
            }
            let next = self.simulated(so_far).await?;
            if next.is_none() {
                self.attempt.case.watchdog.begin(TestStep::Evaluate, Duration::ZERO)?;
            }
            Ok(next)
        })
    }

    fn review(&mut self, trace: &Trace, end: &TurnEnd) -> TurnReview {
        self.written.review(trace, end)
    }

    fn remaining(&self) -> Option<usize> {
        None
    }
}
