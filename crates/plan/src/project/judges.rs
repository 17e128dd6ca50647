//! The judges that rules ask: targets of the config.
//!
//! Names flow in; what is wrong with a name is reported where it is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::config::Config;
use super::targets::ResolvedTarget;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile};
use ananke_model::variables::{Interpolation, Mode, Scope};
use ananke_rules::{Block, Judge, RuleEntry};

/// The names of the judges that the rules of `blocks` ask, each once.
pub(crate) fn judge_names<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> BTreeSet<&'b str> {
    blocks
        .into_iter()
        .flat_map(judges)
        .map(|(_, judge)| judge.agent.as_str())
        .collect()
}

/// The rules of a block that ask judges whose names are known.
fn judges(block: &Block) -> impl Iterator<Item = (&RuleEntry, &Judge)> {
    let entries = block
        .entries
        .iter()
        .filter_map(|entry| Some((entry, entry.rule::<Judge>()?)));
    entries.filter(|(_, judge)| !judge.agent.contains("${"))
}

impl Config {
    /// Reports the judges in a block that are no targets. What is not of the config is of the file `other`.
    pub(crate) fn check_judges(
        &self,
        block: &Block,
        other: &Arc<SourceFile>,
        problems: &mut Vec<Diagnostic>,
    ) {
        for (entry, judge) in judges(block) {
            if let Err(Some(problem)) = self.agent_named(&judge.agent) {
                problems.push(problem.at(self.source_of(entry, other), entry.origin.span, ""));
            }
        }
    }

    /// Reports the judges in a block that are `target`, which is under test; `scope` fills both.
    pub(crate) fn check_own_judges(
        &self,
        block: &Block,
        target: &ResolvedTarget,
        scope: &Scope,
        other: &Arc<SourceFile>,
        problems: &mut Vec<Diagnostic>,
    ) {
        for (entry, judge) in judges(block) {
            let address = |target: &ResolvedTarget, connector: Option<&str>| {
                let mut interpolation = Interpolation::again(scope, &self.source, Mode::Check);
                target.model.compile(&mut interpolation)?.address(connector)
            };
            let Ok(judging) = self.agent_named(&judge.agent) else {
                continue;
            };
            let is_same = || {
                let (judging, tested) = (
                    address(judging, judge.connector.as_deref())?,
                    address(target, None)?,
                );
                Some(judging == tested)
            };
            if judging.name == target.name || is_same() == Some(true) {
                let problem =
                    Diagnostic::error(Code::Contradiction, own_judge(&judge.agent, &target.name));
                let problem = problem.at(self.source_of(entry, other), entry.origin.span, "");
                problems.push(problem.help(OTHER_JUDGE));
            }
        }
    }

    fn source_of<'s>(
        &'s self,
        entry: &RuleEntry,
        other: &'s Arc<SourceFile>,
    ) -> &'s Arc<SourceFile> {
        if entry.origin.place.file == self.source.name {
            &self.source
        } else {
            other
        }
    }
}

/// The remedy for a target that is its own judge.
pub const OTHER_JUDGE: &str = "name a target in `agent` that is another agent or model";

/// That the target `tested` judges itself, under the name `judge`.
pub fn own_judge(judge: &str, tested: &str) -> String {
    if judge == tested {
        return format!("the target under test, `{tested}`, cannot be its own judge");
    }
    format!("the judge `{judge}` is the target under test, `{tested}`, by another name")
}
