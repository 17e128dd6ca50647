//! The conditions on the result of a call that is selected.

use serde_json::Value;

use super::json_subset::{JsonComparison, JsonSubset};
use super::path_conditions::{ConditionMiss, PathConditions};
use super::{ArgumentReading, Mismatches, mismatches::Whole};
use crate::describe::{self, short};
use crate::values::{CompiledCondition, NearMiss, Purpose};
use ananke_base::diagnostic::Code;
use ananke_model::model::{CallSelector, CallStatus, ResultMatch, ResultWhere, Text};
use ananke_model::variables::{Interpolation, Pattern, Patterns};
use ananke_trace::outcome::JsonFocus;
use ananke_trace::trace::{Fact, Facts, ToolCall, ToolResult};

/// Conditions on a result; a call is selected if all match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ResultConditions {
    /// The JSON that it must contain.
    json: Option<JsonSubset>,
    /// The pattern it must match.
    pub(crate) matching: Option<Pattern>,
    /// The condition that it must meet.
    condition: Option<CompiledCondition>,
    /// The conditions that values in it must meet.
    parts: PathConditions,
    /// The pattern it must not match.
    not_matching: Option<Pattern>,
    /// Whether it must be an error, or must not be one.
    pub(crate) is_error: Option<bool>,
    /// The status that the call must have.
    status: Option<CallStatus>,
}

impl ResultConditions {
    /// Checks and fills the conditions; `None` if something is known later or was reported.
    pub(super) fn compile(
        written: &CallSelector,
        unwanted: Option<&Text>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let json = JsonSubset::compile(
            written.result.as_ref(),
            JsonComparison::of(written),
            interpolation,
        );
        let (whole, parts) = match &written.result_match {
            Some(ResultMatch::Whole(text)) => (Some(text), None),
            Some(ResultMatch::Parts(parts)) => (None, Some(parts)),
            None => (None, None),
        };
        let matching = whole.map(|text| interpolation.value_pattern(text));
        let not_matching = unwanted.map(|text| interpolation.value_pattern(text));
        let (condition, conditions) = match &written.result_where {
            Some(ResultWhere::Whole(condition)) => {
                let compiled =
                    CompiledCondition::compile(&condition.value, condition.span, interpolation);
                (compiled.map(Some), None)
            }
            Some(ResultWhere::Parts(conditions)) => (Some(None), Some(conditions)),
            None => (Some(None), None),
        };
        let parts = PathConditions::compile(parts, conditions, interpolation);
        Some(Self {
            json: json.ok()?,
            matching: matching.transpose().ok()?,
            condition: condition?,
            parts: parts?,
            not_matching: not_matching.transpose().ok()?,
            is_error: written.is_error,
            status: written.status.as_ref().map(|status| status.value),
        })
    }

    /// The JSON that it must contain.
    pub(super) fn json(&self) -> Option<&JsonSubset> {
        self.json.as_ref()
    }

    /// Whether every call matches.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The facts that they rest on.
    pub(crate) fn needs(&self) -> Facts {
        let ends = self.is_error.is_some()
            || matches!(self.status, Some(CallStatus::Executed | CallStatus::Denied));
        Facts::NONE
            .with((!self.is_empty()).then_some(Fact::Results))
            .with(ends.then_some(Fact::CallEnds))
    }

    /// Whether the call must have no result.
    pub(crate) fn is_pending(&self) -> bool {
        self.status == Some(CallStatus::Pending)
    }

    /// Whether they ask whether the call was executed, and nothing about its result.
    pub(crate) fn is_execution_alone(&self) -> bool {
        [CallStatus::Executed, CallStatus::Pending]
            .into_iter()
            .any(|status| {
                let alone = Self {
                    status: Some(status),
                    ..Self::default()
                };
                *self == alone
            })
    }

    /// Whether a call that matches may no longer do so later: it is answered, or its result turns out to be a failure.
    pub(crate) fn is_provisional(&self) -> bool {
        self.is_error == Some(false)
            || matches!(
                self.status,
                Some(CallStatus::Pending | CallStatus::Executed)
            )
    }

    /// Whether a call that failed or was denied is meant to match, or not to.
    pub(crate) fn says_how_it_ended(&self) -> bool {
        self.is_error.is_some() || self.status.is_some()
    }

    /// Whether the result of a call matches, or nearly does.
    pub(super) fn nearly_match(&self, call: &ToolCall, near: &mut NearMiss) -> bool {
        let about_end = Self {
            is_error: self.is_error,
            status: self.status,
            not_matching: self.not_matching.clone(),
            ..Self::default()
        };
        let mut mismatches = Mismatches::default();
        about_end.mismatches(call, call.result(), ArgumentReading::Last, &mut mismatches);
        if mismatches.count() > 0 {
            return false;
        }
        let about_value = Self {
            is_error: None,
            status: None,
            not_matching: None,
            ..self.clone()
        };
        if about_value.is_empty() {
            return true;
        }
        let Some(result) = call.result() else {
            return false;
        };
        let value = result.value();
        if let Some(json) = self
            .json
            .as_ref()
            .filter(|json| !is_same_text(json, result))
            && !json.is_nearly(&value, Whole::Result, near)
        {
            return false;
        }
        if let Some(pattern) = &self.matching
            && !pattern.is_match(&result.text)
            && !near.matches(pattern, &value, "")
        {
            return false;
        }
        if let Some(condition) = &self.condition
            && !condition.is_met(Some(&value), Purpose::Require)
            && !near.meets_here(condition, &value, "")
        {
            return false;
        }
        self.parts.are_nearly_met(&value, near)
    }

    /// Whether every call that matches these surely matches `fewer`.
    pub(crate) fn include(&self, fewer: &Self) -> bool {
        let Self {
            json,
            matching,
            condition,
            parts,
            not_matching,
            is_error,
            status,
        } = fewer;
        (json.is_none() || json == &self.json)
            && (matching.is_none() || matching == &self.matching)
            && (condition.is_none() || condition == &self.condition)
            && self.parts.include(parts)
            && (not_matching.is_none() || not_matching == &self.not_matching)
            && (is_error.is_none() || is_error == &self.is_error)
            && (status.is_none() || status == &self.status)
    }

    /// The same conditions, each alone.
    pub(super) fn each(&self) -> Vec<Self> {
        let Self {
            json,
            matching,
            condition,
            parts,
            not_matching,
            is_error,
            status,
        } = self.clone();
        let all = [
            Self {
                json,
                ..Self::default()
            },
            Self {
                matching,
                ..Self::default()
            },
            Self {
                condition,
                ..Self::default()
            },
            Self {
                parts,
                ..Self::default()
            },
            Self {
                not_matching,
                ..Self::default()
            },
            Self {
                is_error,
                ..Self::default()
            },
            Self {
                status,
                ..Self::default()
            },
        ];
        all.into_iter().filter(|alone| !alone.is_empty()).collect()
    }

    /// The same conditions without those on how the call ended.
    pub(super) fn without_end(&self) -> Self {
        Self {
            is_error: None,
            status: None,
            ..self.clone()
        }
    }

    /// Each condition in words.
    pub(crate) fn describe(&self) -> Vec<String> {
        let pattern = |word: &str, pattern: &Pattern| {
            format!("a result {word} `{}`", short(pattern.as_str()))
        };
        [
            self.json.as_ref().map(|json| json.describe(Whole::Result)),
            self.matching
                .as_ref()
                .map(|matching| pattern("matching", matching)),
            self.where_in_words(),
            self.not_matching
                .as_ref()
                .map(|not_matching| pattern("not matching", not_matching)),
            self.is_error.map(|is_error| {
                let words = if is_error {
                    "an error as its result"
                } else {
                    "a result that is not an error"
                };
                words.to_owned()
            }),
            self.status
                .map(|status| format!("the status `{}`", word(status))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The JSON that it must contain or be equal to, as it is shown.
    pub(crate) fn written_json(&self) -> Option<String> {
        self.json.as_ref().map(|json| describe::json(&json.value))
    }

    /// The conditions on the result, or on values in it, in words: ``a result with `total` at most 100``.
    pub(crate) fn where_in_words(&self) -> Option<String> {
        if let Some(condition) = &self.condition {
            return Some(format!("a result {}", condition.describe()));
        }
        let parts: Vec<String> = self.parts.describe().collect();
        (!parts.is_empty()).then(|| format!("a result with {}", parts.join(" and ")))
    }

    /// The author's own words for a failure.
    pub(super) fn message(&self) -> Option<&str> {
        let whole = self.condition.as_ref().and_then(CompiledCondition::message);
        whole.or_else(|| self.parts.message())
    }

    /// The places in the result that are looked at.
    pub(super) fn focus(&self) -> Vec<JsonFocus> {
        self.json
            .iter()
            .flat_map(JsonSubset::focus)
            .chain(self.parts.focus())
            .collect()
    }

    /// Compiles the patterns.
    pub(super) fn start(&mut self, patterns: &mut Patterns) -> Result<(), regex::Error> {
        self.parts.start(patterns)?;
        if let Some(condition) = &mut self.condition {
            condition.start(patterns)?;
        }
        let mut own = [&mut self.matching, &mut self.not_matching]
            .into_iter()
            .flatten();
        own.try_for_each(|pattern| pattern.start(patterns))
    }

    /// Adds the ways in which `call` does not match, if `result` is its result.
    pub(super) fn mismatches(
        &self,
        call: &ToolCall,
        result: Option<&ToolResult>,
        reading: ArgumentReading,
        mismatches: &mut Mismatches,
    ) {
        let Self {
            json,
            matching,
            condition,
            parts,
            not_matching,
            is_error,
            status: _,
        } = self;
        if self.is_empty() {
            return;
        }
        let Some(result) = result else {
            if call.hides_result() && self.is_pending() {
                return mismatches.add(differs(CallStatus::Executed, CallStatus::Pending));
            }
            let is_met = if call.hides_result() {
                self.is_execution_alone()
            } else {
                self.is_pending()
            };
            if !is_met {
                let conditions = [
                    matching.is_some(),
                    condition.is_some(),
                    !parts.is_empty(),
                    not_matching.is_some(),
                    is_error.is_some(),
                ];
                let conditions = conditions.into_iter().filter(|is_there| *is_there).count();
                let weight = json.as_ref().map_or(0, JsonSubset::weight) + conditions;
                let expected = json.as_ref().map(JsonSubset::brief);
                mismatches.add_at(Whole::Result, whole(expected), weight.max(1));
            }
            return;
        };
        let is_other_form = |form: &ToolResult| {
            let mut of_form = Mismatches::default();
            self.mismatches_of(form, reading.purpose(), &mut of_form);
            of_form.count() == 0
        };
        if !result.forms().skip(1).any(is_other_form) {
            self.mismatches_of(result, reading.purpose(), mismatches);
        }
    }

    /// Adds the ways in which one form of a result does not match.
    fn mismatches_of(&self, result: &ToolResult, purpose: Purpose, mismatches: &mut Mismatches) {
        let Self {
            json,
            matching,
            condition,
            parts,
            not_matching,
            is_error,
            status,
        } = self;
        if let Some(json) = json.as_ref().filter(|json| !is_same_text(json, result)) {
            json.compare(&result.value(), Whole::Result, mismatches);
        }
        if let Some(pattern) = matching
            .as_ref()
            .filter(|pattern| !pattern.is_match(&result.text))
        {
            let expected = format!("a match of `{}`", short(pattern.as_str()));
            mismatches.add_at(Whole::Result, whole(Some(expected)), 1);
        }
        if let Some(condition) = condition
            && !condition.is_met_as(&result.value(), &result.text, purpose)
        {
            mismatches.add_at(
                Whole::Result,
                whole(Some(condition.expected(Some(&result.value())))),
                1,
            );
        }
        for ConditionMiss { place, .. } in parts.mismatches(&result.value(), purpose) {
            mismatches.add_at(Whole::Result, place, 1);
        }
        if let Some(pattern) = not_matching
            .as_ref()
            .filter(|pattern| pattern.is_match(&result.text))
        {
            let expected = format!("no match of `{}`", short(pattern.as_str()));
            mismatches.add_at(Whole::Result, whole(Some(expected)), 1);
        }
        // A result of which the protocol does not say so is no error.
        let failed = result.is_error == Some(true);
        match is_error {
            Some(true) if !failed => mismatches.add("the result is not an error".to_owned()),
            Some(false) if failed => mismatches.add("the result is an error".to_owned()),
            _ => {}
        }
        let found = if result.is_denied {
            CallStatus::Denied
        } else {
            CallStatus::Executed
        };
        if let Some(status) = status.filter(|status| *status != found) {
            mismatches.add(differs(found, status));
        }
    }
}

fn differs(found: CallStatus, expected: CallStatus) -> String {
    format!(
        "the call is `{}`, expected `{}`",
        word(found),
        word(expected)
    )
}

/// The result as a whole, and what is expected instead.
fn whole(expected: Option<String>) -> JsonFocus {
    JsonFocus {
        path: Vec::new(),
        expected,
    }
}

/// Reports what cannot be meant together with a `status`.
pub(super) fn check_status(
    written: &CallSelector,
    unwanted: Option<&Text>,
    interpolation: &mut Interpolation<'_>,
) {
    let Some(status) = &written.status else {
        return;
    };
    let on_result = [
        ("result", written.result.is_some()),
        ("result_match", written.result_match.is_some()),
        ("result_where", written.result_where.is_some()),
        ("result_not_match", unwanted.is_some()),
        ("is_error", written.is_error.is_some()),
    ];
    let mut report = |message: &str| {
        let help = "keep one of the two".to_owned();
        interpolation.report(Code::Contradiction, status.span, message, Some(help));
    };
    if let (CallStatus::Pending, Some((key, _))) = (
        status.value,
        on_result.into_iter().find(|(_, is_there)| *is_there),
    ) {
        report(&format!(
            "a pending call has no result, which `{key}` looks at"
        ));
    }
    if status.value == CallStatus::Denied && written.is_error == Some(false) {
        report("the result of a denied call is an error, which `is_error: false` excludes");
    }
}

/// Whether a text in quotes is the text of the result: `42` may have been a number or a text.
fn is_same_text(json: &JsonSubset, result: &ToolResult) -> bool {
    matches!(&json.value, Value::String(wanted) if *wanted == result.text)
}

fn word(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Pending => "pending",
        CallStatus::Executed => "executed",
        CallStatus::Denied => "denied",
    }
}
