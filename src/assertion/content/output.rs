//! `output`: what the agent's last message must be, as text or as the JSON in it.

use serde_json::Value;

use super::embedded_json;
use super::value_condition::{ValueCondition, Wanted, type_name};
use super::value_matcher::ValueMatcher;
use crate::assertion::collector::Collector;
use crate::assertion::describe::{said, short};
use crate::assertion::judge::{Detailed, Finding, Judgement, Monitor, View, at_scope_end};
use crate::assertion::rule::{Kind, Rule};
use crate::diagnostic::{Code, Spanned};
use crate::model::{AssertBlock, TextOf, ValueRule, ValueType};
use crate::source::NodeValue;
use crate::variables::{Filling, Patterns};

pub(crate) const PATH: &str = "output";

/// What messages call the text.
const TEXT: &str = "the last message";

/// What messages call the JSON in it.
const JSON: &str = "the JSON of the last message";

/// What the last message must be: its text, or a value in the JSON that it is or contains.
#[derive(Clone, Debug, PartialEq)]
struct OutputRule {
    /// The value, and what it must be; without a path it is the text.
    condition: ValueCondition,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for written in collector.switched(PATH, block.output.as_ref()).into_iter().flatten() {
        collector.add(written.span, |filling| OutputRule::compile(written, filling));
    }
}

impl OutputRule {
    fn compile(written: &Spanned<ValueRule>, filling: &mut Filling<'_>) -> Option<Self> {
        let ValueRule { path: None, equals, value_type, .. } = &written.value else {
            return ValueCondition::compile(written, filling).map(|condition| Self { condition });
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
        ValueCondition::compile(written, filling).map(|condition| Self { condition })
    }

    fn whole(&self) -> &'static str {
        if self.condition.path.is_some() { JSON } else { TEXT }
    }
}

impl Rule for OutputRule {
    fn path(&self) -> &'static str {
        PATH
    }

    fn kind(&self) -> Kind {
        Kind::Requirement
    }

    fn describe(&self) -> String {
        let ValueCondition { path, wanted, negated, .. } = &self.condition;
        match (path, wanted, negated) {
            (None, Wanted::Exists, false) => "a last message".to_owned(),
            (None, Wanted::Exists, true) => "no last message".to_owned(),
            _ => self.condition.describe(self.whole()),
        }
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let check = OutputCheck {
            expects_json: self.condition.path.is_some(),
            may_be_silent: self.condition.negated,
            has_schema: matches!(self.condition.wanted, Wanted::Fit(_)),
            expected: self.describe(),
            whole: self.whole(),
            matcher: ValueMatcher::start(&self.condition, patterns)?,
        };
        Ok(at_scope_end(move |view| check.check(view)))
    }
}

/// Checks the last message that is not empty.
struct OutputCheck {
    expects_json: bool,
    /// Whether no text passes: it is not what it must not be.
    may_be_silent: bool,
    has_schema: bool,
    expected: String,
    whole: &'static str,
    matcher: ValueMatcher,
}

impl OutputCheck {
    fn check(&self, view: &View<'_>) -> Judgement {
        let text = view.text(TextOf::Final);
        if text.is_empty() {
            if self.may_be_silent && !self.expects_json {
                return Judgement::Passed;
            }
            let why = format!("the agent said nothing in {}", view.scope.this());
            return Judgement::failed(self.absent(&why, Vec::new()));
        }
        if !self.expects_json {
            return self.check_text(text);
        }
        match embedded_json::find(&text) {
            Ok(value) => self.matcher.mismatch(&value, self.whole).into(),
            Err(why) => Judgement::failed(self.absent(&format!("{TEXT} {why}"), vec![said(&short(&text))])),
        }
    }

    fn check_text(&self, text: String) -> Judgement {
        let mut words = vec![said(&short(&text))];
        let text = Value::String(text);
        if self.matcher.mismatch(&text, self.whole).is_none() {
            return Judgement::Passed;
        }
        words.extend(self.matcher.differences(&text).into_iter().flatten());
        // The message itself is easier to read than the same as a string of JSON.
        let finding = self.absent(&format!("{TEXT} is not as it must be"), words);
        let help = "a text is no JSON: `path: \"$\"` takes the JSON in it";
        let help = self.has_schema.then(|| help.to_owned());
        Judgement::Detailed(Box::new(Detailed { finding, difference: None, help }))
    }

    fn absent(&self, why: &str, words: Vec<String>) -> Finding {
        let expected = self.expected.clone();
        Finding { expected, ..self.matcher.absent(why, words, self.whole) }
    }
}
