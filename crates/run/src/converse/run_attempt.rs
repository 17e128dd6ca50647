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

/// Runs the attempt `key` at a test, with its own hooks, thread and conversation, and keeps its recording; the
/// attempts before it used `threads`.
pub(super) async fn run_attempt(case: &Case, key: &CaseKey, threads: &UsedThreads) -> Outcome {
    // Rules have a time of their own: the agent takes none of it, and nothing interrupts a pattern.
    case.watchdog.begin_attempt(case.timeout());
    let allowed = case.plan.settings.evaluation.unwrap_or(COMPUTING_TIME);
    case.watchdog.judging.begin(allowed);

    // The outside world of the attempt is the real one, or a recording of it.
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
    attempt.note_contact();

    // A thread that was left behind writes nothing: its test was reported without it.
    let evaluate = case.watchdog.begin(TestStep::Evaluate, Duration::ZERO);
    let may_write = evaluate.is_ok();
    keep_answers(&attempt);
    let Attempt {
        environment,
        mut outcome,
        raw,
        teardown,
        has_ended,
        ..
    } = attempt;
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
    // A replay leaves nothing to clean up, so it has no part in what is recorded.
    outcome.verdict.warnings.extend(case.take_warnings());
    teardown.report(&mut outcome);

    // The status is known only now, since a recording or a teardown that fails changes it.
    let is_wanted = case.shared.options.settings.events == ReportedEvents::All
        || !matches!(outcome.status(), Status::Passed | Status::Skipped);
    if let Some(raw) = raw
        && is_wanted
    {
        raw.put_into(&mut outcome, &case.redactor);
    }
    outcome
}

/// Keeps the answers that an attempt got, for those that need them again.
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
            // The walk that fails in the end is kept. If it cannot be recorded, it has failed all the same.
            let text = environment.text_in_memory(ended_unix_ms);
            lock(&case.walk).recording = text.ok().flatten();
        }
        RunAnswers::InMemory(kept) if *has_ended => {
            kept.set(environment.text_in_memory(ended_unix_ms));
        }
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

/// The origin of the agent's answers (the agent itself, or a recording), and the place where they are recorded.
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
            Ok(live.with_recording(&recording.map_err(|why| not_asked(case, why))?, key))
        }
        // Every test is replayed from the same recording, as when a test is made smaller.
        RunAnswers::Recording(kept) => Ok(live.with_recording(kept, key)),
        // Each test is recorded into a folder, or replayed from it.
        RunAnswers::Recordings(recordings) => live.with_recordings(recordings, key),
        RunAnswers::InMemory(_) => Ok(live.recorded_in_memory(key)),
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
