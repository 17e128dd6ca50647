//! A test of a file that was loaded: for the plan, and again for its run.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::cases::FilePart;
use crate::compile::{FileAccess, RowEntry, Rows, SnapshotFiles};
use crate::project::{Config, ResolvedTarget, Variables, unknown_target};
use ananke_base::context::Context;
use ananke_base::diagnostic::{Diagnostic, SourceFile, Spanned};
use ananke_base::message::{Role, ServerRequestKind};
use ananke_model::model::{
    Hook, MessageDefinition, Respond, SentByTurn, Test, Text, Turn, UserTurn,
};
use ananke_model::variables::{Interpolation, Mode, Scope};

/// A test as loaded.
#[derive(Debug)]
pub struct LoadedTest {
    /// Its file.
    pub(crate) source: Arc<SourceFile>,
    pub(crate) model: Test,
    /// The conversation history before the first turn.
    pub(crate) messages: Vec<Spanned<MessageDefinition>>,
    pub(crate) turns: Vec<Spanned<Turn>>,
    /// The last of the messages, if it is the one turn.
    pub(super) last_message: Option<MessageDefinition>,
    /// Its place among the tests of its file, counted from 0.
    pub(crate) index: usize,
    /// A hash of the file's text.
    pub(crate) hash: u64,
    /// The place in a case file.
    pub(crate) part: Option<FilePart>,
    /// The source of its rows, once looked up.
    rows: OnceLock<Option<Rows>>,
}

impl LoadedTest {
    /// The source of the variables of a hook.
    pub(crate) const HINT_FOR_HOOKS: &str =
        "a hook sees the built-in variables and what earlier hooks of its test gave";

    pub(super) fn of(source: Arc<SourceFile>, mut model: Test, index: usize, hash: u64) -> Self {
        let mut messages = model.messages.take().unwrap_or_default();
        let (turns, last_message) = match model.turns.take() {
            Some(turns) => (turns, None),
            None => turn_of_messages(&mut messages)
                .map_or((Vec::new(), None), |(turn, message)| (vec![turn], message)),
        };
        let (part, rows) = (None, OnceLock::new());
        Self {
            source,
            model,
            messages,
            turns,
            last_message,
            index,
            hash,
            part,
            rows,
        }
    }

    /// Whether its first turn is the message that it begins with, and not one of its `turns`.
    pub(crate) fn begins_with_input(&self) -> bool {
        self.last_message.is_some()
    }

    /// The test that a case of a case file is.
    pub(crate) fn of_case(source: Arc<SourceFile>, model: Test, part: FilePart) -> Self {
        Self {
            part: Some(part),
            ..Self::of(source, model, 0, 0)
        }
    }

    /// The actions of a walk and their names, in the order of the file.
    pub(crate) fn actions(&self) -> impl Iterator<Item = (&str, &Turn)> {
        let written = self.model.walk.iter().flat_map(|walk| &walk.value.actions);
        written.map(|(name, action)| (name.value.as_str(), &action.value.0))
    }

    /// The kinds of requests of a server that a turn or an action answers.
    pub(crate) fn offered(&self) -> Vec<ServerRequestKind> {
        let turns = self.turns.iter().map(|turn| &turn.value);
        let every: Vec<&Respond> = turns
            .chain(self.actions().map(|(_, turn)| turn))
            .filter_map(|turn| turn.settings.respond.as_ref())
            .collect();
        let mut offered = Vec::new();
        let mut offer = |kind, is_answered: fn(&Respond) -> bool| {
            if every.iter().any(|respond| is_answered(respond)) {
                offered.push(kind);
            }
        };
        offer(ServerRequestKind::Elicitation, |respond| {
            respond.elicitation.is_some()
        });
        offer(ServerRequestKind::Sampling, |respond| {
            respond.sampling.is_some()
        });
        offer(ServerRequestKind::Roots, |respond| respond.roots.is_some());
        offered
    }

    /// Its turns and its actions.
    pub(crate) fn turns_and_actions(&self) -> Vec<Spanned<Turn>> {
        let written = self
            .model
            .walk
            .iter()
            .flat_map(|walk| walk.value.actions.values());
        let actions = written.map(|action| Spanned {
            value: action.value.0.clone(),
            span: action.span,
        });
        self.turns.iter().cloned().chain(actions).collect()
    }

    /// Whether it may give itself variables.
    pub(crate) fn may_give_variables(&self, variables: &Variables) -> bool {
        self.model.vars.is_some() || self.model.cases.is_some() || !self.hooks(variables).is_empty()
    }

    /// The hooks that will run.
    pub(crate) fn hooks(&self, variables: &Variables) -> &[Hook] {
        match &self.model.hooks {
            Some(hooks) if !variables.without_hooks => hooks,
            _ => &[],
        }
    }

    /// The hooks that will run when the test is over.
    pub(crate) fn teardown(&self, variables: &Variables) -> &[Hook] {
        match &self.model.teardown {
            Some(teardown) if !variables.without_hooks => teardown,
            _ => &[],
        }
    }

    /// The test's file and name for the scope: what `${TEST_FILE}` and `${TEST_NAME}` say.
    pub(crate) fn path_from(&self, folder: &Path) -> String {
        let path = self
            .source
            .path
            .strip_prefix(folder)
            .unwrap_or(&self.source.path);
        path.to_string_lossy().replace('\\', "/")
    }

    /// The test's target: its own, else the one under test. `None` where that was reported.
    pub(crate) fn target<'c>(
        &self,
        config: &'c Config,
        known: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<&'c ResolvedTarget> {
        let Some(written) = &self.model.target else {
            return config.default_target();
        };
        let mut scope = known.clone();
        if self.model.cases.is_some() {
            scope = scope.hint("a test has one target, whatever the row");
        }
        if self.model.hooks.is_some() {
            scope = scope
                .hint("a test has its target before its hooks run: it cannot use what they give");
        }
        let name = Interpolation::new(&scope, &self.source, Mode::Send, problems)
            .text(written)
            .ok()?;
        let known = config.target_names();
        if !known.contains(&name.as_str()) {
            let written = Text {
                value: name,
                span: written.span,
            };
            problems.push(unknown_target(&written, &self.source, &known));
            return None;
        }
        config.target(&name)
    }

    /// The files of the snapshots of the test named `name`, or of a row of it.
    pub(crate) fn snapshot_files<'a>(
        &'a self,
        context: &'a Context,
        name: &'a str,
        row: Option<&'a RowEntry>,
        access: FileAccess,
    ) -> SnapshotFiles<'a> {
        SnapshotFiles {
            context,
            source: &self.source,
            name,
            row: row.map(|row| &*row.label),
            access,
        }
    }

    /// The source of the rows; `None` if there are none, or if their problem was reported.
    pub(crate) fn rows(
        &self,
        context: &Context,
        scope: &Scope,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<&Rows> {
        let written = self.model.cases.as_ref()?;
        let rows = self.rows.get_or_init(|| {
            let mut interpolation = Interpolation::new(scope, &self.source, Mode::Send, problems);
            Rows::of(
                written,
                &self.source,
                context,
                self.folder(context),
                &mut interpolation,
            )
        });
        rows.as_ref()
    }

    /// The path of the file that its rows are in, once they were looked at.
    pub(crate) fn row_file(&self) -> Option<PathBuf> {
        let rows = self.rows.get()?.as_ref()?;
        rows.file().map(Path::to_path_buf)
    }

    /// The folder that the paths of the test count from.
    pub(super) fn folder<'a>(&'a self, context: &'a Context) -> &'a Path {
        self.source
            .path
            .parent()
            .unwrap_or(&context.working_directory)
    }
}

/// Takes the last message where it is what the user says, as a turn. If it is the result of a tool, the agent goes on from
/// there.
fn turn_of_messages(
    messages: &mut Vec<Spanned<MessageDefinition>>,
) -> Option<(Spanned<Turn>, Option<MessageDefinition>)> {
    if let Some(result) = messages
        .last()
        .filter(|message| message.value.role == Role::Tool)
    {
        return Some((
            Spanned {
                value: Turn::default(),
                span: result.span,
            },
            None,
        ));
    }
    let last = messages
        .pop_if(|message| message.value.role == Role::User && message.value.content.is_some())?;
    let user = last.value.content.as_ref()?.value.clone();
    let turn = UserTurn {
        user,
        attachments: None,
    };
    let turn = Turn {
        sent: SentByTurn::User(Box::new(turn)),
        ..Turn::default()
    };
    Some((
        Spanned {
            value: turn,
            span: last.span,
        },
        Some(last.value),
    ))
}
