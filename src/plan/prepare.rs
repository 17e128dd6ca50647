//! Everything one test needs to run, with its variables filled.

use std::sync::Arc;
use std::time::Duration;

use super::test::LoadedTest;
use super::{CaseEntry, Config, TargetSettings};
use crate::assertion::{Block, Inherited, inherit};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Severity, sort};
use crate::model::{Text, Turn};
use crate::outcome::Level;
use crate::variables::{Filling, Piece, Scope, scan};

/// The time-out of a turn without a setting (SPEC 4).
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);

/// A test that is ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The test's name.
    pub name: String,
    /// What the user says, turn by turn.
    pub turns: Vec<String>,
    /// What must hold.
    pub rules: Inherited,
    /// The agent.
    pub target: TargetSettings,
    /// The conversation's thread.
    pub thread_id: String,
    /// How long one turn may take.
    pub timeout: Duration,
    /// Values that must be masked wherever they are told; given out before anything is told of the test.
    pub secrets: Vec<String>,
}

/// Why a test cannot run although its plan was good.
#[derive(Clone, Debug)]
pub enum Unprepared {
    /// Its file is not what it was when the run was planned.
    Changed,
    /// What is wrong with it now that its variables are known. The secrets found until then come with it.
    Broken(Vec<Diagnostic>, Vec<String>),
}

/// Loads a test again and fills every leaf of it and of its target.
///
/// # Errors
/// Where the file changed since the plan was made, or a leaf cannot be filled.
pub fn prepare(context: &Context, config: &Config, entry: &CaseEntry) -> Result<Prepared, Unprepared> {
    let test = LoadedTest::load(context, &entry.path)
        .map_err(|problems| Unprepared::Broken(problems, Vec::new()))?;
    if test.hash != entry.hash {
        return Err(Unprepared::Changed);
    }
    let mut problems = Vec::new();
    let mut secrets = Vec::new();
    let prepared = fill(context, config, &test, &mut problems, &mut secrets);
    problems.retain(|problem| problem.severity == Severity::Error);
    match prepared {
        Some(prepared) if problems.is_empty() => Ok(Prepared { secrets, ..prepared }),
        _ => {
            sort(&mut problems);
            Err(Unprepared::Broken(problems, secrets))
        }
    }
}

fn fill(
    context: &Context,
    config: &Config,
    test: &LoadedTest,
    problems: &mut Vec<Diagnostic>,
    secrets: &mut Vec<String>,
) -> Option<Prepared> {
    let name = test.name(context, problems)?;
    let mut scope = Scope::new(Arc::clone(&context.environment));
    scope.set("TEST_NAME", name.clone());
    scope.set("TEST_FILE", test.path_from(&config.folder));
    let model = &config.model.target;
    let thread_id = thread(context, &mut scope, config, model.thread_id(), problems)?;

    let mut filling = Filling::new(&scope, &config.source, true, problems);
    let target = TargetSettings::fill(model, &mut filling);
    let target_block = Block::compile(model.assert_block(), Level::Target, &mut filling);
    let timeout = match model.timeout_ms() {
        Some(number) => filling.number(number).ready().map(Duration::from_millis),
        None => Some(DEFAULT_TIMEOUT),
    };
    secrets.extend(filling.into_secrets());

    let mut filling = Filling::new(&scope, &test.source, true, problems);
    let (test_block, turn_blocks) = test.blocks(&mut filling);
    let turns: Vec<Option<String>> = test
        .model
        .turns
        .iter()
        .map(|turn| {
            let Turn::User(turn) = turn;
            filling.text(&turn.user).ready()
        })
        .collect();
    secrets.extend(filling.into_secrets());
    Some(Prepared {
        name,
        turns: turns.into_iter().collect::<Option<_>>()?,
        rules: inherit(&target_block, &test_block, &turn_blocks),
        target: target?,
        thread_id,
        timeout: timeout?,
        secrets: Vec::new(),
    })
}

/// `THREAD_ID` is the target's literal `threadId`, else generated (SPEC 2); a `threadId` that names it is built on it.
fn thread(
    context: &Context,
    scope: &mut Scope,
    config: &Config,
    written: Option<&Text>,
    problems: &mut Vec<Diagnostic>,
) -> Option<String> {
    let names_itself = |text: &Text| {
        scan(&text.value).is_ok_and(|pieces| {
            pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Reference(reference) if reference.name == "THREAD_ID"))
        })
    };
    let literal = written.filter(|text| !names_itself(text));
    let generated = match literal {
        Some(text) => Filling::new(scope, &config.source, true, problems).text(text).ready()?,
        None => context.ids.next("thread"),
    };
    scope.set("THREAD_ID", generated.clone());
    match written {
        Some(text) if literal.is_none() => {
            Filling::new(scope, &config.source, true, problems).text(text).ready()
        }
        _ => Some(generated),
    }
}
