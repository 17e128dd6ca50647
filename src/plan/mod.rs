//! From paths to a plan: which project, which tests, and what each of them means.
//!
//! [`plan`] finds and loads everything and reports every problem of every selected file; of each good test only a
//! [`CaseEntry`] stays in memory. [`prepare`] loads one test again when it starts and fills it for its run.

mod config;
mod discover;
mod prepare;
mod select;
mod settings;
mod test;

use std::path::PathBuf;
use std::sync::Arc;

use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, Severity, sort};

pub use config::{CONFIG_NAME, Config};
pub use prepare::{Prepared, Unprepared, prepare};
pub use select::{Filter, FilterError};
pub use settings::{AguiSettings, Answering, Condition, ScriptedSettings, Step, TargetSettings};
pub use test::CaseEntry;

/// What to run, as the command line says it.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Files and folders; none means the whole project.
    pub paths: Vec<PathBuf>,
    /// The project config, where it is named.
    pub config: Option<PathBuf>,
    /// Which of the tests found there.
    pub filter: Option<Filter>,
    /// Whether something will be sent: a target's missing environment variables are warnings otherwise.
    pub sends: bool,
}

/// The tests of one project, in the order they run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The project.
    pub config: Arc<Config>,
    /// The selected tests, by path.
    pub cases: Vec<CaseEntry>,
    /// How many files were loaded.
    pub files: usize,
}

/// A plan, and everything that is wrong or odd. Without an error among the problems there is a plan.
#[derive(Debug)]
pub struct Planned {
    /// The plan, where nothing is broken.
    pub plan: Option<Plan>,
    /// Sorted by file and place.
    pub problems: Vec<Diagnostic>,
}

/// Finds, loads and checks everything that is selected; runs nothing.
pub fn plan(context: &Context, selection: &Selection) -> Planned {
    let mut problems = Vec::new();
    let plan = load(context, selection, &mut problems);
    sort(&mut problems);
    let broken = problems.iter().any(|problem| problem.severity == Severity::Error);
    Planned { plan: plan.filter(|_| !broken), problems }
}

fn load(context: &Context, selection: &Selection, problems: &mut Vec<Diagnostic>) -> Option<Plan> {
    let found = config::find(context, selection).map_err(|problem| problems.push(problem)).ok()?;
    let folder = found.parent().unwrap_or(&context.working_directory).to_path_buf();
    // The tests are looked at even where the config is broken: everything is reported at once.
    let config = Config::load(context, &found, problems).map(Arc::new);
    let specs = match config.as_ref().map(|config| config.specs(problems)) {
        Some(Some(specs)) => specs,
        _ => discover::default_specs(),
    };
    let files = discover::discover(context, selection, &folder, &specs, problems);
    if let Some(config) = &config {
        config.check(context, selection.sends, problems);
    }
    let cases = test::load_all(context, &folder, &files, problems);
    let cases: Vec<CaseEntry> = match &selection.filter {
        Some(filter) => cases.into_iter().filter(|case| filter.takes(case)).collect(),
        None => cases,
    };
    if files.is_empty() && problems.is_empty() {
        problems.push(no_files(context, &folder, &specs));
    }
    Some(Plan { config: config?, cases, files: files.len() })
}

fn no_files(context: &Context, folder: &std::path::Path, specs: &[String]) -> Diagnostic {
    let folder = discover::display_name(context, folder);
    Diagnostic::error(Code::NoTests, format!("no test file below `{folder}` fits {}", listed(specs)))
        .help("name a file or folder, or say in the config's `specs` where the tests are")
}

fn listed(patterns: &[String]) -> String {
    patterns.iter().map(|pattern| format!("`{pattern}`")).collect::<Vec<_>>().join(" or ")
}
