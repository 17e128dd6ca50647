//! The checks of a test, before anything runs.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::compile::{FileAccess, RowEntry, fill_hook};
use crate::loaded::{
    CaseEntry, FilledTest, KeptFiles, LoadedTest, Need, NeedingPart, TargetContext, TargetContexts,
    TestEntry, TestHead, TestSurroundings, needs_of_rules, needs_of_test, scope_at_start,
    secrets_of, unmet, unseen_calls, unseen_models, with_row,
};
use crate::project::{
    Config, LaunchContext as Around, ResolvedTarget, Variables, judge_names, script_names,
};
use ananke_agents::{Capability, TargetCommon};
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic, Spanned};
use ananke_model::model::{SentByTurn, Simulate};
use ananke_model::schema::Version;
use ananke_model::variables::{Interpolation, Mode, Scope, Secret};
use ananke_rules::{Block, Lint};

/// The context in which the files of a project are checked.
#[derive(Clone, Copy)]
pub(crate) struct ProjectContext<'a> {
    pub(crate) context: &'a Context,
    pub(crate) variables: &'a Variables,
    /// The config's folder.
    pub(crate) folder: &'a Path,
    /// `None` where the config does not fit.
    pub(crate) targets: Option<&'a TargetContexts<'a>>,
    /// The files that are kept for the run.
    pub(crate) kept: &'a KeptFiles,
}

impl<'a> ProjectContext<'a> {
    fn config(&self) -> Option<&'a Config> {
        self.targets.map(|targets| targets.config)
    }

    /// The surroundings of programs that get variables of `scope`.
    fn around<'s>(&self, scope: &'s Scope) -> Around<'s>
    where
        'a: 's,
    {
        Around {
            context: self.context,
            home: self.folder,
            scope,
        }
    }

    /// The version of files that declare none.
    pub(super) fn version(&self) -> Version {
        self.config()
            .map_or_else(Version::newest, |config| config.version)
    }
}

/// A test that was checked.
pub(super) struct CheckedTest {
    /// The test, or each of its rows.
    pub(super) cases: Vec<CaseEntry>,
    /// The name of its target.
    pub(super) target: String,
    pub(super) lint: Lint,
    /// The secrets that its own variables and those of its rows put into headers.
    pub(super) secrets: Vec<Secret>,
    /// The files of its snapshots.
    pub(super) snapshots: BTreeSet<PathBuf>,
}

/// The rows of a test, looked at: each for itself, and one of each shape with all that uses it.
struct Sampled {
    entries: Vec<RowEntry>,
    /// The scopes that are known with one row of each set of columns.
    scopes: Vec<Scope>,
    /// The columns that every row has.
    common: Option<BTreeSet<String>>,
}

impl Sampled {
    /// The columns that every row has.
    fn columns(&self) -> impl Iterator<Item = String> {
        self.common.iter().flatten().cloned()
    }
}

/// The targets that a test asks for something.
#[derive(Default)]
struct AskedTargets {
    /// The names of its judges, sorted.
    judges: Vec<String>,
    /// The name of the target that plays the user.
    simulator: Option<String>,
    /// The names of the targets whose tools are declared, sorted.
    tool_servers: Vec<String>,
}

impl AskedTargets {
    /// Those of the rules of `draft` and of its target.
    fn of(draft: &FilledTest, agent: Option<TargetContext<'_>>, config: Option<&Config>) -> Self {
        let key = |name: &str| match config.map(|config| config.agent_named(name)) {
            Some(Ok(target)) => target.name.clone(),
            _ => name.to_owned(),
        };
        let of_target = agent.map(|agent| &agent.rules.block);
        let judges = judge_names(of_target.into_iter().chain(draft.all_blocks()));
        let judges: BTreeSet<String> = judges.into_iter().map(key).collect();
        let mut tool_servers = BTreeSet::new();
        for served in &draft.client_tools.served {
            tool_servers.insert(key(&served.target));
        }
        let of_target = agent.map(|agent| &agent.target.model.common);
        for name in of_target.into_iter().flat_map(TargetCommon::tool_servers) {
            tool_servers.insert(key(&name.value));
        }
        Self {
            judges: judges.into_iter().collect(),
            simulator: draft.simulating_agent().map(key),
            tool_servers: tool_servers.into_iter().collect(),
        }
    }

    /// The secrets that `scope` puts into the headers of these targets and of the target under test.
    fn secrets(&self, agent: Option<TargetContext<'_>>, scope: &Scope) -> Vec<Secret> {
        let Some(agent) = agent else {
            return Vec::new();
        };
        secrets_of(agent.config, self.targets(agent), scope)
    }

    /// These targets and the target under test.
    fn targets<'a>(&self, agent: TargetContext<'a>) -> impl Iterator<Item = &'a ResolvedTarget> {
        let TargetContext { config, target, .. } = agent;
        let names = self.judges.iter().chain(&self.simulator);
        let names = names.chain(&self.tool_servers);
        names.filter_map(|name| config.target(name)).chain([target])
    }

    /// The places of these targets that need a value, and get none from `scope`.
    fn empty_places(&self, agent: TargetContext<'_>, scope: &Scope) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        let source = &agent.config.source;
        let mut interpolation = Interpolation::new(scope, source, Mode::Send, &mut problems);
        for target in self.targets(agent) {
            target.model.compile(&mut interpolation);
        }
        problems.retain(|problem| matches!(problem.code, Code::EmptyVariable | Code::Since14));
        problems
    }
}

/// A test without rows, or each of its rows.
fn cases_of(test: TestEntry, rows: Option<Sampled>) -> Vec<CaseEntry> {
    let test = Arc::new(test);
    let case = |row| CaseEntry {
        test: Arc::clone(&test),
        row,
        quarantine: None,
    };
    match rows {
        None => vec![case(None)],
        Some(rows) => {
            let entries = rows.entries.into_iter();
            entries.map(|row| case(Some(row))).collect()
        }
    }
}

impl LoadedTest {
    /// Checks every leaf; what is known only when the test starts is left for then. What the rules can never do
    /// is looked at together with those of its target, which is one of the `targets`.
    pub(super) fn check(
        &self,
        project: &ProjectContext<'_>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<CheckedTest> {
        let (context, variables) = (project.context, project.variables);
        let known = self.scope_before_rows(context, variables, project.folder, problems);
        let head = self.head(&known, problems);
        let agent = project.targets.and_then(|targets| {
            targets.of_target(self.target(targets.config, &known, problems)?)
        });
        let scope = scope_at_start(known);
        let rows = self.sample(context, variables, &scope, problems);
        let scope = variables.after_setup(scope);
        let scopes = rows
            .as_ref()
            .map_or(std::slice::from_ref(&scope), |rows| &rows.scopes);
        let mut secrets = Vec::new();
        let mut looked_at = None;
        for scope in scopes {
            let mut found = self.check_leaves(project, scope, agent, problems);
            secrets.append(&mut found.1.secrets);
            looked_at.get_or_insert(found);
        }
        let (mut lint, mut draft) = looked_at?;
        let asked = AskedTargets::of(&draft, agent, project.config());
        let own_secrets = self.own_secrets(&asked, agent, &scope, problems);
        secrets.extend(own_secrets.iter().cloned());
        let of_rows = scopes.iter().filter(|_| rows.is_some());
        secrets.extend(of_rows.flat_map(|scope| asked.secrets(agent, scope)));
        let name = head.as_ref().map_or("", |head| &head.name);
        let entries = rows.as_ref().map_or(&[][..], |rows| &rows.entries);
        let snapshots = self.place_snapshots(context, name, entries, agent, &mut draft, problems);
        let head = head?;
        self.lint_turns(&head, agent, &mut lint);
        let columns = rows.iter().flat_map(Sampled::columns);
        let defines: BTreeSet<String> =
            self.own_names().map(str::to_owned).chain(columns).collect();
        let target = agent.map_or_else(String::new, |agent| agent.target.name.clone());
        let test = TestEntry {
            target: target.clone(),
            judges: asked.judges,
            simulator: asked.simulator,
            tool_servers: asked.tool_servers,
            of_config: Some(project.version()),
            asks_person: draft.asks_person(),
            defines: defines.into_iter().collect(),
            secrets: own_secrets,
            ..self.entry(head, variables, project.folder)
        };
        Some(CheckedTest {
            cases: cases_of(test, rows),
            target,
            lint,
            secrets,
            snapshots,
        })
    }

    /// The secrets that the test's own variables put into the headers of its targets. What they leave empty there is reported,
    /// unless a hook or a row may give another value: the run reports what is empty then.
    fn own_secrets(
        &self,
        asked: &AskedTargets,
        agent: Option<TargetContext<'_>>,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> Vec<Secret> {
        if self.model.vars.is_none() {
            return Vec::new();
        }
        if let Some(agent) = agent
            && self.model.hooks.is_none()
            && self.model.cases.is_none()
        {
            problems.extend(asked.empty_places(agent, scope));
        }
        asked.secrets(agent, scope)
    }

    /// Warns about turns that say what their target does not use; a test that is skipped may assert nothing.
    fn lint_turns(&self, head: &TestHead, agent: Option<TargetContext<'_>>, lint: &mut Lint) {
        if let Some(agent) = agent {
            let turns = self.turns_and_actions();
            let odd = agent.target.model.check_turns(&turns, &self.source);
            lint.certain.extend(odd);
        }
        if head.skip.is_some() {
            lint.certain
                .retain(|warning| warning.code != Code::AssertsNothing);
        }
    }

    /// The entry of the test, without what follows from its rules, its rows and its target.
    fn entry(&self, head: TestHead, variables: &Variables, folder: &Path) -> TestEntry {
        let TestHead {
            name,
            id,
            about,
            skip,
            runs,
            walk,
        } = head;
        let place = self.path_from(folder);
        let prohibitions = self.model.prohibitions.as_ref();
        TestEntry {
            id: id.unwrap_or_else(|| format!("{place}::{name}")),
            name,
            about,
            skip,
            runs,
            prohibitions: prohibitions.map(|written| written.value),
            walk,
            turns: self.turns.len(),
            path: self.source.path.clone(),
            place,
            file: self.source.name.to_string(),
            line: self.source.place(self.model.name.span).line,
            index: self.index,
            hash: self.hash,
            part: self.part,
            row_file: self.row_file(),
            hooks: !self.hooks(variables).is_empty(),
            ..TestEntry::default()
        }
    }

    /// The files of the snapshots of the test named `name`, or of each of its rows, which `draft` gets.
    fn place_snapshots(
        &self,
        context: &Context,
        name: &str,
        rows: &[RowEntry],
        agent: Option<TargetContext<'_>>,
        draft: &mut FilledTest,
        problems: &mut Vec<Diagnostic>,
    ) -> BTreeSet<PathBuf> {
        let mut snapshots = BTreeSet::new();
        let without_rows = rows.is_empty().then_some(None);
        for row in rows.iter().map(Some).chain(without_rows) {
            let mut outer = Block {
                snapshot: agent.and_then(|agent| agent.rules.block.snapshot.clone()),
                ..Block::default()
            };
            let files = self
                .snapshot_files(context, name, row, FileAccess::Check)
                .place(
                    &mut outer,
                    &mut draft.block,
                    &mut draft.turn_blocks,
                    problems,
                );
            if files.is_empty() {
                break;
            }
            snapshots.extend(files);
        }
        snapshots
    }

    /// Checks every leaf with the variables of one row.
    fn check_leaves(
        &self,
        project: &ProjectContext<'_>,
        scope: &Scope,
        agent: Option<TargetContext<'_>>,
        problems: &mut Vec<Diagnostic>,
    ) -> (Lint, FilledTest) {
        self.check_beginning(problems);
        self.check_conditions(problems);
        self.check_walk(problems);
        self.check_hooks(project, scope, problems);
        let around = TestSurroundings {
            context: project.context,
            variables: project.variables,
            config: project.config(),
            target: agent.map(|agent| agent.target),
            access: FileAccess::Check,
        };
        let draft = self.fill(around, scope, problems);
        let Some(agent) = agent else {
            return (Lint::default(), draft);
        };
        let scope = self.scope_at_end(scope, project.variables);
        self.check_for_target(agent, &draft, project.around(&scope), problems);
        let mut lint = self.lint(agent, &draft);
        self.lint_checkpoints(&draft, agent, &mut lint);
        (lint, draft)
    }

    /// Checks what the test asks of its target and of other programs.
    fn check_for_target(
        &self,
        agent: TargetContext<'_>,
        draft: &FilledTest,
        around: Around<'_>,
        problems: &mut Vec<Diagnostic>,
    ) {
        self.check_scripts(agent, draft, around, problems);
        self.check_judges(agent, draft, around.scope, problems);
        self.check_simulator(agent, draft, around, problems);
        let tools = self.model.client_tools.as_ref();
        let config = agent.config;
        config.check_tool_servers(tools, &self.source, problems);
        config.check_test_models(&self.model, &self.source, problems);
        let mut needs = needs_of_test(
            &self.turns_and_actions(),
            &self.messages,
            self.model.client_tools.as_ref(),
            &self.source,
        );
        needs.extend(self.model.simulate.iter().map(|written| {
            let part = NeedingPart::TestKey("simulate");
            Need::new(part, Capability::UserTurns, written.span, &self.source)
        }));
        needs.extend(draft.all_blocks().flat_map(needs_of_rules));
        if config.model.models.is_none() {
            problems.extend(draft.all_blocks().filter_map(unseen_models));
        }
        let of_target = agent.target.model.common.client_tools.as_ref();
        let mut tools = of_target.into_iter().chain(&self.model.client_tools);
        if tools.all(Vec::is_empty) {
            // Rules of the target hold for its tests, of which some may have tools: so they are looked at here.
            let of_target = needs_of_rules(&agent.rules.block);
            let model = &agent.target.model;
            problems
                .extend(unseen_calls(&needs, model).or_else(|| unseen_calls(&of_target, model)));
        }
        problems.extend(unmet(&needs, &agent.target.model));
    }

    /// Checks the continuation after the messages of the history.
    fn check_beginning(&self, problems: &mut Vec<Diagnostic>) {
        let Some(last) = self.messages.last() else {
            return;
        };
        match self.turns.first() {
            None if self.model.says_unwritten_input() => {}
            None => {
                let message = "there are no `turns`, and the last of the `messages` is neither the user's nor a tool's";
                let problem =
                    Diagnostic::error(Code::MissingKey, message).at(&self.source, last.span, "");
                problems.push(
                    problem.help("add `turns`, or end the `messages` with one of role `user`"),
                );
            }
            Some(turn) if matches!(turn.value.sent, SentByTurn::Connect) => {
                let message = "the first turn connects to the thread, which has no `messages` yet";
                let problem =
                    Diagnostic::error(Code::Contradiction, message).at(&self.source, turn.span, "");
                problems.push(problem.help(
                    "remove the `messages`, since the agent replays its thread; or begin with another turn",
                ));
            }
            Some(_) => {}
        }
    }

    /// Looks at every row, of a test that has rows.
    fn sample(
        &self,
        context: &Context,
        variables: &Variables,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Sampled> {
        let written = self.model.cases.as_ref()?;
        let mut sampled = Sampled {
            entries: Vec::new(),
            scopes: Vec::new(),
            common: None,
        };
        let mut shapes: HashSet<Vec<String>> = HashSet::new();
        if let Some(rows) = self.rows(context, scope, problems) {
            let mut interpolation = Interpolation::new(scope, &self.source, Mode::Send, problems);
            rows.each(written.span, &mut interpolation, &mut |entry, row| {
                sampled.entries.push(entry);
                let names: Vec<String> = row.columns.keys().cloned().collect();
                if shapes.contains(&names) {
                    return;
                }
                let own: BTreeSet<String> = names.iter().cloned().collect();
                sampled.common = Some(match sampled.common.take() {
                    Some(common) => &common & &own,
                    None => own,
                });
                // What is wrong with the values of one row is an error of that test.
                let scope = with_row(scope.clone(), &row, variables).provisional(&names);
                sampled.scopes.push(variables.after_setup(scope));
                shapes.insert(names);
            });
        }
        if sampled.scopes.is_empty() {
            sampled.scopes.push(scope.clone().open());
        }
        Some(sampled)
    }

    fn check_hooks(
        &self,
        project: &ProjectContext<'_>,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) {
        let run = !self.hooks(project.variables).is_empty();
        let scope = &project.variables.for_hooks(scope.clone());
        for (index, written) in self.model.hooks.iter().flatten().enumerate() {
            // Nothing runs before the first hook; what the others use may come from it.
            let scope = match index {
                0 if run => scope.clone().hint(Self::HINT_FOR_HOOKS),
                _ => scope.clone().open(),
            };
            let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Send, problems);
            fill_hook(
                written,
                index + 1,
                project.around(&scope),
                &mut interpolation,
            );
        }
        let scope = self.scope_at_end(scope, project.variables);
        for (index, written) in self.model.teardown.iter().flatten().enumerate() {
            let mut interpolation = Interpolation::new(&scope, &self.source, Mode::Send, problems);
            fill_hook(
                written,
                index + 1,
                project.around(&scope),
                &mut interpolation,
            );
        }
    }

    /// The scope that is known at the end, before anything runs.
    fn scope_at_end<'s>(&self, scope: &'s Scope, variables: &Variables) -> Cow<'s, Scope> {
        let scope = self.after_turns(scope, variables);
        if self.model.hooks.is_some() {
            Cow::Owned(scope.into_owned().open())
        } else {
            scope
        }
    }

    /// Checks the judges that the rules ask.
    fn check_judges(
        &self,
        TargetContext {
            config,
            target,
            rules,
        }: TargetContext<'_>,
        draft: &FilledTest,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) {
        for block in draft.all_blocks() {
            config.check_judges(block, &self.source, problems);
        }
        for block in draft.all_blocks().chain([&rules.block]) {
            config.check_own_judges(block, target, scope, &self.source, problems);
        }
    }

    /// Checks the name of the simulator.
    fn check_simulator(
        &self,
        TargetContext { config, .. }: TargetContext<'_>,
        draft: &FilledTest,
        around: Around<'_>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let Some(Spanned {
            value: Simulate { agent, script, .. },
            ..
        }) = &self.model.simulate
        else {
            return;
        };
        let named = draft.simulating_agent().filter(|name| !name.contains("${"));
        if let (Some(name), Some(agent)) = (named, agent)
            && let Err(Some(problem)) = config.agent_named(name)
        {
            problems.push(problem.at(&self.source, agent.span, ""));
        }
        if let Some(script) = script
            .as_ref()
            .filter(|script| !script.value.contains("${"))
            && let Err(problem) = config.scripts(&around.context.files).check(&script.value)
        {
            problems.push(problem.at(&self.source, script.span, ""));
        }
    }

    /// Checks the names of scripts, and the variables that those scripts use.
    fn check_scripts(
        &self,
        TargetContext {
            config,
            target,
            rules,
        }: TargetContext<'_>,
        draft: &FilledTest,
        around: Around<'_>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let scripts = config.scripts(&around.context.files);
        for block in draft.all_blocks() {
            scripts.check_block(block, &self.source, problems);
        }
        let tools = [
            target.model.common.client_tools.as_ref(),
            self.model.client_tools.as_ref(),
        ];
        let names = script_names(
            draft.all_blocks().chain([&rules.block]),
            tools.into_iter().flatten().flatten(),
        );
        scripts.check_uses(&names, around, problems);
    }
}
