//! From a config that was read to a plan: the tests of its project, chosen, with everything that is wrong with them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::check::{BrokenTests, CheckedConfig, LoadedTests, ProjectContext, check_config, load};
use crate::compile::obsolete_snapshots;
use crate::loaded::{
    CaseEntry, Judging, KeptFiles, TargetContexts, TestEntry, of_older_versions, retries,
};
use crate::plan::Plan;
use crate::project::{
    Config, MutationGate, ProjectFiles, ReadConfig, ResolvedTarget, Variables, default_specs,
    discover, needs_new_threads,
};
use crate::select::{NamedPlace, NamedTests, QuarantineList, RunPurpose, Selection};
use ananke_base::context::{Context, PathKind, absolute, display_name};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::text::any_of;
use ananke_model::variables::{Mode, Scope};
use ananke_trace::redact::Redactor;

/// A project whose config was read. The tests are looked at even if the config is broken: everything is reported at once.
pub(super) struct ReadProject<'a> {
    pub(super) context: &'a Context,
    /// The selection, completed with what the config says.
    pub(super) selection: &'a Selection,
    /// Masks what is secret in every test.
    pub(super) redactor: &'a Redactor,
    /// The path of the config.
    pub(super) path: &'a Path,
    /// The directory of the config.
    pub(super) folder: &'a Path,
    pub(super) config: Option<ReadConfig>,
    pub(super) variables: Variables,
    /// The moment of the plan, which decides what has expired.
    pub(super) unix_ms: u64,
}

impl ReadProject<'_> {
    /// The config, if nothing is wrong with its form.
    fn whole(&self) -> Option<&Config> {
        self.config.as_ref().and_then(ReadConfig::whole)
    }

    /// Loads, checks and chooses the tests; what is secret in any of them is added to `all_secrets`.
    pub(super) fn plan(
        self,
        all_secrets: &Redactor,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Plan> {
        let (context, selection) = (self.context, self.selection);
        let specs = self.whole().and_then(|config| config.specs(problems));
        let specs = specs.unwrap_or_else(default_specs);
        let place = NamedPlace {
            context,
            folder: self.folder,
            config: self.path,
            specs: &specs,
        };
        let named = NamedTests::of(&selection.paths, &place);
        let config = selection.config.as_deref();
        let find =
            |paths: &[PathBuf]| discover(context, paths, config, self.folder, &specs, problems);
        let ProjectFiles { files, snapshots } = named.files(find);
        let kept = KeptFiles::new(selection.kept_text);
        let mut loaded = self.load(&files, &kept, problems);
        all_secrets.add(&loaded.secrets);
        one_id_each(&loaded.cases, problems);
        let quarantine = self.quarantine(&mut loaded, problems);
        let cases = selection.choose(loaded.cases, &named, context, problems);
        self.check_days_and_threads(&quarantine, &cases, problems);
        let checked = self.check(&cases, loaded.broken, problems);
        if !has_error(problems) && !selection.allow_empty && cases.is_empty() {
            problems.push(self.no_tests(&files, &specs));
        }
        self.warn(loaded.warnings, problems);
        let config = Arc::new(self.config?.into_whole()?);
        let obsolete = if selection.chooses() || named.has_tests() {
            Vec::new()
        } else {
            obsolete_snapshots(context, snapshots, &loaded.snapshots, &files)
        };
        let expired = quarantine.expired(&cases, selection, self.unix_ms);
        Some(Plan {
            config,
            cases,
            files: files.len(),
            obsolete,
            variables: self.variables,
            expired,
            gone: Vec::new(),
            told: of_older_versions(problems).collect(),
            reports: checked.reports,
            servers: checked.servers,
            models: checked.models,
            prices: checked.prices,
            settings: selection.settings.effective(),
            request_context: selection.request_context.clone(),
            environment: Arc::clone(&context.environment),
            redactor: self.redactor.clone(),
            kept: Arc::new(kept),
        })
    }

    /// Loads the tests of `files`.
    fn load(
        &self,
        files: &[PathBuf],
        kept: &KeptFiles,
        problems: &mut Vec<Diagnostic>,
    ) -> LoadedTests {
        let targets = self
            .whole()
            .map(|config| TargetContexts::of(config, self.context, &self.variables));
        let project = ProjectContext {
            context: self.context,
            variables: &self.variables,
            folder: self.folder,
            targets: targets.as_ref(),
            kept,
        };
        let mut loaded = load::load_all(&project, files, problems);
        if self.selection.paths.is_empty() {
            let of_targets = loaded.take_target_warnings();
            loaded.warnings.extend(of_targets);
        }
        loaded
    }

    /// Puts tests into quarantine. What is wrong with the quarantine, or with what `ananke mutate` requires, goes to
    /// `problems`.
    fn quarantine(
        &self,
        loaded: &mut LoadedTests,
        problems: &mut Vec<Diagnostic>,
    ) -> QuarantineList {
        let Some(reading) = &self.config else {
            return QuarantineList::default();
        };
        let mut found = Vec::new();
        let quarantine = QuarantineList::of(reading.config(), &mut found);
        MutationGate::of(reading.config(), &mut found);
        reading.report(found, problems);
        let Some(config) = self.whole() else {
            return QuarantineList::default();
        };
        quarantine.mark(&mut loaded.cases, self.unix_ms);
        if self.selection.paths.is_empty() {
            let idle = quarantine.of_nothing(&loaded.cases, &config.source);
            loaded.warnings.extend(idle);
        }
        quarantine
    }

    /// Reports entries of the quarantine that have expired or do so soon, and threads that several attempts would share.
    fn check_days_and_threads(
        &self,
        quarantine: &QuarantineList,
        cases: &[CaseEntry],
        problems: &mut Vec<Diagnostic>,
    ) {
        let Some(config) = self.whole() else {
            return;
        };
        problems.extend(quarantine.days(cases, self.selection, &config.source, self.unix_ms));
        problems.extend(self.fixed_threads(config, cases));
    }

    /// The problems of the threads of targets whose tests may have several attempts.
    fn fixed_threads(&self, config: &Config, cases: &[CaseEntry]) -> Vec<Diagnostic> {
        let settings = self.selection.settings.effective();
        let is_repeated = |case: &&CaseEntry| {
            let is_explored = case.test.walk.is_some() && !settings.retry_dirty;
            is_explored || needs_new_threads(&settings, case.test.runs)
        };
        let repeated = config.targets.iter().filter(|target| {
            cases
                .iter()
                .filter(is_repeated)
                .any(|case| case.test.target == target.name)
        });
        repeated
            .filter_map(|target| retries::fixed_thread(target, config, &self.variables))
            .collect()
    }

    /// Checks the config, together with what `cases` use of it.
    fn check(
        &self,
        cases: &[CaseEntry],
        broken: BrokenTests,
        problems: &mut Vec<Diagnostic>,
    ) -> CheckedConfig {
        let Some(reading) = &self.config else {
            return CheckedConfig::default();
        };
        let (context, variables) = (self.context, &self.variables);
        let scope_of = |target: &ResolvedTarget| {
            let scope = || variables.config_scope(context);
            self.is_used(target, cases)
                .then(|| config_scope(scope(), target, cases, broken))
        };
        let mode = if self.selection.sends {
            Mode::Send
        } else {
            Mode::Check
        };
        check_config(
            reading,
            context,
            variables,
            scope_of,
            mode,
            self.redactor,
            problems,
        )
    }

    /// Whether `cases` use `target`: if there are none, the default is used, and of a broken config every target that can
    /// be read.
    fn is_used(&self, target: &ResolvedTarget, cases: &[CaseEntry]) -> bool {
        let judging = Judging::of(&self.selection.settings.effective());
        let is_of = |case: &CaseEntry| {
            case.test.target == target.name || case.test.asks(&target.name, judging)
        };
        let default = self.whole().and_then(Config::default_target);
        cases.iter().any(is_of)
            || default.is_none_or(|default| default.name == target.name && cases.is_empty())
    }

    /// Adds what rules can never do, unless it may follow from what is broken, or is meant.
    fn warn(&self, warnings: Vec<Diagnostic>, problems: &mut Vec<Diagnostic>) {
        if has_error(problems) {
            return;
        }
        let is_meant = |warning: &Diagnostic| {
            self.selection.purpose == RunPurpose::Answers && warning.code == Code::AssertsNothing
        };
        let warnings = warnings.into_iter();
        problems.extend(warnings.filter(|warning| !is_meant(warning)));
    }

    /// The problem of a selection without tests in these `files`, which `specs` match.
    fn no_tests(&self, files: &[PathBuf], specs: &[String]) -> Diagnostic {
        if !files.is_empty() {
            return self.selection.takes_nothing();
        }
        let (context, folder) = (self.context, self.folder);
        let named = self.selection.paths.iter();
        let named = named.map(|path| absolute(context, path));
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
        let problem = match self.whole().and_then(Config::specs_place) {
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
}

fn has_error(problems: &[Diagnostic]) -> bool {
    problems.iter().any(Diagnostic::is_error)
}

/// The scope of a target: that of its config, what each of its tests knows by its own variables and rows, and any name at
/// all where all of them have hooks.
fn config_scope(
    scope: Scope,
    target: &ResolvedTarget,
    cases: &[CaseEntry],
    broken: BrokenTests,
) -> Scope {
    let tests = cases.iter().map(|case| &*case.test);
    let tests =
        tests.filter(|test| test.target == target.name || test.asks(&target.name, Judging::Asked));
    let mut tests: Vec<&TestEntry> = tests.collect();
    tests.dedup_by(|a, b| std::ptr::eq(*a, *b));
    let open = broken == BrokenTests::MayDefineVariables || tests.iter().any(|test| test.hooks);
    let defined = tests.iter().flat_map(|test| &test.defines);
    let mut scope = scope.provisional(defined);
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
                let message = format!(
                    "two rows of {file}:{line} have the id `{id}`: {} and {}",
                    first.row_place(),
                    case.row_place()
                );
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

fn listed(patterns: &[String]) -> String {
    any_of(
        &patterns
            .iter()
            .map(|pattern| format!("`{pattern}`"))
            .collect::<Vec<_>>(),
    )
}
