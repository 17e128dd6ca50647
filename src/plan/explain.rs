//! What is in force in one test, before anything runs.

use super::test::LoadedTest;
use super::{CaseEntry, Plan};
use crate::assertion::{Explanation, TimeOut, explain as explain_blocks};
use crate::context::Context;
use crate::diagnostic::Diagnostic;

/// A test and what is in force in it. What is known only when it starts stands there as it is written.
#[derive(Clone, Debug)]
pub struct ExplainedTest {
    /// What each turn does, in words.
    pub inputs: Vec<String>,
    /// The rules, by home.
    pub explanation: Explanation,
    /// What cuts a turn off; `None` where it is known later.
    pub timeout: Option<TimeOut>,
}

/// Loads a planned test again and explains it; runs nothing.
///
/// # Errors
/// Where the file is broken by now.
pub fn explain(context: &Context, plan: &Plan, entry: &CaseEntry) -> Result<ExplainedTest, Vec<Diagnostic>> {
    let test = LoadedTest::load(context, &entry.path)?;
    // What is wrong or odd was told when the plan was made.
    let mut told = Vec::new();
    let agent = test.target(&plan.config, context, &plan.supply, &mut told).ok_or_else(|| told.clone())?;
    let mut target = plan.config.rules(agent, context, &plan.supply);
    let version = agent.model.protocol_version();
    let mut written = test.written(
        context,
        &plan.supply,
        &plan.config.folder,
        Some(plan.config.library()),
        version,
        &mut told,
    );
    let keeping = test.keeping(context, &entry.name, false);
    keeping.place(&mut target.block, &mut written.test, &mut written.turns, &mut told);
    Ok(ExplainedTest {
        inputs: written.inputs,
        explanation: explain_blocks(&target.block, &written.test, &written.turns),
        timeout: target.timeout,
    })
}
