//! The exchanges of one turn: a request to the agent, and one more for each round of calls that the client answers.

use std::time::Duration;

use super::budget::TurnBudget;
use super::hosts::{Handling, ToolHost};
use super::trace_sink::TraceSink;
use ananke_agents::pipe::{NO_RESPONSE, NOTHING_PRINTED};
use ananke_agents::{Action, Ended, Limits, Request, Session, TargetError};
use ananke_base::context::At;
use ananke_base::message::{RequestContext, ToolAnswer};
use ananke_base::text::duration;
use ananke_trace::outcome::{ErrorKind, Halt, Problem};
use ananke_trace::process::stderr_ends;
use ananke_trace::trace::{Origin, RunEnd, ToolCall, Trace};

/// The number of times in one turn that an agent may wait for its client (SPEC 6).
const MOST_ROUNDS: usize = 25;

/// The remedy for a program that prints nothing, as a server does that waits for requests of another kind.
const SILENT_PROGRAM_HELP: &str =
    "does the program serve HTTP, or speak another protocol? `ananke init -- COMMAND` finds out";

/// Sends `action`, and then the results of the calls that wait for the client, until no call waits any more: each time as one
/// exchange, a request with its response. All exchanges are of one turn, and share the time in `budget`.
///
/// # Errors
/// The reason that the turn could not be evaluated to its end.
pub(super) async fn exchange(
    session: &mut dyn Session,
    sink: &mut TraceSink<'_>,
    tools: &mut dyn ToolHost,
    budget: &TurnBudget,
    context: &RequestContext,
    mut action: Action,
) -> Result<(), Halt> {
    let mut limits = budget.limits.clone();
    for round in 0.. {
        let request = Request {
            action,
            context: context.clone(),
            events_before: sink.trace.events_so_far(),
        };
        let ended = session.exchange(request, &limits, sink).await;
        // Observers are shown how the exchange ended, since one of them finds out from it whether the agent answers at all. A
        // cancellation says nothing about that.
        match &ended {
            Err(error) => sink.failed(error),
            Ok(Ended::Terminal) => sink.completed(),
            Ok(Ended::Timeout) => note_silence(sink, &limits, budget.shows_silence),
            Ok(Ended::Cancelled) => {}
        }
        if let Err(halt) = check_end(ended, budget, &limits, sink) {
            return Err(with_stderr(halt, session).await);
        }
        // A rule that failed stops the turn, so its calls are not answered. A turn with more requests than its limit allows fails
        // for that, and each further one would only cost more.
        if sink.was_stopped() || sink.evaluator.exceeds_rounds(round + 1) {
            break;
        }

        // An answer may also make a rule fail, and stop the turn. An agent that never stops calling is an error of
        // `client_answers`.
        let answers = client_answers(&sink.trace, tools, round).await?;
        if answers.is_empty() || sink.answer(&answers).is_break() {
            break;
        }
        action = Action::ToolResults(answers);

        // The next exchange gets the time that those before it left of the turn.
        if let Some(turn) = sink.trace.turns.last() {
            let used = Duration::from_micros(sink.trace.turn_micros(turn));
            limits.timeout = budget.limits.timeout.saturating_sub(used);
        }
    }
    Ok(())
}

/// Checks how an exchange ended.
///
/// # Errors
/// The reason that its turn cannot be evaluated to its end.
fn check_end(
    ended: Result<Ended, TargetError>,
    budget: &TurnBudget,
    limits: &Limits,
    sink: &TraceSink<'_>,
) -> Result<(), Halt> {
    match ended {
        Err(error) => Err(Halt::Broken(Problem {
            kind: ErrorKind::Protocol,
            message: error.to_string(),
            help: error.help,
        })),
        Ok(Ended::Timeout) => {
            // Without an exchange nothing was sent: the time is then counted from the beginning of the clock.
            let sent = match sink.trace.exchanges.last() {
                Some(exchange) => exchange.sent,
                None => At::default(),
            };
            let mut problem = budget.timed_out(sent, limits, &progress(&sink.trace, sink.heard));
            // A program that prints nothing needs another remedy than more time, so that remedy comes first.
            if is_silent_program(&sink.trace) {
                let time_help = problem.help.unwrap_or_default();
                problem.help = Some(format!("{SILENT_PROGRAM_HELP}; {time_help}"));
            }
            Err(problem.into())
        }
        // A rule that failed stopped the turn: its failure is the verdict.
        Ok(Ended::Cancelled) if sink.was_stopped() => Ok(()),
        // No rule cancelled the exchange, so the run itself was stopped.
        Ok(Ended::Cancelled) => Err(Halt::Stopped),
        Ok(Ended::Terminal) => check_run_end(sink),
    }
}

/// Checks how the agent's run ended in the last exchange, whose response is complete.
///
/// # Errors
/// If the run ended with an error or was cancelled, and no rule expects that.
fn check_run_end(sink: &TraceSink<'_>) -> Result<(), Halt> {
    // A response that reports no end of a run reports no failure either.
    let Some(exchange) = sink.trace.exchanges.last() else {
        return Ok(());
    };
    let Some(end) = &exchange.run_end else {
        return Ok(());
    };
    // A run of an earlier conversation that is replayed is history: its end is no result of this turn.
    if exchange.is_replay || sink.evaluator.expects(end) {
        return Ok(());
    }
    let message = match end {
        RunEnd::Error { .. } => format!("agent error: {end}"),
        RunEnd::Cancelled => "the agent cancelled the run, which was not requested".to_owned(),
        RunEnd::Finished | RunEnd::Interrupted(_) | RunEnd::Unknown(_) => return Ok(()),
    };
    Err(Problem::new(ErrorKind::Agent, message).into())
}

/// A halt whose message ends with what the agent's program printed to stderr in the turn. An error of the session has it already.
async fn with_stderr(mut halt: Halt, session: &mut dyn Session) -> Halt {
    if let Halt::Broken(problem) = &mut halt
        && matches!(problem.kind, ErrorKind::Agent | ErrorKind::Timeout)
    {
        let printed = session.last_stderr().await;
        problem.message.push_str(&stderr_ends(&printed));
    }
    halt
}

/// Notifies the observers of a silent agent, after the last exchange timed out: the run gives up an agent that hangs. The
/// exchange had the time in `limits`; only a time of at least `shows_silence` is long enough to call the agent silent.
fn note_silence(sink: &mut TraceSink<'_>, limits: &Limits, shows_silence: Duration) {
    // Without an exchange, nothing was sent that the agent could answer.
    let Some(exchange) = sink.trace.exchanges.last() else {
        return;
    };
    // An agent that sent something in the second half of its time is slow, and not silent.
    let waited = limits.until(exchange.sent).since(exchange.sent);
    if let Some(heard) = sink.heard
        && heard.since(exchange.sent) > waited / 2
    {
        return;
    }
    // An agent with a pending call is not silent either: its tool takes so long.
    if let Some(turn) = sink.trace.turns.last()
        && let Some(calls) = sink.trace.calls.get(turn.calls.clone())
        && calls.iter().any(ToolCall::is_pending)
    {
        return;
    }

    // A healthy agent may need longer than a test with a very short time gives it, so such a time shows nothing. An agent from
    // which nothing came at all is not reported here: its timeout alone shows that it did not answer.
    if waited < shows_silence {
        sink.hurried();
    } else if sink.heard.is_some() {
        sink.fell_silent();
    }
}

/// The progress of the last exchange, as the end of a message about its timeout; empty if no request was sent. The last bytes
/// of the response came at `heard`.
fn progress(trace: &Trace, heard: Option<At>) -> String {
    let Some(exchange) = trace.exchanges.last() else {
        return String::new();
    };
    // The events of the last exchange are the last ones of the trace.
    let number = trace.exchanges.len() - 1;
    let mut events = trace
        .events
        .iter()
        .rev()
        .take_while(|event| usize::from(event.exchange) == number);
    let last = events.next();

    // The session may have said why no response came, such as that a program printed something else than messages. That says
    // more than the number of events. A response with a status has begun, so nothing is missing but the rest of it.
    let missing = exchange.missing.as_deref().unwrap_or(NO_RESPONSE);
    if exchange.status.is_none() && (last.is_none() || missing != NO_RESPONSE) {
        return format!(": {missing}");
    }
    let Some(last) = last else {
        return ": the response began, and no event came".to_owned();
    };

    // Bytes after the last event were no event, such as a comment that keeps the connection open.
    let then = if heard > Some(last.at) {
        "then no other event"
    } else {
        "then nothing"
    };
    let after = duration::rounded(last.at.0.saturating_sub(exchange.sent.0));
    // `last` was taken from `events`, so these are the others.
    match events.count() {
        0 => format!(": 1 event received {after} after the request, {then}"),
        others => format!(
            ": {} events received, the last one {after} after the request, {then}",
            others + 1
        ),
    }
}

/// Whether the agent is a program that has printed nothing in the whole conversation: it may speak another protocol.
fn is_silent_program(trace: &Trace) -> bool {
    match trace.exchanges.last() {
        Some(exchange) => {
            exchange.missing.as_deref() == Some(NOTHING_PRINTED) && trace.events.is_empty()
        }
        None => false,
    }
}

/// The answers to the calls that wait for the client at the end of an exchange; empty if the client answers none. The turn got
/// `round` such rounds of answers before.
///
/// # Errors
/// If a call has no answer, or the turn has had [`MOST_ROUNDS`] rounds.
async fn client_answers(
    trace: &Trace,
    tools: &mut dyn ToolHost,
    round: usize,
) -> Result<Vec<ToolAnswer>, Halt> {
    let pending = pending_calls(trace, tools);
    let Some((first, _)) = pending.first() else {
        return Ok(Vec::new());
    };
    // The agent goes on only when all calls are answered. If the test leaves one open on purpose, the others stay open too.
    if pending
        .iter()
        .any(|(_, handling)| *handling == Handling::LeftOpen)
    {
        return Ok(Vec::new());
    }

    // An agent that ignores results calls the same tool until the turn times out. That message would blame the time.
    if round >= MOST_ROUNDS {
        let message = format!(
            "the agent still calls `{}` after {MOST_ROUNDS} rounds of answers in one turn",
            first.name
        );
        let help = "does the agent take in the result? `-v` shows the calls";
        return Err(Problem::new(ErrorKind::Conversation, message)
            .help(help)
            .into());
    }
    let calls: Vec<&ToolCall> = pending.into_iter().map(|(call, _)| call).collect();
    tools.answer_all(calls, trace).await
}

/// The calls of the last turn that wait for the client, with the way in which `tools` handles each; empty unless the agent's run
/// has finished.
fn pending_calls<'t>(trace: &'t Trace, tools: &dyn ToolHost) -> Vec<(&'t ToolCall, Handling)> {
    let mut pending = Vec::new();
    let Some(exchange) = trace.exchanges.last() else {
        return pending;
    };
    let Some(turn) = trace.turns.last() else {
        return pending;
    };
    // A run that failed or asks the user waits for no tool. An end that the protocol does not have counts as finished.
    let Some(RunEnd::Finished | RunEnd::Unknown(_)) = exchange.run_end else {
        return pending;
    };
    // Calls of a replayed thread, like those of the history, are over: nothing is sent for them.
    if turn.input.is_replay {
        return pending;
    }
    for call in trace.calls.get(turn.calls.clone()).unwrap_or_default() {
        if !call.is_pending() || call.origin == Origin::History {
            continue;
        }
        // Calls that the agent executes itself do not wait for the client.
        let handling = tools.handling(&call.name);
        if handling != Handling::Agent {
            pending.push((call, handling));
        }
    }
    pending
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::{FakeAct, FakeTest, Inputs};
    use ananke_trace::outcome::Status;

    async fn calling(script: &[FakeAct]) -> (Status, usize, usize) {
        let mut test = FakeTest::of(script);
        let result = test.hold(&mut Inputs::says(&["one"])).await;
        let requests = test.requests.lock().unwrap().len();
        (result.turns[0].status(), test.tools.answered, requests)
    }

    #[tokio::test]
    async fn calls_to_client_side_tools_are_answered_together() {
        let calls = FakeAct::Calls(&[("a", "ask"), ("b", "ask")]);
        assert_eq!(
            calling(&[calls, FakeAct::Says("thanks")]).await,
            (Status::Passed, 2, 2)
        );
        let calls = FakeAct::Calls(&[("a", "ask"), ("b", "open")]);
        assert_eq!(
            calling(&[calls]).await,
            (Status::Passed, 0, 1),
            "one is left open on purpose"
        );
        assert_eq!(
            calling(&[FakeAct::Calls(&[("a", "other")])]).await,
            (Status::Passed, 0, 1)
        );
        assert_eq!(
            calling(&[FakeAct::Executes("ask")]).await,
            (Status::Passed, 0, 1)
        );
    }

    #[tokio::test]
    async fn an_agent_that_never_stops_calling_fails_the_turn() {
        let calls = vec![FakeAct::Calls(&[("a", "ask")]); 2 * MOST_ROUNDS];
        assert_eq!(
            calling(&calls).await,
            (Status::Failed, MOST_ROUNDS, MOST_ROUNDS + 1)
        );
    }

    /// The notes about the silence of an agent that stalls so, and the message about the timeout; the test has `seconds`.
    async fn stalling(comments: &'static [u64], seconds: Option<u64>) -> (String, String) {
        let mut test = FakeTest::of(&[FakeAct::Stalls(comments)]);
        test.budget.whole = seconds.map(Duration::from_secs);
        let result = test.hold(&mut Inputs::says(&["one"])).await;
        let notes = test.notes.0.lock().unwrap();
        let known = |note: &&String| ["fell silent", "hurried"].contains(&note.as_str());
        let about_silence = notes.iter().filter(known).cloned().collect();
        let problem = result.turns[0].end.problem().expect("it timed out");
        (about_silence, problem.message.clone())
    }

    #[tokio::test]
    async fn a_comment_is_a_sign_of_life_and_a_short_time_shows_nothing() {
        for (comments, seconds, noted, end) in [
            (&[][..], None, "fell silent", "then nothing"),
            (&[100, 2000], None, "fell silent", "then no other event"),
            (&[100, 3000], None, "", "then no other event"),
            (&[], Some(4), "hurried", "then nothing"),
            (&[], Some(5), "fell silent", "then nothing"),
            (&[3000], Some(4), "", "then no other event"),
        ] {
            let (found, message) = stalling(comments, seconds).await;
            assert_eq!(found, noted, "{comments:?} {seconds:?}");
            assert!(message.ends_with(end), "{message}");
        }
    }
}
