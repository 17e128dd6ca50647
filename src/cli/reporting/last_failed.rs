//! `--last-failed`: of what is selected only the tests that did not pass when they ran last.

use std::collections::HashSet;

use ananke::plan::{Plan, Planned, Selection, plan};
use ananke::project::locate;
use ananke::report::history::{HISTORY, LastVerdicts, Unknown};
use ananke::text::escape;
use ananke::{context::Context, redact::Redactor};

use crate::cli::frame::say;

/// The most tests that are named because they are gone.
const MOST_NAMED: usize = 20;

/// Keeps of the plan of `selection` what did not pass last time, and says on standard error where that is nothing, or not known,
/// or a test that failed is in no file any more.
pub(crate) fn keep_failed(
    plan: &mut Plan,
    selection: &Selection,
    context: &Context,
    redactor: &Redactor,
) {
    let note = match LastVerdicts::read(&plan.config.folder) {
        Err(unknown) => format!("{}: every selected test runs", why_unknown(unknown)),
        Ok(last) => {
            plan.gone = gone(&last, plan, selection, context, redactor);
            say_gone(&plan.gone);
            plan.cases
                .retain(|case| last.failed(&redactor.text(&case.id())));
            match plan.cases.len() {
                0 if last.is_clean() => "note: no test failed last time: nothing to run".to_owned(),
                0 => "note: no selected test failed last time: nothing to run".to_owned(),
                _ => match unfinished(&last, plan, redactor) {
                    0 => return,
                    1 => "note: 1 test was not run to its end last time: it is run, too".to_owned(),
                    count => format!(
                        "note: {count} tests were not run to their end last time: they are run, too"
                    ),
                },
            }
        }
    };
    say(&note);
}

/// The reason that every selected test runs, after the word that says how bad that is.
fn why_unknown(unknown: Unknown) -> String {
    match unknown {
        Unknown::NoRun => "note: no earlier run is on record".to_owned(),
        Unknown::EarlierBuild => {
            "note: only an earlier build of ananke ran these tests, and what it remembered is not read".to_owned()
        }
        Unknown::Unusable => format!("warning: `{HISTORY}` cannot be used"),
        Unknown::Lost => "warning: an earlier run could not write what came of its tests".to_owned(),
        Unknown::Unwritable => {
            format!("warning: `{HISTORY}` cannot be written, so that it is of an earlier run")
        }
    }
}

/// The number of tests of `plan` that the last run did not run to their end.
fn unfinished(last: &LastVerdicts, plan: &Plan, redactor: &Redactor) -> usize {
    let cases = plan.cases.iter();
    let unfinished = cases.filter(|case| last.is_unfinished(&redactor.text(&case.id())));
    unfinished.count()
}

/// The tests that failed last time and are in no file of the config of `chosen`, the plan of `selection`.
fn gone(
    last: &LastVerdicts,
    chosen: &Plan,
    selection: &Selection,
    context: &Context,
    redactor: &Redactor,
) -> Vec<String> {
    let is_chosen = ids(chosen, redactor);
    let unknown = last.failed_without(|id| is_chosen.contains(id));
    if unknown.is_empty() {
        return unknown;
    }
    // The others may be in files that were not selected.
    let everything = Selection {
        paths: Vec::new(),
        only_files: Vec::new(),
        config: locate(context, selection.config.as_deref(), &selection.paths).ok(),
        filter: None,
        tags: Vec::new(),
        ids: Vec::new(),
        allow_empty: true,
        sends: false,
        kept_text: 0,
        ..selection.clone()
    };
    let Planned { plan, redactor, .. } = plan(context, &everything, &Redactor::default());
    let Some(whole) = plan else {
        // A file that cannot be loaded may contain them: a run of it fails.
        return Vec::new();
    };
    let known = ids(&whole, &redactor);
    unknown
        .into_iter()
        .filter(|id| !known.contains(id))
        .collect()
}

/// The ids of the tests of `plan`, masked.
fn ids(plan: &Plan, redactor: &Redactor) -> HashSet<String> {
    let cases = plan.cases.iter();
    cases
        .map(|case| redactor.text(&case.id()).into_owned())
        .collect()
}

/// Names the tests that are gone.
fn say_gone(gone: &[String]) {
    for id in gone.iter().take(MOST_NAMED) {
        let id = escape::line(id);
        say(&format!(
            "error: `{id}` failed last time and is in no file of the config any more"
        ));
    }
    if let Some(further @ 1..) = gone.len().checked_sub(MOST_NAMED) {
        say(&format!("error: and {further} more"));
    }
    if !gone.is_empty() {
        say(
            "help: this run fails, and the next one does not name it; a test that was renamed runs under its new name",
        );
    }
}
