//! One test from its file to its outcome: prepare → open → turns → settle.

use crate::assertion::Judge;
use crate::context::CaseKey;
use crate::diagnostic::Diagnostic;
use crate::outcome::{ErrorKind, Outcome, Problem, Status};
use crate::plan::{CaseEntry, Config, Prepared, Unprepared, prepare};
use crate::target::{Limits, Opening, Session, Target, build};
use crate::trace::{self, Trace};

use super::Run;
use super::capture::Capture;
use super::summary;
use super::turn::run_turn;

/// Runs one test; whatever goes wrong is in its outcome.
pub(super) async fn run_case(shared: &Run<'_>, config: &Config, entry: &CaseEntry) -> Outcome {
    let clock = &shared.context.clock;
    let mut outcome = Outcome {
        id: entry.id.clone(),
        name: entry.id.rsplit_once("::").map_or(entry.id.as_str(), |(_, name)| name).to_owned(),
        file: entry.file.clone(),
        line: entry.line,
        target: "default".to_owned(),
        agent: String::new(),
        thread_id: String::new(),
        status: Status::Passed,
        turns: Vec::new(),
        turns_not_run: 0,
        failures: Vec::new(),
        problem: None,
        started_unix_ms: clock.unix_ms(clock.now()),
        ended_unix_ms: 0,
        messages_count: 0,
        duration_us: 0,
    };
    match prepare(shared.context, config, entry) {
        Ok(prepared) => {
            learn(shared, &prepared.secrets);
            outcome.name.clone_from(&prepared.name);
            outcome.agent = prepared.target.agent().to_owned();
            outcome.thread_id.clone_from(&prepared.thread_id);
            if let Err(problem) = converse(shared, entry, prepared, &mut outcome).await {
                outcome.status = Status::Error;
                outcome.problem = Some(problem);
            }
        }
        Err(unprepared) => {
            outcome.status = Status::Error;
            outcome.problem = Some(unprepared_problem(shared, unprepared));
        }
    }
    let last = outcome.turns.last().map_or(0, |turn| turn.ended_unix_ms);
    outcome.ended_unix_ms = clock.unix_ms(clock.now()).max(last);
    outcome
}

fn learn(shared: &Run<'_>, secrets: &[String]) {
    for secret in secrets {
        shared.redactor.learn(secret);
    }
}

fn unprepared_problem(shared: &Run<'_>, unprepared: Unprepared) -> Problem {
    let (message, help) = match unprepared {
        Unprepared::Changed => {
            ("the file changed since the run began".to_owned(), Some("run it again".to_owned()))
        }
        Unprepared::Broken(problems, secrets) => {
            learn(shared, &secrets);
            let lines: Vec<String> = problems.iter().map(Diagnostic::to_string).collect();
            (lines.join("\n"), problems.into_iter().find_map(|problem| problem.help.into_iter().next()))
        }
    };
    Problem { kind: ErrorKind::Setup, message, help }
}

/// Talks to the agent turn by turn; stops at the first turn that does not pass (fail fast, SPEC 5).
async fn converse(
    shared: &Run<'_>,
    entry: &CaseEntry,
    prepared: Prepared,
    outcome: &mut Outcome,
) -> Result<(), Problem> {
    let Prepared { turns, rules, target, thread_id, timeout, .. } = prepared;
    let setup = |message: String| Problem { kind: ErrorKind::Setup, message, help: None };
    let judge = Judge::start(rules, shared.redactor.clone()).map_err(|error| setup(error.to_string()))?;
    let state = target.state().clone();
    let target = build(target, &shared.transport);
    if judge.looks_at_tools() && !target.capabilities().tool_calls_visible {
        return Err(setup("the rules look at tool calls, and this target's protocol shows none".to_owned()));
    }
    let limits = Limits {
        timeout,
        max_event_bytes: Limits::MAX_EVENT_BYTES,
        max_response_bytes: Limits::MAX_RESPONSE_BYTES,
        cancel: shared.cancel.clone(),
    };
    let mut session = open(shared, entry, &*target, thread_id).await?;
    let mut capture = Capture::new(judge, state);
    let total = turns.len();
    for (index, text) in turns.iter().enumerate() {
        if let Some(problem) = unanswered(&capture.trace) {
            outcome.status = Status::Failed;
            outcome.problem = Some(problem);
            break;
        }
        let message_id = shared.context.ids.next("message");
        let turn = run_turn(&mut *session, &mut capture, &limits, index, message_id, text).await;
        outcome.duration_us += turn.duration_us;
        outcome.status = turn.status;
        let cut_short = turn.problem.is_some();
        outcome.turns.push(turn);
        let is_last = index + 1 == total;
        // A test whose last turn fails has still been seen whole: what it owes is judged beside it.
        if is_last && !cut_short {
            outcome.failures = capture.judge.settle(&capture.trace);
            if !outcome.failures.is_empty() {
                outcome.status = Status::Failed;
            }
        }
        if outcome.status.fails_the_run() {
            break;
        }
    }
    outcome.messages_count = summary::messages_count(&capture.trace);
    outcome.turns_not_run = u32::try_from(total - outcome.turns.len()).unwrap_or(u32::MAX);
    Ok(())
}

async fn open(
    shared: &Run<'_>,
    entry: &CaseEntry,
    target: &dyn Target,
    thread_id: String,
) -> Result<Box<dyn Session>, Problem> {
    let opening = Opening {
        key: CaseKey::first(entry.id.clone()),
        thread_id,
        clock: shared.context.clock.clone(),
        ids: shared.context.ids.clone(),
    };
    let opened = target.open(opening).await;
    opened.map_err(|error| Problem {
        kind: ErrorKind::Protocol,
        message: error.to_string(),
        help: error.help,
    })
}

/// A user turn while interrupts are open fails and names them (SPEC 5).
fn unanswered(trace: &Trace) -> Option<Problem> {
    let Some(trace::Outcome::Interrupted(ids)) = &trace.exchanges.last()?.outcome else { return None };
    let names: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
    Some(Problem {
        kind: ErrorKind::Agent,
        message: format!("the agent waits for answers to its interrupts {}", names.join(", ")),
        help: Some("end the test here: a user message is no answer to an interrupt".to_owned()),
    })
}
