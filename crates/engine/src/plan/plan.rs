//! From a selection to a plan: finds, loads and checks everything that is selected; runs nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::check::ProjectContext;
use super::check_config::{CheckedConfig, check_config};
use super::entry::{CaseEntry, Judging, TestEntry};
use super::kept_files::KeptFiles;
use super::load::{self, BrokenTests};
use super::loaded_file::LoadedFile;
use super::named_place::NamedPlace;
use super::named_tests::NamedTests;
use super::quarantine::QuarantineList;
use super::retries;
use super::selection::{RunPurpose, Selection};
use super::target_context::TargetContexts;
use crate::compile::obsolete_snapshots;
use crate::project::{
    Config, MutationGate, ProjectFiles, ReadConfig, ResolvedTarget, RunSettings, ServerCommand,
    Variables, check_name_of_config, default_specs, discover, locate, with_env_files,
};
use ananke_base::context::{Context, Environment, PathKind, absolute, display_name};
use ananke_base::diagnostic::{Code, Diagnostic, Severity, SourceFile, sort};
use ananke_base::message::RequestContext;
use ananke_base::text::any_of;
use ananke_model::model::ReportFormat;
use ananke_model::variables::{Mode, Scope};
use ananke_trace::golden::Golden;
use ananke_trace::outcome;
use ananke_trace::redact::{Redactor, written_secrets};

/// The tests of one project, in the order they run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The project.
    pub config: Arc<Config>,
    /// The selected tests, by path.
    pub cases: Vec<CaseEntry>,
    /// The number of files that were loaded.
    pub files: usize,
    /// Kept snapshots that no rule refers to any more, by path; none where a filter, tag or id chooses among the tests.
    pub obsolete: Vec<Golden>,
    /// The variables of the config and the command line.
    pub variables: Variables,
    /// Expired quarantine entries, which fail the run.
    pub expired: Vec<outcome::Quarantine>,
    /// The reports that every run writes.
    pub reports: Vec<(PathBuf, ReportFormat)>,
    /// The servers that run while the tests run, in their order; to be started only if something is sent to them.
    pub servers: Vec<ServerCommand>,
    /// Whether judges are asked.
    pub judging: Judging,
    /// The settings with which tests run.
    pub settings: RunSettings,
    /// The context that the agent gets with every request, over that of the tests.
    pub request_context: RequestContext,
    /// The environment variables, together with those of files.
    pub environment: Arc<Environment>,
    /// Masks what is secret in every test; what is secret in one test is in its [`TestEntry`].
    pub redactor: Redactor,
    /// Files that were read and need not be read again.
    pub(super) kept: Arc<KeptFiles>,
}

impl Plan {
    /// The same plan with one of its tests, which runs again and again: its file is read now, for all runs. If it cannot be
    /// read, each run says why.
    #[must_use]
    pub fn of_one(&self, context: &Context, case: &CaseEntry) -> Self {
        let file = LoadedFile::of_case(context, case).ok();
        let kept = file.map_or_else(
            || KeptFiles::new(0),
            |file| KeptFiles::for_runs_of(&case.test.path, file),
        );
        Self {
            cases: vec![case.clone()],
            kept: Arc::new(kept),
            ..self.clone()
        }
    }

    /// Hands over the file of a planned case, once, if it was kept since the plan read it.
    pub fn take_file(&self, case: &CaseEntry) -> Option<Arc<LoadedFile>> {
        self.kept.take(&case.test.path)
    }
}

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
    if selection.settings.deny_warnings == Some(true) {
        for problem in &mut problems {
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
    let fitting = config.as_ref().and_then(ReadConfig::whole);
    let specs = match fitting.map(|config| config.specs(problems)) {
        Some(Some(specs)) => specs,
        _ => default_specs(),
    };
    let place = NamedPlace {
        context,
        folder: &folder,
        config: &found,
        specs: &specs,
    };
    let named = NamedTests::of(&selection.paths, &place);
    let selection = &*selection;
    let config_path = selection.config.as_deref();
    let at = |paths: &[PathBuf]| discover(context, paths, config_path, &folder, &specs, problems);
    let ProjectFiles { files, snapshots } = named.files(at);
    let targets = fitting.map(|config| TargetContexts::of(config, context, &variables));
    let whole = selection.paths.is_empty();
    let kept = KeptFiles::new(selection.kept_text);
    let project = ProjectContext {
        context,
        variables: &variables,
        folder: &folder,
        targets: targets.as_ref(),
        kept: &kept,
    };
    let mut loaded = load::load_all(&project, &files, problems);
    if whole {
        let of_targets = loaded.take_target_warnings();
        loaded.warnings.extend(of_targets);
    }
    all_secrets.add(&loaded.secrets);
    one_id_each(&loaded.cases, problems);
    let unix_ms = context.unix_ms();
    let quarantine = config
        .as_ref()
        .map(|reading| quarantine_in(reading, problems));
    let quarantine = quarantine.filter(|_| fitting.is_some()).unwrap_or_default();
    quarantine.mark(&mut loaded.cases, unix_ms);
    if let Some(config) = fitting.filter(|_| whole) {
        loaded
            .warnings
            .extend(quarantine.of_nothing(&loaded.cases, &config.source));
    }
    let cases = selection.choose(loaded.cases, &named, context, problems);
    if let Some(config) = fitting {
        problems.extend(quarantine.days(&cases, selection, &config.source, unix_ms));
        problems.extend(fixed_threads(
            config,
            &cases,
            &selection.settings,
            &variables,
        ));
    }
    let expired = quarantine.expired(&cases, selection, unix_ms);
    let checked = config.as_ref().map(|reading| {
        let scope_of = |target: &ResolvedTarget| {
            is_used(target, fitting, &cases, selection.judging)
                .then(|| config_scope(context, &variables, target, &cases, loaded.broken))
        };
        let mode = if selection.sends {
            Mode::Send
        } else {
            Mode::Check
        };
        check_config(
            reading, context, &variables, scope_of, mode, redactor, problems,
        )
    });
    let is_broken = problems.iter().any(Diagnostic::is_error);
    if !is_broken && !selection.allow_empty && cases.is_empty() {
        problems.push(if files.is_empty() {
            no_files(context, selection, &folder, &specs, fitting)
        } else {
            selection.takes_nothing()
        });
    }
    // What a rule can never do may follow from what is broken.
    if !problems.iter().any(Diagnostic::is_error) {
        let is_meant =
            |code| selection.purpose == RunPurpose::Answers && code == Code::AssertsNothing;
        problems.extend(
            loaded
                .warnings
                .into_iter()
                .filter(|warning| !is_meant(warning.code)),
        );
    }
    let config = Arc::new(config?.into_whole()?);
    let obsolete = if selection.chooses() || named.has_tests() {
        Vec::new()
    } else {
        obsolete_snapshots(context, snapshots, &loaded.snapshots, &files)
    };
    let CheckedConfig { reports, servers } = checked.unwrap_or_default();
    Some(Plan {
        config,
        cases,
        files: files.len(),
        obsolete,
        variables,
        expired,
        reports,
        servers,
        judging: selection.judging,
        settings: selection.settings,
        request_context: selection.request_context.clone(),
        environment: Arc::clone(&context.environment),
        redactor: redactor.clone(),
        kept: Arc::new(kept),
    })
}

/// The settings of the config: variables, the way tests run, the target under test and secrets.
fn read_settings(
    config: Option<&mut ReadConfig>,
    context: &Context,
    selection: &mut Selection,
    redactor: &Redactor,
    problems: &mut Vec<Diagnostic>,
) -> Variables {
    let Some(config) = config else {
        return selection.variables.clone();
    };
    let variables = config.variables(context, &selection.variables, problems);
    selection.settings = selection
        .settings
        .over(config.run_settings(context, &variables, problems));
    let path = selection.paths.first().map(PathBuf::as_path);
    config.choose(context, &variables, &selection.target, path, problems);
    config.choose_simulator(context, selection.simulator.as_deref(), problems);
    config.redact(&variables.scope(context), redactor, problems);
    variables
}

/// The quarantine; what is wrong with it, or with what `ananke mutate` requires, goes to `problems`.
fn quarantine_in(reading: &ReadConfig, problems: &mut Vec<Diagnostic>) -> QuarantineList {
    let mut found = Vec::new();
    let list = QuarantineList::of(reading.config(), &mut found);
    MutationGate::of(reading.config(), &mut found);
    reading.report(found, problems);
    list
}

/// The problems of the threads of targets whose tests may have several attempts.
fn fixed_threads(
    config: &Config,
    cases: &[CaseEntry],
    settings: &RunSettings,
    variables: &Variables,
) -> Vec<Diagnostic> {
    let is_repeated = |case: &&CaseEntry| {
        let is_explored = case.test.walk.is_some() && settings.retry_dirty != Some(true);
        is_explored || settings.needs_new_threads(case.test.runs)
    };
    let repeated = config.targets.iter().filter(|target| {
        cases
            .iter()
            .filter(is_repeated)
            .any(|case| case.test.target == target.name)
    });
    repeated
        .filter_map(|target| retries::fixed_thread(target, config, variables))
        .collect()
}

/// Whether `cases` use `target`: if there are none, the default is used, and of a broken config every target that can be
/// read.
fn is_used(
    target: &ResolvedTarget,
    fitting: Option<&Config>,
    cases: &[CaseEntry],
    judging: Judging,
) -> bool {
    let is_of =
        |case: &CaseEntry| case.test.target == target.name || case.test.asks(&target.name, judging);
    let default = fitting.and_then(Config::default_target);
    cases.iter().any(is_of)
        || default.is_none_or(|default| default.name == target.name && cases.is_empty())
}

/// The scope of a target: what each of its tests knows by its own variables and rows, and any name at all where all of
/// them have hooks.
fn config_scope(
    context: &Context,
    variables: &Variables,
    target: &ResolvedTarget,
    cases: &[CaseEntry],
    broken: BrokenTests,
) -> Scope {
    let mut scope = variables.config_scope(context);
    let tests = cases.iter().map(|case| &*case.test);
    let tests =
        tests.filter(|test| test.target == target.name || test.asks(&target.name, Judging::Asked));
    let mut tests: Vec<&TestEntry> = tests.collect();
    tests.dedup_by(|a, b| std::ptr::eq(*a, *b));
    let open = broken == BrokenTests::MayDefineVariables || tests.iter().any(|test| test.hooks);
    let bare: Vec<&TestEntry> = tests.into_iter().filter(|test| !test.hooks).collect();
    let Some(first) = bare.first() else {
        return if open { scope.open() } else { scope };
    };
    let is_common = |name: &&String| {
        bare.iter()
            .all(|test| test.defines.binary_search(name).is_ok())
    };
    first
        .defines
        .iter()
        .filter(is_common)
        .for_each(|name| scope.expect(name));
    let somewhere = bare.iter().any(|test| !test.defines.is_empty());
    let least = bare
        .iter()
        .min_by_key(|test| test.defines.len())
        .unwrap_or(first);
    match (open, somewhere) {
        (_, true) => scope.hint(format!(
            "`{}` has no variable or hook that could give it",
            least.file
        )),
        (true, false) => scope.hint(format!("`{}` has no hook that could give it", first.file)),
        (false, false) => scope,
    }
}

/// Ids are unique (SPEC 1). A path and a name can only meet where one of them holds `::` itself.
fn one_id_each(cases: &[CaseEntry], problems: &mut Vec<Diagnostic>) {
    let mut known: HashMap<Cow<'_, str>, &CaseEntry> = HashMap::new();
    for case in cases {
        if let Some(first) = known.insert(case.id(), case) {
            let id = case.id();
            let TestEntry { file, line, .. } = &*case.test;
            let problem = if case.is_of_same_test(first) {
                let message = format!("two rows of {file}:{line} have the id `{id}`");
                Diagnostic::error(Code::DuplicateId, message)
                    .help("give each row an `id` of its own")
            } else {
                let message = format!(
                    "two tests have the id `{id}`: {}:{} and {file}:{line}",
                    first.test.file, first.test.line
                );
                Diagnostic::error(Code::DuplicateId, message).help("rename one of them")
            };
            problems.push(problem);
        }
    }
}

fn no_files(
    context: &Context,
    selection: &Selection,
    folder: &Path,
    specs: &[String],
    config: Option<&Config>,
) -> Diagnostic {
    let named = selection.paths.iter().map(|path| absolute(context, path));
    let mut places: Vec<String> = named.map(|path| display_name(context, &path)).collect();
    if places.is_empty() {
        places.push(display_name(context, folder));
    }
    let message = format!(
        "no test file in {} matches {}",
        listed(&places),
        listed(specs)
    );
    let problem = Diagnostic::error(Code::NoTests, message);
    let problem = match config.and_then(Config::specs_place) {
        Some((source, span)) => problem.at(source, span, ""),
        None => problem,
    };
    let is_directory = |spec: &&String| {
        matches!(
            context.files.look(&folder.join(spec)),
            Ok(PathKind::Directory)
        )
    };
    match specs.iter().find(is_directory) {
        Some(spec) => {
            let spec = spec.trim_end_matches('/');
            problem.help(format!(
                "`{spec}` is a directory: write `{spec}/**/*.test.yaml`"
            ))
        }
        None => problem.help("name a file or directory, or set `specs` in the config"),
    }
}

fn listed(patterns: &[String]) -> String {
    any_of(
        &patterns
            .iter()
            .map(|pattern| format!("`{pattern}`"))
            .collect::<Vec<_>>(),
    )
}
