//! One turn: sent, captured, judged.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::compile::{MessageId, PreparedTurn, TurnInput};
use crate::context::Ids;
use crate::outcome::{ErrorKind, Problem, TimeLimits, TurnEnd, TurnOutcome};
use crate::target::{Action, Ended, Limits, Request, Session, TargetError};
use crate::trace::{Input, RunEnd, Trace};

use super::attempt::Halt;
use super::capture::Capture;
use super::client_tools::Mocks;
use super::scripts::Asking;
use super::summary;
use super::waiting::{answers, unanswered};

/// What a turn sends, and how the trace knows it.
///
/// # Errors
/// Where the agent waits for something else than this turn brings.
fn request(trace: &Trace, turn: &PreparedTurn, ids: &dyn Ids) -> Result<(Input, Action), Problem> {
    let mut input = Input { shown: turn.input.describe(), ..Input::default() };
    let action = match &turn.input {
        TurnInput::User(content) => {
            if let Some(problem) = unanswered(trace) {
                return Err(problem);
            }
            let MessageId { id, name } = turn.message.clone();
            let message_id = id.unwrap_or_else(|| ids.next("message"));
            input.message_id = Some(message_id.clone());
            input.text = content.text().into_owned();
            Action::User { message_id, name, content: content.clone() }
        }
        TurnInput::Connect => {
            input.is_replay = true;
            Action::Connect
        }
        TurnInput::Resume(replies) => answers(trace, replies)?,
    };
    Ok((input, action))
}

/// Carries out the turn `index`, counted from 0, and judges it whole.
pub(super) async fn run_turn(
    session: &mut dyn Session,
    capture: &mut Capture,
    limits: &Limits,
    index: usize,
    turn: &PreparedTurn,
    mocks: &mut Mocks,
    asking: Asking<'_>,
) -> TurnOutcome {
    let ids = &*asking.tape.context.ids;
    let (input, action) = match request(&capture.trace, turn, ids) {
        Ok(request) => request,
        Err(problem) => {
            capture.trace.begin_turn(Input { shown: turn.input.describe(), ..Input::default() });
            let end = TurnEnd::Problem(problem, Vec::new());
            return summary::turn(&capture.trace, index, session.clock(), TimeLimits::default(), end);
        }
    };
    capture.trace.begin_turn(input);
    if let Err(error) = capture.judge.begin_turn(index) {
        let problem = Problem { kind: ErrorKind::Setup, message: error.to_string(), help: None };
        let end = TurnEnd::Problem(problem, Vec::new());
        return summary::turn(&capture.trace, index, session.clock(), TimeLimits::default(), end);
    }
    let halt = exchanges(session, capture, limits, mocks, &turn.props, action, asking).await;
    let halt = halt.or_else(|| violation(capture, index));
    capture.end_turn();
    let cut_short = halt.is_some() || capture.was_stopped();
    let mut failures = capture.judge.end_turn(&capture.trace, cut_short);
    let questions = capture.judge.take_questions();
    let unjudged = || capture.judge.unjudged().filter(|_| !cut_short);
    let mut halt = halt.or_else(|| unjudged().map(Halt::Broken));
    if halt.is_none() && failures.is_empty() {
        (failures, halt) = asking.judge(questions, capture).await;
    }
    let limits = capture.judge.time_limits();
    summary::turn(&capture.trace, index, session.clock(), limits, Halt::turn_end(halt, failures))
}

/// Talks to the agent until it waits for its client no more. Returns why the turn could not be evaluated to its end.
async fn exchanges(
    session: &mut dyn Session,
    capture: &mut Capture,
    limits: &Limits,
    mocks: &mut Mocks,
    props: &Map<String, Value>,
    mut action: Action,
    asking: Asking<'_>,
) -> Option<Halt> {
    mocks.begin_turn();
    let mut left = limits.clone();
    loop {
        let request = Request { action, props: props.clone() };
        let ended = session.exchange(request, &left, capture).await;
        let halt = halt(ended, limits, capture);
        if halt.is_some() || capture.was_stopped() {
            return halt;
        }
        let answers = match mocks.answer(&capture.trace, asking).await {
            Ok(answers) => answers,
            Err(halt) => return Some(halt),
        };
        if answers.is_empty() || capture.answer(&answers) {
            return None;
        }
        let used = capture.trace.turns.last().map_or(0, |turn| capture.trace.turn_micros(turn));
        left.timeout = limits.timeout.saturating_sub(Duration::from_micros(used));
        action = Action::ToolResults(answers);
    }
}

/// Why an exchange could not be evaluated to its end.
fn halt(ended: Result<Ended, TargetError>, limits: &Limits, capture: &Capture) -> Option<Halt> {
    let broken = |kind, message, help| Some(Halt::Broken(Problem { kind, message, help }));
    match ended {
        Err(error) => broken(ErrorKind::Protocol, error.to_string(), error.help),
        Ok(Ended::Timeout) => {
            let message = format!("timeout after {}", humantime::format_duration(limits.timeout));
            broken(ErrorKind::Timeout, message, None)
        }
        // A rule broke, and the turn was to end with it: what it found is the verdict.
        Ok(Ended::Cancelled) if capture.was_stopped() => None,
        Ok(Ended::Cancelled) => Some(Halt::Stopped),
        Ok(Ended::Terminal) => {
            // What became of an earlier run that is told again is history.
            let exchange = capture.trace.exchanges.last().filter(|exchange| !exchange.is_replay);
            let outcome = exchange.and_then(|exchange| exchange.run_end.as_ref());
            match outcome.filter(|outcome| !capture.judge.expects(outcome)) {
                Some(error @ RunEnd::Error { .. }) => {
                    broken(ErrorKind::Agent, format!("agent error: {error}"), None)
                }
                Some(RunEnd::Cancelled) => {
                    let message = "the agent cancelled the run, which nobody asked for".to_owned();
                    broken(ErrorKind::Agent, message, None)
                }
                Some(RunEnd::Finished | RunEnd::Interrupted(_)) | None => None,
            }
        }
    }
}

/// What is wrong with a turn whose events came in an order that the protocol forbids, where that is to fail it.
fn violation(capture: &Capture, index: usize) -> Option<Halt> {
    let turn = capture.trace.turns.get(index)?;
    let first = turn.violations.kept().first().filter(|_| capture.strict_protocol)?;
    let more = match turn.violations.kept().len() - 1 + turn.violations.more() {
        0 => String::new(),
        1 => " (and 1 more violation)".to_owned(),
        more => format!(" (and {more} more violations)"),
    };
    let message = format!("violation of the protocol: {}{more}", summary::violation(turn, first));
    let help = Some(format!("`ananke explain {}` tells what the rule wants", first.rule));
    Some(Halt::Broken(Problem { kind: ErrorKind::Protocol, message, help }))
}
