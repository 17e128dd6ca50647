//! Test files: loaded for the plan, and loaded again for the run of their test.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::attachment::Files;
use super::config::{Agent, Agents};
use super::snapshot::Keeping;
use super::targets::{self, ResolvedTarget};
use super::{Config, Supply, TurnInput, Unprepared, client_tools, discover, hook};
use crate::assertion::{Block, Library, Lint, Surroundings, lint};
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, SourceFile, Span};
use crate::model::{AguiTransport, Hook, ProtocolVersion, Target, TestFile, Text, Turn};
use crate::outcome::{Level, Quarantine};
use crate::schema::{self, FileKind};
use crate::source;
use crate::variables::{Filling, Scope};

/// One selected test: what the plan keeps of it. The rest is loaded again for its run, so that a project of any
/// size fits into little memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseEntry {
    /// `path::name`, the path from the config's folder (SPEC 1, Identity).
    pub id: String,
    /// The test's name.
    pub name: String,
    /// The name of its target.
    pub target: String,
    /// How many turns it has.
    pub turns: usize,
    /// The file.
    pub path: PathBuf,
    /// The file as shown in messages.
    pub file: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// A hash of the file's text, to notice that it changed.
    pub hash: u64,
    /// Whether hooks run before it, so that it may use names that nothing else defines.
    pub hooks: bool,
    /// The entry of the quarantine that is in force for it.
    pub quarantine: Option<Arc<Quarantine>>,
}

impl CaseEntry {
    /// Loads the test again, for its run. Nothing of it is filled yet, so that this may be done before its turn comes;
    /// the test then runs as it was loaded.
    ///
    /// # Errors
    /// Where the file changed since the plan was made, or cannot be read any more.
    pub fn load(&self, context: &Context) -> Result<LoadedTest, Unprepared> {
        let test = LoadedTest::load(context, &self.path)
            .map_err(|problems| Unprepared::Broken(problems, Vec::new()))?;
        if test.hash == self.hash { Ok(test) } else { Err(Unprepared::Changed) }
    }
}

/// A test file as loaded.
#[derive(Debug)]
pub struct LoadedTest {
    pub(super) source: Arc<SourceFile>,
    pub(super) model: TestFile,
    pub(super) hash: u64,
}

impl LoadedTest {
    /// Where the variables of a hook come from.
    pub(super) const HINT_FOR_HOOKS: &str =
        "a hook sees the built-in variables and what earlier hooks of its test gave";

    /// Reads a test file.
    pub(super) fn load(context: &Context, path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let source =
            source::read(path, &discover::display_name(context, path)).map_err(|problem| vec![problem])?;
        let loaded = schema::load::<TestFile>(FileKind::Test, &source)?;
        Ok(Self::of(source, loaded.value))
    }

    fn of(source: Arc<SourceFile>, model: TestFile) -> Self {
        let mut hasher = DefaultHasher::new();
        source.text.hash(&mut hasher);
        Self { source, model, hash: hasher.finish() }
    }

    /// What else is wrong with a file that does not fit: its patterns and references are checked all the same, so that
    /// everything is told in one go (SPEC 1).
    ///
    /// Also says whether the test may have hooks.
    fn further_problems(
        context: &Context,
        supply: &Supply,
        folder: &Path,
        path: &Path,
    ) -> (Vec<Diagnostic>, bool) {
        let read = source::read(path, &discover::display_name(context, path)).ok();
        let salvaged = read.and_then(|source| Some((schema::salvage::<TestFile>(&source)?, source)));
        let Some((salvaged, source)) = salvaged else { return (Vec::new(), true) };
        let mut problems = Vec::new();
        let test = Self::of(source, salvaged.value.clone());
        test.check(context, supply, folder, None, &mut problems);
        problems.retain(|problem| salvaged.is_of_the_file(problem));
        (problems, !test.hooks(supply).is_empty())
    }

    /// The hooks that will run.
    pub(super) fn hooks(&self, supply: &Supply) -> &[Hook] {
        match &self.model.hooks {
            Some(hooks) if !supply.without_hooks => hooks,
            _ => &[],
        }
    }

    /// The test's file and name for the scope: what `${TEST_FILE}` and `${TEST_NAME}` say.
    pub(super) fn path_from(&self, folder: &Path) -> String {
        let path = self.source.path.strip_prefix(folder).unwrap_or(&self.source.path);
        path.to_string_lossy().replace('\\', "/")
    }

    /// The test's name; only what is known before anything runs may stand in it.
    pub(super) fn name(
        &self,
        context: &Context,
        supply: &Supply,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<String> {
        let mut scope = supply.scope(context);
        if self.model.hooks.is_some() {
            scope = scope.hint("a test has its name before its hooks run: it cannot use what they give");
        }
        Filling::new(&scope, &self.source, true, problems).text(&self.model.name).ready()
    }

    /// The test's target: its own, else the one under test. `None` where that was reported.
    pub(super) fn target<'c>(
        &self,
        config: &'c Config,
        context: &Context,
        supply: &Supply,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<&'c ResolvedTarget> {
        let Some(written) = &self.model.target else { return config.default_target() };
        let mut scope = supply.scope(context);
        if self.model.hooks.is_some() {
            scope = scope.hint("a test has its target before its hooks run: it cannot use what they give");
        }
        let name = Filling::new(&scope, &self.source, true, problems).text(written).ready()?;
        let known = config.target_names();
        if !known.contains(&name.as_str()) {
            let written = Text { value: name, span: written.span };
            problems.push(targets::unknown(&written, &self.source, &known));
            return None;
        }
        config.target(&name)
    }

    /// Checks every leaf; what is known only when the test starts is left for then. What the rules can never do
    /// is looked at together with those of the `target`.
    fn check(
        &self,
        context: &Context,
        supply: &Supply,
        folder: &Path,
        agents: Option<&Agents<'_>>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Checked> {
        let name = self.name(context, supply, problems);
        self.check_hooks(context, supply, folder, problems);
        let agent =
            agents.and_then(|agents| agents.agent(self.target(agents.config, context, supply, problems)?));
        let library = agents.map(|agents| agents.config.library());
        let version = agent.map(|agent| agent.target.model.protocol_version()).unwrap_or_default();
        let Written { mut test, mut turns, .. } =
            self.written(context, supply, folder, library, version, problems);
        let snapshots = name.as_deref().map(|name| {
            let of_target = agent.and_then(|agent| agent.rules.block.snapshot.clone());
            let mut outer = Block { snapshot: of_target, ..Block::default() };
            self.keeping(context, name, false).place(&mut outer, &mut test, &mut turns, problems)
        });
        let lint = agent.map(|Agent { config, rules, .. }| {
            let surroundings = Surroundings {
                config: &config.source,
                test: &self.source,
                name: self.model.name.span,
                timeout: rules.timeout,
            };
            lint(&rules.block, &test, &turns, &surroundings)
        });
        let mut lint = lint.unwrap_or_default();
        if let Some(agent) = agent {
            lint.certain.extend(self.connects_over_http(&agent.target.model));
        }
        let name = name?;
        let entry = CaseEntry {
            id: format!("{}::{name}", self.path_from(folder)),
            name,
            target: agent.map(|agent| agent.target.name.clone()).unwrap_or_default(),
            turns: self.model.turns.len(),
            path: self.source.path.clone(),
            file: self.source.name.to_string(),
            line: self.source.place(self.model.name.span).line,
            hash: self.hash,
            hooks: !self.hooks(supply).is_empty(),
            quarantine: None,
        };
        Some(Checked { entry, lint, snapshots: snapshots.unwrap_or_default() })
    }

    /// How the snapshots of the test named `name` are looked for.
    pub(super) fn keeping<'a>(&'a self, context: &'a Context, name: &'a str, reads: bool) -> Keeping<'a> {
        Keeping { context, source: &self.source, name, reads }
    }

    /// Some servers take a run without messages for a run like any other (SPEC 4).
    fn connects_over_http(&self, target: &Target) -> Option<Diagnostic> {
        let Target::Agui(target) = target else { return None };
        let transport = target.transport.as_ref().map(|transport| transport.value).unwrap_or_default();
        if transport != AguiTransport::Http || target.connect.is_some() {
            return None;
        }
        let turn = self.model.turns.iter().find(|turn| matches!(turn.value, Turn::Connect(_)))?;
        let message =
            "connecting over plain HTTP sends a run without messages, which some agents answer by running";
        let warning = Diagnostic::warning(Code::ConnectOverHttp, message).at(&self.source, turn.span, "");
        Some(warning.help(
            "say `connect: empty_run` on the target if this agent tells its thread then, or reach it through a \
             runtime with `transport: copilotkit`",
        ))
    }

    /// What is known of the test's variables before it starts.
    fn scope(&self, context: &Context, supply: &Supply, folder: &Path) -> Scope {
        let mut scope = supply.scope(context);
        scope.expect("THREAD_ID");
        scope.expect("TEST_NAME");
        scope.set("TEST_FILE", self.path_from(folder));
        scope
    }

    fn check_hooks(&self, context: &Context, supply: &Supply, folder: &Path, problems: &mut Vec<Diagnostic>) {
        let scope = self.scope(context, supply, folder);
        let run = !self.hooks(supply).is_empty();
        for (index, written) in self.model.hooks.iter().flatten().enumerate() {
            // Nothing runs before the first hook; what the others use may come from it.
            let scope = match index {
                0 if run => scope.clone().hint(Self::HINT_FOR_HOOKS),
                _ => scope.clone().open(),
            };
            let mut filling = Filling::new(&scope, &self.source, true, problems);
            hook::fill(written, index + 1, context, folder, &scope, &mut filling);
        }
    }

    /// How the files that the test names are looked at: paths count from the folder of the test file.
    pub(super) fn files<'a>(
        &'a self,
        context: &'a Context,
        version: ProtocolVersion,
        reads: bool,
    ) -> Files<'a> {
        Files {
            context,
            folder: self.source.path.parent().unwrap_or(&context.working_directory),
            version,
            reads,
        }
    }

    /// Everything that is known before the test starts, and the rest as it is written; for an agent of `version`.
    pub(super) fn written(
        &self,
        context: &Context,
        supply: &Supply,
        folder: &Path,
        library: Option<Library<'_>>,
        version: ProtocolVersion,
        problems: &mut Vec<Diagnostic>,
    ) -> Written {
        let scope = self.scope(context, supply, folder);
        let scope = if self.hooks(supply).is_empty() { scope } else { scope.open() };
        let mut filling = Filling::new(&scope, &self.source, true, problems).as_written();
        let (test, turns) = self.blocks(library, &mut filling);
        client_tools::fill(self.model.client_tools.as_ref(), &mut filling);
        let files = self.files(context, version, false);
        let inputs = self.model.turns.iter().map(|turn| {
            TurnInput::fill(turn, files, &mut filling)
                .map_or_else(|| TurnInput::written(turn), |input| input.describe())
        });
        Written { inputs: inputs.collect(), test, turns }
    }

    /// The assert blocks of the test and of its turns.
    pub(super) fn blocks(
        &self,
        library: Option<Library<'_>>,
        filling: &mut Filling<'_>,
    ) -> (Block, Vec<Block>) {
        let test = Block::compile(&self.model.assert, Level::Test, library, filling);
        let turns = self.model.turns.iter().map(|turn| {
            let block = Block::compile(turn.assert_block(), Level::Turn, library, filling);
            Block { is_replay: matches!(turn.value, Turn::Connect(_)), ..block }
        });
        (test, turns.collect())
    }
}

/// What is known of a test before it starts.
pub(super) struct Written {
    /// What each turn does, in words.
    pub(super) inputs: Vec<String>,
    /// The rules of the test.
    pub(super) test: Block,
    /// The rules of its turns.
    pub(super) turns: Vec<Block>,
}

/// A test that was checked.
struct Checked {
    entry: CaseEntry,
    lint: Lint,
    snapshots: BTreeSet<PathBuf>,
}

/// The tests of a plan, and what their rules can never do: worth telling where nothing is broken.
#[derive(Default)]
pub(super) struct Loaded {
    /// The good ones.
    pub(super) cases: Vec<CaseEntry>,
    pub(super) warnings: Vec<Diagnostic>,
    /// The files of their snapshots.
    pub(super) snapshots: BTreeSet<PathBuf>,
    /// Whether there is a broken one that may have hooks.
    pub(super) broken_with_hooks: bool,
}

/// Loads and checks all `files`, on every core, in their order. Where they are the `whole` project, the target's limits
/// that mean nothing in any of its tests are told as well.
pub(super) fn load_all(
    context: &Context,
    supply: &Supply,
    folder: &Path,
    files: &[PathBuf],
    agents: Option<&Agents<'_>>,
    whole: bool,
    problems: &mut Vec<Diagnostic>,
) -> Loaded {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = files.get(index) else { return done };
            let mut found = Vec::new();
            let (checked, broken_with_hooks) = match LoadedTest::load(context, path) {
                Ok(test) => (test.check(context, supply, folder, agents, &mut found), false),
                Err(broken) => {
                    found = broken;
                    let (further, hooks) = LoadedTest::further_problems(context, supply, folder, path);
                    found.extend(further);
                    (None, hooks)
                }
            };
            done.push((index, checked, broken_with_hooks, found));
        }
    };
    // A thread costs more than a few small files.
    let threads = context.parallelism.min(NonZeroUsize::MIN.saturating_add(files.len() / 16)).get();
    let mut done = if threads == 1 {
        work()
    } else {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    done.sort_by_key(|(index, ..)| *index);
    let mut loaded = Loaded::default();
    let mut limits: BTreeMap<String, Vec<Vec<Diagnostic>>> = BTreeMap::new();
    for (_, checked, broken_with_hooks, found) in done {
        problems.extend(found);
        loaded.broken_with_hooks |= broken_with_hooks;
        let Some(Checked { entry, lint: Lint { certain, of_target }, snapshots }) = checked else { continue };
        loaded.snapshots.extend(snapshots);
        limits.entry(entry.target.clone()).or_default().push(of_target);
        loaded.cases.push(entry);
        loaded.warnings.extend(certain);
    }
    if whole {
        loaded.warnings.extend(limits.into_values().flat_map(in_every));
    }
    loaded
}

/// What is among the warnings of every test of one target, by place: another test may give a limit of the target its meaning.
fn in_every(mut tests: Vec<Vec<Diagnostic>>) -> Vec<Diagnostic> {
    let key = |warning: &Diagnostic| -> (Code, Option<Span>) {
        (warning.code, warning.labels.first().map(|label| label.span))
    };
    let Some(mut common) = tests.pop() else { return Vec::new() };
    common.retain(|warning| tests.iter().all(|others| others.iter().any(|other| key(other) == key(warning))));
    common
}
