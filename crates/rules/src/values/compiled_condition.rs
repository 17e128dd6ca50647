//! The conditions on one value: all of a mapping together, and the mistakes in it.

use serde_json::Value;

use super::bound::{BoundSide, ValueBound};
use super::contradiction::contradiction;
use super::expected_value::{ExpectedValue, ValueComparison, text_of};
use super::{CallCount, schema};
use crate::describe::short;
use ananke_base::diagnostic::{Code, Span};
use ananke_model::model::{self, ValueType};
use ananke_model::variables::{Fill as _, Interpolation, Pattern, Patterns};

/// The schema version in which several conditions can be combined.
const SEVERAL: (u32, u32) = (1, 4);

/// The conditions of which an entry had one before.
const SINGLE: &str = "`equals`, `one_of`, `contains`, `match`, `type`, `exists` and `schema`";

/// The keys of which a mapping has at least one.
const CONDITIONS: &str = "`equals`, `one_of`, `contains`, `match`, `type`, `exists`, `schema`, `min`, `max`, `above`, `below` and `length`";

/// Conditions on one value (SPEC 7.2): all of them must be met, or, negated, not all of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CompiledCondition {
    all: Vec<ExpectedValue>,
    /// Whether they must not be met together.
    is_negated: bool,
    /// The author's own words for a failure.
    message: Option<String>,
}

/// The purpose of a condition, which decides about values that cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A value must meet it: one that is missing or cannot be compared does not, negated or not.
    Require,
    /// No value may meet it: one that is missing or cannot be compared does not meet the condition, so it meets the negated one.
    Forbid,
}

impl CompiledCondition {
    /// One condition.
    #[cfg(test)]
    pub(crate) fn of(expected: ExpectedValue, is_negated: bool) -> Self {
        Self {
            all: vec![expected],
            is_negated,
            message: None,
        }
    }

    /// The condition that there is a value.
    pub(crate) fn exists(message: Option<String>) -> Self {
        Self {
            all: vec![ExpectedValue::Exists],
            is_negated: false,
            message,
        }
    }

    /// The condition that a value matches.
    pub(crate) fn matching(pattern: Pattern) -> Self {
        Self {
            all: vec![ExpectedValue::Match(pattern)],
            is_negated: false,
            message: None,
        }
    }

    /// Checks and fills the mapping at `span`; `None` if something is known later or was reported.
    pub(crate) fn compile(
        written: &model::ValueCondition,
        span: Span,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let is_negated = is_negated(written);
        if is_negated {
            for node in written.equals.iter().chain(written.one_of.iter().flatten()) {
                interpolation.check_prohibited(node);
            }
        }
        let all = expectations(written, interpolation);
        let message = written.message.fill(interpolation);
        let is_well_formed = has_allowed_number(all.len(), span, interpolation);
        let all: Vec<ExpectedValue> = all.into_iter().collect::<Option<_>>()?;
        if !is_well_formed {
            return None;
        }
        if let Some(message) = contradiction(written, &all, interpolation) {
            let help = "correct one of them, or drop it".to_owned();
            interpolation.report(Code::Contradiction, span, message, Some(help));
            return None;
        }
        Some(Self {
            all,
            is_negated,
            message: message.ok()?,
        })
    }

    /// Compiles the patterns.
    ///
    /// # Errors
    /// If one compiles to more than is allowed.
    pub(crate) fn start(&mut self, patterns: &mut Patterns) -> Result<(), regex::Error> {
        self.all.iter_mut().try_for_each(|expected| match expected {
            ExpectedValue::Match(pattern) => pattern.start(patterns),
            _ => Ok(()),
        })
    }

    /// The only expectation and whether it is negated; `None` if there are several.
    pub(crate) fn single(&self) -> Option<(&ExpectedValue, bool)> {
        match self.all.as_slice() {
            [only] => Some((only, self.is_negated)),
            _ => None,
        }
    }

    /// The conditions, before they are negated.
    pub(super) fn all(&self) -> &[ExpectedValue] {
        &self.all
    }

    /// Whether the conditions must not be met.
    pub(crate) fn is_negated(&self) -> bool {
        self.is_negated
    }

    /// Whether one of the conditions is a schema.
    pub(crate) fn has_schema(&self) -> bool {
        let is_schema = |expected: &ExpectedValue| matches!(expected, ExpectedValue::Fit(_));
        self.all.iter().any(is_schema)
    }

    /// The way in which a text is not as expected, after its name.
    pub(crate) fn unmet_text(&self) -> String {
        let words = match self.single() {
            Some((expected, false)) => expected.unmet_text(),
            Some((expected, true)) => expected.met_text(),
            None => None,
        };
        words.unwrap_or_else(|| format!("is not as expected, expected {}", self.briefly()))
    }

    /// The author's own words for a failure.
    pub(crate) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Whether a value, or its absence, meets the conditions.
    pub(crate) fn is_met(&self, found: Option<&Value>, purpose: Purpose) -> bool {
        let Some(found) = found else {
            let is_absence = self.single() == Some((&ExpectedValue::Exists, true));
            return is_absence || self.is_negated && purpose == Purpose::Forbid;
        };
        self.is_met_as(found, &text_of(found), purpose)
    }

    /// Whether a value that is written as `text` meets the conditions.
    pub(crate) fn is_met_as(&self, found: &Value, text: &str, purpose: Purpose) -> bool {
        match self.compare(found, text) {
            ValueComparison::Met => !self.is_negated,
            ValueComparison::Unmet(_) => self.is_negated,
            ValueComparison::Incomparable => self.is_negated && purpose == Purpose::Forbid,
        }
    }

    /// The ways in which a value does not meet the conditions, if there are words for them; `None` if it meets them.
    pub(crate) fn differences(&self, found: &Value) -> Option<Vec<String>> {
        match self.compare(found, &text_of(found)) {
            ValueComparison::Met if self.is_negated => Some(Vec::new()),
            ValueComparison::Unmet(words) if !self.is_negated => Some(words),
            ValueComparison::Met | ValueComparison::Unmet(_) => None,
            ValueComparison::Incomparable => Some(vec![self.comparable().to_owned()]),
        }
    }

    /// The comparison with all conditions together, before it is negated.
    fn compare(&self, found: &Value, text: &str) -> ValueComparison {
        let mut is_met = true;
        let mut differences = Vec::new();
        for expected in &self.all {
            match expected.compare(found, text) {
                ValueComparison::Met => {}
                ValueComparison::Unmet(words) => {
                    is_met = false;
                    differences.extend(words);
                }
                ValueComparison::Incomparable => return ValueComparison::Incomparable,
            }
        }
        if is_met {
            ValueComparison::Met
        } else {
            ValueComparison::Unmet(differences)
        }
    }

    /// The values that can be compared, for one that cannot.
    fn comparable(&self) -> &'static str {
        let comparing = self.all.iter().find_map(|expected| match expected {
            ExpectedValue::Type(_) => None,
            expected => expected.types(),
        });
        match comparing {
            Some([ValueType::Number]) => "only numbers can be compared",
            Some([ValueType::String]) => "only dates and date-times of ISO 8601 can be compared",
            _ => "only texts, lists and mappings have a length",
        }
    }

    /// The conditions after the name of the value: ``equal to `5` ``, `not above 3`.
    pub(crate) fn describe(&self) -> String {
        match (self.all.as_slice(), self.is_negated) {
            ([only], true) => only.describe("not "),
            (all, false) => joined(all.iter().map(|expected| expected.describe(""))),
            (all, true) => {
                let all = joined(all.iter().map(|expected| expected.describe("")));
                format!("not ({all})")
            }
        }
    }

    /// The expectation, after the place and the value that was found there.
    pub(crate) fn briefly(&self) -> String {
        match (self.all.as_slice(), self.is_negated) {
            ([only], true) => only.negated_briefly(),
            (all, false) => joined(all.iter().map(ExpectedValue::briefly)),
            (all, true) => format!("not ({})", joined(all.iter().map(ExpectedValue::briefly))),
        }
    }

    /// The expectation of what is `found`, with the reason why that cannot be compared and with the author's own words.
    pub(crate) fn expected(&self, found: Option<&Value>) -> String {
        let comparison = found.map(|found| self.compare(found, &text_of(found)));
        let reason = match comparison {
            Some(ValueComparison::Incomparable) => Some(self.comparable()),
            _ => None,
        };
        let message = self.message.as_deref().map(short);
        let remarks: Vec<&str> = reason.into_iter().chain(message.as_deref()).collect();
        if remarks.is_empty() {
            return self.briefly();
        }
        format!("{} ({})", self.briefly(), remarks.join("; "))
    }
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" and ")
}

/// The conditions that are written; one is `None` if something of it is known later or was reported.
fn expectations(
    written: &model::ValueCondition,
    interpolation: &mut Interpolation<'_>,
) -> Vec<Option<ExpectedValue>> {
    let mut all = Vec::new();
    if let Some(node) = &written.equals {
        all.push(interpolation.json(node).ok().map(ExpectedValue::Equal));
    }
    if let Some(nodes) = &written.one_of {
        all.push(nodes.fill(interpolation).ok().map(ExpectedValue::OneOf));
    }
    if let Some(text) = &written.contains {
        interpolation.check_literal(text);
        let filled = if is_negated(written) {
            interpolation.prohibited_text(text)
        } else {
            interpolation.text(text)
        };
        let filled = filled.ok();
        all.push(filled.and_then(|filled| contained(filled, text.span, interpolation)));
    }
    if let Some(text) = &written.matches {
        all.push(
            interpolation
                .value_pattern(text)
                .ok()
                .map(ExpectedValue::Match),
        );
    }
    all.extend(
        written
            .value_type
            .map(|kind| Some(ExpectedValue::Type(kind))),
    );
    all.extend(written.exists.map(|_| Some(ExpectedValue::Exists)));
    if let Some(node) = &written.schema {
        all.push(schema::compile(node, interpolation).map(ExpectedValue::Fit));
    }
    for (bound, side) in [
        (&written.min, BoundSide::Min),
        (&written.max, BoundSide::Max),
        (&written.above, BoundSide::Above),
        (&written.below, BoundSide::Below),
    ] {
        if let Some(bound) = bound {
            all.push(ValueBound::compile(bound, side, interpolation).map(ExpectedValue::Bound));
        }
    }
    if let Some(length) = &written.length {
        let later = CallCount::as_written(&length.value, interpolation);
        all.push(match later {
            Some(words) => Some(ExpectedValue::LaterLength(words)),
            None => CallCount::compile(&length.value, length.span, interpolation)
                .map(ExpectedValue::Length),
        });
    }
    all
}

/// Whether the conditions must not be met together.
fn is_negated(written: &model::ValueCondition) -> bool {
    written.not.unwrap_or_default() != (written.exists == Some(false))
}

/// The text that must occur, or must not. Each text contains an empty one, which is reported.
fn contained(
    filled: String,
    span: Span,
    interpolation: &mut Interpolation<'_>,
) -> Option<ExpectedValue> {
    if filled.is_empty() {
        let message = "every text contains an empty text";
        let help = "write the expected text, or remove the entry";
        interpolation.report(Code::EmptyValue, span, message, Some(help.to_owned()));
        return None;
    }
    Some(ExpectedValue::Contain(filled))
}

/// Whether there is a condition, and not more than the version of the file allows; else it is reported.
fn has_allowed_number(count: usize, span: Span, interpolation: &mut Interpolation<'_>) -> bool {
    if count == 0 {
        let problem = "nothing says what the value must be";
        let help = format!("add one of {CONDITIONS}");
        interpolation.report(Code::MissingKey, span, problem, Some(help));
        return false;
    }
    if count > 1 && !interpolation.source().is_since(SEVERAL) {
        let problem = format!("an entry takes one of {SINGLE}, not several");
        let help = "write one entry for each of them: all must pass".to_owned();
        interpolation.report(Code::Contradiction, span, problem, Some(help));
        return false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::fakes::compile;
    use serde_json::json;

    fn condition(yaml: &str) -> Result<CompiledCondition, Vec<String>> {
        compile(yaml, |written: &model::ValueCondition, interpolation| {
            CompiledCondition::compile(written, Span::default(), interpolation)
        })
    }

    fn is_met(yaml: &str, found: &str, purpose: Purpose) -> bool {
        let found: Option<Value> =
            (!found.is_empty()).then(|| serde_json::from_str(found).expect(found));
        condition(yaml).expect(yaml).is_met(found.as_ref(), purpose)
    }

    #[test]
    fn each_word_is_met_by_some_values_and_not_by_others() {
        for (yaml, met, unmet) in [
            ("equals: 5", "5.0", "\"5\""),
            ("one_of: [a, 5]", "5", "\"b\""),
            ("contains: b", "\"abc\"", "\"ac\""),
            ("contains: '1,2'", "[1,2]", "[12]"),
            ("match: ^a", "\"abc\"", "\"ba\""),
            ("type: object", "{}", "[]"),
            ("exists: true", "null", ""),
            ("exists: false", "", "null"),
            ("schema: { minimum: 3 }", "3", "2"),
            ("min: 3", "3", "2.999"),
            ("max: 3", "3.0", "3.0001"),
            ("above: 3", "3.0001", "3"),
            ("below: 3", "2.999", "3"),
            (
                "above: 9007199254740992",
                "9007199254740993",
                "9007199254740992",
            ),
            (
                "max: 9007199254740992",
                "9007199254740992",
                "9007199254740993",
            ),
            ("min: 0.1", "0.1", "0.09999999999999999"),
            ("min: -5", "-5", "-5.5"),
            ("{ min: 3, below: 5 }", "3", "5"),
            ("{ min: 3, below: 5, not: true }", "5", "4"),
            (
                "min: 2026-11-21",
                "\"2026-11-21T00:00:00-11:00\"",
                "\"2026-11-20\"",
            ),
            (
                "max: 2026-11-21T12:00:00Z",
                "\"2026-11-21T13:00:00+01:00\"",
                "\"2026-11-21T12:00:01\"",
            ),
            ("length: 3", "\"äöü\"", "[1, 2]"),
            ("length: 2", "{\"a\": 1, \"b\": 2}", "\"a\""),
            ("length: { min: 1, max: 2 }", "[1]", "[]"),
            ("length: 0", "\"\"", "\" \""),
            (
                "{ type: string, length: { max: 3 }, match: ^a }",
                "\"abc\"",
                "\"abcd\"",
            ),
            ("{ equals: 5, not: true }", "6", "5"),
            ("{ exists: false, not: true }", "1", ""),
        ] {
            for purpose in [Purpose::Require, Purpose::Forbid] {
                assert!(is_met(yaml, met, purpose), "{yaml}: {met} {purpose:?}");
                assert!(!is_met(yaml, unmet, purpose), "{yaml}: {unmet} {purpose:?}");
            }
        }
    }

    #[test]
    fn what_is_missing_or_cannot_be_compared_meets_nothing_that_is_required() {
        for (yaml, found) in [
            ("min: 3", ""),
            ("min: 3", "\"4\""),
            ("min: 3", "null"),
            ("min: 3", "true"),
            ("min: 3", "[4]"),
            ("max: 3", "\"2026-11-21\""),
            ("max: 2026-11-21", "5"),
            ("max: 2026-11-21", "\"soon\""),
            ("length: { max: 3 }", "5"),
            ("length: { max: 3 }", "null"),
            ("equals: 5", ""),
            ("match: x", ""),
        ] {
            let negated = format!("{{ {yaml}, not: true }}");
            assert!(!is_met(yaml, found, Purpose::Require), "{yaml}: {found}");
            assert!(
                !is_met(&negated, found, Purpose::Require),
                "{negated}: {found}"
            );
            // What must not be outside of a range is outside of it if it is nothing that the range contains.
            assert!(!is_met(yaml, found, Purpose::Forbid), "{yaml}: {found}");
            assert!(
                is_met(&negated, found, Purpose::Forbid),
                "{negated}: {found}"
            );
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn conditions_are_described_and_mistakes_in_them_are_reported() {
        for (yaml, expected) in [
            ("{ min: 40, max: 100 }", Ok("at least 40 and at most 100")),
            ("{ above: 1.50, not: true }", Ok("not above 1.50")),
            (
                "{ min: 1, max: 5, not: true }",
                Ok("not (at least 1 and at most 5)"),
            ),
            ("length: { min: 2 }", Ok("of length at least 2")),
            ("length: 3", Ok("of length 3")),
            ("max: 2026-12-31", Ok("at most 2026-12-31")),
            (
                "{ type: string, match: x }",
                Ok("matching `x` and of type string"),
            ),
            ("{}", Err("nothing says what the value must be")),
            ("not: true", Err("nothing says what the value must be")),
            (
                "{ min: 5, max: 4 }",
                Err("no value is at least 5 and at most 4"),
            ),
            (
                "{ above: 5, max: 5.0 }",
                Err("no value is at most 5.0 and above 5"),
            ),
            (
                "{ min: 5, below: 5 }",
                Err("no value is at least 5 and below 5"),
            ),
            (
                "{ min: 5, max: 2026-01-01 }",
                Err("`min` and `max` are of two kinds: one is a number, the other a date"),
            ),
            (
                "{ min: 2026-02-01, max: 2026-01-01 }",
                Err("no value is at least 2026-02-01 and at most 2026-01-01"),
            ),
            (
                "{ type: string, min: 5 }",
                Err("no value is of type string and at least 5"),
            ),
            (
                "{ min: 5, length: 3 }",
                Err("no value is at least 5 and of length 3"),
            ),
            (
                "{ equals: 3, min: 5 }",
                Err("no value is equal to `3` and at least 5"),
            ),
            (
                "{ one_of: [1, 2], above: 2 }",
                Err("no value is equal to one of `1`, `2` and above 2"),
            ),
            (
                "{ exists: false, min: 5 }",
                Err("a value that must not exist cannot meet another condition"),
            ),
            (
                "min: soon",
                Err("`min` must be a number, or a date or date-time of ISO 8601, found `\"soon\"`"),
            ),
            (
                "min: '40'",
                Err("`min` must be a number, or a date or date-time of ISO 8601, found `\"40\"`"),
            ),
            (
                "length: { min: 3, max: 2 }",
                Err("`min` 3 is larger than `max` 2"),
            ),
            ("length: {}", Err("nothing says how many")),
            ("contains: ''", Err("every text contains an empty text")),
        ] {
            let found = condition(yaml).map(|condition| condition.describe());
            let found = found.map_err(|problems| problems.join("; "));
            assert_eq!(
                found,
                expected.map(str::to_owned).map_err(str::to_owned),
                "{yaml}"
            );
        }
        for yaml in [
            "{ min: 5, max: 5 }",
            "{ min: 2026-01-01, max: 2026-01-01 }",
            "{ type: number, min: 5 }",
            "{ type: string, min: 2026-01-01, length: 10 }",
            "{ equals: 5, min: 5 }",
            "{ one_of: [1, 5], min: 5 }",
            "{ exists: true, min: 5 }",
        ] {
            assert!(condition(yaml).is_ok(), "{yaml}");
        }
    }

    #[test]
    fn a_value_that_is_not_finite_is_neither_a_number_nor_a_text() {
        let read = ananke_trace::trace::read_json("NaN")
            .expect("it is read")
            .value;
        for yaml in ["min: 3", "length: 3", "max: 2026-11-21"] {
            let condition = condition(yaml).expect(yaml);
            assert!(!condition.is_met(Some(&read), Purpose::Require), "{yaml}");
        }
        assert!(
            condition("min: 3")
                .expect("valid")
                .is_met(Some(&json!(3)), Purpose::Require)
        );
    }
}
