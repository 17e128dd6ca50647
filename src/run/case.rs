//! One test from its file to its outcome: begin → hooks → fill the rest → open → turns → settle.

use std::time::Duration;

use crate::assertion::Judge;
use crate::context::{CaseKey, Context};
use crate::diagnostic::Diagnostic;
use crate::outcome::{ErrorKind, Outcome, Problem, Status};
use crate::plan::{CaseEntry, Plan, Preparation, Prepared, ToolDeclaration, Unprepared};
use crate::recording::{Player, RecordingError, Tape, markers_of};
use crate::redact::marker;
use crate::target::{Limits, Opening, Session, Target, build};
use crate::trace::Trace;
use crate::variables::Secret;

use super::attempts::{attempts, known_thread};
use super::capture::Capture;
use super::client_tools::Mocks;
use super::hooks::run_hooks;
use super::keep::kept;
use super::snapshots;
use super::summary;
use super::teardown::tear_down;
use super::turn::run_turn;
use super::upcoming::Loading;
use super::{Reason, Run, RunEvent};

/// Why a test ends before its conversation does.
pub(super) enum Halt {
    /// It is broken: also in a run that is being stopped.
    Broken(Problem),
    /// The run is being stopped, which is no fault of the test's.
    Stopped,
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Self {
        Self::Broken(problem)
    }
}

/// Runs one test; whatever goes wrong is in its outcome.
pub(super) async fn run_case(shared: &Run, plan: &Plan, entry: &CaseEntry, loading: Loading) -> Outcome {
    shared.tell(RunEvent::CaseStarted { id: entry.id().into_owned() }).await;
    let outcome = match &entry.test.skip {
        None => attempts(shared, plan, entry, loading).await,
        Some(why) => left_out(shared, entry, why.clone()),
    };
    shared.tell(RunEvent::CaseEnded { id: entry.id().into_owned() }).await;
    outcome
}

/// Makes the attempt `key` at a test, with hooks, a thread and a conversation of its own; `before` is the attempt
/// before it.
pub(super) async fn attempt(
    shared: &Run,
    plan: &Plan,
    entry: &CaseEntry,
    key: &CaseKey,
    loading: Loading,
    before: Option<&Outcome>,
) -> Outcome {
    let mut outcome = blank(shared, entry);
    let opened = Tape::open(shared.recordings.as_ref(), key, &shared.context, &shared.transport);
    let (tape, carried_out) = match opened {
        Ok(tape) => {
            outcome.started_unix_ms = tape.context.clock.unix_ms(tape.started);
            let carried_out = carry_out(shared, plan, entry, key, loading, &tape, before, &mut outcome).await;
            (tape, carried_out)
        }
        Err(error) => (Tape::live(&shared.context, &shared.transport), Err(broken(error).into())),
    };
    match carried_out {
        Ok(()) => {}
        Err(Halt::Stopped) => cut_short(&mut outcome, shared.stopper.reason()),
        Err(Halt::Broken(problem)) => {
            outcome.status = Status::Error;
            outcome.problem = Some(problem);
        }
    }
    let clock = &tape.context.clock;
    let now = tape.player().map_or_else(|| clock.unix_ms(clock.now()), Player::ended_unix_ms);
    let last = outcome.turns.last().map_or(0, |turn| turn.ended_unix_ms);
    outcome.ended_unix_ms = now.max(last);
    if outcome.status != Status::Skipped
        && let Err(error) = tape.keep(outcome.ended_unix_ms, &shared.redactor)
    {
        not_kept(&mut outcome, error);
    }
    outcome
}

/// What a recording that cannot be played or written is for its test.
pub(super) fn broken(RecordingError { message, help }: RecordingError) -> Problem {
    Problem { kind: ErrorKind::Recording, message, help }
}

/// The test was to be recorded and is not: it did not pass, whatever the agent did.
fn not_kept(outcome: &mut Outcome, error: RecordingError) {
    if outcome.problem.is_some() {
        outcome.warnings.push(error.message);
    } else {
        outcome.status = Status::Error;
        outcome.problem = Some(broken(error));
    }
}

/// The outcome of a test of which nothing is known yet.
fn blank(shared: &Run, entry: &CaseEntry) -> Outcome {
    let clock = &shared.context.clock;
    Outcome {
        id: entry.id().into_owned(),
        name: entry.test.name.clone(),
        description: entry.test.description.clone(),
        tags: entry.test.tags.clone(),
        file: entry.test.file.clone(),
        line: entry.test.line,
        target: entry.test.target.clone(),
        agent: String::new(),
        thread_id: String::new(),
        status: Status::Passed,
        turns: Vec::new(),
        turns_not_run: 0,
        failures: Vec::new(),
        problem: None,
        warnings: Vec::new(),
        started_unix_ms: clock.unix_ms(clock.now()),
        ended_unix_ms: 0,
        messages_count: 0,
        snapshots: Vec::new(),
        duration_us: 0,
        earlier_attempts: Vec::new(),
        quarantine: entry.quarantine.as_deref().cloned(),
    }
}

/// The outcome of a test that the end of the run came before.
pub(super) fn not_run(shared: &Run, entry: &CaseEntry, reason: Option<Reason>) -> Outcome {
    let because = reason.map(|reason| format!(": {}", reason.as_str())).unwrap_or_default();
    left_out(shared, entry, entry.test.skip.clone().unwrap_or_else(|| format!("not run{because}")))
}

/// The outcome of a test that does not run.
fn left_out(shared: &Run, entry: &CaseEntry, why: String) -> Outcome {
    let mut outcome = blank(shared, entry);
    skip(&mut outcome, why);
    outcome.ended_unix_ms = outcome.started_unix_ms;
    outcome
}

/// Makes an outcome one of a test that the end of the run cut short.
fn cut_short(outcome: &mut Outcome, reason: Option<Reason>) {
    let because = reason.map(|reason| format!(": {}", reason.as_str())).unwrap_or_default();
    skip(outcome, format!("not run to its end{because}"));
}

/// Makes an outcome one of a test that was skipped.
fn skip(outcome: &mut Outcome, why: String) {
    outcome.status = Status::Skipped;
    outcome.problem = Some(Problem { kind: ErrorKind::Setup, message: why, help: None });
}

/// From the file to the last rule, and what cleans up. What stops it on the way is a problem of the test as a whole.
#[expect(clippy::too_many_arguments, reason = "each is something else")]
async fn carry_out(
    shared: &Run,
    plan: &Plan,
    entry: &CaseEntry,
    key: &CaseKey,
    loading: Loading,
    tape: &Tape,
    before: Option<&Outcome>,
    outcome: &mut Outcome,
) -> Result<(), Halt> {
    let unprepared = |unprepared| unprepared_problem(shared, unprepared);
    let test = loading.loaded().await.map_err(unprepared)?;
    let mut preparation = Preparation::begin(&tape.context, plan, entry, test).map_err(unprepared)?;
    if let Some(player) = tape.player() {
        preparation = preparation.without_sending();
        player.secrets().iter().for_each(|name| _ = shared.redactor.learn(&marker(name)));
        for (name, marker) in markers_of(player.secrets()) {
            preparation.replace(name, marker);
        }
    }
    outcome.turns_not_run = count(preparation.turns());
    let talked = talk(shared, key, &mut preparation, tape, before, outcome).await;
    if tape.player().is_none() {
        tear_down(shared, &preparation, outcome).await;
    }
    talked
}

/// From the first hook to the last rule.
async fn talk(
    shared: &Run,
    key: &CaseKey,
    preparation: &mut Preparation<'_>,
    tape: &Tape,
    before: Option<&Outcome>,
    outcome: &mut Outcome,
) -> Result<(), Halt> {
    let unprepared = |unprepared| unprepared_problem(shared, unprepared);
    run_hooks(shared, tape, preparation).await?;
    let prepared = preparation.finish().map_err(unprepared)?;
    learn(shared, &prepared.secrets);
    tape.learn(&prepared.secrets);
    prepared.target.agent().clone_into(&mut outcome.agent);
    outcome.thread_id.clone_from(&prepared.thread_id);
    outcome.warnings.clone_from(&prepared.warnings);
    if let Some(problem) = known_thread(shared, before, &prepared.thread_id) {
        return Err(problem.into());
    }
    Ok(converse(shared, key, preparation, prepared, tape, outcome).await?)
}

fn count(turns: usize) -> u32 {
    u32::try_from(turns).unwrap_or(u32::MAX)
}

pub(super) fn learn(shared: &Run, secrets: &[Secret]) {
    for secret in secrets {
        shared.redactor.learn(&secret.value);
    }
}

pub(super) fn unprepared_problem(shared: &Run, unprepared: Unprepared) -> Problem {
    let (message, help) = match unprepared {
        Unprepared::Changed => {
            ("the file changed since the run began".to_owned(), Some("run it again".to_owned()))
        }
        Unprepared::Broken(problems, secrets) => {
            learn(shared, &secrets);
            let lines: Vec<String> = problems.iter().map(Diagnostic::to_string).collect();
            let help = problems.into_iter().find(|problem| !problem.help.is_empty());
            (lines.join("\n"), help.map(|problem| problem.help.join("\n")))
        }
    };
    Problem { kind: ErrorKind::Setup, message, help }
}

/// Talks to the agent turn by turn; stops at the first turn that does not pass (fail fast, SPEC 5).
async fn converse(
    shared: &Run,
    key: &CaseKey,
    preparation: &mut Preparation<'_>,
    prepared: Prepared,
    tape: &Tape,
    outcome: &mut Outcome,
) -> Result<(), Problem> {
    let Prepared { turns, rules, target, client_tools, thread_id, thread_is_fixed, timeout, .. } = prepared;
    let setup = |message: String| Problem { kind: ErrorKind::Setup, message, help: None };
    let judge = Judge::start(rules, shared.redactor.clone()).map_err(|error| setup(error.to_string()))?;
    let judge = judge.writing(shared.options.writing);
    let declared: Vec<_> = client_tools.iter().map(|tool| tool.declaration.clone()).collect();
    let mut mocks = Mocks::start(client_tools).map_err(|error| setup(error.to_string()))?;
    let trace =
        Trace::new(target.state().clone()).by_event_clock(target.event_clock()).on_thread(thread_id.as_str());
    // Held until the conversation is over.
    let is_taken = thread_is_fixed && tape.player().is_none();
    let _taken = match target.endpoint().filter(|_| is_taken) {
        Some(endpoint) => Some(shared.threads.take(endpoint, &thread_id).await),
        None => None,
    };
    let target = build(target, &tape.transport);
    if judge.looks_at_tools() && !target.capabilities().tool_calls_visible {
        return Err(setup("the rules look at tool calls, and this target's protocol shows none".to_owned()));
    }
    let mut session = open(&tape.context, key, &*target, thread_id, declared).await?;
    let mut capture = Capture::new(judge, trace, shared.options, tape.recorder().cloned());
    let (total, ids) = (turns.len(), &*tape.context.ids);
    let whole = [shared.options.timeout, prepared.whole_timeout].into_iter().flatten().min();
    for (index, turn) in turns.into_iter().enumerate() {
        let turn = if let Some(turn) = turn {
            turn
        } else {
            let late = preparation.late_turn(index);
            let (turn, rules) = late.map_err(|unprepared| unprepared_problem(shared, unprepared))?;
            capture.judge.know_turn(index, rules);
            turn
        };
        let (id, number) = (key.test.clone(), index + 1);
        shared.tell(RunEvent::TurnStarted { id, turn: number, of: total }).await;
        let own = turn.timeout.unwrap_or(timeout);
        let limits = Limits {
            timeout: left(whole, own, outcome),
            max_event_bytes: Limits::MAX_EVENT_BYTES,
            max_response_bytes: Limits::MAX_RESPONSE_BYTES,
            cancel: shared.stopper.token().child_token(),
        };
        tape.begin_turn(count(number));
        let mut told = run_turn(&mut *session, &mut capture, &limits, index, &turn, &mut mocks, ids).await;
        told.id.clone_from(&turn.id);
        if let (Some(whole), true) = (whole, limits.timeout < own)
            && let Some(problem) = told.problem.as_mut().filter(|problem| problem.kind == ErrorKind::Timeout)
        {
            problem.message =
                format!("timeout after {} for the whole test", humantime::format_duration(whole));
        }
        if let Some(trouble) = tape.player().and_then(Player::trouble) {
            told.status = Status::Error;
            told.problem = Some(broken(trouble));
        }
        let (values, missing) = kept(&turn.captures, &capture.trace, &shared.redactor);
        preparation.keep(values);
        if told.problem.is_none() && !missing.is_empty() && told.status == Status::Passed {
            told.status = Status::Failed;
            told.problem =
                Some(Problem { kind: ErrorKind::Capture, message: missing.join("\n"), help: None });
        }
        outcome.duration_us += told.duration_us;
        outcome.status = told.status;
        let is_cut_short = told.problem.is_some() || capture.was_stopped();
        outcome.turns.push(told);
        outcome.turns_not_run = count(total - number);
        outcome.messages_count = summary::messages_count(&capture.trace);
        let is_last = number == total;
        // A test whose last turn fails has still been seen whole: what it owes is judged beside it.
        if is_last && !is_cut_short {
            outcome.failures = capture.judge.settle(&capture.trace);
            if !outcome.failures.is_empty() {
                outcome.status = Status::Failed;
            }
        }
        if outcome.status == Status::Skipped {
            cut_short(outcome, shared.stopper.reason());
            break;
        }
        if outcome.status.fails_the_run() {
            break;
        }
    }
    let is_whole = outcome.turns.len() == total && outcome.turns.iter().all(|turn| turn.problem.is_none());
    outcome.warnings.extend(tape.player().filter(|_| is_whole).and_then(Player::unplayed));
    snapshots::keep(capture.judge.take_captured(), outcome)
}

/// How long the next turn may take: its own time-out, and what is left of the whole test's.
fn left(whole: Option<Duration>, own: Duration, outcome: &Outcome) -> Duration {
    let used = Duration::from_micros(outcome.duration_us);
    whole.map_or(own, |whole| own.min(whole.saturating_sub(used)))
}

async fn open(
    context: &Context,
    key: &CaseKey,
    target: &dyn Target,
    thread_id: String,
    client_tools: Vec<ToolDeclaration>,
) -> Result<Box<dyn Session>, Problem> {
    let opening = Opening {
        key: key.clone(),
        thread_id,
        client_tools: client_tools.into(),
        clock: context.clock.clone(),
        ids: context.ids.clone(),
    };
    let opened = target.open(opening).await;
    opened.map_err(|error| Problem {
        kind: ErrorKind::Protocol,
        message: error.to_string(),
        help: error.help,
    })
}
