//! A step that one turn must contain, for what depends on it.

use super::walk::walk;
use crate::evaluation::{Exclusions, RuleScope, View, take_reason};
use crate::select::{ArgumentReading, RuleTool, Selector};
use crate::steps::{Kinds, StepMatcher};
use ananke_base::diagnostic::Span;
use ananke_model::model::StepKeys;
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Facts, Trace, TraceItem};

/// A step that the last turn must contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnStep(StepMatcher);

/// Whether a turn contains a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StepFinding {
    /// It does.
    Found,
    /// It does not.
    #[default]
    Missing,
    /// It does not, and this may be the step: something that was not read, or a value that could not be compared.
    Undecided(String),
}

impl TurnStep {
    /// Checks and fills the keys of the step at `span`; `None` if something is known later or was reported.
    pub(crate) fn compile(
        written: &StepKeys,
        span: Span,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        StepMatcher::compile(written, span, interpolation).map(Self)
    }

    /// The step, in words: a call to `pay`.
    pub fn describe(&self) -> String {
        self.0.describe()
    }

    /// The tools that it names.
    pub(crate) fn named_tools(&self) -> Vec<RuleTool<'_>> {
        let selector = self.0.selector();
        selector.map_or_else(Vec::new, Selector::named_tools)
    }

    /// Looks for the step in the last turn.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub(crate) fn find(
        &self,
        trace: &Trace,
        patterns: &mut Patterns,
        redactor: &Redactor,
    ) -> Result<StepFinding, regex::Error> {
        let step = self.0.started(patterns)?;
        let last = trace.turns.len().saturating_sub(1);
        let view = View {
            trace,
            scope: RuleScope::Turn(last),
            exclusions: &Exclusions::default(),
            redactor,
        };
        let items = walk(&view, Kinds::of([&step]));
        // A reason that an earlier comparison left is not about this step.
        take_reason();
        let is_step = |item: &TraceItem| step.matches(trace, *item, ArgumentReading::Last);
        if items.iter().any(is_step) {
            return Ok(StepFinding::Found);
        }
        let is_about = |tool: &str, _: Facts| step.may_be_about(tool);
        let unread = trace.lacking(Some(last), step.needs(), &is_about);
        Ok(match take_reason().or(unread) {
            Some(reason) => StepFinding::Undecided(reason),
            None => StepFinding::Missing,
        })
    }
}
