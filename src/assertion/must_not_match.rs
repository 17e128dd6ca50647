//! `text.must_not_match`: a regex that must not match anywhere in what the agent says.

use std::sync::Arc;

use regex::Regex;
use regex_syntax::hir::Look;

use super::describe::{around, short};
use super::{Finding, Home, Judgement, Moment, Scope, Seen};
use crate::model::Text;
use crate::trace::Touch;
use crate::variables::{Filling, Pattern, Patterns};

/// A regex that must not match: on every turn of its home as soon as seen, and on the whole of the home at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MustNotMatch {
    /// The regex.
    pub pattern: Pattern,
}

impl MustNotMatch {
    pub(super) fn compile(text: &Text, filling: &mut Filling<'_>) -> Option<Self> {
        filling.pattern(text).ready().map(|pattern| Self { pattern })
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        format!("no text matching `{}`", short(self.pattern.as_str()))
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        match (is_anchored(self.pattern.as_str()), home) {
            (false, home) => {
                format!("broken as soon as a message says it, or the whole text of {}", home.words())
            }
            (true, Home::Test) => "broken at the end of a turn whose text says it, or of the test".to_owned(),
            (true, Home::Turn(_)) => "broken at the end of the turn".to_owned(),
        }
    }

    pub(super) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        let regex = patterns.compile(&self.pattern)?;
        Ok(Monitor { expected: self.describe(), early: !is_anchored(regex.as_str()), regex })
    }
}

/// Whether a match in one message need not be a match in the joined text: `^` and `$` mean its ends.
fn is_anchored(pattern: &str) -> bool {
    let Ok(hir) = regex_syntax::parse(pattern) else { return true };
    let looks = hir.properties().look_set();
    [Look::Start, Look::End, Look::StartCRLF, Look::EndCRLF].into_iter().any(|look| looks.contains(look))
}

/// Looks at each message when it closes, at the joined text at the end of a turn, and at the home's at its end.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    regex: Arc<Regex>,
    early: bool,
}

impl Monitor {
    pub(super) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let trace = scope.trace;
        match moment {
            Moment::Touched(Touch::MessageClosed(index)) if self.early => {
                let message = &trace.messages[index];
                if scope.hears(message) {
                    return self.judge(scope, &message.text, Some(message.opened), "the agent said");
                }
                Judgement::Open
            }
            Moment::TurnEnd => match scope.turn_text() {
                Some(text) => self.judge(scope, &text, None, "the agent said in this turn"),
                None => Judgement::Open,
            },
            Moment::HomeEnd | Moment::TestEnd => {
                if scope.home == Home::Test
                    && let broken @ Judgement::Broken(_) =
                        self.judge(scope, &scope.text(), None, "the agent said over the test")
                {
                    return broken;
                }
                Judgement::Holds
            }
            Moment::Touched(_) => Judgement::Open,
        }
    }

    fn judge(&self, scope: &Scope<'_>, text: &str, event: Option<u32>, who: &str) -> Judgement {
        let Some(found) = self.regex.find(text) else { return Judgement::Open };
        let pattern = short(self.regex.as_str());
        let found = scope.redactor.widen(text, found.range());
        Judgement::broken(Finding {
            message: format!("{who} `{}`, which matches `{pattern}`", short(&text[found.clone()])),
            expected: self.expected.clone(),
            seen: vec![Seen::Words(format!("said: {}", around(text, found)))],
            events: event.into_iter().collect(),
        })
    }
}
