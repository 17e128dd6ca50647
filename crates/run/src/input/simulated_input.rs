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
use ananke_conversation::helper::SimulatorAnswer;
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
        let max_turns = self.simulator.simulation.max_turns;
        if so_far.checkpoints.are_complete() {
            return Ok(None);
        }
        if so_far.trace.sent_turns() >= max_turns {
            return Err(too_many_turns(max_turns, so_far));
        }
        self.attempt.environment.begin_turn(turn_count(number));
        let left = self.time_left(so_far)?;
        let deadline = self.attempt.environment.context.clock.now().plus(left);
        let whole = self.simulator.helpers.limits.deadline;
        let answer = self.simulator.ask(number, so_far, left).await;
        // The clock of a replay need not have come to the deadline.
        if let Err(Halt::Broken(Problem {
            kind: ErrorKind::Timeout,
            ..
        })) = &answer
            && whole.is_none_or(|whole| deadline <= whole)
        {
            return Err(self.time_is_up(so_far.trace));
        }
        let left = self.time_left(so_far)?;
        let SimulatorAnswer {
            input,
            is_goal_achieved,
            ..
        } = answer?;
        if is_goal_achieved {
            return achieved(so_far);
        }
        let time_left = Some(TimeLeft {
            left,
            of: self.simulator.simulation.timeout,
        });
        let sends = UnwrittenRequest::Says(input_of(so_far.trace, input));
        Ok(Some(UnwrittenTurn {
            sends,
            origin: InputOrigin::Simulator,
            time_left,
        }))
    }

    /// The rest of the time of the conversation, which begins with the first question to the simulator.
    fn time_left(&mut self, so_far: ConversationSoFar<'_>) -> Result<Duration, Halt> {
        let allowed = self.simulator.simulation.timeout;
        let now = self.attempt.environment.context.clock.now();
        let trace = so_far.trace;
        let (asked, before) = *self.asked.get_or_insert((now, trace.turns.len()));
        // The time of an agent can be virtual.
        let of_agent = trace
            .turns
            .iter()
            .skip(before)
            .map(|turn| trace.turn_micros(turn))
            .sum();
        let left = allowed.saturating_sub(now.since(asked).max(Duration::from_micros(of_agent)));
        if left.is_zero() {
            Err(self.time_is_up(trace))
        } else {
            Ok(left)
        }
    }

    /// The time of the conversation is over between two turns.
    fn time_is_up(&self, trace: &Trace) -> Halt {
        let turns = trace.sent_turns();
        let reached = format!(
            ", in which it had {turns} turn{}",
            if turns == 1 { "" } else { "s" }
        );
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
