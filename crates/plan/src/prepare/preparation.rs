//! A test that has started: loaded test → hooks, one by one → everything else, filled (`prepared`).

use std::sync::Arc;

use indexmap::IndexSet;
use serde_json::{Map, Value};

use crate::compile::{
    FileAccess, HookCommand, HookRole, RowEntry, SnapshotFiles, feeds_headers, fill_hook,
};
use crate::loaded::{
    CaseEntry, LoadedTest, PrepareError, THREAD, TestSurroundings, TurnDefaults, of_older_versions,
    secrets_of, secrets_of_hooks,
};
use crate::plan::Plan;
use crate::project::{LaunchContext, ResolvedTarget, Variables};
use ananke_base::context::Context;
use ananke_model::model::Hook;
use ananke_model::variables::{Interpolation, Mode, Scope, Secret, as_text};
use ananke_rules::ScriptSource;
use ananke_trace::process::Launch;

/// A test that has started: its hooks are to be run one by one, everything else is filled after the last, but for the
/// turns that wait for what earlier ones keep, and what runs when the test is over.
pub struct Preparation {
    pub(super) context: Context,
    pub(super) plan: Arc<Plan>,
    /// The plan's, with what the config's `setup` gave.
    variables: Variables,
    pub(super) test: Arc<LoadedTest>,
    name: String,
    /// The index of its target among those of the config.
    target: usize,
    row: Option<RowEntry>,
    pub(super) scope: Scope,
    /// Whether a variable `THREAD_ID` was set, which replaces the target's own.
    pub(super) thread_is_given: bool,
    /// Every name that the test's own variables and its row gave.
    pub(super) from_test: Vec<String>,
    /// Every name that hooks gave, in their order.
    pub(super) from_hooks: IndexSet<String>,
    /// Every name that a turn captured, in their order.
    captured: IndexSet<String>,
    /// The parts that the test gives to its turns; nothing before it is filled.
    pub(super) defaults: Arc<TurnDefaults>,
    /// The names of the targets that it asks for something: judges, the simulator, and servers of tools.
    pub(super) helpers: Vec<String>,
    /// The mode in which the target is filled.
    pub(super) mode: Mode,
    pub(super) inheritance: Inheritance,
}

/// Whether the rules of the target apply to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inheritance {
    OfTarget,
    Nothing,
}

impl Preparation {
    /// The test starts; its target is filled for `mode`, and the config's `setup` gave `setup`.
    ///
    /// # Errors
    /// If its row has changed, or cannot be filled.
    pub fn begin(
        context: &Context,
        plan: &Arc<Plan>,
        entry: &CaseEntry,
        test: Arc<LoadedTest>,
        mode: Mode,
        setup: Map<String, Value>,
    ) -> Result<Self, PrepareError> {
        let mut targets = plan.config.targets.iter();
        let target = targets
            .position(|target| target.name == entry.test.target)
            .ok_or(PrepareError::Changed)?;
        let variables = Variables {
            setup,
            awaits_setup: false,
            ..plan.variables.clone()
        };
        let mut problems = Vec::new();
        let mut scope =
            test.scope_before_rows(context, &variables, &plan.config.folder, &mut problems);
        if !problems.is_empty() {
            return Err(PrepareError::Broken(problems, Vec::new()));
        }
        let mut from_test: Vec<String> = test.own_names().map(str::to_owned).collect();
        if let Some(row) = &entry.row {
            let (with_row, names) = test.with_row_of(row, scope, context, &variables)?;
            scope = with_row;
            from_test.extend(names);
        }
        let name = entry.test.name.clone();
        scope.set("TEST_NAME", name.clone());
        let thread_is_given = scope.knows(THREAD);
        let judges = entry.test.judges.iter().filter(|_| !plan.settings.no_judge);
        let others = entry.test.simulator.iter().chain(&entry.test.tool_servers);
        let helpers = judges.chain(others).cloned().collect();
        let mut begun = Self {
            context: context.clone(),
            plan: Arc::clone(plan),
            variables,
            test,
            name,
            target,
            row: entry.row.clone(),
            scope,
            thread_is_given,
            from_test,
            from_hooks: IndexSet::new(),
            captured: IndexSet::new(),
            defaults: Arc::default(),
            helpers,
            mode,
            inheritance: Inheritance::OfTarget,
        };
        begun.first_thread();
        Ok(begun)
    }

    /// The rules of the target do not apply to the test.
    pub fn inherit_nothing(&mut self) {
        self.inheritance = Inheritance::Nothing;
    }

    /// Replaces the value of the variable `name`, or what a path such as `LOGIN.token` reaches in one, if there is a value.
    pub fn replace(&mut self, name: &str, text: String) {
        self.scope.replace(name, text);
    }

    pub(super) fn target(&self) -> &ResolvedTarget {
        &self.plan.config.targets[self.target]
    }

    /// The surroundings in which the test is filled, with `access` to the files that it names.
    pub(super) fn test_surroundings(&self, access: FileAccess) -> TestSurroundings<'_> {
        TestSurroundings {
            context: &self.context,
            variables: &self.variables,
            config: Some(&self.plan.config),
            target: Some(self.target()),
            access,
        }
    }

    /// The files of the snapshots of the test.
    pub(super) fn snapshot_files(&self) -> SnapshotFiles<'_> {
        let access = FileAccess::Read;
        self.test
            .snapshot_files(&self.context, &self.name, self.row.as_ref(), access)
    }

    /// The target and those that are asked for something.
    fn targets(&self) -> impl Iterator<Item = &ResolvedTarget> {
        let helpers = self
            .helpers
            .iter()
            .filter_map(|name| self.plan.config.target(name));
        std::iter::once(self.target()).chain(helpers)
    }

    /// The test's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The variables that the test and its row gave, filled.
    pub fn own_variables(&self) -> Map<String, Value> {
        let is_own = |name: &str| self.from_test.iter().any(|own| own == name);
        let own = self.scope.values().filter(|(name, _)| is_own(name));
        own.map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
    }

    /// The variables whose values differ from run to run, each with the text of its value: the thread, and what hooks and turns
    /// gave.
    pub fn varying_values(&self) -> Vec<(String, String)> {
        let mut varying = Vec::new();
        for (name, value) in self.scope.values() {
            // What is written in files is the same in every run, so that a recording shows it as it is.
            if name == THREAD
                || self.from_hooks.contains(name)
                || self.captured.contains(name)
                || self.variables.setup.contains_key(name)
            {
                add_texts(name, value, &mut varying);
            }
        }
        varying
    }

    /// The number of turns of the test.
    pub fn turns(&self) -> usize {
        self.test.turns.len()
    }

    /// The number of hooks that are to be run.
    pub fn hooks(&self) -> usize {
        self.test.hooks(&self.variables).len()
    }

    /// The hook at `index`, counted from 0, filled with what is known by now.
    ///
    /// # Errors
    /// If a leaf of it cannot be filled.
    pub fn hook(&self, index: usize) -> Result<Option<HookCommand>, PrepareError> {
        let mut hint = LoadedTest::HINT_FOR_HOOKS.to_owned();
        if !self.scope.knows(THREAD) {
            hint.push_str(
                "; `THREAD_ID` comes later, since the target's `threadId` uses what hooks give",
            );
        }
        let scope = self.scope.clone().hint(hint);
        let command = self.command(self.test.hooks(&self.variables), index, &scope)?;
        let may_be_quoted = !self.targets().any(|target| feeds_headers(&target.model));
        Ok(command.map(|command| HookCommand {
            may_be_quoted,
            ..command
        }))
    }

    /// The number of commands that are to be run when the test is over.
    pub fn teardown_commands(&self) -> usize {
        self.test.teardown(&self.variables).len()
    }

    /// The command at `index` of those that run when the test is over, counted from 0, filled with all that is known.
    ///
    /// # Errors
    /// If a leaf of it cannot be filled.
    pub fn teardown(&self, index: usize) -> Result<Option<HookCommand>, PrepareError> {
        let command = self.command(self.test.teardown(&self.variables), index, &self.scope)?;
        Ok(command.map(|command| HookCommand {
            role: HookRole::Teardown,
            ..command
        }))
    }

    fn command(
        &self,
        written: &[Hook],
        index: usize,
        scope: &Scope,
    ) -> Result<Option<HookCommand>, PrepareError> {
        let Some(written) = written.get(index) else {
            return Ok(None);
        };
        let mut problems = Vec::new();
        let mut interpolation =
            Interpolation::new(scope, &self.test.source, self.mode, &mut problems);
        let filled = fill_hook(
            written,
            index + 1,
            self.surroundings(scope),
            &mut interpolation,
        );
        let Some(command) = filled else {
            return Err(PrepareError::Broken(problems, self.secrets()));
        };
        Ok(Some(HookCommand {
            warnings: of_older_versions(&problems).collect(),
            ..command
        }))
    }

    /// The command that asks `program`, filled with all that is known by now.
    ///
    /// # Errors
    /// If a leaf of it cannot be filled, or no script has its name.
    pub fn script(
        &self,
        program: &ScriptSource,
        timeout_ms: Option<u64>,
    ) -> Result<Launch, PrepareError> {
        let mut problems = Vec::new();
        let scripts = self.plan.config.scripts(&self.context.files);
        let launch = scripts.launch(
            program,
            timeout_ms,
            self.surroundings(&self.scope),
            &mut problems,
        );
        launch.ok_or_else(|| PrepareError::Broken(problems, self.secrets()))
    }

    fn surroundings<'s>(&'s self, scope: &'s Scope) -> LaunchContext<'s> {
        LaunchContext {
            context: &self.context,
            home: &self.plan.config.folder,
            scope,
        }
    }

    /// Takes over what a turn kept; comes back with warnings. What the command line gives stays.
    pub fn keep(&mut self, values: Map<String, Value>) -> Vec<String> {
        let mut kept = Vec::new();
        for (name, value) in values {
            if !self.variables.given.contains_key(&name) {
                self.scope.set(&name, value);
                self.captured.insert(name.clone());
                kept.push(name);
            }
        }
        self.plan
            .config
            .redactions
            .unmasked(&self.scope, |name| kept.iter().any(|kept| kept == name))
    }

    /// Takes over what a hook gave. What the command line gives stays.
    pub fn define(&mut self, values: Map<String, Value>) {
        for (name, value) in values {
            if self.variables.given.contains_key(&name) {
                continue;
            }
            self.thread_is_given |= name == THREAD;
            self.scope.set(&name, value);
            self.from_hooks.insert(name);
        }
    }

    /// The secrets that are known by now: a header will carry it, or the config says so.
    pub fn secrets(&self) -> Vec<Secret> {
        self.secrets_in(&self.scope)
    }

    fn secrets_in(&self, scope: &Scope) -> Vec<Secret> {
        let mut secrets = secrets_of(&self.plan.config, self.targets(), scope);
        secrets.extend(self.secrets_of_hooks(scope));
        secrets
    }

    pub(super) fn secrets_of_hooks(&self, scope: &Scope) -> Vec<Secret> {
        let hooks = self.test.hooks(&self.variables).iter();
        let all = hooks.chain(self.test.teardown(&self.variables));
        secrets_of_hooks(all, &self.test.source, scope)
    }

    /// The same if a hook gave `values` as well.
    pub fn secrets_with(&self, values: &Map<String, Value>) -> Vec<Secret> {
        let mut scope = self.scope.clone();
        for (name, value) in values
            .iter()
            .filter(|(name, _)| !self.variables.given.contains_key(*name))
        {
            scope.set(name, value.clone());
        }
        self.secrets_in(&scope)
    }
}

/// Adds a variable with the text of its value, or each part of an object or a list by its path.
fn add_texts(path: &str, value: &Value, texts: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                add_texts(&format!("{path}.{key}"), field, texts);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                add_texts(&format!("{path}.{index}"), item, texts);
            }
        }
        Value::String(_) | Value::Number(_) => texts.push((path.to_owned(), as_text(value))),
        Value::Bool(_) | Value::Null => {}
    }
}
