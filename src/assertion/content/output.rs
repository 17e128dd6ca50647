//! `output`: what must hold of the agent's last message, as text or as the JSON in it.

use serde_json::Value;

use super::embedded_json;
use super::value_matcher::{Matcher, Wanted};
use super::value_matcher::{Matching, type_name};
use crate::assertion::describe::{said, short};
use crate::assertion::judge::Told;
use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope};
use crate::diagnostic::{Code, Spanned};
use crate::model::{TextOf, ValueRule, ValueType};
use crate::source::NodeValue;
use crate::variables::{Filling, Patterns};

/// What people call the text.
const TEXT: &str = "the last message";

/// What people call the JSON in it.
const JSON: &str = "the JSON of the last message";

/// What must hold of the last message: of its text, or of a value in the JSON that it is or holds.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputRule {
    /// The value, and what it must be; without a path it is the text.
    pub matcher: Matcher,
}

impl OutputRule {
    pub(crate) fn compile(written: &Spanned<ValueRule>, filling: &mut Filling<'_>) -> Option<Self> {
        let ValueRule { path: None, equals, value_type, .. } = &written.value else {
            return Matcher::compile(written, filling).map(|matcher| Self { matcher });
        };
        let is_text = |value: &NodeValue| matches!(value, NodeValue::String(_));
        let other = match (equals, value_type) {
            (Some(node), _) if !is_text(&node.value) => Some(format!("equal to {}", node.describe())),
            (_, Some(ValueType::String) | None) => None,
            (_, Some(other)) => Some(format!("of type {}", type_name(*other))),
        };
        if let Some(other) = other {
            let message =
                format!("without a `path` the text of the message is meant, which is never {other}");
            let help = "add `path: \"$\"` for the JSON in it".to_owned();
            filling.report(Code::BadValue, written.span, message, Some(help));
            return None;
        }
        Matcher::compile(written, filling).map(|matcher| Self { matcher })
    }

    fn whole(&self) -> &'static str {
        if self.matcher.path.is_some() { JSON } else { TEXT }
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let Matcher { path, wanted, negated, .. } = &self.matcher;
        match (path, wanted, negated) {
            (None, Wanted::Exists, false) => "a last message".to_owned(),
            (None, Wanted::Exists, true) => "no last message".to_owned(),
            _ => self.matcher.describe(self.whole()),
        }
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        format!("settled at the end of {}", home.words())
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        Ok(Monitor {
            takes_json: self.matcher.path.is_some(),
            may_be_silent: self.matcher.negated,
            has_schema: matches!(self.matcher.wanted, Wanted::Fit(_)),
            expected: self.describe(),
            whole: self.whole(),
            matching: self.matcher.start(patterns)?,
        })
    }
}

/// Judged once, at the end of its home, on the last message that is not empty.
#[derive(Debug)]
pub struct Monitor {
    takes_json: bool,
    /// Whether no text is fine: it is not what it must not be.
    may_be_silent: bool,
    has_schema: bool,
    expected: String,
    whole: &'static str,
    matching: Matching,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(_) | Moment::TurnEnd => return Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => {}
        }
        let text = scope.text(TextOf::Final);
        if text.is_empty() {
            if self.may_be_silent && !self.takes_json {
                return Judgement::Holds;
            }
            let why = format!("the agent said nothing in {}", scope.home.this());
            return Judgement::broken(self.absent(&why, Vec::new()));
        }
        if !self.takes_json {
            return self.text(text);
        }
        let finding = match embedded_json::find(&text) {
            Ok(value) => self.matching.misfit(&value, self.whole),
            Err(why) => Some(self.absent(&format!("{TEXT} {why}"), vec![said(&short(&text))])),
        };
        finding.map_or(Judgement::Holds, Judgement::broken)
    }

    fn text(&self, text: String) -> Judgement {
        let mut seen = vec![said(&short(&text))];
        let text = Value::String(text);
        if self.matching.misfit(&text, self.whole).is_none() {
            return Judgement::Holds;
        }
        seen.extend(self.matching.unlike(&text).into_iter().flatten());
        // The message itself is easier read than the same as a string of JSON.
        let finding = self.absent(&format!("{TEXT} is not as it must be"), seen);
        let help = "a text is no JSON: `path: \"$\"` takes the JSON in it";
        let help = self.has_schema.then(|| help.to_owned());
        Judgement::Told(Box::new(Told { finding, difference: None, help }))
    }

    fn absent(&self, why: &str, seen: Vec<String>) -> Finding {
        let expected = self.expected.clone();
        Finding { expected, ..self.matching.absent(why, seen, self.whole) }
    }
}
