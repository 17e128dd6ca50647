//! One attempt at a test, from its environment to its outcome and its recording.

use std::time::Duration;

use super::verify_recording::verify_recording;
use crate::attempt::Attempt;
use crate::context::{
    AttemptPurpose, Case, LiveAnswers, RunAnswers, TestStep, UsedThreads, not_begun,
};
use crate::follow::{RawLog, RequestBodies};
use ananke_base::context::interruption::COMPUTING_TIME;
use ananke_base::context::{CaseKey, lock};
use ananke_base::text::escape;
use ananke_model::model::ReportedEvents;
use ananke_recording::AttemptEnvironment;
use ananke_trace::outcome::{EndCause, ErrorKind, Outcome, Problem, Status};

/// Runs the attempt `key` at a test, with its own hooks, thread and conversation, and keeps its recording. The attempts before it
/// used `threads`. All errors are in the outcome.
pub(super) async fn run_attempt(case: &Case, key: &CaseKey, threads: &UsedThreads) -> Outcome {
    // Rules have a computing time of their own, apart from the timeout of the test: a pattern cannot be interrupted while it
    // matches.
    case.watchdog.begin_attempt(case.timeout());
    let allowed = case.plan.settings.evaluation.unwrap_or(COMPUTING_TIME);
    case.watchdog.judging.begin(allowed);

    // The environment is where answers come from: the agent itself, or a recording of it.
    let environment = match environment(case, key) {
        Ok(environment) => environment,
        Err(problem) => {
            return not_begun(&case.shared, &case.entry, EndCause::Broken(problem));
        }
    };
    let mut attempt = Attempt::new(case, key, environment, AttemptPurpose::Report);
    attempt.outcome.transcript.started_unix_ms = attempt.environment.started_unix_ms();
    attempt.raw = raw_log(case.shared.options.settings.events);
    attempt.run(threads).await;
    // Other tests of a target that did not answer are not run, so the run notes whether it did.
    attempt.note_contact();

    // `begin` fails if this thread was left behind because it took too long. Its test was reported without it, so that it
    // writes no recording. The step only computes, for which each step has a minute beyond the time that it is given here.
    let evaluate = case.watchdog.begin(TestStep::Evaluate, Duration::ZERO);
    let may_write = evaluate.is_ok();
    keep_answers(&attempt);
    let Attempt {
        environment,
        mut outcome,
        raw,
        teardown,
        has_ended,
        helpers,
        ..
    } = attempt;
    *outcome.helpers = *lock(&helpers);

    // A recording is kept only if its replay has the same outcome. An attempt that was aborted has no complete recording.
    if may_write && has_ended {
        let verified = verify_recording(case, key, threads, &environment, &outcome).await;
        let kept = match verified {
            Ok(()) => environment.keep(outcome.transcript.ended_unix_ms),
            Err(problem) => Err(problem),
        };
        match kept {
            Ok(recording) => outcome.transcript.recording = recording,
            Err(problem) => outcome.end(EndCause::NotRecorded(problem)),
        }
    }
    // The teardown is reported after the recording is verified: a replay has none, so its outcome would differ.
    outcome.verdict.warnings.extend(case.take_warnings());
    teardown.report(&mut outcome);

    // Raw events are wanted of all tests, or of those that fail. The status is known only now, since a recording or a teardown
    // that fails changes it.
    let is_wanted = case.shared.options.settings.events == ReportedEvents::All
        || !matches!(outcome.status(), Status::Passed | Status::Skipped);
    if let Some(raw) = raw
        && is_wanted
    {
        raw.put_into(&mut outcome, &case.redactor);
    }
    outcome
}

/// Keeps the answers that the agent gave in an attempt, so that they can be evaluated again without it.
fn keep_answers(attempt: &Attempt<'_>) {
    let Attempt {
        case,
        environment,
        outcome,
        has_ended,
        ..
    } = attempt;
    let ended_unix_ms = outcome.transcript.ended_unix_ms;
    match &case.shared.answers {
        RunAnswers::Live(LiveAnswers { attempts, .. }) => {
            // An attempt that was aborted lacks answers that another evaluation would ask for.
            if *has_ended
                && let Some(store) = attempts
                && let Some(attempt) = environment.recorded_attempt(ended_unix_ms)
            {
                store.add(attempt);
            }
            // The search for a failing walk takes the recording of each walk, and writes that of the walk it reports. An error is
            // dropped: a walk that cannot be recorded has failed all the same.
            let text = environment.text_in_memory(ended_unix_ms);
            lock(&case.walk).recording = text.ok().flatten();
        }
        RunAnswers::InMemory(memory) if *has_ended => {
            memory.set(environment.text_in_memory(ended_unix_ms));
        }
        // Replayed answers exist already, recordings in a folder are written later, and an aborted attempt lacks answers.
        _ => {}
    }
}

fn raw_log(events: ReportedEvents) -> Option<RawLog> {
    match events {
        ReportedEvents::Off => None,
        ReportedEvents::Failed => Some(RawLog::new(RequestBodies::Dropped)),
        ReportedEvents::All => Some(RawLog::new(RequestBodies::Kept)),
    }
}

/// The environment of the attempt `key`: the source of the agent's answers (the agent itself, or a recording), and the place
/// where they are recorded.
///
/// # Errors
/// If a recording that is to be replayed does not exist or cannot be read, or an earlier run has no answers of the test.
fn environment(case: &Case, key: &CaseKey) -> Result<AttemptEnvironment, Problem> {
    let Case {
        shared, redactor, ..
    } = case;
    let live = AttemptEnvironment::live(&shared.context, &shared.transport, redactor)
        .sharing(&shared.programs);
    match &shared.answers {
        // An earlier run is evaluated again, with its answers.
        RunAnswers::Earlier(answers) => {
            let recording = answers.recording(&key.test, key.run);
            let recording = recording.map_err(|why| not_asked(case, why))?;
            Ok(live.with_recording(&recording, key))
        }
        // Every test is replayed from the same recording, as when a test is made smaller.
        RunAnswers::Recording(kept) => Ok(live.with_recording(kept, key)),
        // Each test is recorded into a folder, or replayed from it.
        RunAnswers::Recordings(recordings) => live.with_recordings(recordings, key),
        // The caller of the run takes the recording of its only test from memory.
        RunAnswers::InMemory(_) => Ok(live.recorded_in_memory(key)),
        // The agent is asked. Its answers are recorded for the walk that fails, or for a store of attempts, if there is one.
        RunAnswers::Live(answers) => {
            // A walk, a conversation whose turns the program chooses, is recorded only if failed walks are kept: in memory,
            // because it is not known yet whether it fails.
            if case.entry.test.walk.is_some() {
                return Ok(match answers.failed_walks {
                    Some(_) => live.recorded_in_memory(key),
                    None => live,
                });
            }
            Ok(match &answers.attempts {
                Some(store) => live.recorded_for_store(key, store.most_bytes()),
                None => live,
            })
        }
    }
}

/// The problem of a test whose kept answers are evaluated again, and that asks what was never asked.
pub(super) fn not_asked(case: &Case, why: String) -> Problem {
    let id = case.entry.id();
    let id = escape::shell_word(&id);
    Problem::new(ErrorKind::NotAsked, why).help(format!("ask the agent: `ananke run {id}`"))
}
