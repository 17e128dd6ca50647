//! Everything one test needs to run, with its variables filled: loaded test → hooks, one by one → all the rest.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexSet;
use serde_json::{Map, Value};

use super::entry::CaseEntry;
use super::judging::Judging;
use super::plan::Plan;
use super::prepare_error::PrepareError;
use super::prepared::Prepared;
use super::secrets::{secrets_of, secrets_of_hooks};
use super::test::{LoadedTest, turn_block};
use super::test_scope::THREAD;
use crate::compile::{
    CompiledAction, CompiledSimulation, FileAccess, HookCommand, HookRole, PreparedTurn, RowEntry,
    feeds_headers, fill_client_tools, fill_hook, headers_with, merge_client_tools,
};
use crate::project::{LaunchContext, ResolvedTarget, Variables};
use ananke_agents::{Target, TargetPace};
use ananke_base::context::Context;
use ananke_base::diagnostic::{Code, Diagnostic, Severity, Span, sort};
use ananke_base::message::{MessageId, RequestContext, ServerAnswers, TurnInput, TurnRequest};
use ananke_base::text::all_of;
use ananke_model::model::Hook;
use ananke_model::variables::{Fill as _, Interpolation, Mode, Scope, Secret};
use ananke_rules::{Block, ScriptSource, TurnRules, inherit};
use ananke_trace::process::Launch;

/// The time that a case of a case file may take by default (SPEC 9).
pub(super) const CASE_TIMEOUT: Duration = Duration::from_mins(5);

/// The number of names of variables that are listed in a hint.
const LISTED_NAMES: usize = 10;

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
    from_test: Vec<String>,
    /// Every name that hooks gave, in their order.
    from_hooks: IndexSet<String>,
    /// The rules of the target and of the test, once they are filled.
    levels: Option<(Block, Block)>,
    /// The context that the agent gets with every request.
    request_context: RequestContext,
    /// The names of the values that the agent is not sent.
    not_sent: Vec<String>,
    /// The names of the targets that it asks for something: judges and the simulator.
    helpers: Vec<String>,
    /// The mode in which the target is filled.
    pub(super) mode: Mode,
    inheritance: Inheritance,
}

/// Whether the rules of the target apply to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inheritance {
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
        let judges = entry
            .test
            .judges
            .iter()
            .filter(|_| plan.judging == Judging::Asked);
        let helpers = judges.chain(&entry.test.simulator).cloned().collect();
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
            levels: None,
            request_context: RequestContext::default(),
            not_sent: Vec::new(),
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
            Interpolation::new(scope, &self.test.source, Mode::Send, &mut problems);
        let filled = fill_hook(
            written,
            index + 1,
            self.surroundings(scope),
            &mut interpolation,
        );
        filled
            .map(Some)
            .ok_or_else(|| PrepareError::Broken(problems, self.secrets()))
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

    fn secrets_of_hooks(&self, scope: &Scope) -> Vec<Secret> {
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

    /// Fills every leaf of the test and of its target that does not wait for a turn.
    ///
    /// # Errors
    /// If a leaf cannot be filled.
    pub fn finish(&mut self) -> Result<Prepared, PrepareError> {
        if let Some(hint) = self.hint() {
            self.scope = std::mem::take(&mut self.scope).hint(hint);
        }
        let mut problems = Vec::new();
        let mut secrets = Vec::new();
        for name in &self.helpers {
            match self.helper(name) {
                Ok(helper) => secrets.extend(helper.secrets),
                Err(PrepareError::Broken(of_helper, _)) => problems.extend(of_helper),
                Err(PrepareError::Changed) => {}
            }
        }
        let prepared = self.fill(&mut problems, &mut secrets);
        secrets.extend(self.plan.config.redactions.secrets(&self.scope));
        secrets.extend(self.secrets_of_hooks(&self.scope));
        let mut warnings = self.warnings(&problems);
        if !self.not_sent.is_empty() {
            let names = all_of(&self.not_sent);
            let verb = if self.not_sent.len() == 1 {
                "is"
            } else {
                "are"
            };
            warnings.push(format!(
                "{names} {verb} not sent: the requests of this target have no place for it"
            ));
        }
        problems.retain(|problem| problem.severity == Severity::Error);
        match prepared {
            Some(prepared) if problems.is_empty() => Ok(Prepared {
                secrets,
                warnings,
                ..prepared
            }),
            _ => {
                sort(&mut problems);
                secrets.extend(self.secrets());
                Err(PrepareError::Broken(problems, secrets))
            }
        }
    }

    /// The warnings that rest on what the test or its hooks gave: secrets that are too short to be masked.
    fn warnings(&self, problems: &[Diagnostic]) -> Vec<String> {
        let is_given = |name: &str| {
            self.from_test
                .iter()
                .chain(&self.from_hooks)
                .any(|given| given == name)
        };
        let headers: Vec<Span> = headers_with(&self.target().model, is_given)
            .map(|text| text.span)
            .collect();
        let short = problems.iter().filter(|problem| {
            problem.code == Code::ShortSecret
                && problem
                    .labels
                    .first()
                    .is_some_and(|label| headers.contains(&label.span))
        });
        let of_headers = short.map(|problem| {
            problem
                .place()
                .map(|place| format!("{place}: "))
                .unwrap_or_default()
                + &problem.message
        });
        of_headers
            .chain(self.plan.config.redactions.unmasked(&self.scope, is_given))
            .collect()
    }

    /// The help for a name that is missing after the hooks.
    fn hint(&self) -> Option<String> {
        if self.hooks() == 0 {
            return None;
        }
        let names: Vec<String> = self
            .from_hooks
            .iter()
            .take(LISTED_NAMES)
            .map(|name| format!("`{name}`"))
            .collect();
        Some(
            match (
                names.as_slice(),
                self.from_hooks.len().saturating_sub(names.len()),
            ) {
                ([], _) => "the hooks of this test gave no variables".to_owned(),
                (names, 0) => format!("the hooks of this test gave {}", names.join(", ")),
                (names, more) => format!(
                    "the hooks of this test gave {} and {more} more",
                    names.join(", ")
                ),
            },
        )
    }

    fn fill(
        &mut self,
        problems: &mut Vec<Diagnostic>,
        secrets: &mut Vec<Secret>,
    ) -> Option<Prepared> {
        let thread_id = self.thread(problems)?;
        let config = &self.plan.config;
        let model = &self.target().model;
        let mut interpolation =
            Interpolation::new(&self.scope, &config.source, self.mode, problems);
        let target = model.compile(&mut interpolation);
        let targets_tools =
            fill_client_tools(model.common.client_tools.as_ref(), None, &mut interpolation);
        let mut target_block = self
            .target()
            .block(config.named_assertions(), &mut interpolation);
        let timeout = model.common.timeout_ms.fill(&mut interpolation);
        let pace = TargetPace::fill(&model.common, &mut interpolation);
        let known = model.common.known_names(&mut interpolation);
        let confirmation_tools = config.confirmation_tools(&mut interpolation);
        secrets.extend(interpolation.into_secrets());

        let mut interpolation =
            Interpolation::new(&self.scope, &self.test.source, Mode::Send, problems);
        let mut test_block = self
            .test
            .block(Some(config.named_assertions()), &mut interpolation);
        let tests_tools = fill_client_tools(
            self.test.model.client_tools.as_ref(),
            None,
            &mut interpolation,
        );
        let request_context = self.test.request_context(&mut interpolation);
        let whole_timeout = self.test.model.timeout_ms.fill(&mut interpolation);
        if self.inheritance == Inheritance::Nothing {
            target_block = Block::default();
        }
        if self.test.model.walk.is_some() {
            // Each walk is another conversation: no snapshot of the target is about them.
            target_block.snapshot = None;
        }
        let files = self
            .test
            .files(&self.context, Some(self.target()), FileAccess::Read);
        let history = self.test.history(files, &mut interpolation);
        let message_id = self.test.message_id(&mut interpolation);
        let library = Some(config.named_assertions());
        let simulate = self.test.model.simulate.as_ref();
        let simulation = simulate.map(|written| {
            let given = config.simulator.as_deref();
            CompiledSimulation::fill(written, library, given, &mut interpolation).0
        });
        let interaction = self.test.interaction(&mut interpolation);
        let written = self
            .test
            .model
            .walk
            .iter()
            .flat_map(|walk| &walk.value.actions);
        let actions = written
            .map(|(name, action)| {
                CompiledAction::fill(&name.value, action, library, &mut interpolation).0
            })
            .collect();
        secrets.extend(interpolation.into_secrets());
        let (mut turns, mut turn_blocks) = (Vec::new(), Vec::new());
        let mut is_whole = true;
        for (turn, scope) in self.test.each_turn(&self.scope, &self.variables) {
            let mut interpolation =
                Interpolation::new(&scope, &self.test.source, Mode::Send, problems);
            turn_blocks.push(turn_block(
                turn,
                Some(config.named_assertions()),
                &mut interpolation,
            ));
            let prepared = PreparedTurn::fill(turn, files, &mut interpolation);
            let waits = interpolation.has_pending();
            secrets.extend(interpolation.into_secrets());
            is_whole &= waits || prepared.is_ok();
            turns.push(prepared.ok().filter(|_| !waits));
        }
        let snapshot_files = self.test.snapshot_files(
            &self.context,
            &self.name,
            self.row.as_ref(),
            FileAccess::Read,
        );
        snapshot_files.place(
            &mut target_block,
            &mut test_block,
            &mut turn_blocks,
            problems,
        );
        let target = target?;
        self.request_context = request_context.ok()?;
        self.not_sent = self.not_sent(&*target, &turns);
        if self.test.part.is_some() {
            self.request_context.put_over(&RequestContext::of_cases());
        }
        for turn in turns.iter_mut().flatten() {
            self.complete(&mut turn.request.context);
        }
        let rules = inherit(&target_block, &test_block, &turn_blocks);
        self.levels = Some((target_block, test_block));
        is_whole.then_some(())?;
        if let Some(Some(first)) = turns.first_mut() {
            first.request.message = message_id.ok()?;
        }
        Some(Prepared {
            history: history.ok()?,
            turns,
            rules,
            target,
            simulation: simulation.transpose().ok()?,
            interaction: interaction.ok()?,
            confirmation_tools: confirmation_tools?,
            actions,
            client_tools: merge_client_tools(targets_tools, tests_tools),
            offered: self.test.offered(),
            thread_id,
            pace: pace?,
            known: known?,
            thread_is_fixed: self.thread_is_given || self.literal_thread().is_some(),
            timeout: timeout.ok()?,
            whole_timeout: self.whole_timeout(whole_timeout.ok()?),
            secrets: Vec::new(),
            warnings: Vec::new(),
        })
    }

    /// The names of what the command line, the test and its turns say for the agent, and its target does not send.
    fn not_sent(&self, target: &dyn Target, turns: &[Option<PreparedTurn>]) -> Vec<String> {
        let of_turns = turns.iter().flatten().map(|turn| &turn.request.context);
        let given = [&self.plan.request_context, &self.request_context];
        let names = given
            .into_iter()
            .chain(of_turns)
            .flat_map(|context| target.not_sent(context));
        let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Adds what the command line and the test say to what goes to the agent with a turn: the command line takes precedence
    /// over the turn, and the turn over the test.
    fn complete(&self, own: &mut RequestContext) {
        own.put_over(&self.request_context);
        let of_turn = std::mem::replace(own, self.plan.request_context.clone());
        own.put_over(&of_turn);
    }

    /// The time that the whole test may take: a case has a timeout of its own, that of the run, or [`CASE_TIMEOUT`].
    fn whole_timeout(&self, own: Option<Duration>) -> Option<Duration> {
        match self.test.part {
            Some(_) => own.or(self.plan.settings.timeout).or(Some(CASE_TIMEOUT)),
            None => own,
        }
    }

    /// Whether the first turn is the message that the test begins with, and not one of its `turns`.
    pub fn begins_with_input(&self) -> bool {
        self.test.begins_with_input()
    }

    /// A turn in which `input` is sent, which the test has not written down.
    pub fn unwritten_turn(&self, input: TurnInput) -> PreparedTurn {
        let (id, message, timeout) = (None, MessageId::default(), None);
        let mut context = RequestContext::default();
        self.complete(&mut context);
        let answers = ServerAnswers::default();
        let request = TurnRequest {
            id,
            input,
            message,
            timeout,
            context,
            answers,
        };
        PreparedTurn {
            request,
            captures: Vec::new(),
        }
    }

    /// Fills the action `name` of a walk, and the rules that apply to its turn; `None` if it waits for what another turn keeps.
    ///
    /// # Errors
    /// If a leaf cannot be filled.
    pub fn action(&self, name: &str) -> Result<Option<(PreparedTurn, TurnRules)>, PrepareError> {
        let mut problems = Vec::new();
        let scope = self.test.before_action(self.scope.clone());
        let mut interpolation =
            Interpolation::new(&scope, &self.test.source, Mode::Send, &mut problems);
        let written = self
            .test
            .actions()
            .find(|(own, _)| *own == name)
            .map(|(_, turn)| turn);
        let filled = written.and_then(|turn| {
            let block = turn_block(
                turn,
                Some(self.plan.config.named_assertions()),
                &mut interpolation,
            );
            let files = self
                .test
                .files(&self.context, Some(self.target()), FileAccess::Read);
            Some((
                PreparedTurn::fill(turn, files, &mut interpolation).ok()?,
                block,
            ))
        });
        let waits = interpolation.has_pending();
        if waits && problems.is_empty() {
            return Ok(None);
        }
        let filled = filled
            .filter(|_| problems.is_empty())
            .and_then(|(mut turn, block)| {
                self.complete(&mut turn.request.context);
                turn.request.id = Some(name.to_owned());
                let (target, test) = self.levels.as_ref()?;
                let rules = inherit(target, test, std::slice::from_ref(&block))
                    .turns
                    .pop()?;
                Some((turn, rules))
            });
        filled
            .map(Some)
            .ok_or_else(|| PrepareError::Broken(problems, self.secrets()))
    }

    /// Fills the turn at `index`, counted from 0, which waited for captures of earlier turns, and the rules that apply to
    /// it.
    ///
    /// # Errors
    /// If a leaf cannot be filled.
    pub fn late_turn(&self, index: usize) -> Result<(PreparedTurn, TurnRules), PrepareError> {
        let mut problems = Vec::new();
        let filled = self.test.turns.get(index).and_then(|turn| {
            let mut interpolation =
                Interpolation::new(&self.scope, &self.test.source, Mode::Send, &mut problems);
            let mut block = turn_block(
                turn,
                Some(self.plan.config.named_assertions()),
                &mut interpolation,
            );
            let files = self
                .test
                .files(&self.context, Some(self.target()), FileAccess::Read);
            let mut turn = PreparedTurn::fill(turn, files, &mut interpolation).ok()?;
            self.complete(&mut turn.request.context);
            let snapshot_files = self.test.snapshot_files(
                &self.context,
                &self.name,
                self.row.as_ref(),
                FileAccess::Read,
            );
            snapshot_files.give(&mut block, Some(index + 1), &mut problems);
            let (target, test) = self.levels.as_ref()?;
            let rules = inherit(target, test, std::slice::from_ref(&block))
                .turns
                .pop()?;
            Some((turn, rules))
        });
        match filled {
            Some(filled) if problems.is_empty() => Ok(filled),
            _ => Err(PrepareError::Broken(problems, self.secrets())),
        }
    }
}
