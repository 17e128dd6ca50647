//! JSON that other JSON must contain: of a mapping the keys that are written, of a list every entry in its order.

use std::fmt::Write as _;

use serde_json::Value;

use crate::assertion::content::same;
use crate::assertion::describe::{json, short};
use crate::source::Node;
use crate::variables::{Filling, Late};

/// What a value must contain, or be equal to (SPEC 7.2, `args` and `result`).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JsonSubset {
    /// What is written.
    pub(super) value: Value,
    /// Whether it must be equal.
    exact: bool,
}

/// How many differences are shown.
const MOST_SHOWN: usize = 10;

/// One difference between a value and what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JsonDifference {
    /// Where in the value; empty for the whole.
    pub(super) path: String,
    /// What is expected there; `None` if nothing is.
    pub(super) expected: Option<String>,
    /// What was found there.
    pub(super) found: Option<String>,
}

/// The differences of a value, the first of them in words.
#[derive(Debug, Default)]
pub(super) struct JsonDifferences {
    pub(super) shown: Vec<JsonDifference>,
    /// How many there are in all.
    pub(super) count: usize,
    /// How many values differ: a missing mapping counts as all that it should contain.
    pub(super) weight: usize,
}

impl JsonSubset {
    pub(super) fn compile(
        written: Option<&Node>,
        exact: bool,
        filling: &mut Filling<'_>,
    ) -> Late<Option<Self>> {
        match Late::optional(written.map(|node| filling.json(node))) {
            Late::Ready(value) => Late::Ready(value.map(|value| Self { value, exact })),
            Late::Pending => Late::Pending,
        }
    }

    /// What is expected of `whole` (`arguments`, `result`), in words.
    pub(super) fn describe(&self, article: &str, whole: &str) -> String {
        let shown = json(&self.value);
        match (&self.value, self.exact) {
            (Value::Object(_) | Value::Array(_), false) => format!("{article}{whole} holding `{shown}`"),
            _ => format!("the {whole} `{shown}`"),
        }
    }

    /// How many values are expected.
    pub(super) fn weight(&self) -> usize {
        leaves(&self.value)
    }

    /// The differences between `found` and what is expected.
    pub(super) fn differences(&self, found: &Value) -> JsonDifferences {
        let mut differences = JsonDifferences::default();
        self.compare(&self.value, found, &mut String::new(), &mut differences);
        differences
    }

    fn compare(&self, wanted: &Value, found: &Value, path: &mut String, out: &mut JsonDifferences) {
        match (wanted, found) {
            (Value::Object(wanted), Value::Object(found)) => {
                for (key, wanted) in wanted {
                    within(path, key, |path| {
                        if let Some(found) = found.get(key) {
                            self.compare(wanted, found, path, out);
                        } else {
                            out.weight += leaves(wanted);
                            out.add(path, Some(json(wanted)), None);
                        }
                    });
                }
                let more = found.iter().filter(|(key, _)| self.exact && !wanted.contains_key(*key));
                for (key, found) in more {
                    out.weight += 1;
                    within(path, key, |path| out.add(path, None, Some(json(found))));
                }
            }
            (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
                for (index, (wanted, found)) in wanted.iter().zip(found).enumerate() {
                    let length = path.len();
                    let _ = write!(path, "[{index}]");
                    self.compare(wanted, found, path, out);
                    path.truncate(length);
                }
            }
            (Value::Array(wanted), Value::Array(_)) => {
                out.weight += wanted.iter().map(leaves).sum::<usize>().max(1);
                let entries = if wanted.len() == 1 { "entry" } else { "entries" };
                let expected = format!("{} {entries}", wanted.len());
                out.add_in_words(path, Some(expected), Some(json(found)));
            }
            _ if same(wanted, found) => {}
            _ => {
                out.weight += leaves(wanted);
                out.add(path, Some(json(wanted)), Some(json(found)));
            }
        }
    }
}

/// How many values a value contains, itself if it contains none.
fn leaves(value: &Value) -> usize {
    let sum = match value {
        Value::Object(entries) => entries.values().map(leaves).sum(),
        Value::Array(items) => items.iter().map(leaves).sum(),
        _ => 1,
    };
    sum.max(1)
}

/// Runs `what` with the path one key further in.
fn within(path: &mut String, key: &str, what: impl FnOnce(&mut String)) {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(&short(key));
    what(path);
    path.truncate(length);
}

impl JsonDifferences {
    fn add(&mut self, path: &str, expected: Option<String>, found: Option<String>) {
        self.add_in_words(path, expected.map(|expected| format!("`{expected}`")), found);
    }

    fn add_in_words(&mut self, path: &str, expected: Option<String>, found: Option<String>) {
        self.count += 1;
        if self.shown.len() < MOST_SHOWN {
            self.shown.push(JsonDifference { path: path.to_owned(), expected, found });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(wanted: Value, exact: bool, found: &Value) -> Vec<String> {
        let differences = JsonSubset { value: wanted, exact }.differences(found);
        assert!(differences.count >= differences.shown.len());
        let path = |difference: JsonDifference| {
            let JsonDifference { path, expected, found } = difference;
            format!("{path}: {} / {}", expected.unwrap_or_default(), found.unwrap_or_default())
        };
        differences.shown.into_iter().map(path).collect()
    }

    #[test]
    fn mappings_contain_and_lists_are_the_same_length() {
        let found = json!({"a": 1, "b": {"c": [1, {"d": 2, "e": 3}]}, "f": null});
        for contained in [
            json!({}),
            json!({"a": 1.0}),
            json!({"b": {"c": [1, {"d": 2}]}}),
            json!({"b": {"c": [1, {}]}, "f": null}),
        ] {
            assert_eq!(paths(contained.clone(), false, &found), [""; 0], "{contained}");
            assert_ne!(paths(contained.clone(), true, &found), [""; 0], "{contained} is not all");
        }
        assert_eq!(paths(found.clone(), true, &found), [""; 0]);
        assert_eq!(paths(json!({"b": {"c": [1]}}), false, &found), ["b.c: 1 entry / [1,{\"d\":2,\"e\":3}]"]);
        assert_eq!(paths(json!({"b": {"c": [1, {"d": "2"}]}}), false, &found), ["b.c[1].d: `\"2\"` / 2"]);
        assert_eq!(paths(json!({"g": 1}), false, &found), ["g: `1` / "]);
        assert_eq!(paths(json!([1]), false, &found).len(), 1);
        assert_eq!(paths(json!({"a": 1}), true, &json!({"a": 1, "b": 2})), ["b:  / 2"]);
    }

    #[test]
    fn differences_are_counted_and_the_first_are_shown() {
        let wanted: Value = (0..50).map(|key| (format!("k{key}"), json!(1))).collect();
        let differences = JsonSubset { value: wanted, exact: false }.differences(&json!({}));
        assert_eq!((differences.shown.len(), differences.count), (10, 50));
    }
}
