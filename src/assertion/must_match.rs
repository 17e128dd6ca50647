//! `text.must_match`: a regex that the text of the home must match somewhere.

use std::sync::Arc;

use regex::Regex;

use super::describe::short;
use super::{Finding, Home, Judgement, Moment, Scope, Seen};
use crate::model::Text;
use crate::variables::{Filling, Pattern, Patterns};

/// A regex that must match somewhere in what the agent says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MustMatch {
    /// The regex.
    pub pattern: Pattern,
}

impl MustMatch {
    pub(super) fn compile(text: &Text, filling: &mut Filling<'_>) -> Option<Self> {
        filling.pattern(text).ready().map(|pattern| Self { pattern })
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        format!("text matching `{}`", short(self.pattern.as_str()))
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        format!("settled at the end of {}", home.words())
    }

    pub(super) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        Ok(Monitor { expected: self.describe(), regex: patterns.compile(&self.pattern)? })
    }
}

/// Judged once, at the end of its home, on the joined text.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    regex: Arc<Regex>,
}

impl Monitor {
    pub(super) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(_) | Moment::TurnEnd => return Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => {}
        }
        let (text, home) = match scope.home {
            Home::Test => (scope.text(), "the test"),
            Home::Turn(turn) => (
                scope.trace.turns.get(turn).map(|turn| scope.trace.turn_text(turn)).unwrap_or_default(),
                "this turn",
            ),
        };
        if self.regex.is_match(&text) {
            return Judgement::Holds;
        }
        let seen = if text.is_empty() {
            "the agent said nothing".to_owned()
        } else {
            format!("said: {}", short(&text))
        };
        Judgement::broken(Finding {
            message: format!("nothing the agent said in {home} matches `{}`", short(self.regex.as_str())),
            expected: self.expected.clone(),
            seen: vec![Seen::Words(seen)],
            events: Vec::new(),
        })
    }
}
