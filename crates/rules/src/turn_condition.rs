//! The condition on which a turn is sent: the key `if`.
//!
//! **Invariant:** a condition rests on the last turn that was sent, and on nothing before it.

use std::sync::Arc;

use super::sequence::{StepFinding, TurnStep};
use crate::evaluation::RuleOrigin;
use crate::evaluator::Evaluator;
use ananke_base::diagnostic::Spanned;
use ananke_model::model::{ConditionWord, WrittenCondition};
use ananke_model::variables::Interpolation;
use ananke_trace::outcome::{Level, RuleResult};
use ananke_trace::trace::Trace;

/// The condition on which a turn is sent, checked and filled.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnCondition {
    /// The thing that must be true of the last turn.
    pub wanted: WantedOfTurn,
    /// The place where it is written.
    pub origin: RuleOrigin,
}

/// The thing that must be true of a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum WantedOfTurn {
    /// The agent waits for input.
    Awaits,
    /// An interrupt is open.
    Interrupted,
    /// It contains this step.
    Step(Box<TurnStep>),
}

impl TurnCondition {
    /// The path of the key in results.
    pub(crate) const PATH: &'static str = "if";

    /// Checks and fills a condition; `None` if something is known later or was reported.
    pub fn compile(
        written: &Spanned<WrittenCondition>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let wanted = match &written.value {
            WrittenCondition::Word(ConditionWord::Awaits) => WantedOfTurn::Awaits,
            WrittenCondition::Word(ConditionWord::Interrupted) => WantedOfTurn::Interrupted,
            WrittenCondition::Step(step) => WantedOfTurn::Step(Box::new(TurnStep::compile(
                &step.keys,
                written.span,
                interpolation,
            )?)),
        };
        let origin = RuleOrigin {
            level: Level::Turn,
            place: interpolation.place(written.span),
            span: written.span,
            whole: written.span,
            source: Arc::clone(interpolation.source()),
        };
        Some(Self { wanted, origin })
    }

    /// The condition, in words.
    pub fn describe(&self) -> String {
        match &self.wanted {
            WantedOfTurn::Awaits => "the agent waits for input".to_owned(),
            WantedOfTurn::Interrupted => "an interrupt is open".to_owned(),
            WantedOfTurn::Step(step) => format!("the previous turn has {}", step.describe()),
        }
    }

    /// Looks for `step` in the last turn of `trace`, in the time that the rules have; if that is over, it is missing.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn find(
        step: &TurnStep,
        trace: &Trace,
        evaluator: &mut Evaluator,
    ) -> Result<StepFinding, regex::Error> {
        let found = evaluator.compute(|patterns, redactor| step.find(trace, patterns, redactor));
        found.unwrap_or_else(|| Ok(StepFinding::default()))
    }

    /// The result of a condition of which nothing is known, for this reason.
    pub fn not_shown(&self, reason: String) -> RuleResult {
        self.origin.not_shown(Self::PATH, self.describe(), reason)
    }
}
