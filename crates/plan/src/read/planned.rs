//! From a selection to a plan: finds, loads and checks everything that is selected; runs nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::read_project::ReadProject;
use crate::plan::Plan;
use crate::project::{
    ReadConfig, Variables, check_name_of_config, locate, settings_over, with_env_files,
};
use crate::select::Selection;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic, Severity, SourceFile, sort};
use ananke_trace::redact::{Redactor, written_secrets};

/// A plan, and everything that is wrong or odd. Without an error among the problems there is a plan.
#[derive(Debug)]
pub struct Planned {
    /// The plan, where nothing is broken.
    pub plan: Option<Plan>,
    /// A plan of the tests of which nothing is wrong, where something else is: to list them.
    pub incomplete: Option<Plan>,
    /// Sorted by file and place.
    pub problems: Vec<Diagnostic>,
    /// Masks what is shown of the plan and the problems: everything that is secret in any test.
    pub redactor: Redactor,
}

/// Finds, loads and checks everything that is selected; runs nothing. What is secret in every test is added to
/// `redactor`.
pub fn plan(context: &Context, selection: &Selection, redactor: &Redactor) -> Planned {
    let mut problems = Vec::new();
    let all_secrets = redactor.child();
    let mut selection = selection.clone();
    let plan = load(
        context,
        &mut selection,
        redactor,
        &all_secrets,
        &mut problems,
    );
    let no_yaml: Vec<&Diagnostic> = problems
        .iter()
        .filter(|problem| problem.code == Code::Syntax)
        .collect();
    add_written(&no_yaml, &all_secrets);
    sort(&mut problems);
    if selection.settings.effective().deny_warnings {
        // A file of an older version keeps its verdict.
        let denied = problems.iter_mut().filter(|problem| {
            problem.severity == Severity::Warning && problem.code != Code::Since14
        });
        for problem in denied {
            problem.severity = Severity::Error;
        }
    }
    let broken = problems.iter().any(Diagnostic::is_error);
    let (plan, incomplete) = if broken { (None, plan) } else { (plan, None) };
    Planned {
        plan,
        incomplete,
        problems,
        redactor: all_secrets,
    }
}

/// Adds what the sources of `problems`, which could not be read as what they are, may contain that is secret.
fn add_written(problems: &[&Diagnostic], redactor: &Redactor) {
    let mut sources: BTreeMap<*const SourceFile, &Arc<SourceFile>> = BTreeMap::new();
    for problem in problems {
        let quoted = problem
            .labels
            .iter()
            .map(|label| &label.source)
            .chain(&problem.source);
        sources.extend(quoted.map(|source| (Arc::as_ptr(source), source)));
    }
    for source in sources.values() {
        redactor.add(written_secrets(&source.text));
    }
}

/// The same; `selection` is completed with what the config says.
fn load(
    context: &Context,
    selection: &mut Selection,
    redactor: &Redactor,
    all_secrets: &Redactor,
    problems: &mut Vec<Diagnostic>,
) -> Option<Plan> {
    let found = locate(context, selection.config.as_deref(), &selection.paths)
        .map_err(|problem| problems.push(problem))
        .ok()?;
    if selection.config.is_none() {
        problems.extend(check_name_of_config(context, &found, &selection.paths));
    }
    let folder = found
        .parent()
        .unwrap_or(&context.working_directory)
        .to_path_buf();
    // The tests are looked at even where the config is broken: everything is reported at once.
    let mut config = ReadConfig::of(context, &found, problems);
    add_written(&problems.iter().collect::<Vec<_>>(), redactor);
    // A config that is not there says nothing of where its tests are.
    if problems
        .iter()
        .any(|problem| problem.code == Code::Unreadable)
    {
        return None;
    }
    let context = &with_env_files(context, &selection.env_files, config.as_ref(), problems);
    let variables = read_settings(config.as_mut(), context, selection, redactor, problems);
    let project = ReadProject {
        context,
        selection,
        redactor,
        path: &found,
        folder: &folder,
        config,
        variables,
        unix_ms: context.unix_ms(),
    };
    project.plan(all_secrets, problems)
}

/// The settings of the config: variables, the way tests run, the target under test and secrets.
fn read_settings(
    config: Option<&mut ReadConfig>,
    context: &Context,
    selection: &mut Selection,
    redactor: &Redactor,
    problems: &mut Vec<Diagnostic>,
) -> Variables {
    selection.variables.is_offline = !selection.sends && !selection.checks;
    let Some(config) = config else {
        return selection.variables.clone();
    };
    let variables = config.variables(context, &selection.variables, problems);
    let of_config = config.run_settings(context, &variables, problems);
    selection.settings = settings_over(selection.settings, of_config);
    let path = selection.paths.first().map(PathBuf::as_path);
    config.choose(context, &variables, &selection.target, path, problems);
    config.choose_simulator(context, selection.simulator.as_deref(), problems);
    config.redact(&variables.scope(context), redactor, problems);
    variables
}
