//! `state`: what the agent's state must be at the end of the scope.

use super::value_condition::ValueCondition;
use super::value_matcher::ValueMatcher;
use crate::assertion::collector::Collector;
use crate::assertion::judge::{Monitor, at_scope_end};
use crate::assertion::rule::{Kind, Rule};
use crate::model::AssertBlock;
use crate::variables::Patterns;

pub(crate) const PATH: &str = "state";

/// What messages call it.
const WHOLE: &str = "the state";

/// What a value in the state must be.
#[derive(Clone, Debug, PartialEq)]
struct StateRule(ValueCondition);

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for written in collector.switched(PATH, block.state.as_ref()).into_iter().flatten() {
        collector.add(written.span, |filling| ValueCondition::compile(written, filling).map(StateRule));
    }
}

impl Rule for StateRule {
    fn path(&self) -> &'static str {
        PATH
    }

    fn kind(&self) -> Kind {
        Kind::Requirement
    }

    fn describe(&self) -> String {
        self.0.describe(WHOLE)
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let matcher = ValueMatcher::start(&self.0, patterns)?;
        Ok(at_scope_end(move |view| matcher.mismatch(view.trace.state.value(), WHOLE).into()))
    }

    /// The state of a test is that of its last turn.
    fn is_about_last_turn(&self) -> bool {
        true
    }
}
