//! Test files: loaded for the plan, and loaded again for the run of their test.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::attachment::Files;
use super::config::TargetRules;
use super::entry::{CaseEntry, TestEntry};
use super::rows::{Row, RowEntry, Rows};
use super::settings::secrets_of;
use super::snapshot::Keeping;
use super::turn::{PreparedTurn, TurnInput, forwarded};
use super::{Config, Supply, Unprepared, capture, client_tools, discover, hook};
use crate::assertion::{Block, Lint, Surroundings, lint};
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, SourceFile, Spanned};
use crate::model::{AguiTransport, Hook, ProtocolVersion, Skip, Target, TestFile, Turn};
use crate::outcome::Level;
use crate::schema::{self, FileKind};
use crate::source;
use crate::variables::{Filling, Late, Scope, Secret};

/// A test file as loaded.
#[derive(Debug)]
pub struct LoadedTest {
    pub(super) source: Arc<SourceFile>,
    pub(super) model: TestFile,
    pub(super) hash: u64,
    /// Where its rows are, once somebody asked.
    rows: OnceLock<Option<Rows>>,
}

/// What a test is called and selected by.
struct Head {
    name: String,
    id: Option<String>,
    description: Option<String>,
    tags: Vec<String>,
    skip: Option<String>,
}

/// What is known of a test before it starts.
pub(super) struct Written {
    /// Its turns.
    pub(super) turns: Vec<WrittenTurn>,
    /// The rules of the test.
    pub(super) test: Block,
    /// The rules of its turns.
    pub(super) blocks: Vec<Block>,
}

/// What is known of a turn before its test starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTurn {
    /// What it is called.
    pub id: Option<String>,
    /// What it does, in words.
    pub input: String,
    /// What cuts it off in the place of the target's time-out, in milliseconds, as far as that is known.
    pub timeout_ms: Option<String>,
}

/// A test that was checked.
pub(super) struct Checked {
    /// The test, or each of its rows.
    pub(super) cases: Vec<CaseEntry>,
    pub(super) lint: Lint,
    /// What its own variables put into headers.
    pub(super) secrets: Vec<Secret>,
    /// The files of its snapshots.
    pub(super) snapshots: BTreeSet<PathBuf>,
}

/// The rows of a test, looked at: each for itself, and one of each shape with all that uses it.
struct Sampled {
    entries: Vec<RowEntry>,
    /// What is known with one row of each set of columns.
    scopes: Vec<Scope>,
    /// The columns that every row has.
    common: Option<BTreeSet<String>>,
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
        Self { source, model, hash: hasher.finish(), rows: OnceLock::new() }
    }

    /// What else is wrong with a file that does not fit: its patterns and references are checked all the same, so that
    /// everything is told in one go (SPEC 1).
    ///
    /// Also says whether the test may give itself variables.
    pub(super) fn further_problems(
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
        let gives = test.model.vars.is_some() || test.model.cases.is_some() || !test.hooks(supply).is_empty();
        (problems, gives)
    }

    /// The hooks that will run.
    pub(super) fn hooks(&self, supply: &Supply) -> &[Hook] {
        match &self.model.hooks {
            Some(hooks) if !supply.without_hooks => hooks,
            _ => &[],
        }
    }

    /// What will run when the test is over.
    pub(super) fn teardown(&self, supply: &Supply) -> &[Hook] {
        match &self.model.teardown {
            Some(teardown) if !supply.without_hooks => teardown,
            _ => &[],
        }
    }

    /// The test's file and name for the scope: what `${TEST_FILE}` and `${TEST_NAME}` say.
    pub(super) fn path_from(&self, folder: &Path) -> String {
        let path = self.source.path.strip_prefix(folder).unwrap_or(&self.source.path);
        path.to_string_lossy().replace('\\', "/")
    }

    /// What is known before the test is selected: the environment, what the command line gives, and over what is known
    /// of the project its own `vars`, each of which sees those before it.
    pub(super) fn known(
        &self,
        context: &Context,
        supply: &Supply,
        folder: &Path,
        problems: &mut Vec<Diagnostic>,
    ) -> Scope {
        let mut scope = supply.scope(context);
        scope.set("TEST_FILE", self.path_from(folder));
        for (name, written) in self.model.vars.iter().flatten() {
            let mut filling = Filling::new(&scope, &self.source, true, problems);
            let is_name = capture::check_name(name, &mut filling).is_some();
            let value = filling.json(written).ready();
            match value {
                _ if !is_name || supply.given.contains_key(&name.value) => {}
                Some(value) => scope.set(name, value),
                None => scope.expect_anew(name),
            }
        }
        scope
    }

    /// The names that the test gives values itself whatever the row, beside hooks.
    pub(super) fn own_names(&self) -> impl Iterator<Item = &str> {
        self.model.vars.iter().flatten().map(|(name, _)| name.value.as_str())
    }

    /// What the test is called and selected by; only what is known before anything runs may stand in it.
    fn head(&self, known: &Scope, problems: &mut Vec<Diagnostic>) -> Option<Head> {
        let mut scope = known.clone();
        if self.model.cases.is_some() {
            scope = scope.hint(
                "a test has its name, id and tags whatever the row: what tells the rows apart is their `id`",
            );
        }
        if self.model.hooks.is_some() {
            scope = scope.hint("a test has its name before its hooks run: it cannot use what they give");
        }
        let TestFile { name, id, description, tags, skip, .. } = &self.model;
        let mut filling = Filling::new(&scope, &self.source, true, problems);
        let name = filling.text(name).ready();
        let id = Late::optional(id.as_ref().map(|id| filling.text(id)));
        let description = Late::optional(description.as_ref().map(|text| filling.text(text)));
        let tags: Vec<Option<String>> = tags.iter().flatten().map(|tag| filling.text(tag).ready()).collect();
        let skip = skip.as_ref().map_or(Late::Ready(None), |skip| skipped(skip, &mut filling));
        let mut tags = tags.into_iter().collect::<Option<Vec<String>>>()?;
        let mut seen = HashSet::new();
        tags.retain(|tag| seen.insert(tag.clone()));
        Some(Head {
            name: name?,
            id: id.ready()?,
            description: description.ready()?,
            tags,
            skip: skip.ready()?,
        })
    }

    /// Checks every leaf; what is known only when the test starts is left for then. What the rules can never do
    /// is looked at together with those of the `target`.
    pub(super) fn check(
        &self,
        context: &Context,
        supply: &Supply,
        folder: &Path,
        target: Option<(&Config, &TargetRules)>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Checked> {
        let known = self.known(context, supply, folder, problems);
        let head = self.head(&known, problems);
        let scope = started(known);
        let rows = self.sample(context, supply, &scope, problems);
        let scopes = rows.as_ref().map_or(std::slice::from_ref(&scope), |rows| &rows.scopes);
        let mut secrets = Vec::new();
        let mut looked_at = None;
        for scope in scopes {
            let found = self.check_leaves(context, supply, folder, scope, target, problems);
            looked_at.get_or_insert(found);
            let own = self.model.vars.is_some() || rows.is_some();
            if let Some((config, _)) = target.filter(|_| own) {
                secrets.extend(secrets_of(config, scope));
            }
        }
        let (mut lint, Written { mut test, mut blocks, .. }) = looked_at?;
        let entries = rows.as_ref().map_or(&[][..], |rows| &rows.entries);
        let mut snapshots = BTreeSet::new();
        for row in entries.iter().map(Some).chain(entries.is_empty().then_some(None)) {
            let name = head.as_ref().map_or("", |head| &head.name);
            let of_target = target.and_then(|(_, rules)| rules.block.snapshot.clone());
            let mut outer = Block { snapshot: of_target, ..Block::default() };
            let keeping = self.keeping(context, name, row, false);
            let files = keeping.place(&mut outer, &mut test, &mut blocks, problems);
            if files.is_empty() {
                break;
            }
            snapshots.extend(files);
        }
        if let Some((config, _)) = target {
            lint.certain.extend(self.connects_over_http(config));
        }
        let Head { name, id, description, tags, skip } = head?;
        let common = rows.as_ref().and_then(|rows| rows.common.clone()).unwrap_or_default();
        let defines: BTreeSet<String> = self.own_names().map(str::to_owned).chain(common).collect();
        let test = Arc::new(TestEntry {
            id: id.unwrap_or_else(|| format!("{}::{name}", self.path_from(folder))),
            name,
            description,
            tags,
            skip,
            turns: self.model.turns.len(),
            path: self.source.path.clone(),
            place: self.path_from(folder),
            file: self.source.name.to_string(),
            line: self.source.place(self.model.name.span).line,
            hash: self.hash,
            hooks: !self.hooks(supply).is_empty(),
            defines: defines.into_iter().collect(),
        });
        let case = |row| CaseEntry { test: Arc::clone(&test), row, quarantine: None };
        let cases = match rows {
            None => vec![case(None)],
            Some(rows) => rows.entries.into_iter().map(|row| case(Some(row))).collect(),
        };
        Some(Checked { cases, lint, secrets, snapshots })
    }

    /// How the snapshots of the test named `name`, or of a row of it, are looked for.
    pub(super) fn keeping<'a>(
        &'a self,
        context: &'a Context,
        name: &'a str,
        row: Option<&'a RowEntry>,
        reads: bool,
    ) -> Keeping<'a> {
        Keeping { context, source: &self.source, name, row: row.map(|row| &*row.label), reads }
    }

    /// Checks every leaf with the variables of one row.
    fn check_leaves(
        &self,
        context: &Context,
        supply: &Supply,
        folder: &Path,
        scope: &Scope,
        target: Option<(&Config, &TargetRules)>,
        problems: &mut Vec<Diagnostic>,
    ) -> (Lint, Written) {
        self.check_hooks(context, supply, folder, scope, problems);
        let version = target.map(|(config, _)| config.model.target.protocol_version()).unwrap_or_default();
        let written = self.written(context, supply, scope, version, problems);
        let lint = target.map(|(config, rules)| {
            // A turn with a time-out of its own may take longer than the target says.
            let is_own = |turn: &Spanned<Turn>| turn.settings().timeout_ms.is_some();
            let surroundings = Surroundings {
                config: &config.source,
                test: &self.source,
                name: self.model.name.span,
                timeout: rules.timeout.filter(|_| !self.model.turns.iter().any(is_own)),
            };
            lint(&rules.block, &written.test, &written.blocks, &surroundings)
        });
        (lint.unwrap_or_default(), written)
    }

    /// Where the rows are; `None` where there are none, or what is wrong was reported.
    fn rows(&self, context: &Context, scope: &Scope, problems: &mut Vec<Diagnostic>) -> Option<&Rows> {
        let written = self.model.cases.as_ref()?;
        let rows = self.rows.get_or_init(|| {
            let mut filling = Filling::new(scope, &self.source, true, problems);
            Rows::of(written, &self.source, context, self.folder(context), &mut filling)
        });
        rows.as_ref()
    }

    /// Looks at every row, of a test that has rows.
    fn sample(
        &self,
        context: &Context,
        supply: &Supply,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Sampled> {
        let written = self.model.cases.as_ref()?;
        let mut sampled = Sampled { entries: Vec::new(), scopes: Vec::new(), common: None };
        let mut shapes: HashSet<Vec<String>> = HashSet::new();
        if let Some(rows) = self.rows(context, scope, problems) {
            let mut filling = Filling::new(scope, &self.source, true, problems);
            rows.each(written.span, &mut filling, &mut |entry, row| {
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
                sampled.scopes.push(with_row(scope.clone(), &row, supply));
                shapes.insert(names);
            });
        }
        if sampled.scopes.is_empty() {
            sampled.scopes.push(scope.clone().open());
        }
        Some(sampled)
    }

    /// What is known with the row of a case, beside `known`, and the names of its columns.
    ///
    /// # Errors
    /// Where the row is not what it was, or cannot be filled.
    pub(super) fn with_row_of(
        &self,
        entry: &RowEntry,
        known: Scope,
        context: &Context,
        supply: &Supply,
    ) -> Result<(Scope, Vec<String>), Unprepared> {
        let mut problems = Vec::new();
        let row = self.rows(context, &known, &mut problems).and_then(|rows| {
            let mut filling = Filling::new(&known, &self.source, true, &mut problems);
            rows.again(entry, &mut filling)
        });
        match row {
            Some(row) => {
                let names = row.columns.keys().cloned().collect();
                Ok((with_row(known, &row, supply), names))
            }
            None if problems.is_empty() => Err(Unprepared::Changed),
            None => Err(Unprepared::Broken(problems, Vec::new())),
        }
    }

    /// Some servers take a run without messages for a run like any other (SPEC 4).
    fn connects_over_http(&self, config: &Config) -> Option<Diagnostic> {
        let Target::Agui(target) = &config.model.target else { return None };
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

    fn check_hooks(
        &self,
        context: &Context,
        supply: &Supply,
        folder: &Path,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) {
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
        let mut scope = self.after_turns(scope, supply).into_owned();
        if self.model.hooks.is_some() {
            scope = scope.open();
        }
        for (index, written) in self.model.teardown.iter().flatten().enumerate() {
            let mut filling = Filling::new(&scope, &self.source, true, problems);
            hook::fill(written, index + 1, context, folder, &scope, &mut filling);
        }
    }

    /// The folder that the paths of the test count from.
    fn folder<'a>(&'a self, context: &'a Context) -> &'a Path {
        self.source.path.parent().unwrap_or(&context.working_directory)
    }

    /// How the files that the test names are looked at.
    pub(super) fn files<'a>(
        &'a self,
        context: &'a Context,
        version: ProtocolVersion,
        reads: bool,
    ) -> Files<'a> {
        Files { context, folder: self.folder(context), version, reads }
    }

    /// Everything that is known before the test starts, and the rest as it is written; for an agent of `version`.
    pub(super) fn written(
        &self,
        context: &Context,
        supply: &Supply,
        scope: &Scope,
        version: ProtocolVersion,
        problems: &mut Vec<Diagnostic>,
    ) -> Written {
        let scope = if self.hooks(supply).is_empty() { scope.clone() } else { scope.clone().open() };
        let mut filling = Filling::new(&scope, &self.source, true, problems).as_written();
        let test = self.block(&mut filling);
        client_tools::fill(self.model.client_tools.as_ref(), &mut filling);
        forwarded(self.model.forwarded_props.as_ref(), &mut filling);
        if let Some(timeout) = &self.model.timeout_ms {
            let _ = filling.number(timeout);
        }
        self.one_id_each(&mut filling);
        let files = self.files(context, version, false);
        let mut written = Written { turns: Vec::new(), test, blocks: Vec::new() };
        for (turn, scope) in self.turns(&scope, supply) {
            let mut filling = Filling::new(&scope, &self.source, true, problems).as_written();
            written.blocks.push(turn_block(turn, &mut filling));
            written.turns.push(WrittenTurn::of(turn, files, &mut filling));
        }
        written
    }

    fn one_id_each(&self, filling: &mut Filling<'_>) {
        let mut known = HashSet::new();
        for id in self.model.turns.iter().filter_map(|turn| turn.settings().id) {
            if !known.insert(&id.value) {
                let message = format!("two turns have the id `{}`", id.value);
                filling.report(Code::Contradiction, id.span, message, Some("rename one of them".to_owned()));
            }
        }
    }

    /// The turns, each with what is known when it is filled before anything is sent: what earlier turns keep comes
    /// later.
    pub(super) fn turns<'s>(
        &'s self,
        scope: &'s Scope,
        supply: &'s Supply,
    ) -> impl Iterator<Item = (&'s Spanned<Turn>, Cow<'s, Scope>)> {
        let mut scope = Cow::Borrowed(scope);
        self.model.turns.iter().map(move |turn| {
            let own = scope.clone();
            expect_captures(turn, &mut scope, supply);
            (turn, own)
        })
    }

    /// What is known when all turns are over.
    fn after_turns<'s>(&self, scope: &'s Scope, supply: &Supply) -> Cow<'s, Scope> {
        let mut scope = Cow::Borrowed(scope);
        self.model.turns.iter().for_each(|turn| expect_captures(turn, &mut scope, supply));
        scope
    }

    /// The rules of the test.
    pub(super) fn block(&self, filling: &mut Filling<'_>) -> Block {
        Block::compile(self.model.assert.as_ref(), Level::Test, filling)
    }
}

/// The rules of a turn.
pub(super) fn turn_block(turn: &Spanned<Turn>, filling: &mut Filling<'_>) -> Block {
    let block = Block::compile(turn.assert_block(), Level::Turn, filling);
    Block { is_replay: matches!(turn.value, Turn::Connect(_)), ..block }
}

/// What is known of every test once it starts, before it does.
pub(super) fn started(mut known: Scope) -> Scope {
    known.expect("THREAD_ID");
    known.expect("TEST_NAME");
    known
}

fn expect_captures(turn: &Spanned<Turn>, scope: &mut Cow<'_, Scope>, supply: &Supply) {
    for (name, _) in turn.settings().capture.into_iter().flatten() {
        if !supply.given.contains_key(&name.value) {
            scope.to_mut().expect_anew(name);
        }
    }
}

/// The columns of a row win over the test's own variables; what the command line gives stays.
fn with_row(mut scope: Scope, row: &Row, supply: &Supply) -> Scope {
    for (name, value) in row.columns.iter().filter(|(name, _)| !supply.given.contains_key(*name)) {
        scope.set(name, value.clone());
    }
    let names: Vec<String> = row.columns.keys().map(|name| format!("`{name}`")).collect();
    scope.hint(format!("the row at {} gives {}", row.place(), names.join(", ")))
}

/// Why a test is left out, if it is; `None` where that cannot be known.
fn skipped(skip: &Spanned<Skip>, filling: &mut Filling<'_>) -> Late<Option<String>> {
    let without_reason = || "the test says `skip: true`".to_owned();
    let reason = match &skip.value {
        Skip::Is(is) => return Late::Ready(is.then(without_reason)),
        Skip::Because(reason) => filling.text(&Spanned { value: reason.clone(), span: skip.span }),
    };
    let Late::Ready(reason) = reason else { return Late::Pending };
    Late::Ready(match reason.trim() {
        // What a variable gives.
        "" | "false" => None,
        "true" => Some(without_reason()),
        reason => Some(reason.to_owned()),
    })
}

impl WrittenTurn {
    fn of(turn: &Spanned<Turn>, files: Files<'_>, filling: &mut Filling<'_>) -> Self {
        let settings = turn.settings();
        let written_timeout = settings.timeout_ms.and_then(|number| filling.written_number(number));
        let filled = PreparedTurn::fill(turn, files, filling);
        let timeout_ms =
            filled.as_ref().and_then(|turn| turn.timeout).map(|time| time.as_millis().to_string());
        Self {
            id: settings.id.map(|id| {
                filled.as_ref().and_then(|turn| turn.id.clone()).unwrap_or_else(|| id.value.clone())
            }),
            input: filled.map_or_else(|| TurnInput::written(turn), |turn| turn.input.describe()),
            timeout_ms: written_timeout.or(timeout_ms),
        }
    }
}
