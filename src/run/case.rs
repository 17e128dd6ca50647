//! One test from its entry to its outcome, and the outcomes of those that do not run, or not to their end.

use std::io;

use crate::outcome::{ErrorKind, Outcome, Problem, TestEnd};
use crate::plan::{CaseEntry, Plan};
use crate::redact::Sealed;

use super::attempts::attempts;
use super::upcoming::Loading;
use super::{Reason, Run, RunEvent};

/// Runs one test; whatever goes wrong is in its outcome.
pub(super) async fn run_case(
    shared: &Run,
    plan: &Plan,
    entry: &CaseEntry,
    loading: Loading,
) -> Sealed<Outcome> {
    let redactor = shared.redactor.child();
    let id = entry.id().into_owned();
    shared.tell(redactor.seal(RunEvent::CaseStarted { id: id.clone() })).await;
    let outcome = match &entry.test.skip {
        // What an attempt knows is large: it is put aside once, and not moved with every task.
        None => Box::pin(attempts(shared, plan, entry, loading, &redactor)).await,
        Some(why) => left_out(shared, entry, why.clone()),
    };
    let fails_the_run = outcome.fails_the_run();
    shared.tell(redactor.seal(RunEvent::CaseEnded { id, fails_the_run })).await;
    redactor.seal(outcome)
}

/// The outcome of a test of which nothing is known yet.
pub(super) fn blank(shared: &Run, entry: &CaseEntry) -> Outcome {
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
        turns: Vec::new(),
        turns_not_run: 0,
        held: Vec::new(),
        end: TestEnd::default(),
        warnings: Vec::new(),
        started_unix_ms: clock.unix_ms(clock.now()),
        ended_unix_ms: 0,
        history: Vec::new(),
        messages_count: 0,
        snapshots: Vec::new(),
        recording: None,
        duration_us: 0,
        earlier_attempts: Vec::new(),
        quarantine: entry.quarantine.as_deref().cloned(),
    }
}

/// The outcome of a test whose own was put aside and cannot be read back.
pub(super) fn lost(shared: &Run, entry: &CaseEntry, error: &io::Error) -> Sealed<Outcome> {
    let message = format!("its outcome was put aside in a file and cannot be read back: {error}");
    let problem = Problem { kind: ErrorKind::Setup, message, help: None };
    let mut outcome = blank(shared, entry);
    outcome.end = TestEnd::Problem(problem, Vec::new());
    outcome.ended_unix_ms = outcome.started_unix_ms;
    shared.redactor.seal(outcome)
}

/// The outcome of a test that the end of the run came before.
pub(super) fn not_run(shared: &Run, entry: &CaseEntry, reason: Option<Reason>) -> Sealed<Outcome> {
    let because = reason.map(|reason| format!(": {}", reason.as_str())).unwrap_or_default();
    let why = entry.test.skip.clone().unwrap_or_else(|| format!("not run{because}"));
    shared.redactor.seal(left_out(shared, entry, why))
}

/// The outcome of a test that does not run.
fn left_out(shared: &Run, entry: &CaseEntry, why: String) -> Outcome {
    let mut outcome = blank(shared, entry);
    outcome.end = TestEnd::Skipped(why);
    outcome.ended_unix_ms = outcome.started_unix_ms;
    outcome
}

/// Makes an outcome one of a test that the end of the run cut short.
pub(super) fn cut_short(outcome: &mut Outcome, reason: Option<Reason>) {
    let because = reason.map(|reason| format!(": {}", reason.as_str())).unwrap_or_default();
    outcome.end = TestEnd::Skipped(format!("not run to its end{because}"));
}
