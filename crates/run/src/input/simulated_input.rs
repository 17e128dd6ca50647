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

    /// The turn `number` with the next input from the simulator; `None` if the conversation has achieved what it must.
    ///
    /// # Errors
    /// If the conversation has had all its turns or all its time, or the simulator does not answer.
    async fn simulated(
        &mut self,
        number: usize,
        so_far: ConversationSoFar<'_>,
    ) -> Result<Option<UnwrittenTurn>, Halt> {
        // Reached checkpoints are checked before the limit of turns: a conversation that reaches the last one in its last turn
        // has achieved everything. Without required checkpoints, `are_complete` is never true.
        let max_turns = self.simulator.simulation.max_turns;
        if so_far.checkpoints.are_complete() {
            return Ok(None);
        }
        if so_far.trace.sent_turns() >= max_turns {
            return Err(too_many_turns(max_turns, so_far));
        }
        self.attempt.environment.begin_turn(turn_count(number));

        // The simulator may answer until the time of the conversation or that of the whole test is up, whichever is first. If it
        // times out, the error names the one that was first. A replay has the recorded timeout, but its clock need not have come
        // to either moment, so the two are compared here and not with the clock.
        let remaining = self.time_left(so_far)?;
        let deadline = self.attempt.environment.context.clock.now().plus(remaining);
        let conversation_ends_first = match self.simulator.helpers.limits.deadline {
            Some(test_deadline) => deadline <= test_deadline,
            None => true,
        };
        let answer = self.simulator.ask(number, so_far, remaining).await;
        if conversation_ends_first
            && let Err(Halt::Broken(problem)) = &answer
            && problem.kind == ErrorKind::Timeout
        {
            return Err(self.time_is_up(so_far.trace));
        }

        // The simulator took some of the time. An input that comes too late is not sent, so this is checked before the answer.
        let remaining = self.time_left(so_far)?;
        let answer = answer?;
        if answer.is_goal_achieved {
            return achieved(so_far);
        }
        Ok(Some(UnwrittenTurn {
            sends: UnwrittenRequest::Says(input_of(so_far.trace, answer.input)),
            origin: InputOrigin::Simulator,
            // The turn ends early if the time of the conversation is up in it.
            time_left: Some(TimeLeft {
                left: remaining,
                of: self.simulator.simulation.timeout,
            }),
        }))
    }

    /// The rest of the time of the conversation, which begins with the first question to the simulator.
    ///
    /// # Errors
    /// If no time is left.
    fn time_left(&mut self, so_far: ConversationSoFar<'_>) -> Result<Duration, Halt> {
        let allowed = self.simulator.simulation.timeout;
        let now = self.attempt.environment.context.clock.now();
        let trace = so_far.trace;
        // The first call, before the first question, notes the beginning. Turns that were written came before it and do not
        // count.
        let beginning = (now, trace.turns.len());
        let (began_at, turns_before) = *self.asked.get_or_insert(beginning);
        // The time of an agent can be virtual, and then goes by while the clock does not. So the longer of the two counts.
        let turns = trace.turns.iter().skip(turns_before);
        let agent_micros: u64 = turns.map(|turn| trace.turn_micros(turn)).sum();
        let taken = now.since(began_at).max(Duration::from_micros(agent_micros));
        let remaining = allowed.saturating_sub(taken);
        if remaining.is_zero() {
            Err(self.time_is_up(trace))
        } else {
            Ok(remaining)
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

/// The end of a conversation after the simulator reported that the user's goal is achieved: `Ok(None)`, as of any conversation
/// that is over.
///
/// # Errors
/// If the agent was never asked, or checkpoints were not reached: the report of the simulator alone is not trusted.
fn achieved(so_far: ConversationSoFar<'_>) -> Result<Option<UnwrittenTurn>, Halt> {
    match so_far.checkpoints.missing().as_slice() {
        [] if so_far.trace.turns.is_empty() => {
            let message = "the goal was achieved before the agent was asked anything";
            Err(failed(message.to_owned(), so_far))
        }
        [] => Ok(None),
        unreached => Err(failed(
            format!("missing checkpoints: {}", unreached.join(", ")),
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
