//! `text.must_match` and `text.contains`: what the text of the home must hold somewhere.

use super::needle::Seeking;
use super::needle::Wording;
use crate::assertion::describe::{said, short};
use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope, Seen};
use crate::model::TextOf;
use crate::variables::Patterns;

/// A regex that must match, or a text that must stand, somewhere in what the agent says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MustMatch {
    /// What is sought.
    pub wording: Wording,
}

impl MustMatch {
    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let article = match self.wording.of {
            TextOf::All => "",
            TextOf::Final => "a ",
        };
        format!("{article}{}", self.wording.describe())
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        format!("settled at the end of {}", home.words())
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        let (expected, of) = (self.describe(), self.wording.of);
        Ok(Monitor { expected, of, seeking: self.wording.start(patterns)? })
    }
}

/// Judged once, at the end of its home, on what was said in it.
#[derive(Debug)]
pub struct Monitor {
    expected: String,
    of: TextOf,
    seeking: Seeking,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(_) | Moment::TurnEnd => return Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => {}
        }
        let text = scope.text(self.of);
        if self.seeking.find(&text).is_some() {
            return Judgement::Holds;
        }
        let home = scope.home.this();
        let message = match self.of {
            TextOf::All => format!("nothing the agent said in {home} {}", self.seeking.verb(false)),
            TextOf::Final if text.is_empty() => {
                format!(
                    "the agent said nothing in {home}, where its last message must {}",
                    self.seeking.verb(true)
                )
            }
            TextOf::Final => {
                format!("the agent's last message in {home} does not {}", self.seeking.verb(true))
            }
        };
        let mut seen = vec![Seen::Words(said(&short(&text)))];
        if self.seeking.differs_in_case(&text) {
            seen.push(Seen::Words("it does, but for upper and lower case".to_owned()));
        }
        Judgement::broken(Finding { message, expected: self.expected.clone(), seen, events: Vec::new() })
    }
}
