//! `state`: what the agent's state must be at the end of the scope.

use super::path_condition::PathCondition;
use crate::collector::Collector;
use crate::evaluation::{Judgement, Monitor, at_scope_end};
use crate::rule::Rule;
use ananke_base::diagnostic::Code;
use ananke_model::model::AssertBlock;
use ananke_model::variables::Patterns;
use ananke_trace::outcome::ComparedValue;
use ananke_trace::trace::{Fact, Facts};

/// The name of the state in messages.
const WHOLE: &str = "the state";

/// The requirement on a value in the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct StateRule(PathCondition);

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for written in collector
        .switched(block.state.as_ref())
        .into_iter()
        .flatten()
    {
        collector.add(written.span, |interpolation| {
            if let Some(of) = &written.value.of {
                let message = "`of` goes with `output`: there is one state";
                interpolation.report(Code::Contradiction, of.span, message, None);
                return None;
            }
            PathCondition::compile(written, interpolation).map(StateRule)
        });
    }
}

impl Rule for StateRule {
    fn is_exhaustive(&self) -> bool {
        self.0.condition.is_negated()
    }

    fn needs(&self) -> Facts {
        Facts::of(&[Fact::State])
    }

    fn describe(&self) -> String {
        self.0.describe(WHOLE)
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let condition = self.0.started(patterns)?;
        Ok(at_scope_end(move |view| {
            // The last turn may be one that switches the rule off.
            if view.leaves_out_last_turn() {
                return Judgement::Open;
            }
            condition
                .mismatch(view.trace.state.value(), ComparedValue::State, WHOLE)
                .into()
        }))
    }
}
