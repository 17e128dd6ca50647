//! `state`: what must hold of the agent's state when its home is over.

use super::value_matcher::Matcher;
use super::value_matcher::Matching;
use crate::assertion::judge::{Home, Judgement, Moment, Scope};
use crate::variables::Patterns;

/// What people call it.
const WHOLE: &str = "the state";

/// What must hold of a value in the state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateRule {
    /// The value, and what it must be.
    pub matcher: Matcher,
}

impl StateRule {
    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        self.matcher.describe(WHOLE)
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        format!("settled at the end of {}", home.words())
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        Ok(Monitor { matching: self.matcher.start(patterns)? })
    }
}

/// Judged once, at the end of its home, on the state as it is then.
#[derive(Debug)]
pub struct Monitor {
    matching: Matching,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(_) | Moment::TurnEnd => return Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => {}
        }
        let misfit = self.matching.misfit(scope.trace.state.value(), WHOLE);
        misfit.map_or(Judgement::Holds, Judgement::broken)
    }
}
