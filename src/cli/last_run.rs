//! `--last-failed`: of what is selected only the tests that did not pass when they ran last.

use ananke::plan::{CaseEntry, Plan};
use ananke::report::last_run::{LAST_RUN, LastRun, LastRunReport, Unknown};
use ananke::{compare::Coverage, context::Context, redact::Redactor};

use super::output::{OutputThread, say};

/// Keeps of the plan what did not pass last time, and says on standard error where that is nothing, or not known.
pub(super) fn keep_failed(plan: &mut Plan, redactor: &Redactor) {
    let note = match LastRun::read(&plan.config.folder) {
        Err(Unknown::NoRun) => {
            "note: no earlier run is on record: every selected test runs".to_owned()
        }
        Err(unknown) => {
            let why = match unknown {
                Unknown::Unwritable => {
                    format!("`{LAST_RUN}` cannot be written, so that it is of an earlier run")
                }
                Unknown::Lost => "an earlier run could not write what came of its tests".to_owned(),
                Unknown::NoRun | Unknown::Unusable => format!("`{LAST_RUN}` cannot be used"),
            };
            format!("warning: {why}: every selected test runs")
        }
        Ok(last) => {
            plan.cases
                .retain(|case| last.failed(&redactor.text(&case.id())));
            match plan.cases.len() {
                0 if last.is_clean() => "note: no test failed last time: nothing to run".to_owned(),
                0 => "note: no selected test failed last time: nothing to run".to_owned(),
                _ if last.is_complete() => return,
                _ => "note: the last run did not end: what failed, and what did not end, is run"
                    .to_owned(),
            }
        }
    };
    say(&note);
}

/// The reporter that stores the verdicts of this run, which begins now. If it is one of all tests, removed tests are
/// forgotten.
pub(super) fn memory(
    plan: &Plan,
    coverage: Coverage,
    context: &Context,
    redactor: &Redactor,
    warnings: OutputThread,
) -> LastRunReport {
    let mut last = LastRun::known(&plan.config.folder);
    let id = |case: &CaseEntry| redactor.text(&case.id()).into_owned();
    if coverage == Coverage::AllTests {
        let ids: std::collections::HashSet<_> = plan.cases.iter().map(id).collect();
        last.renew(|id| ids.contains(id));
    }
    let selected = plan
        .cases
        .iter()
        .filter(|case| case.test.skip.is_none())
        .map(id)
        .collect();
    LastRunReport::begin(
        plan.config.folder.clone(),
        last,
        selected,
        context.unix_ms(),
        Box::new(warnings),
    )
}
