//! Conditions on parts of a JSON value: of the arguments of a call, or of its result.

use serde_json::Value;

use super::path_patterns::at;
use crate::describe::short;
use crate::values::{CompiledCondition, ExpectedValue, NearMiss, Purpose, text_of};
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_base::source::FreeMap;
use ananke_model::model::{Text, ValuesWhere};
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::outcome::{JsonFocus, brief};
use ananke_trace::trace::{Args, Path, ToolCall};

/// Paths in a value and the conditions on what is there (SPEC 7.2, `args_match` and `args_where`); all must be met.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PathConditions(Vec<(Path, CompiledCondition)>);

/// An argument, or a value in a result, that does not meet its condition.
pub(crate) struct ConditionMiss {
    /// The mismatch, in words.
    words: String,
    /// The value.
    pub(super) place: JsonFocus,
}

impl PathConditions {
    /// Checks and fills patterns and conditions; `None` if something is known later or was reported.
    pub fn compile(
        patterns: Option<&FreeMap<Text>>,
        conditions: Option<&ValuesWhere>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        if let Some(Spanned { value, span }) = conditions
            && value.iter().next().is_none()
        {
            report_empty(*span, interpolation);
        }
        // Everything is looked at, so that every problem is reported.
        let mut compiled = Vec::new();
        for (key, text) in patterns.into_iter().flatten() {
            let pattern = interpolation.value_pattern(text).ok();
            compiled.push((
                Path::of_key(key, interpolation).ok(),
                pattern.map(CompiledCondition::matching),
            ));
        }
        for (key, condition) in conditions.iter().flat_map(|all| &all.value) {
            let condition =
                CompiledCondition::compile(&condition.value, condition.span, interpolation);
            compiled.push((Path::of_key(key, interpolation).ok(), condition));
        }
        let compiled = compiled
            .into_iter()
            .map(|(path, condition)| Some((path?, condition?)));
        compiled.collect::<Option<_>>().map(Self)
    }

    /// Compiles the patterns.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn start(&mut self, patterns: &mut Patterns) -> Result<(), regex::Error> {
        self.0
            .iter_mut()
            .try_for_each(|(_, condition)| condition.start(patterns))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every value that meets these also meets `fewer`.
    pub(crate) fn include(&self, fewer: &Self) -> bool {
        fewer.0.iter().all(|condition| self.0.contains(condition))
    }

    /// Each condition in words: `` `amount` at least 40 ``.
    pub(crate) fn describe(&self) -> impl Iterator<Item = String> + '_ {
        self.0
            .iter()
            .map(|(path, condition)| format!("`{}` {}", path.as_str(), condition.describe()))
    }

    /// The author's own words for a failure, of the first condition that has some.
    pub(crate) fn message(&self) -> Option<&str> {
        self.0.iter().find_map(|(_, condition)| condition.message())
    }

    /// The reason why the call's arguments do not meet the conditions; `None` if they do.
    pub fn mismatch(&self, call: &ToolCall) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        match call.args() {
            Args::Json(value) => self
                .mismatches(value, Purpose::Require)
                .next()
                .map(|miss| miss.words),
            Args::Malformed(error) => Some(format!("the arguments are not valid JSON: {error}")),
        }
    }

    /// Whether each value meets its condition, or nearly does.
    pub(super) fn are_nearly_met(&self, whole: &Value, near: &mut NearMiss) -> bool {
        self.0.iter().all(|(path, condition)| {
            condition.is_met(path.find(whole), Purpose::Require)
                || near.meets(condition, path, whole)
        })
    }

    /// The values that are looked at.
    pub(super) fn focus(&self) -> impl Iterator<Item = JsonFocus> + '_ {
        self.0.iter().map(|(path, _)| at(path, None))
    }

    /// Each value that does not meet its condition.
    pub(super) fn mismatches<'m>(
        &'m self,
        whole: &'m Value,
        purpose: Purpose,
    ) -> impl Iterator<Item = ConditionMiss> + 'm {
        let unmet = self.0.iter().filter_map(move |(path, condition)| {
            let found = path.find(whole);
            (!condition.is_met(found, purpose)).then_some((path, condition, found))
        });
        unmet.map(|(path, condition, found)| {
            let expected = condition.expected(found);
            let shown = path.as_str();
            let words = match (found, condition.single()) {
                (None, _) => format!("the argument `{shown}` is missing"),
                (Some(found), Some((ExpectedValue::Match(pattern), false))) => format!(
                    "argument `{shown}` is `{}`, which does not match `{}`",
                    short(&text_of(found)),
                    short(pattern.as_str())
                ),
                (Some(found), _) => {
                    format!(
                        "argument `{shown}` is `{}`, expected {expected}",
                        brief(found)
                    )
                }
            };
            ConditionMiss {
                words,
                place: at(path, Some(expected)),
            }
        })
    }

    /// Whether there is a condition, and each is a pattern that finds something in a text.
    pub(super) fn all_find(&self, text: &str) -> bool {
        let finds = |condition: &CompiledCondition| match condition.single() {
            Some((ExpectedValue::Match(pattern), false)) => pattern.is_match(text),
            Some((ExpectedValue::Contain(part), false)) => text.contains(part.as_str()),
            _ => false,
        };
        !self.0.is_empty() && self.0.iter().all(|(_, condition)| finds(condition))
    }
}

/// Reports a mapping without a path.
pub(super) fn report_empty(span: Span, interpolation: &mut Interpolation<'_>) {
    let message = "a mapping without a path says nothing about any value";
    let help = "add a path and its condition, as in `amount: { min: 40 }`, or drop the key";
    interpolation.report(Code::EmptyValue, span, message, Some(help.to_owned()));
}
