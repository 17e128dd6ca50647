//! The variables that a test knows at each time.

use std::borrow::Cow;
use std::path::Path;

use super::loaded_test::LoadedTest;
use super::prepare_error::PrepareError;
use crate::compile::{Row, RowEntry, check_name};
use crate::project::Variables;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Diagnostic, Spanned};
use ananke_model::model::Turn;
use ananke_model::variables::{Interpolation, MOST_INSERTED, Mode, Scope};

/// The variable that holds the conversation's thread.
pub(crate) const THREAD: &str = "THREAD_ID";

impl LoadedTest {
    /// The scope that is known before the test is selected: the environment, what the command line gives, and over what
    /// is known of the project its own `vars`, each of which sees those before it.
    pub(crate) fn scope_before_rows(
        &self,
        context: &Context,
        variables: &Variables,
        folder: &Path,
        problems: &mut Vec<Diagnostic>,
    ) -> Scope {
        let mut scope = variables.after_setup(variables.scope(context));
        scope.set("TEST_FILE", self.path_from(folder));
        let mut room = Some(MOST_INSERTED);
        for (name, written) in self.model.vars.iter().flatten() {
            let mut interpolation =
                Interpolation::new(&scope, &self.source, Mode::Send, problems).with_room(room);
            let is_name = check_name(name, &mut interpolation).is_ok();
            let (value, used) = interpolation.json_with_origins(written);
            room = interpolation.room();
            match value {
                _ if !is_name || variables.given.contains_key(&name.value) => {}
                Ok(value) => scope.set_made_of(name, value, used),
                Err(_) => scope.shadow(name),
            }
        }
        variables.before_setup(scope)
    }

    /// The names that the test itself defines whatever the row, without those of its hooks.
    pub(crate) fn own_names(&self) -> impl Iterator<Item = &str> {
        self.model
            .vars
            .iter()
            .flatten()
            .map(|(name, _)| name.value.as_str())
    }

    /// The scope with the row of a case, in addition to `known`, and the names of its columns.
    ///
    /// # Errors
    /// If the row is not what it was, or cannot be filled.
    pub(crate) fn with_row_of(
        &self,
        entry: &RowEntry,
        known: Scope,
        context: &Context,
        variables: &Variables,
    ) -> Result<(Scope, Vec<String>), PrepareError> {
        let mut problems = Vec::new();
        let row = self.rows(context, &known, &mut problems).and_then(|rows| {
            let mut interpolation =
                Interpolation::new(&known, &self.source, Mode::Send, &mut problems);
            rows.again(entry, &mut interpolation)
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

    /// The turns, each with what is known when it is filled before anything is sent: what earlier turns keep comes
    /// later.
    pub(super) fn each_turn<'s>(
        &'s self,
        scope: &'s Scope,
        variables: &'s Variables,
    ) -> impl Iterator<Item = (&'s Spanned<Turn>, Cow<'s, Scope>)> {
        let mut scope = Cow::Borrowed(scope);
        self.promise_captures(&mut scope);
        self.turns.iter().zip(1..).map(move |(turn, number)| {
            let own = scope.clone();
            expect_captures(turn, number, &mut scope, variables);
            (turn, own)
        })
    }

    /// Notes what turns capture and only the turns after them can use.
    fn promise_captures(&self, scope: &mut Cow<'_, Scope>) {
        // The first turn that captures a name is the one to wait for: it is noted last.
        for (index, turn) in self.turns.iter().enumerate().rev() {
            let number = index + 1;
            for (name, _) in turn.settings.capture.iter().flatten() {
                let help = format!(
                    "`{}` is captured by turn {number}: only turns after it can use it",
                    name.value
                );
                scope.to_mut().promise(name, help);
            }
        }
    }

    /// The scope that is known when an action of a walk is filled: what turns and actions keep may come later.
    pub(crate) fn before_action(&self, mut scope: Scope) -> Scope {
        let turns = self
            .turns
            .iter()
            .map(|turn| &turn.value)
            .chain(self.actions().map(|(_, turn)| turn));
        for (name, _) in turns
            .filter_map(|turn| turn.settings.capture.as_ref())
            .flatten()
        {
            if !scope.knows(&name.value) {
                scope.shadow(name);
            }
        }
        scope
    }

    /// The scope that is known when all turns are over.
    pub(crate) fn after_turns<'s>(
        &self,
        scope: &'s Scope,
        variables: &Variables,
    ) -> Cow<'s, Scope> {
        let mut scope = Cow::Borrowed(scope);
        let actions = self.actions().map(|(_, turn)| turn);
        let turns = self.turns.iter().map(|turn| &turn.value).chain(actions);
        for (turn, number) in turns.zip(1..) {
            expect_captures(turn, number, &mut scope, variables);
        }
        scope
    }
}

/// The scope that every test has once it starts, before it does.
pub(crate) fn scope_at_start(mut known: Scope) -> Scope {
    known.expect(THREAD);
    known.expect("TEST_NAME");
    known
}

/// What the turn `number` captures is known later; what a conditional one alone captures may never be.
fn expect_captures(turn: &Turn, number: usize, scope: &mut Cow<'_, Scope>, variables: &Variables) {
    let is_conditional = turn.settings.condition.is_some();
    for (name, _) in turn.settings.capture.iter().flatten() {
        if variables.given.contains_key(&name.value) {
            continue;
        }
        let scope = scope.to_mut();
        let is_certain = !is_conditional || scope.knows(name) || scope.is_certain(name);
        let doubt = (!is_certain)
            .then(|| format!("turn {number} captures it, and is not sent if its `if` is not met"));
        scope.doubt(name, doubt);
        scope.shadow(name);
    }
}

/// The columns of a row win over the test's own variables; what the command line gives stays.
pub(crate) fn with_row(mut scope: Scope, row: &Row, variables: &Variables) -> Scope {
    for (name, value) in row
        .columns
        .iter()
        .filter(|(name, _)| !variables.given.contains_key(*name))
    {
        scope.set_made_of(name, value.clone(), row.used.clone());
    }
    let names: Vec<String> = row.columns.keys().map(|name| format!("`{name}`")).collect();
    scope.hint(format!(
        "the row at {} gives {}",
        row.place(),
        names.join(", ")
    ))
}
