//! `text.must_not_match` and `text.not_contains`: what must not stand anywhere in what the agent says.

use super::needle::Wording;
use super::needle::{Seeking, Sought};
use crate::assertion::describe::{around, short};
use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope, Seen};
use crate::model::TextOf;
use crate::trace::Delta;
use crate::variables::Patterns;

/// A regex that must not match, or a text that must not stand there: on every turn of its home as soon as seen, and on
/// the whole of the home at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MustNotMatch {
    /// What is sought.
    pub wording: Wording,
}

impl MustNotMatch {
    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        format!("no {}", self.wording.describe())
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        match (self.is_early(), self.wording.of, home) {
            (true, _, home) => {
                format!("broken as soon as a message says it, or the whole text of {}", home.words())
            }
            (false, TextOf::All, Home::Test) => {
                "broken at the end of a turn whose text says it, or of the test".to_owned()
            }
            (false, TextOf::Final, Home::Test) => {
                "broken at the end of a turn whose last message says it".to_owned()
            }
            (false, _, Home::Turn(_)) => "broken at the end of the turn".to_owned(),
        }
    }

    /// Whether one message is enough to break it.
    fn is_early(&self) -> bool {
        self.wording.of == TextOf::All && !self.wording.is_anchored()
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        Ok(Monitor {
            expected: self.describe(),
            of: self.wording.of,
            early: self.is_early(),
            is_literal: matches!(self.wording.sought, Sought::Literal(_)),
            seeking: self.wording.start(patterns)?,
        })
    }
}

/// Looks at each message when it closes, at the joined text at the end of a turn, and at the home's at its end; or at the
/// last message alone, at the end of each turn.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    of: TextOf,
    early: bool,
    is_literal: bool,
    seeking: Seeking,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let trace = scope.trace;
        match (moment, self.of) {
            (Moment::Touched(Delta::MessageClosed(index)), _) if self.early => {
                let message = &trace.messages[index];
                if scope.hears(message) {
                    return self.judge(scope, &message.text, Some(message.opened), "the agent said");
                }
                Judgement::Open
            }
            (Moment::Touched(_), _) => Judgement::Open,
            (Moment::TurnEnd, TextOf::All) => match scope.turn_text() {
                Some(text) => self.judge(scope, &text, None, "the agent said in this turn"),
                None => Judgement::Open,
            },
            (Moment::TurnEnd, TextOf::Final) => match scope.turn_final() {
                Some(text) => self.judge(scope, &text, None, "the agent's last message in this turn says"),
                None => Judgement::Open,
            },
            (Moment::HomeEnd | Moment::TestEnd, TextOf::All) => {
                if scope.home == Home::Test
                    && let broken @ Judgement::Broken(_) =
                        self.judge(scope, &scope.text(TextOf::All), None, "the agent said over the test")
                {
                    return broken;
                }
                Judgement::Holds
            }
            // The last message of a test is that of one of its turns.
            (Moment::HomeEnd | Moment::TestEnd, TextOf::Final) => Judgement::Holds,
        }
    }

    fn judge(&self, scope: &Scope<'_>, text: &str, event: Option<u32>, who: &str) -> Judgement {
        let Some(found) = self.seeking.find(text) else { return Judgement::Open };
        let found = scope.redactor.expand_to_secret(text, found);
        let said = short(&text[found.clone()]);
        let message = if self.is_literal {
            format!("{who} `{said}`")
        } else {
            format!("{who} `{said}`, which {}", self.seeking.verb(false))
        };
        Judgement::broken(Finding {
            message,
            expected: self.expected.clone(),
            seen: vec![Seen::Words(format!("said: {}", around(text, found)))],
            events: event.into_iter().collect(),
        })
    }
}
