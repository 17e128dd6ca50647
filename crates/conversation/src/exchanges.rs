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

/// Exchanges requests and responses until no call waits for the client.
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
    let mut left = budget.limits.clone();
    for round in 0.. {
        let request = Request {
            action,
            context: context.clone(),
            events_before: sink.trace.events_so_far(),
        };
        let ended = session.exchange(request, &left, sink).await;
        match &ended {
            Err(error) => sink.failed(error),
            Ok(Ended::Terminal) => sink.completed(),
            Ok(Ended::Timeout) => note_silence(sink, &left, budget.shows_silence),
            Ok(Ended::Cancelled) => {}
        }
        if let Err(halt) = check(ended, budget, &left, sink) {
            return Err(with_stderr(halt, session).await);
        }
        if sink.was_stopped() {
            break;
        }
        let answers = answers(&sink.trace, tools, round).await?;
        if answers.is_empty() || sink.answer(&answers).is_break() {
            break;
        }
        let used = sink
            .trace
            .turns
            .last()
            .map_or(0, |turn| sink.trace.turn_micros(turn));
        left.timeout = budget
            .limits
            .timeout
            .saturating_sub(Duration::from_micros(used));
        action = Action::ToolResults(answers);
    }
    Ok(())
}

/// The reason that an exchange with this end could not be evaluated to its end.
fn check(
    ended: Result<Ended, TargetError>,
    budget: &TurnBudget,
    limits: &Limits,
    sink: &TraceSink<'_>,
) -> Result<(), Halt> {
    let agent = |message| Err(Problem::new(ErrorKind::Agent, message).into());
    match ended {
        Err(error) => {
            let message = error.to_string();
            Err(Problem {
                kind: ErrorKind::Protocol,
                message,
                help: error.help,
            }
            .into())
        }
        Ok(Ended::Timeout) => {
            let sent = sink
                .trace
                .exchanges
                .last()
                .map_or_else(At::default, |exchange| exchange.sent);
            let mut problem = budget.timed_out(sent, limits, &reached(&sink.trace, sink.heard));
            if is_silent_program(&sink.trace) {
                let sets = problem.help.unwrap_or_default();
                problem.help = Some(format!("{SILENT_PROGRAM_HELP}; {sets}"));
            }
            Err(problem.into())
        }
        // A rule failed, and the turn was to end with it: its finding is the verdict.
        Ok(Ended::Cancelled) if sink.was_stopped() => Ok(()),
        Ok(Ended::Cancelled) => Err(Halt::Stopped),
        Ok(Ended::Terminal) => {
            // How an earlier run ended that is replayed is history.
            let exchange = sink
                .trace
                .exchanges
                .last()
                .filter(|exchange| !exchange.is_replay);
            let run_end = exchange.and_then(|exchange| exchange.run_end.as_ref());
            match run_end.filter(|end| !sink.evaluator.expects(end)) {
                Some(error @ RunEnd::Error { .. }) => agent(format!("agent error: {error}")),
                Some(RunEnd::Cancelled) => {
                    agent("the agent cancelled the run, which was not requested".to_owned())
                }
                Some(RunEnd::Finished | RunEnd::Interrupted(_) | RunEnd::Unknown(_)) | None => {
                    Ok(())
                }
            }
        }
    }
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

/// Notes the silence of an agent in the last exchange, which timed out within `limits`: nothing came in the second half of its time.
/// A time that is shorter than `shows_silence` shows nothing. A call that runs is no silence of the agent: its tool takes so long.
fn note_silence(sink: &mut TraceSink<'_>, limits: &Limits, shows_silence: Duration) {
    let Some(exchange) = sink.trace.exchanges.last() else {
        return;
    };
    let waited = limits.until(exchange.sent).since(exchange.sent);
    let heard = sink.heard.map(|heard| heard.since(exchange.sent));
    let is_silent = heard.is_none_or(|heard| heard <= waited / 2);
    let turn_calls = sink.trace.turns.last().map(|turn| turn.calls.clone());
    let calls = turn_calls.and_then(|calls| sink.trace.calls.get(calls));
    let is_tool_running = calls.unwrap_or_default().iter().any(ToolCall::is_pending);
    if !is_silent || is_tool_running {
        return;
    }
    if waited < shows_silence {
        sink.hurried();
    } else if heard.is_some() {
        sink.fell_silent();
    }
}

/// The progress of the last exchange, as the end of a message about its timeout; empty if there is none.
fn reached(trace: &Trace, heard: Option<At>) -> String {
    let Some(exchange) = trace.exchanges.last() else {
        return String::new();
    };
    let number = trace.exchanges.len() - 1;
    let events = trace
        .events
        .iter()
        .rev()
        .take_while(|event| usize::from(event.exchange) == number);
    let since = |at: At| duration::rounded(at.0.saturating_sub(exchange.sent.0));
    // What came may be no message at all, which says more than how much came.
    let missing = exchange.missing.as_deref().unwrap_or(NO_RESPONSE);
    match (exchange.status, events.clone().count()) {
        (None, count) if count == 0 || missing != NO_RESPONSE => format!(": {missing}"),
        (_, 0) => ": the response began, and no event came".to_owned(),
        (_, count) => {
            let last = events.map(|event| event.at).next().unwrap_or_default();
            // A comment keeps the connection open, and is no event.
            let then = if heard > Some(last) {
                "then no other event"
            } else {
                "then nothing"
            };
            let last = since(last);
            match count {
                1 => format!(": 1 event received {last} after the request, {then}"),
                _ => format!(
                    ": {count} events received, the last one {last} after the request, {then}"
                ),
            }
        }
    }
}

/// Whether the agent is a program that has printed nothing in the whole conversation: it may speak another protocol.
fn is_silent_program(trace: &Trace) -> bool {
    let missing = trace
        .exchanges
        .last()
        .and_then(|exchange| exchange.missing.as_deref());
    missing == Some(NOTHING_PRINTED) && trace.events.is_empty()
}

/// The answers to the calls that wait for the client at the end of an exchange; none if none waits, or if one of them
/// is left open on purpose: the agent goes on only when all are answered.
async fn answers(
    trace: &Trace,
    tools: &mut dyn ToolHost,
    round: usize,
) -> Result<Vec<ToolAnswer>, Halt> {
    let pending = pending(trace, tools);
    let Some((first, _)) = pending.first() else {
        return Ok(Vec::new());
    };
    if pending
        .iter()
        .any(|(_, handling)| *handling == Handling::LeftOpen)
    {
        return Ok(Vec::new());
    }
    if round >= MOST_ROUNDS {
        let name = &first.name;
        let message = format!(
            "the agent still calls `{name}` after {MOST_ROUNDS} rounds of answers in one turn"
        );
        let help = Some("does the agent take in the result? `-v` shows the calls".to_owned());
        return Err(Problem {
            kind: ErrorKind::Conversation,
            message,
            help,
        }
        .into());
    }
    let calls: Vec<&ToolCall> = pending.into_iter().map(|(call, _)| call).collect();
    tools.answer_all(calls, trace).await
}

/// The calls of the last turn that wait for the client, if its run has finished.
fn pending<'t>(trace: &'t Trace, tools: &dyn ToolHost) -> Vec<(&'t ToolCall, Handling)> {
    let ended = trace
        .exchanges
        .last()
        .and_then(|exchange| exchange.run_end.as_ref());
    let has_ended = matches!(ended, Some(RunEnd::Finished | RunEnd::Unknown(_)));
    let turn = trace
        .turns
        .last()
        .filter(|turn| has_ended && !turn.input.is_replay);
    let calls = turn
        .and_then(|turn| trace.calls.get(turn.calls.clone()))
        .unwrap_or_default()
        .iter();
    let pending = calls.filter(|call| call.is_pending() && call.origin != Origin::History);
    let handled = pending.map(|call| (call, tools.handling(&call.name)));
    handled
        .filter(|(_, handling)| *handling != Handling::Agent)
        .collect()
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
