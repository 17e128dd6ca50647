//! The rules that apply to one test, before anything runs.

use std::time::Duration;

use crate::compile::{FileAccess, WalkPlan, describe_written};
use crate::loaded::{
    CaseEntry, FilledTest, FilledTurn, LoadedFile, LoadedTest, TestSurroundings, scope_at_start,
};
use crate::plan::Plan;
use crate::prepare::CASE_TIMEOUT;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Diagnostic, Spanned};
use ananke_base::text::duration;
use ananke_model::model::{Checkpoint, Scalar, Turn, WholeNumber};
use ananke_model::variables::Scope;
use ananke_rules::{Block, Explanation, ScopeRules, Timeout, explain as explain_blocks};

/// A test and the rules that apply to it. Values that are known only when it starts are shown as they are written.
#[derive(Clone, Debug)]
pub struct ExplainedTest {
    /// The number of messages in the history before the first turn.
    pub history: usize,
    /// The id and the input of each turn.
    pub turns: Vec<WrittenTurn>,
    /// The rules, by scope.
    pub explanation: Explanation,
    /// The unwritten rest after the written turns, in words.
    pub unwritten: Option<String>,
    /// The further scopes that have rules, each with its name: the actions of a walk, their conditions, and
    /// checkpoints.
    pub further: Vec<(String, ScopeRules)>,
    /// The timeout of a turn that does not have one itself; `None` if it is known later.
    pub timeout: Option<Timeout>,
    /// The timeout of the whole test, in words.
    pub whole_timeout: Option<String>,
    /// The description of the target in the config.
    pub target: Option<String>,
}

/// The parts of a turn that are known before its test starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTurn {
    /// The id of the turn.
    pub id: Option<String>,
    /// The input of the turn, in words.
    pub input: String,
    /// The condition on which it is sent, in words.
    pub condition: Option<String>,
    /// Its own timeout, which replaces that of the target, in words.
    pub timeout: Option<String>,
}

impl WrittenTurn {
    fn of(turn: &Turn, filled: &FilledTurn) -> Self {
        let settings = &turn.settings;
        let condition = filled.condition.clone();
        let Ok(filled) = &filled.turn else {
            return Self {
                id: settings.id.as_ref().map(|id| id.value.clone()),
                input: describe_written(turn),
                condition,
                timeout: settings.timeout_ms.as_ref().map(|ms| in_words(&ms.value)),
            };
        };
        let request = &filled.request;
        Self {
            id: request.id.clone(),
            input: request.input.describe(),
            condition,
            timeout: request.timeout.map(duration::chosen),
        }
    }
}

/// Loads the planned tests again and explains each, with its rows; runs nothing.
///
/// # Errors
/// If a file is broken by now.
pub fn explain<'p>(
    context: &Context,
    plan: &'p Plan,
) -> Result<Vec<(&'p [CaseEntry], ExplainedTest)>, Vec<Diagnostic>> {
    let mut explained = Vec::new();
    for cases in plan.cases.chunk_by(CaseEntry::is_read_with) {
        let [first, ..] = cases else { continue };
        let file = LoadedFile::of_entry(context, first)?;
        for rows in cases.chunk_by(CaseEntry::is_of_same_test) {
            let test = rows
                .first()
                .and_then(|case| Some((case, file.tests.get(case.test.index)?)));
            if let Some((case, test)) = test {
                explained.push((rows, of(context, plan, case, test)?));
            }
        }
    }
    Ok(explained)
}

/// The same rules apply to all rows of a test.
fn of(
    context: &Context,
    plan: &Plan,
    entry: &CaseEntry,
    test: &LoadedTest,
) -> Result<ExplainedTest, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let Some(agent) = plan.config.target(&entry.test.target) else {
        return Err(problems);
    };
    let mut target = plan.config.rules(agent, context, &plan.variables);
    let scope = scope_of_all_rows(context, plan, entry, test, &mut problems);
    let around = TestSurroundings {
        context,
        variables: &plan.variables,
        config: Some(&plan.config),
        target: Some(agent),
        access: FileAccess::Check,
    };
    let mut draft = test.fill(around, &scope, &mut problems);
    let snapshot_files = test.snapshot_files(
        context,
        &entry.test.name,
        entry.row.as_ref(),
        FileAccess::Check,
    );
    snapshot_files.place(
        &mut target.block,
        &mut draft.block,
        &mut draft.turn_blocks,
        &mut problems,
    );
    // What is odd was reported when the plan was made.
    problems.retain(Diagnostic::is_error);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut explanation =
        explain_blocks(&target.block, &draft.block, &draft.blocks_of_every_turn());
    let unwritten_turns = explanation
        .turns
        .split_off(draft.turns.len().min(explanation.turns.len()));
    Ok(ExplainedTest {
        history: test.messages.len(),
        unwritten: unwritten(entry, test, &draft),
        further: further(test, &draft, unwritten_turns),
        turns: test
            .turns
            .iter()
            .zip(&draft.turns)
            .map(|(turn, filled)| WrittenTurn::of(turn, filled))
            .collect(),
        explanation,
        timeout: target.timeout,
        whole_timeout: whole_timeout(entry, test),
        target: plan.config.description(agent, context, &plan.variables),
    })
}

/// The scope that the rows of a test have in common.
fn scope_of_all_rows(
    context: &Context,
    plan: &Plan,
    entry: &CaseEntry,
    test: &LoadedTest,
    problems: &mut Vec<Diagnostic>,
) -> Scope {
    let (variables, folder) = (&plan.variables, &plan.config.folder);
    let scope = test.scope_before_rows(context, variables, folder, problems);
    let scope = variables.after_setup(scope_at_start(scope));
    if entry.row.is_some() {
        // The rows differ in what they say.
        scope.open()
    } else {
        scope
    }
}

/// The unwritten rest after the written turns, in words.
fn unwritten(entry: &CaseEntry, test: &LoadedTest, draft: &FilledTest) -> Option<String> {
    if let Some(WalkPlan {
        steps,
        walks,
        seed,
        actions,
    }) = &entry.test.walk
    {
        let (count, names) = (actions.len(), actions.join(", "));
        let walks = if *walks == 1 {
            "1 walk".to_owned()
        } else {
            format!("{walks} walks")
        };
        return Some(format!(
            "then {walks} of up to {steps} of {count} actions (seed {seed}): {names}"
        ));
    }
    if draft.simulation.is_some() {
        let turns = draft
            .max_turns()
            .map(|most| format!(", up to turn {most}"))
            .unwrap_or_default();
        let who = entry
            .test
            .simulator
            .as_ref()
            .map(|name| format!(" by `{name}`"))
            .unwrap_or_default();
        return Some(format!("then a simulation{who}{turns}"));
    }
    let asks = test.model.interactive.is_some() && entry.test.asks_person;
    asks.then(|| "then a person at the terminal, as long as the agent waits for input".to_owned())
}

/// The rules of checkpoints, or of the actions of a walk and of what these need; `actions` are those of turns.
fn further(
    test: &LoadedTest,
    draft: &FilledTest,
    actions: Vec<ScopeRules>,
) -> Vec<(String, ScopeRules)> {
    let nothing = Block::default();
    let alone = |blocks: &[Block]| explain_blocks(&nothing, &nothing, blocks).turns;
    if draft.simulation.is_some() {
        let written = test
            .model
            .simulate
            .iter()
            .flat_map(|simulate| &simulate.value.checkpoints)
            .flatten();
        let title = |checkpoint: &Spanned<Checkpoint>| {
            format!("checkpoint `{}`", checkpoint.value.id.value)
        };
        return written.map(title).zip(alone(&draft.checkpoints)).collect();
    }
    let mut needs = alone(&draft.needs).into_iter();
    let mut further = Vec::new();
    for ((name, action), rules) in test.actions().zip(actions) {
        if !(rules.rules.is_empty() && rules.limits.is_empty()) {
            further.push((format!("action `{name}`"), rules));
        }
        let needed = action.settings.needs.as_ref().and_then(|_| needs.next());
        further.extend(needed.map(|rules| {
            (
                format!("what the action `{name}` needs of the turn before"),
                rules,
            )
        }));
    }
    further
}

/// The time limit of the whole test, in words.
fn whole_timeout(entry: &CaseEntry, test: &LoadedTest) -> Option<String> {
    let own = test.model.timeout_ms.as_ref().map(|ms| in_words(&ms.value));
    let by_default = || format!("{} (the default of a case)", duration::chosen(CASE_TIMEOUT));
    own.or_else(|| entry.test.part.map(|_| by_default()))
}

/// A number of milliseconds in words, if it is known, or as it is written.
fn in_words<T: WholeNumber>(written: &Scalar<T>) -> String {
    match written {
        Scalar::Literal(ms) => duration::chosen(Duration::from_millis(ms.get())),
        Scalar::Reference(written) => format!("{written} ms"),
    }
}
