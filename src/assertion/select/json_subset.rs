//! JSON that must be held by other JSON: of a mapping the keys that are written, of a list every entry in its order.

use std::fmt::Write as _;

use serde_json::Value;

use crate::assertion::content::{json, same};
use crate::assertion::describe::short;
use crate::source::Node;
use crate::variables::{Filling, Late};

/// What a value must hold, or be (SPEC 7.2, `args` and `result`).
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// What is written.
    pub value: Value,
    /// Whether nothing more may be there.
    pub exact: bool,
}

/// How many ways in which a value differs are told.
const TOLD: usize = 10;

/// One way in which a value differs from what is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Where in the value; empty for the whole.
    pub(crate) path: String,
    /// What is wanted there; `None` where nothing may be.
    pub(crate) expected: Option<String>,
    /// What is there.
    pub(crate) found: Option<String>,
}

/// The ways in which a value differs, the first of them in words.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    pub(crate) told: Vec<Difference>,
    /// How many there are in all.
    pub(crate) count: usize,
    /// How many values are not as they must be: a mapping that is missing is all that it should hold.
    pub(crate) weight: usize,
}

impl Partial {
    pub(crate) fn compile(
        written: Option<&Node>,
        exact: bool,
        filling: &mut Filling<'_>,
    ) -> Late<Option<Self>> {
        match Late::optional(written.map(|node| filling.json(node))) {
            Late::Ready(value) => Late::Ready(value.map(|value| Self { value, exact })),
            Late::Pending => Late::Pending,
        }
    }

    /// What is wanted of `whole` (`arguments`, `result`), in words.
    pub(crate) fn describe(&self, article: &str, whole: &str) -> String {
        let shown = json(&self.value);
        match (&self.value, self.exact) {
            (Value::Object(_) | Value::Array(_), false) => format!("{article}{whole} holding `{shown}`"),
            _ => format!("the {whole} `{shown}`"),
        }
    }

    /// How many values are wanted.
    pub(crate) fn weight(&self) -> usize {
        leaves(&self.value)
    }

    /// In which ways `found` differs.
    pub(crate) fn differences(&self, found: &Value) -> Differences {
        let mut differences = Differences::default();
        self.compare(&self.value, found, &mut String::new(), &mut differences);
        differences
    }

    fn compare(&self, wanted: &Value, found: &Value, path: &mut String, out: &mut Differences) {
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

/// How many values a value holds, itself where it holds none.
fn leaves(value: &Value) -> usize {
    let sum = match value {
        Value::Object(entries) => entries.values().map(leaves).sum(),
        Value::Array(items) => items.iter().map(leaves).sum(),
        _ => 1,
    };
    sum.max(1)
}

/// Does something one key further in.
fn within(path: &mut String, key: &str, what: impl FnOnce(&mut String)) {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(&short(key));
    what(path);
    path.truncate(length);
}

impl Differences {
    fn add(&mut self, path: &str, expected: Option<String>, found: Option<String>) {
        self.add_in_words(path, expected.map(|expected| format!("`{expected}`")), found);
    }

    fn add_in_words(&mut self, path: &str, expected: Option<String>, found: Option<String>) {
        self.count += 1;
        if self.told.len() < TOLD {
            self.told.push(Difference { path: path.to_owned(), expected, found });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(wanted: Value, exact: bool, found: &Value) -> Vec<String> {
        let differences = Partial { value: wanted, exact }.differences(found);
        assert!(differences.count >= differences.told.len());
        let path = |difference: Difference| {
            let Difference { path, expected, found } = difference;
            format!("{path}: {} / {}", expected.unwrap_or_default(), found.unwrap_or_default())
        };
        differences.told.into_iter().map(path).collect()
    }

    #[test]
    fn mappings_hold_and_lists_are_the_same_length() {
        let found = json!({"a": 1, "b": {"c": [1, {"d": 2, "e": 3}]}, "f": null});
        for held in [
            json!({}),
            json!({"a": 1.0}),
            json!({"b": {"c": [1, {"d": 2}]}}),
            json!({"b": {"c": [1, {}]}, "f": null}),
        ] {
            assert_eq!(paths(held.clone(), false, &found), [""; 0], "{held}");
            assert_ne!(paths(held.clone(), true, &found), [""; 0], "{held} is not all");
        }
        assert_eq!(paths(found.clone(), true, &found), [""; 0]);
        assert_eq!(paths(json!({"b": {"c": [1]}}), false, &found), ["b.c: 1 entry / [1,{\"d\":2,\"e\":3}]"]);
        assert_eq!(paths(json!({"b": {"c": [1, {"d": "2"}]}}), false, &found), ["b.c[1].d: `\"2\"` / 2"]);
        assert_eq!(paths(json!({"g": 1}), false, &found), ["g: `1` / "]);
        assert_eq!(paths(json!([1]), false, &found).len(), 1);
        assert_eq!(paths(json!({"a": 1}), true, &json!({"a": 1, "b": 2})), ["b:  / 2"]);
    }

    #[test]
    fn the_ways_are_counted_and_the_first_are_told() {
        let wanted: Value = (0..50).map(|key| (format!("k{key}"), json!(1))).collect();
        let differences = Partial { value: wanted, exact: false }.differences(&json!({}));
        assert_eq!((differences.told.len(), differences.count), (10, 50));
    }
}
