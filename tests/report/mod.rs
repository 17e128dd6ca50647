//! Reports of hand-made outcomes, compared with golden files: `ANANKE_UPDATE=1 cargo test` rewrites them.

mod changes;
mod comparison;
mod console;
mod conversations;
mod github;
mod hostile;
mod html;
mod json_lines;
mod junit;
mod junit_attachments;
mod junit_strict;

mod limits;
mod live;
mod markdown;
mod outcomes;
mod read_again;
mod rebuilt;
mod run_facts;
mod tap;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use ananke::context::{At, Context, ManualClock, SequentialIds};
use ananke::outcome::{Outcome, RunClose, RunEvent, Verdict};
use ananke::redact::{Redactor, Sealed};
use snapbox::Data;
use snapbox::assert::{Action, Assert};

/// The events of a run that ends by itself.
fn run(outcomes: Vec<Outcome>) -> Vec<Sealed<RunEvent>> {
    ended(outcomes, Verdict::default())
}

/// The same; the totals of `verdict` are counted here.
fn ended(outcomes: Vec<Outcome>, mut verdict: Verdict) -> Vec<Sealed<RunEvent>> {
    for outcome in &outcomes {
        verdict.totals.add(outcome);
    }
    let mut events = begun(outcomes.len(), outcomes);
    events.push(seal(RunEvent::RunFinished(RunClose {
        verdict,
        elapsed_us: 125_400_000,
        interrupted: false,
    })));
    events
}

/// The events of a run of `tests` tests that is aborted after `outcomes`.
fn begun(tests: usize, outcomes: Vec<Outcome>) -> Vec<Sealed<RunEvent>> {
    let mut events = vec![seal(RunEvent::RunStarted {
        tests,
        unix_ms: outcomes::STARTED,
        facts: Box::new(outcomes::facts()),
    })];
    for outcome in outcomes {
        events.push(seal(RunEvent::CaseStarted {
            id: outcome.test.id.clone(),
            at: At::default(),
        }));
        events.push(seal(RunEvent::CaseFinished(Box::new(outcome))));
    }
    events
}

/// The environment of a job on a build server, in a directory of the repository that it checked out.
fn in_job(environment: &[(&str, &str)]) -> Context {
    Context {
        environment: Arc::new(environment.iter().copied().collect()),
        working_directory: "/checkout/repository/shop".into(),
        home: None,
        clock: Arc::new(ManualClock::new(0)),
        ids: Arc::new(SequentialIds::default()),
        stdin_is_terminal: false,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        terminal_size: || None,
        parallelism: NonZeroUsize::MIN,
        files: ananke::context::Files::default(),
    }
}

fn seal(event: RunEvent) -> Sealed<RunEvent> {
    Redactor::default().seal(event)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a switch of the test run, not of the program"
)]
fn compare(actual: &str, golden: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/report")
        .join(golden);
    let mut assert = Assert::new().action_env("SNAPSHOTS");
    if std::env::var_os("ANANKE_UPDATE").is_some_and(|value| value == "1") {
        assert = assert.action(Action::Overwrite);
    }
    assert.eq(
        Data::text(actual),
        Data::read_from(&path, Some(snapbox::data::DataFormat::Text)).raw(),
    );
}
