//! Near misses of values: a value that is not what is written, and that a person would take for it (SPEC 7.2).
//!
//! A written and a found value flow in; the ways in which they nearly match come out in words. **Invariant:** what is negated, a
//! type, a schema, a length and what stands under `exact` has no near misses.

use serde_json::{Number, Value};

use super::compiled_condition::CompiledCondition;
use super::expected_value::{ExpectedValue, ValueComparison, text_of};
use crate::describe::{json, short, yaml_key};
use ananke_base::source::is_same_number;
use ananke_model::variables::Pattern;
use ananke_trace::outcome::brief;
use ananke_trace::trace::{Path, is_same_json};

/// The ways in which a call nearly matches, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NearMiss {
    reasons: Vec<String>,
    /// The place of the first number that is compared with a text or a pattern, and that number as it is written.
    number: Option<(String, String)>,
}

impl NearMiss {
    /// All of them; `None` if there is none, since the call then simply matches.
    pub(crate) fn words(self) -> Option<String> {
        (!self.reasons.is_empty()).then(|| self.reasons.join(", and "))
    }

    /// The condition that compares the first number by its value: `amount: { min: 20, max: 20 }`.
    pub(crate) fn by_value(&self) -> Option<String> {
        let (place, number) = self.number.as_ref()?;
        let bounds = format!("{{ min: {number}, max: {number} }}");
        Some(match place.as_str() {
            "" => bounds,
            place => format!("{{ {}: {bounds} }}", yaml_key(place)),
        })
    }

    fn add(&mut self, place: &str, words: &str) {
        let subject = if place.is_empty() {
            "it".to_owned()
        } else {
            format!("`{}`", short(place))
        };
        self.reasons.push(format!("{subject} {words}"));
    }

    /// Whether `found` contains `wanted`, or nearly does; `place` leads to it.
    pub(crate) fn contains(&mut self, wanted: &Value, found: &Value, place: &str) -> bool {
        match (wanted, found) {
            (Value::Object(wanted), Value::Object(found)) => {
                for (key, wanted) in wanted {
                    let inner = Path::within(place, key);
                    let Some((name, found)) = entry_of(found, key) else {
                        return false;
                    };
                    if name != key {
                        self.add(&inner, &format!("is spelled `{}` in the call", short(name)));
                    }
                    if !self.contains(wanted, found, &inner) {
                        return false;
                    }
                }
                true
            }
            (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
                let mut pairs = wanted.iter().zip(found).enumerate();
                pairs.all(|(index, (wanted, found))| {
                    self.contains(wanted, found, &Path::within(place, &index.to_string()))
                })
            }
            (Value::Array(wanted), Value::Array(found)) => {
                let is_within = !wanted.is_empty() && is_part_of(wanted, found);
                if is_within {
                    let words = format!("is a list of {} that contains these", found.len());
                    self.add(place, &words);
                }
                is_within
            }
            _ => is_same_json(wanted, found) || self.is_spelled(wanted, found, place),
        }
    }

    /// Whether one of two values is a text that spells the other.
    fn is_spelled(&mut self, wanted: &Value, found: &Value, place: &str) -> bool {
        let kind = match (wanted, found) {
            (Value::String(text), other) if spells(text, other) => "not a text",
            (Value::Number(_), Value::String(text)) if spells(text, wanted) => {
                "a text, not a number"
            }
            (Value::Bool(_), Value::String(text)) if spells(text, wanted) => {
                "a text, not a Boolean"
            }
            _ => return false,
        };
        if let (Value::String(text), Value::Number(_)) = (wanted, found) {
            let number = (place.to_owned(), text.clone());
            self.number.get_or_insert(number);
        }
        self.add(place, &format!("is `{}`, {kind}", brief(found)));
        true
    }

    /// Whether the value at `path` meets the condition, or nearly does.
    pub(crate) fn meets(
        &mut self,
        condition: &CompiledCondition,
        path: &Path,
        whole: &Value,
    ) -> bool {
        if condition.is_negated() {
            return false;
        }
        let mut place = String::new();
        let mut found = whole;
        for part in path.parts() {
            place = Path::within(&place, part);
            let inner = match found {
                Value::Object(entries) => entry_of(entries, part),
                Value::Array(items) => part
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| Some((part, items.get(index)?))),
                _ => None,
            };
            let Some((name, value)) = inner else {
                return false;
            };
            if name != part {
                self.add(&place, &format!("is spelled `{}` in the call", short(name)));
            }
            found = value;
        }
        self.meets_here(condition, found, path.as_str())
    }

    /// Whether a value meets the condition, or nearly does.
    pub(crate) fn meets_here(
        &mut self,
        condition: &CompiledCondition,
        found: &Value,
        place: &str,
    ) -> bool {
        if condition.is_negated() {
            return false;
        }
        condition.all().iter().all(|expected| {
            expected.compare(found, &text_of(found)) == ValueComparison::Met
                || self.nearly(expected, found, place)
        })
    }

    /// Whether a value that is not as expected nearly is.
    fn nearly(&mut self, expected: &ExpectedValue, found: &Value, place: &str) -> bool {
        match expected {
            ExpectedValue::Equal(wanted) => {
                // A mapping that has more keys is another value.
                let is_near = !(wanted.is_object() || found.is_object());
                is_near && self.contains(wanted, found, place)
            }
            ExpectedValue::OneOf(all) => all
                .iter()
                .any(|wanted| self.is_spelled(wanted, found, place)),
            ExpectedValue::Match(pattern) => self.matches(pattern, found, place),
            ExpectedValue::Contain(part) => {
                let is_near = elements_of(found).any(|text| text.contains(part.as_str()));
                if is_near {
                    self.add(place, "has it in an element of a list");
                }
                is_near
            }
            ExpectedValue::Bound(_) => {
                let Value::String(text) = found else {
                    return false;
                };
                let Some(number) = number_of(text) else {
                    return false;
                };
                let is_near =
                    expected.compare(&Value::Number(number), text) == ValueComparison::Met;
                if is_near {
                    self.add(
                        place,
                        &format!("is `{}`, a text, not a number", brief(found)),
                    );
                }
                is_near
            }
            ExpectedValue::Type(_)
            | ExpectedValue::Exists
            | ExpectedValue::Fit(_)
            | ExpectedValue::Length(_)
            | ExpectedValue::LaterLength(_) => false,
        }
    }

    /// Whether a pattern that does not match a value matches an element of it, or the whole number that it is.
    pub(crate) fn matches(&mut self, pattern: &Pattern, found: &Value, place: &str) -> bool {
        if elements_of(found).any(|text| pattern.is_match(&text)) {
            self.add(place, "is a list, and the pattern matches an element of it");
            return true;
        }
        let Some(whole) = without_fraction(found).filter(|whole| pattern.is_match(whole)) else {
            return false;
        };
        let words = format!(
            "is `{}`, which the pattern matches as `{whole}`",
            json(found)
        );
        self.add(place, &words);
        self.number.get_or_insert((place.to_owned(), whole));
        true
    }
}

/// The entry of this key, or of the one that differs from it in letter case alone.
fn entry_of<'v>(
    entries: &'v serde_json::Map<String, Value>,
    key: &str,
) -> Option<(&'v String, &'v Value)> {
    if let Some(same) = entries.get_key_value(key) {
        return Some(same);
    }
    let folded = key.to_lowercase();
    entries
        .iter()
        .find(|(name, _)| name.to_lowercase() == folded)
}

/// Whether a longer list contains the entries, in their order.
fn is_part_of(wanted: &[Value], found: &[Value]) -> bool {
    let mut rest = found.iter();
    wanted.len() < found.len()
        && wanted
            .iter()
            .all(|wanted| rest.any(|found| NearMiss::default().contains(wanted, found, "")))
}

/// Whether a text spells a number or a Boolean, in any letter case.
fn spells(text: &str, value: &Value) -> bool {
    match value {
        Value::Bool(is_true) => text.trim().eq_ignore_ascii_case(&is_true.to_string()),
        Value::Number(number) => {
            number_of(text).is_some_and(|spelled| is_same_number(&spelled, number))
        }
        _ => false,
    }
}

fn number_of(text: &str) -> Option<Number> {
    text.trim().parse().ok()
}

/// The elements of a list, as patterns look at them.
fn elements_of(value: &Value) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
    value.as_array().into_iter().flatten().map(text_of)
}

/// A whole number that is written with a fraction, without it: `5.0` as `5`.
fn without_fraction(value: &Value) -> Option<String> {
    let text = value.as_number()?.to_string();
    let (whole, fraction) = text.split_once('.')?;
    let is_whole = !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0');
    is_whole.then(|| whole.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::select::fakes::{answered, call, selector};

    /// The reason why a call with these arguments is nearly selected.
    fn near(written: &str, args: &str) -> Option<String> {
        let yaml = format!("{{ name: pay, {written} }}");
        selector(&yaml).expect(&yaml).near_miss(&call(args, []))
    }

    #[test]
    fn another_spelling_is_a_near_miss_with_a_reason() {
        for (written, args, reason) in [
            (
                "args: { amount: 5 }",
                r#"{"amount": "5.0"}"#,
                "`amount` is `\"5.0\"`, a text, not a number",
            ),
            (
                "args: { amount: '5' }",
                r#"{"amount": 5}"#,
                "`amount` is `5`, not a text",
            ),
            (
                "args: { force: true }",
                r#"{"force": "True"}"#,
                "`force` is `\"True\"`, a text, not a Boolean",
            ),
            (
                "args: { ids: [b, d] }",
                r#"{"ids": ["a", "b", "c", "d"]}"#,
                "`ids` is a list of 4 that contains these",
            ),
            (
                "args: { order: { id: 7 } }",
                r#"{"Order": {"ID": 7}}"#,
                "`order` is spelled `Order` in the call, and `order.id` is spelled `ID` in the call",
            ),
            (
                "args_match: { amount: '^5$' }",
                r#"{"amount": 5.0}"#,
                "`amount` is `5.0`, which the pattern matches as `5`",
            ),
            (
                "args_match: { tags: '^vip$' }",
                r#"{"tags": ["new", "vip"]}"#,
                "`tags` is a list, and the pattern matches an element of it",
            ),
            (
                "args_where: { amount: { above: 100 } }",
                r#"{"amount": "1000"}"#,
                "`amount` is `\"1000\"`, a text, not a number",
            ),
            (
                "args_where: { currency: { one_of: [1, 2] } }",
                r#"{"Currency": "2"}"#,
                "`currency` is spelled `Currency` in the call, and `currency` is `\"2\"`, a text, not a number",
            ),
        ] {
            assert_eq!(near(written, args).as_deref(), Some(reason), "{written}");
        }
    }

    #[test]
    fn what_is_selected_or_differs_more_is_no_near_miss() {
        for (written, args) in [
            ("args: { amount: 5 }", r#"{"amount": 5}"#),
            ("args: { amount: 5 }", r#"{"amount": "6"}"#),
            ("args: { amount: 5 }", r#"{"amount": "five"}"#),
            (
                "args: { amount: 5, id: a }",
                r#"{"amount": "5", "id": "b"}"#,
            ),
            ("args: { ids: [b, a] }", r#"{"ids": ["a", "b", "c"]}"#),
            ("args: { ids: [] }", r#"{"ids": ["a"]}"#),
            ("exact: true, args: { amount: 5 }", r#"{"amount": "5"}"#),
            ("args_match: { amount: '^5$' }", r#"{"amount": 5.5}"#),
            (
                "args_where: { amount: { equals: 5, not: true } }",
                r#"{"amount": "5"}"#,
            ),
            (
                "args_where: { amount: { type: number } }",
                r#"{"amount": "5"}"#,
            ),
            ("args: { amount: 5 }", "{"),
            ("is_error: true", "{}"),
        ] {
            assert_eq!(near(written, args), None, "{written} {args}");
        }
    }

    #[test]
    fn a_result_has_near_misses_too() {
        let call = call("{}", [answered("{\"ok\":\"true\",\"n\":[1,2]}", None)]);
        for (written, is_near) in [
            ("result: { ok: true }", true),
            ("result: { ok: true }, is_error: true", false),
            ("result_match: { n: '^2$' }", true),
            ("result_where: { ok: { equals: true } }", true),
            ("result: { n: [2, 3] }", false),
        ] {
            let yaml = format!("{{ name: pay, {written} }}");
            let selector = selector(&yaml).expect(&yaml);
            assert_eq!(selector.near_miss(&call).is_some(), is_near, "{written}");
        }
    }
}
