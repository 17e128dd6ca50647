//! The runs that are kept (SPEC 12), and the kept answers that are evaluated again.

use std::path::Path;
use std::sync::Arc;

use ananke::outcome::{EarlierStatuses, RunFacts};
use ananke::plan::{CaseEntry, Plan};
use ananke::report::history::{RunBeginning, RunKind, last_statuses, run_name};
use ananke::report::store::{EarlierRuns, RunHeading, RunStore, StoreReport, not_kept};
use ananke::run::{Run, RunAnswers};
use ananke::{compare::Coverage, context::Context, redact::Redactor, report::prepare_own_folder};

use super::reporters::file_options;
use crate::cli::frame::{Failed, say};
use crate::cli::options::snapshots::is_on_server;
use crate::cli::output::Outputs;

/// The number of runs that are kept by default.
const USUAL: usize = 10;

/// The instruction for getting a kept run.
pub(crate) const HOW_TO_KEEP: &str = "`ananke run` keeps what agents answer, the last 10 runs; it keeps nothing of embedded agents, of replays, \
     under `CI`, or with `run: { keep: 0 }`";

/// Whether anything of a run of the project in `folder` can be kept or remembered; if not, that is said.
pub(crate) fn can_remember(folder: &Path) -> bool {
    prepare_own_folder(folder)
        .map_err(|warning| say(&warning))
        .is_ok()
}

/// The number of runs that are kept after this one of `plan`; 0 if it is not kept.
pub(crate) fn kept_count(plan: &Plan, context: &Context) -> usize {
    let usual = if is_on_server(context) { 0 } else { USUAL };
    let keep = plan.settings.keep.unwrap_or(usual);
    let is_embedded = |case: &CaseEntry| {
        let mut targets = plan.config.targets.iter();
        let own = targets.find(|target| target.name == case.test.target);
        own.is_some_and(|target| target.model.is_embedded())
    };
    let runs = plan.cases.iter().filter(|case| case.test.skip.is_none());
    let has_agent = runs.into_iter().any(|case| !is_embedded(case));
    if has_agent { keep } else { 0 }
}

/// The writer that keeps this run of `plan`, after which `keep` are left; `None` if none is, or nothing can be written, which is
/// reported.
pub(crate) fn begin(
    plan: &Plan,
    keep: usize,
    facts: &RunFacts,
    context: &Context,
    outputs: &Outputs,
) -> Option<(StoreReport, RunStore)> {
    if keep == 0 {
        return None;
    }
    let heading = RunHeading {
        started_unix_ms: context.unix_ms(),
        tests: plan.cases.len(),
        facts: RunFacts::clone(&plan.redactor.seal(facts.clone())),
        files: file_options(plan.settings.junit_profile, context),
        ..RunHeading::default()
    };
    let begun = StoreReport::begin(
        &plan.config.folder,
        keep,
        heading,
        Box::new(outputs.stderr.clone()),
    );
    begun.map_err(|error| say(&not_kept(&error))).ok()
}

/// The beginning of a run of `plan` in the history, where its tests are called as `redactor` masks them. If it is one of all
/// tests, others are forgotten.
pub(crate) fn beginning(
    plan: &Plan,
    kind: RunKind,
    coverage: Coverage,
    redactor: &Redactor,
    context: &Context,
) -> RunBeginning {
    let mut run = RunBeginning {
        began: run_name(context.unix_ms()),
        kind,
        gone: plan.gone.clone(),
        ..RunBeginning::default()
    };
    if kind == RunKind::Given {
        return run;
    }
    run.all = coverage == Coverage::AllTests;
    for case in &plan.cases {
        let id = redactor.text(&case.id()).into_owned();
        if case.test.skip.is_none() {
            run.selected.push(id);
        } else if run.all {
            run.skipped.push(id);
        }
    }
    run
}

/// The statuses of the tests of `plan`, whose ids are masked by `redactor`, when they last ran to their end against the same target. A test that is
/// skipped has none.
pub(crate) fn last_statuses_of(plan: &Plan, redactor: &Redactor) -> EarlierStatuses {
    let run = plan.cases.iter().filter(|case| case.test.skip.is_none());
    let tests = run.map(|case| {
        let id = redactor.text(&case.id()).into_owned();
        let target = redactor.text(&case.test.target).into_owned();
        (id, target)
    });
    last_statuses(&plan.config.folder, &tests.collect())
}

/// Has `run` evaluate the rules of `plan` on kept answers; what cannot be read of them is said on standard error.
///
/// # Errors
/// If there are none.
pub(crate) fn evaluate_again(plan: &Plan, run: &mut Run) -> Result<(), Failed> {
    let earlier = EarlierRuns::of(&plan.config.folder);
    for problem in &earlier.problems {
        say(&format!("warning: {problem}"));
    }
    if earlier.is_empty() {
        return Err(Failed::new("no run is kept whose answers can be evaluated").help(HOW_TO_KEEP));
    }
    run.answers = RunAnswers::Earlier(Arc::new(earlier));
    // The last attempt is the one that counts.
    run.options.settings.retries = 0;
    Ok(())
}
