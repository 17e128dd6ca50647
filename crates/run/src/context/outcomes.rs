//! Outcomes of tests that have not begun, do not run, or do not run to their end.

use std::io;

use super::run::Run;
use super::stopper::Reason;
use ananke_plan::CaseEntry;
use ananke_plan::project::is_default;
use ananke_trace::outcome::{
    ErrorKind, Outcome, Problem, SkipCause, TestEnd, TestIdentity, Transcript,
};
use ananke_trace::redact::{Redactor, Sealed};

/// The outcome of a test that has just started.
pub(crate) fn blank(shared: &Run, entry: &CaseEntry) -> Outcome {
    let clock = &shared.context.clock;
    Outcome {
        test: TestIdentity {
            id: entry.id().into_owned(),
            name: entry.test.name.clone(),
            row: entry.row.as_ref().map(|row| row.label.to_string()),
            about: entry.test.about.clone(),
            file: entry.test.file.clone(),
            is_without_file: shared.context.files.is_given(&entry.test.path),
            path: entry.test.place.clone(),
            is_default_target: is_default(&entry.test.target),
            line: entry.test.line,
            target: entry.test.target.clone(),
            agent: String::new(),
            quarantine: entry.quarantine.as_deref().cloned(),
        },
        transcript: Transcript {
            started_unix_ms: clock.unix_ms(clock.now()),
            ..Transcript::default()
        },
        ..Outcome::default()
    }
}

/// The outcome of a test whose own was written to a file and cannot be read back.
pub(crate) fn lost(shared: &Run, entry: &CaseEntry, error: &io::Error) -> Sealed<Outcome> {
    let message = format!("its outcome was put aside in a file and cannot be read back: {error}");
    let outcome = broken(shared, entry, message);
    complete(shared, &shared.redactor_of(entry), outcome)
}

/// The outcome of a test that could not be evaluated.
fn broken(shared: &Run, entry: &CaseEntry, message: String) -> Outcome {
    let problem = Problem::new(ErrorKind::Setup, message);
    let mut outcome = blank(shared, entry);
    outcome.verdict.end = TestEnd::Problem(problem);
    outcome.transcript.ended_unix_ms = outcome.transcript.started_unix_ms;
    outcome
}

/// The outcome of a test that had not started when the run stopped.
pub(crate) fn not_run(shared: &Run, entry: &CaseEntry, reason: Option<Reason>) -> Sealed<Outcome> {
    let because = reason
        .map(|reason| format!(": {}", reason.as_str()))
        .unwrap_or_default();
    let outcome = match (&entry.test.skip, &shared.not_started) {
        (Some(why), _) => skipped(shared, entry, why.clone()),
        (None, Some(why)) => broken(shared, entry, format!("not run: {why}")),
        (None, None) => skipped_for(
            shared,
            entry,
            SkipCause::RunStopped,
            format!("not run{because}"),
        ),
    };
    complete(shared, &shared.redactor_of(entry), outcome)
}

/// The outcome of a test that its file skips.
pub(crate) fn skipped(shared: &Run, entry: &CaseEntry, why: String) -> Outcome {
    skipped_for(shared, entry, SkipCause::Wanted, why)
}

fn skipped_for(shared: &Run, entry: &CaseEntry, cause: SkipCause, why: String) -> Outcome {
    let mut outcome = blank(shared, entry);
    outcome.verdict.end = TestEnd::Skipped(cause, why);
    outcome.transcript.ended_unix_ms = outcome.transcript.started_unix_ms;
    outcome
}

/// The complete outcome of a test, masked by `redactor`, with its change against an earlier run.
pub(crate) fn complete(shared: &Run, redactor: &Redactor, outcome: Outcome) -> Sealed<Outcome> {
    // What is known of earlier runs is masked.
    let id = redactor.text(&outcome.test.id);
    let change = shared.earlier.change(&id, outcome.status());
    redactor.seal(Outcome { change, ..outcome })
}

/// Ends the outcome of a test that was running when the run stopped.
pub(crate) fn mark_aborted(outcome: &mut Outcome, reason: Option<Reason>) {
    let because = reason
        .map(|reason| format!(": {}", reason.as_str()))
        .unwrap_or_default();
    outcome.verdict.rules.retain(|rule| !rule.has_failed());
    let why = format!("not run to its end{because}");
    outcome.verdict.end = TestEnd::Skipped(SkipCause::RunStopped, why);
}

/// Ends the outcome with a problem of the whole test.
pub(crate) fn end_with(outcome: &mut Outcome, problem: Problem) {
    outcome.verdict.end = TestEnd::Problem(problem);
}

/// `turns` as a `u32`; the largest `u32` if there are more.
pub(crate) fn turn_count(turns: usize) -> u32 {
    u32::try_from(turns).unwrap_or(u32::MAX)
}
