//! JSON that other JSON must contain: of a mapping the keys that are written, of a list every entry in its order.

use serde_json::Value;

use super::{Mismatches, mismatches::Whole};
use crate::describe::json;
use crate::values::NearMiss;
use ananke_base::source::Node;
use ananke_model::model::CallSelector;
use ananke_model::variables::{Fill as _, Interpolation, Leaf};
use ananke_trace::outcome::{JsonFocus, brief};
use ananke_trace::trace::is_same_json;

/// The JSON that a value must contain, or be equal to (SPEC 7.2, `args` and `result`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct JsonSubset {
    /// The value as it is written.
    pub(super) value: Value,
    comparison: JsonComparison,
}

/// The comparison of a value with the one that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum JsonComparison {
    /// It must contain it.
    Contains,
    /// It must be equal (`exact`).
    Equals,
}

impl JsonComparison {
    /// The comparison of the keys of `written`.
    pub(super) fn of(written: &CallSelector) -> Self {
        if written.is_exact() {
            Self::Equals
        } else {
            Self::Contains
        }
    }
}

impl JsonSubset {
    pub(super) fn compile(
        written: Option<&Node>,
        comparison: JsonComparison,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<Option<Self>> {
        let value = written.fill(interpolation)?;
        Ok(value.map(|value| Self { value, comparison }))
    }

    /// Whether a value must be equal to it.
    pub(super) fn is_exact(&self) -> bool {
        self.comparison == JsonComparison::Equals
    }

    /// The expectation, in words.
    pub(super) fn describe(&self, whole: Whole) -> String {
        let shown = json(&self.value);
        let (article, noun) = match whole {
            Whole::Arguments => ("", "arguments"),
            Whole::Result => ("a ", "result"),
        };
        match (&self.value, self.comparison) {
            (Value::Object(_) | Value::Array(_), JsonComparison::Contains) => {
                format!("{article}{noun} containing `{shown}`")
            }
            _ => format!("the {noun} `{shown}`"),
        }
    }

    /// The places that are compared.
    pub(super) fn focus(&self) -> Vec<JsonFocus> {
        let mut places = Vec::new();
        leaf_paths(&self.value, &mut Vec::new(), &mut places);
        places
    }

    /// The expectation, as short JSON.
    pub(super) fn brief(&self) -> String {
        brief(&self.value)
    }

    /// The number of values that are expected.
    pub(super) fn weight(&self) -> usize {
        leaves(&self.value)
    }

    /// Whether `found` is as expected, or nearly is.
    pub(super) fn is_nearly(&self, found: &Value, whole: Whole, near: &mut NearMiss) -> bool {
        if self.is_exact() {
            let mut mismatches = Mismatches::default();
            self.compare(found, whole, &mut mismatches);
            return mismatches.count() == 0;
        }
        near.contains(&self.value, found, "")
    }

    /// Adds the differences between `found`, which is `whole` of a call, and what is expected.
    pub(super) fn compare(&self, found: &Value, whole: Whole, mismatches: &mut Mismatches) {
        SubsetWalk {
            is_exact: self.is_exact(),
            whole,
            path: Vec::new(),
            mismatches,
        }
        .compare(&self.value, found);
    }
}

/// A walk through two values.
struct SubsetWalk<'m> {
    is_exact: bool,
    whole: Whole,
    /// The keys and indexes that lead to where it is.
    path: Vec<String>,
    mismatches: &'m mut Mismatches,
}

impl SubsetWalk<'_> {
    fn compare(&mut self, wanted: &Value, found: &Value) {
        match (wanted, found) {
            (Value::Object(wanted), Value::Object(found)) => {
                for (key, wanted) in wanted {
                    self.within(key.clone(), |inner| match found.get(key) {
                        Some(found) => inner.compare(wanted, found),
                        None => inner.differs(&brief(wanted), leaves(wanted)),
                    });
                }
                let more = found
                    .keys()
                    .filter(|key| self.is_exact && !wanted.contains_key(*key));
                for key in more.collect::<Vec<_>>() {
                    self.within(key.clone(), |inner| inner.differs("(nothing)", 1));
                }
            }
            (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
                for (index, (wanted, found)) in wanted.iter().zip(found).enumerate() {
                    self.within(index.to_string(), |inner| inner.compare(wanted, found));
                }
            }
            (Value::Array(entries), Value::Array(_)) => {
                let noun = if entries.len() == 1 {
                    "entry"
                } else {
                    "entries"
                };
                self.differs(&format!("{} {noun}", entries.len()), leaves(wanted));
            }
            _ if is_same_json(wanted, found) => {}
            _ => self.differs(&brief(wanted), leaves(wanted)),
        }
    }

    /// Walks on inside the value of one key or index.
    fn within(&mut self, key: String, walk: impl FnOnce(&mut Self)) {
        self.path.push(key);
        walk(self);
        self.path.pop();
    }

    fn differs(&mut self, expected: &str, weight: usize) {
        let place = JsonFocus {
            path: self.path.clone(),
            expected: Some(expected.to_owned()),
        };
        self.mismatches.add_at(self.whole, place, weight);
    }
}

/// Adds the path to each value in `value` that contains no other, after `path`.
fn leaf_paths(value: &Value, path: &mut Vec<String>, places: &mut Vec<JsonFocus>) {
    let mut within = |key: String, value: &Value| {
        path.push(key);
        leaf_paths(value, path, places);
        path.pop();
    };
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            entries
                .iter()
                .for_each(|(key, value)| within(key.clone(), value));
        }
        Value::Array(items) if !items.is_empty() => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, value)| within(index.to_string(), value));
        }
        _ => places.push(JsonFocus {
            path: path.clone(),
            expected: None,
        }),
    }
}

/// The number of values in a value, itself if it contains none.
fn leaves(value: &Value) -> usize {
    let sum = match value {
        Value::Object(entries) => entries.values().map(leaves).sum(),
        Value::Array(items) => items.iter().map(leaves).sum(),
        _ => 1,
    };
    sum.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compare(value: Value, is_exact: bool, whole: Whole, found: &Value) -> Mismatches {
        let mut mismatches = Mismatches::default();
        let comparison = if is_exact {
            JsonComparison::Equals
        } else {
            JsonComparison::Contains
        };
        JsonSubset { value, comparison }.compare(found, whole, &mut mismatches);
        mismatches
    }

    #[test]
    fn what_is_contained_has_no_difference() {
        let found = json!({"a": 1, "b": {"c": [1, {"d": 2, "e": 3}]}, "f": null});
        for contained in [
            json!({}),
            json!({"a": 1.0}),
            json!({"b": {"c": [1, {"d": 2}]}}),
            json!({"b": {"c": [1, {}]}, "f": null}),
        ] {
            for (is_exact, expected) in [(false, 0), (true, 1)] {
                let differences = compare(contained.clone(), is_exact, Whole::Arguments, &found);
                assert_eq!(
                    differences.count().min(1),
                    expected,
                    "{contained}, exact: {is_exact}"
                );
            }
        }
        assert_eq!(
            compare(found.clone(), true, Whole::Result, &found).count(),
            0
        );
    }

    #[test]
    fn each_difference_says_where_it_is() {
        let found = json!({"a": 1, "b": {"c": [1, {"d": 2}]}});
        let rows = [
            (json!({"b": {"c": [1]}}), "b.c ≠ 1 entry", 1),
            (json!({"b": {"c": []}}), "b.c ≠ 0 entries", 1),
            (json!({"b": {"c": [1, {"d": "2"}]}}), "b.c.1.d ≠ \"2\"", 1),
            (
                json!({"g": {"h": 1, "i": 2}}),
                "g ≠ {\"h\": 1, \"i\": 2}",
                2,
            ),
            (json!([1]), " ≠ [1]", 1),
        ];
        for (wanted, expected, weight) in rows {
            let differences = compare(wanted, false, Whole::Arguments, &found);
            assert_eq!(
                (differences.lines(), differences.weight()),
                (vec![expected.to_owned()], weight)
            );
        }
        let rows = [
            (json!({"a": 2}), "result a ≠ 2"),
            (json!({"a": 1, "x": 1}), "result x ≠ 1"),
            (json!({}), "result a ≠ (nothing)"),
        ];
        for (wanted, expected) in rows {
            assert_eq!(
                compare(wanted, true, Whole::Result, &json!({"a": 1})).lines(),
                [expected]
            );
        }
    }

    #[test]
    fn differences_are_counted_and_the_first_are_shown() {
        let wanted: Value = (0..50).map(|key| (format!("k{key}"), json!(1))).collect();
        let differences = compare(wanted, false, Whole::Arguments, &json!({}));
        assert_eq!((differences.lines().len(), differences.count()), (11, 50));
    }
}
