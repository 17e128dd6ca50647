//! A test of a file that was loaded: for the plan, and again for its run.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::attachment::Files;
use super::capture;
use super::client_tools;
use super::history;
use super::prepare_error::PrepareError;
use super::rows::{Row, RowEntry, Rows};
use super::snapshot::Keeping;
use super::turn::{MessageId, PreparedTurn, TurnInput, forwarded};
use crate::assertion::{Block, Library};
use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, SourceFile, Spanned};
use crate::message::{HistoryMessage, Role};
use crate::model::{Hook, Message, ProtocolVersion, Skip, Test, Text, Turn, UserTurn};
use crate::outcome::Level;
use crate::project::{Config, ResolvedTarget, Variables, unknown_target};
use crate::variables::{Filling, Late, Scope};

/// A test as loaded.
#[derive(Debug)]
pub struct LoadedTest {
    /// Its file.
    pub(super) source: Arc<SourceFile>,
    pub(super) model: Test,
    /// What was said before the first turn.
    pub(super) earlier: Vec<Spanned<Message>>,
    pub(super) turns: Vec<Spanned<Turn>>,
    /// The last of the messages, where it is the one turn.
    asked: Option<Message>,
    /// Its place among the tests of its file, counted from 0.
    pub(super) index: usize,
    /// A hash of the file's text.
    pub(super) hash: u64,
    /// Where its rows are, once somebody asked.
    rows: OnceLock<Option<Rows>>,
}

/// What a test is called and selected by.
pub(super) struct Head {
    pub(super) name: String,
    pub(super) id: Option<String>,
    pub(super) description: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) skip: Option<String>,
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

impl LoadedTest {
    /// Where the variables of a hook come from.
    pub(super) const HINT_FOR_HOOKS: &str =
        "a hook sees the built-in variables and what earlier hooks of its test gave";

    pub(super) fn of(source: Arc<SourceFile>, mut model: Test, index: usize, hash: u64) -> Self {
        let mut earlier = model.messages.take().unwrap_or_default();
        let (turns, asked) = match model.turns.take() {
            Some(turns) => (turns, None),
            None => turn_of_messages(&mut earlier)
                .map_or((Vec::new(), None), |(turn, message)| (vec![turn], Some(message))),
        };
        Self { source, model, earlier, turns, asked, index, hash, rows: OnceLock::new() }
    }

    /// What was said before the first turn; `None` where something of it is known later or was reported.
    pub(super) fn history(&self, files: Files<'_>, filling: &mut Filling<'_>) -> Option<Vec<HistoryMessage>> {
        history::fill(&self.earlier, files, filling)
    }

    /// What the test says of the message that is its one turn.
    pub(super) fn message_id(&self, filling: &mut Filling<'_>) -> Option<MessageId> {
        let Some(Message { id, name, .. }) = &self.asked else { return Some(MessageId::default()) };
        let mut text = |text: &Option<Text>| Late::optional(text.as_ref().map(|text| filling.text(text)));
        let (id, name) = (text(id), text(name));
        Some(MessageId { id: id.ready()?, name: name.ready()? })
    }

    /// Whether it may give itself variables.
    pub(super) fn may_give_variables(&self, variables: &Variables) -> bool {
        self.model.vars.is_some() || self.model.cases.is_some() || !self.hooks(variables).is_empty()
    }

    /// The hooks that will run.
    pub(super) fn hooks(&self, variables: &Variables) -> &[Hook] {
        match &self.model.hooks {
            Some(hooks) if !variables.without_hooks => hooks,
            _ => &[],
        }
    }

    /// What will run when the test is over.
    pub(super) fn teardown(&self, variables: &Variables) -> &[Hook] {
        match &self.model.teardown {
            Some(teardown) if !variables.without_hooks => teardown,
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
        variables: &Variables,
        folder: &Path,
        problems: &mut Vec<Diagnostic>,
    ) -> Scope {
        let mut scope = variables.scope(context);
        scope.set("TEST_FILE", self.path_from(folder));
        for (name, written) in self.model.vars.iter().flatten() {
            let mut filling = Filling::new(&scope, &self.source, true, problems);
            let is_name = capture::check_name(name, &mut filling).is_some();
            let value = filling.json(written).ready();
            match value {
                _ if !is_name || variables.given.contains_key(&name.value) => {}
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

    /// The test's target: its own, else the one under test. `None` where that was reported.
    pub(super) fn target<'c>(
        &self,
        config: &'c Config,
        known: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<&'c ResolvedTarget> {
        let Some(written) = &self.model.target else { return config.default_target() };
        let mut scope = known.clone();
        if self.model.cases.is_some() {
            scope = scope.hint("a test has one target, whatever the row");
        }
        if self.model.hooks.is_some() {
            scope = scope.hint("a test has its target before its hooks run: it cannot use what they give");
        }
        let name = Filling::new(&scope, &self.source, true, problems).text(written).ready()?;
        let known = config.target_names();
        if !known.contains(&name.as_str()) {
            let written = Text { value: name, span: written.span };
            problems.push(unknown_target(&written, &self.source, &known));
            return None;
        }
        config.target(&name)
    }

    /// What the test is called and selected by; only what is known before anything runs may stand in it.
    pub(super) fn head(&self, known: &Scope, problems: &mut Vec<Diagnostic>) -> Option<Head> {
        let mut scope = known.clone();
        if self.model.cases.is_some() {
            scope = scope.hint(
                "a test has its name, id and tags whatever the row: what tells the rows apart is their `id`",
            );
        }
        if self.model.hooks.is_some() {
            scope = scope.hint("a test has its name before its hooks run: it cannot use what they give");
        }
        let Test { name, id, description, tags, skip, .. } = &self.model;
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

    /// Where the rows are; `None` where there are none, or what is wrong was reported.
    pub(super) fn rows(
        &self,
        context: &Context,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<&Rows> {
        let written = self.model.cases.as_ref()?;
        let rows = self.rows.get_or_init(|| {
            let mut filling = Filling::new(scope, &self.source, true, problems);
            Rows::of(written, &self.source, context, self.folder(context), &mut filling)
        });
        rows.as_ref()
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
        variables: &Variables,
    ) -> Result<(Scope, Vec<String>), PrepareError> {
        let mut problems = Vec::new();
        let row = self.rows(context, &known, &mut problems).and_then(|rows| {
            let mut filling = Filling::new(&known, &self.source, true, &mut problems);
            rows.again(entry, &mut filling)
        });
        match row {
            Some(row) => {
                let names = row.columns.keys().cloned().collect();
                Ok((with_row(known, &row, variables), names))
            }
            None if problems.is_empty() => Err(PrepareError::Changed),
            None => Err(PrepareError::Broken(problems, Vec::new())),
        }
    }

    /// The folder that the paths of the test count from.
    pub(super) fn folder<'a>(&'a self, context: &'a Context) -> &'a Path {
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
        variables: &Variables,
        scope: &Scope,
        config: Option<&Config>,
        version: ProtocolVersion,
        problems: &mut Vec<Diagnostic>,
    ) -> Written {
        let scope = if self.hooks(variables).is_empty() { scope.clone() } else { scope.clone().open() };
        let mut filling = Filling::new(&scope, &self.source, true, problems).as_written();
        let library = config.map(Config::named_assertions);
        let test = self.block(library, &mut filling);
        let tools = self.model.client_tools.as_ref();
        client_tools::fill(tools, config.map(Config::scripts), &mut filling);
        forwarded(self.model.forwarded_props.as_ref(), &mut filling);
        if let Some(timeout) = &self.model.timeout_ms {
            let _ = filling.number(timeout);
        }
        self.one_id_each(&mut filling);
        let files = self.files(context, version, false);
        self.history(files, &mut filling);
        self.message_id(&mut filling);
        let mut written = Written { turns: Vec::new(), test, blocks: Vec::new() };
        for (turn, scope) in self.each_turn(&scope, variables) {
            let mut filling = Filling::new(&scope, &self.source, true, problems).as_written();
            written.blocks.push(turn_block(turn, library, &mut filling));
            written.turns.push(WrittenTurn::of(turn, files, &mut filling));
        }
        written
    }

    /// Reports the turns whose ids are not unique.
    fn one_id_each(&self, filling: &mut Filling<'_>) {
        let mut known = HashSet::new();
        for id in self.turns.iter().filter_map(|turn| turn.settings().id) {
            if !known.insert(&id.value) {
                let message = format!("two turns have the id `{}`", id.value);
                filling.report(Code::Contradiction, id.span, message, Some("rename one of them".to_owned()));
            }
        }
    }

    /// The turns, each with what is known when it is filled before anything is sent: what earlier turns keep comes
    /// later.
    pub(super) fn each_turn<'s>(
        &'s self,
        scope: &'s Scope,
        variables: &'s Variables,
    ) -> impl Iterator<Item = (&'s Spanned<Turn>, Cow<'s, Scope>)> {
        let mut scope = Cow::Borrowed(scope);
        self.turns.iter().map(move |turn| {
            let own = scope.clone();
            expect_captures(turn, &mut scope, variables);
            (turn, own)
        })
    }

    /// What is known when all turns are over.
    pub(super) fn after_turns<'s>(&self, scope: &'s Scope, variables: &Variables) -> Cow<'s, Scope> {
        let mut scope = Cow::Borrowed(scope);
        self.turns.iter().for_each(|turn| expect_captures(turn, &mut scope, variables));
        scope
    }

    /// The rules of the test.
    pub(super) fn block(&self, library: Option<Library<'_>>, filling: &mut Filling<'_>) -> Block {
        Block::compile(&self.model.assert, Level::Test, library, filling)
    }
}

/// Takes the last message where it is what the user says, as a turn.
fn turn_of_messages(messages: &mut Vec<Spanned<Message>>) -> Option<(Spanned<Turn>, Message)> {
    let last =
        messages.pop_if(|message| message.value.role == Role::User && message.value.content.is_some())?;
    let user = last.value.content.as_ref()?.value.clone();
    let turn = UserTurn {
        user,
        attachments: None,
        id: None,
        timeout_ms: None,
        forwarded_props: None,
        capture: None,
        assert: None,
    };
    Some((Spanned { value: Turn::User(turn), span: last.span }, last.value))
}

/// The rules of a turn.
pub(super) fn turn_block(
    turn: &Spanned<Turn>,
    library: Option<Library<'_>>,
    filling: &mut Filling<'_>,
) -> Block {
    let block = Block::compile(turn.assert_block(), Level::Turn, library, filling);
    Block { is_replay: matches!(turn.value, Turn::Connect(_)), ..block }
}

/// What is known of every test once it starts, before it does.
pub(super) fn started(mut known: Scope) -> Scope {
    known.expect("THREAD_ID");
    known.expect("TEST_NAME");
    known
}

fn expect_captures(turn: &Spanned<Turn>, scope: &mut Cow<'_, Scope>, variables: &Variables) {
    for (name, _) in turn.settings().capture.into_iter().flatten() {
        if !variables.given.contains_key(&name.value) {
            scope.to_mut().expect_anew(name);
        }
    }
}

/// The columns of a row win over the test's own variables; what the command line gives stays.
pub(super) fn with_row(mut scope: Scope, row: &Row, variables: &Variables) -> Scope {
    for (name, value) in row.columns.iter().filter(|(name, _)| !variables.given.contains_key(*name)) {
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
