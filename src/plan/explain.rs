//! Which rules apply to one test, before anything runs.

use std::time::Duration;

use super::draft::WrittenTurn;
use super::entry::CaseEntry;
use super::loaded_file::LoadedFile;
use super::plan::Plan;
use super::preparation::CASE_TIMEOUT;
use super::test::LoadedTest;
use super::test_scope::scope_at_start;
use crate::assertion::{Explanation, Timeout, explain as explain_blocks};
use crate::compile::FileAccess;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Severity};
use crate::model::Scalar;
use crate::text::duration;

/// A test and the rules that apply to it. Values that are known only when it starts are shown as they are written.
#[derive(Clone, Debug)]
pub struct ExplainedTest {
    /// How many messages the history before the first turn has.
    pub history: usize,
    /// What each turn is called and does.
    pub turns: Vec<WrittenTurn>,
    /// The rules, by scope.
    pub explanation: Explanation,
    /// What cuts a turn off that does not say so itself; `None` where it is known later.
    pub timeout: Option<Timeout>,
    /// What cuts the whole test off, in words.
    pub whole_timeout: Option<String>,
    /// What the config says of the target.
    pub target: Option<String>,
}

/// Loads the planned tests again and explains each, with its rows; runs nothing.
///
/// # Errors
/// Where a file is broken by now.
pub fn explain<'p>(
    context: &Context,
    plan: &'p Plan,
) -> Result<Vec<(&'p [CaseEntry], ExplainedTest)>, Vec<Diagnostic>> {
    let mut explained = Vec::new();
    for cases in plan.cases.chunk_by(CaseEntry::is_read_with) {
        let [first, ..] = cases else { continue };
        let file = LoadedFile::of_entry(context, first)?;
        for rows in cases.chunk_by(CaseEntry::is_of_same_test) {
            let test = rows.first().and_then(|case| Some((case, file.tests.get(case.test.index)?)));
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
    let Some(agent) = plan.config.target(&entry.test.target) else { return Err(problems) };
    let mut target = plan.config.rules(agent, context, &plan.variables);
    let mut scope =
        scope_at_start(test.scope_before_rows(context, &plan.variables, &plan.config.folder, &mut problems));
    scope = plan.variables.after_setup(scope);
    if entry.row.is_some() {
        // The rows differ in what they say.
        scope = scope.open();
    }
    let mut draft =
        test.draft(context, &plan.variables, &scope, Some(&*plan.config), Some(agent), &mut problems);
    let snapshot_files =
        test.snapshot_files(context, &entry.test.name, entry.row.as_ref(), FileAccess::Check);
    snapshot_files.place(&mut target.block, &mut draft.test, &mut draft.blocks, &mut problems);
    // What is odd was reported when the plan was made.
    problems.retain(|problem| problem.severity == Severity::Error);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(ExplainedTest {
        history: test.messages.len(),
        turns: draft.turns,
        explanation: explain_blocks(&target.block, &draft.test, &draft.blocks),
        timeout: target.timeout,
        whole_timeout: whole_timeout(entry, test),
        target: plan.config.description(agent, context, &plan.variables),
    })
}

/// The time limit of the whole test, in words.
fn whole_timeout(entry: &CaseEntry, test: &LoadedTest) -> Option<String> {
    let own = test.model.timeout_ms.as_ref().map(|ms| match &ms.value {
        Scalar::Literal(ms) => duration::chosen(Duration::from_millis(ms.get())),
        Scalar::Reference(written) => format!("{written} ms"),
    });
    let by_default = || format!("{} (the default of a case)", duration::chosen(CASE_TIMEOUT));
    own.or_else(|| entry.test.part.map(|_| by_default()))
}
