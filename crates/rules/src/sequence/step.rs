//! One step of a sequence.

use std::ops::Deref;

use crate::steps::{Kinds, StepMatcher};
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_model::model::{SequenceMode, SequenceStep};
use ananke_model::variables::{Interpolation, Patterns};

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    /// The thing that the step wants.
    pub(super) matcher: StepMatcher,
    /// Whether it may be missing.
    pub(super) is_optional: bool,
}

impl Deref for Step {
    type Target = StepMatcher;

    fn deref(&self) -> &StepMatcher {
        &self.matcher
    }
}

impl Step {
    pub(super) fn compile(
        written: &Spanned<SequenceStep>,
        mode: SequenceMode,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let SequenceStep { keys, optional } = &written.value;
        let matcher = StepMatcher::compile(keys, written.span, interpolation);
        let is_optional = match optional {
            Some(Spanned { value: true, span }) => {
                check_optional(mode, *span, interpolation)?;
                true
            }
            Some(_) | None => false,
        };
        Some(Self {
            matcher: matcher?,
            is_optional,
        })
    }

    /// The thing that is wanted, in words.
    pub(super) fn describe(&self) -> String {
        let wanted = self.matcher.describe();
        if self.is_optional {
            format!("{wanted}, optional")
        } else {
            wanted
        }
    }

    /// The same step with its patterns compiled.
    pub(super) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        Ok(Self {
            matcher: self.matcher.started(patterns)?,
            is_optional: self.is_optional,
        })
    }
}

/// `optional` means something only if everything that comes must be a step, or must come in its place.
fn check_optional(
    mode: SequenceMode,
    span: Span,
    interpolation: &mut Interpolation<'_>,
) -> Option<()> {
    let (message, help) = match mode {
        SequenceMode::Exact | SequenceMode::AnyOrder | SequenceMode::InOrder => return Some(()),
        SequenceMode::AtLeast => (
            "with `at_least` an optional step says nothing: other things may come anyway",
            "drop the step, or `optional` where it must come",
        ),
        SequenceMode::Only => (
            "with `only` every step is optional: it says what may come, not what must",
            "drop `optional`; for what must come there are the other modes, and `require`",
        ),
    };
    interpolation.report(Code::Contradiction, span, message, Some(help.to_owned()));
    None
}

/// The steps with their patterns compiled.
#[derive(Debug)]
pub(super) struct Steps {
    /// The expectation of the rule, in words.
    pub(super) expected: String,
    pub(super) mode: SequenceMode,
    pub(super) kinds: Kinds,
    pub(super) all: Vec<Step>,
}
