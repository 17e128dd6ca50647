//! What is in force in one test, before anything runs.

use super::test::{LoadedTest, started};
use super::{CaseEntry, Plan, WrittenTurn};
use crate::assertion::{Explanation, TimeOut, explain as explain_blocks};
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::model::Given;

/// A test and what is in force in it. What is known only when it starts stands there as it is written.
#[derive(Clone, Debug)]
pub struct ExplainedTest {
    /// What each turn is called and does.
    pub turns: Vec<WrittenTurn>,
    /// The rules, by home.
    pub explanation: Explanation,
    /// What cuts a turn off that does not say so itself; `None` where it is known later.
    pub timeout: Option<TimeOut>,
    /// What cuts the whole test off, in milliseconds as it is written.
    pub whole_timeout: Option<String>,
}

/// Loads a planned test again and explains it; runs nothing.
///
/// # Errors
/// Where the file is broken by now.
pub fn explain(context: &Context, plan: &Plan, entry: &CaseEntry) -> Result<ExplainedTest, Vec<Diagnostic>> {
    let test = LoadedTest::load(context, &entry.test.path)?;
    // What is wrong or odd was told when the plan was made.
    let mut told = Vec::new();
    let Some(agent) = plan.config.target(&entry.test.target) else { return Err(told) };
    let mut target = plan.config.rules(agent, context, &plan.supply);
    let mut scope = started(test.known(context, &plan.supply, &plan.config.folder, &mut told));
    if entry.row.is_some() {
        // The rows differ in what they say.
        scope = scope.open();
    }
    let version = agent.model.protocol_version();
    let mut written = test.written(context, &plan.supply, &scope, Some(&*plan.config), version, &mut told);
    let keeping = test.keeping(context, &entry.test.name, entry.row.as_ref(), false);
    keeping.place(&mut target.block, &mut written.test, &mut written.blocks, &mut told);
    Ok(ExplainedTest {
        turns: written.turns,
        explanation: explain_blocks(&target.block, &written.test, &written.blocks),
        timeout: target.timeout,
        whole_timeout: test.model.timeout_ms.as_ref().map(|ms| match &ms.value {
            Given::Literal(ms) => ms.to_string(),
            Given::Reference(written) => written.clone(),
        }),
    })
}
