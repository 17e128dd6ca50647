//! Outcomes of tests that have not begun, do not run, or do not run to their end.

use std::io;

use super::run::Run;
use super::stopper::Reason;
use ananke_plan::CaseEntry;
use ananke_plan::project::is_default;
use ananke_trace::outcome::{
    EndCause, ErrorKind, Outcome, Problem, SkipCause, TestIdentity, Transcript,
};
use ananke_trace::redact::{Redactor, Sealed};

/// The outcome of a test that starts now: its identity and the moment; nothing has been found out yet.
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
            // The agent is known once the target of the test is filled, and is added then.
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
    let outcome = not_begun(shared, entry, EndCause::Broken(setup_problem(message)));
    complete(shared, &shared.redactor_of(entry), outcome)
}

fn setup_problem(message: String) -> Problem {
    Problem::new(ErrorKind::Setup, message)
}

/// The outcome of a test of which nothing ran, because of `cause`.
pub(crate) fn not_begun(shared: &Run, entry: &CaseEntry, cause: EndCause) -> Outcome {
    let mut outcome = blank(shared, entry);
    outcome.end(cause);
    outcome.transcript.ended_unix_ms = outcome.transcript.started_unix_ms;
    outcome
}

/// The outcome of a test that had not started when the run stopped.
pub(crate) fn not_run(shared: &Run, entry: &CaseEntry, reason: Option<Reason>) -> Sealed<Outcome> {
    // A test that is skipped anyway misses nothing, so its own reason comes first.
    let cause = if let Some(why) = &entry.test.skip {
        EndCause::Skipped(SkipCause::Wanted, why.clone())
    } else if let Some(why) = &shared.not_started {
        EndCause::Broken(setup_problem(format!("not run: {why}")))
    } else {
        EndCause::Skipped(SkipCause::RunStopped, because("not run", reason))
    };
    let outcome = not_begun(shared, entry, cause);
    complete(shared, &shared.redactor_of(entry), outcome)
}

/// The end of a test that was running when the run stopped.
pub(crate) fn aborted(reason: Option<Reason>) -> EndCause {
    EndCause::Aborted(because("not run to its end", reason))
}

/// The end of a test in words: `what` became of it, and the reason that the run stopped for.
fn because(what: &str, reason: Option<Reason>) -> String {
    match reason {
        Some(reason) => format!("{what}: {}", reason.words()),
        None => what.to_owned(),
    }
}

/// The complete outcome of a test, masked by `redactor`, with its change against an earlier run.
pub(crate) fn complete(shared: &Run, redactor: &Redactor, outcome: Outcome) -> Sealed<Outcome> {
    // Earlier runs are known by masked ids, so the id is masked before it is looked up.
    let id = redactor.text(&outcome.test.id);
    let change = shared.earlier.change(&id, outcome.status());
    redactor.seal(Outcome { change, ..outcome })
}

/// `turns` as a `u32`; the largest `u32` if there are more.
pub(crate) fn turn_count(turns: usize) -> u32 {
    u32::try_from(turns).unwrap_or(u32::MAX)
}
