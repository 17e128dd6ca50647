//! The input from a simulator after the written turns, until the conversation has reached its checkpoints, or its time
//! is up.

use std::time::Duration;

use futures_util::future::BoxFuture;

use super::simulator::Simulator;
use crate::attempt::Attempt;
use crate::context::{
    UnwrittenInput, UnwrittenRequest, UnwrittenTurn, failed, input_of, too_many_turns, turn_count,
};
use ananke_base::context::At;
use ananke_conversation::{ConversationSoFar, TimeLeft, awaiting_input, conversation_timeout};
use ananke_trace::outcome::{ErrorKind, Halt, InputDecision, InputOrigin, Problem};
use ananke_trace::trace::Trace;

/// The simulator of one attempt.
pub(crate) struct SimulatedInput<'a> {
    attempt: &'a Attempt<'a>,
    simulator: Simulator<'a>,
    /// The tools that ask the user.
    tools: Vec<String>,
    /// The moment at which the simulator was asked first, and the number of turns before.
    asked: Option<(At, usize)>,
}

impl<'a> SimulatedInput<'a> {
    pub(crate) fn new(
        attempt: &'a Attempt<'a>,
        simulator: Simulator<'a>,
        tools: Vec<String>,
    ) -> Self {
        Self {
            attempt,
            simulator,
            tools,
            asked: None,
        }
    }

    async fn simulated(
        &mut self,
        number: usize,
        so_far: ConversationSoFar<'_>,
    ) -> Result<Option<UnwrittenTurn>, Halt> {
        // The checkpoints end the conversation before its longest length does: nothing is missing then.
        let max_turns = self.simulator.simulation.max_turns;
        if so_far.checkpoints.are_complete() {
            return Ok(None);
        }
        if so_far.trace.sent_turns() >= max_turns {
            return Err(too_many_turns(max_turns, so_far));
        }
        self.attempt.environment.begin_turn(turn_count(number));

        // A simulator that took too long can have met the time of the conversation or that of the whole test, whichever is
        // over first. The clock of a replay need not have come to either, so the error decides and not the clock.
        let left = self.time_left(so_far)?;
        let deadline = self.attempt.environment.context.clock.now().plus(left);
        let is_first = match self.simulator.helpers.limits.deadline {
            Some(whole) => deadline <= whole,
            None => true,
        };
        let answer = self.simulator.ask(number, so_far, left).await;
        if is_first
            && let Err(Halt::Broken(problem)) = &answer
            && problem.kind == ErrorKind::Timeout
        {
            return Err(self.time_is_up(so_far.trace));
        }

        // An input that comes too late is not sent.
        let left = self.time_left(so_far)?;
        let answer = answer?;
        if answer.is_goal_achieved {
            return achieved(so_far);
        }
        Ok(Some(UnwrittenTurn {
            sends: UnwrittenRequest::Says(input_of(so_far.trace, answer.input)),
            origin: InputOrigin::Simulator,
            time_left: Some(TimeLeft {
                left,
                of: self.simulator.simulation.timeout,
            }),
        }))
    }

    /// The rest of the time of the conversation, which begins with the first question to the simulator.
    fn time_left(&mut self, so_far: ConversationSoFar<'_>) -> Result<Duration, Halt> {
        let allowed = self.simulator.simulation.timeout;
        let now = self.attempt.environment.context.clock.now();
        let trace = so_far.trace;
        let (asked, before) = *self.asked.get_or_insert((now, trace.turns.len()));
        // The time of an agent can be virtual, and then goes by while the clock does not.
        let turns = trace.turns.iter().skip(before);
        let of_agent: u64 = turns.map(|turn| trace.turn_micros(turn)).sum();
        let taken = now.since(asked).max(Duration::from_micros(of_agent));
        let left = allowed.saturating_sub(taken);
        if left.is_zero() {
            Err(self.time_is_up(trace))
        } else {
            Ok(left)
        }
    }

    /// The time of the conversation is over between two turns.
    fn time_is_up(&self, trace: &Trace) -> Halt {
        let reached = match trace.sent_turns() {
            1 => ", in which it had 1 turn".to_owned(),
            turns => format!(", in which it had {turns} turns"),
        };
        let message = conversation_timeout(self.simulator.simulation.timeout, &reached);
        Problem::new(ErrorKind::Timeout, message).into()
    }
}

/// The end if the simulator reports that the user's goal is achieved.
fn achieved(so_far: ConversationSoFar<'_>) -> Result<Option<UnwrittenTurn>, Halt> {
    match so_far.checkpoints.missing().as_slice() {
        [] if so_far.trace.turns.is_empty() => {
            let message = "the goal was achieved before the agent was asked anything";
            Err(failed(message.to_owned(), so_far))
        }
        [] => Ok(None),
        missing => Err(failed(
            format!("missing checkpoints: {}", missing.join(", ")),
            so_far,
        )),
    }
}

impl UnwrittenInput for SimulatedInput<'_> {
    fn next<'a>(
        &'a mut self,
        number: usize,
        so_far: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<UnwrittenTurn>, Halt>> {
        Box::pin(self.simulated(number, so_far))
    }

    /// The simulator decides what follows; reports say what the agent does.
    fn awaits(&mut self, trace: &Trace) -> Option<InputDecision> {
        Some(awaiting_input(trace, &self.tools))
    }
}
