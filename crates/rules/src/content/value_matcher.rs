//! Compares values with conditions, and says in words what does not match.

use std::borrow::Cow;

use serde_json::Value;

use super::value_condition::{ExpectedValue, ValueCondition};
use crate::describe::{json, short};
use crate::evaluation::{Evidence, Finding, schema_mismatches};
use ananke_base::text::nearest;
use ananke_model::model::ValueType;
use ananke_trace::outcome::{ComparedValue, JsonFocus, ValueDifference, brief, surrounded};
use ananke_trace::trace::{Path, is_same_json};

impl ValueCondition {
    /// The mismatch of `value`, which is all of `whole` (`the state`); `None` if there is none.
    pub(super) fn mismatch(
        &self,
        value: &Value,
        of: ComparedValue,
        whole: &str,
    ) -> Option<Finding> {
        let Self {
            path, is_negated, ..
        } = self;
        let found = path.as_ref().map_or(Some(value), |path| path.find(value));
        let why = found.map_or(Some(Vec::new()), |found| self.differences(found));
        if why.is_none() != *is_negated {
            return None;
        }
        let path = path.as_ref().filter(|path| !path.is_whole());
        let place = path
            .map(|path| format!(" at `{}`", path.as_str()))
            .unwrap_or_default();
        let is = if path.is_some() { "has" } else { "is" };
        let (expected, briefly) = (self.describe(whole), self.briefly());
        let own = match found {
            Some(found) => format!("{whole} {is} `{}`{place}, expected {briefly}", brief(found)),
            None => format!("{whole} has nothing{place}, expected {briefly}"),
        };
        let words = match (found, path) {
            (None, Some(path)) => around_path(path, value, whole),
            (Some(_), Some(path)) => {
                let words = why.unwrap_or_default();
                self.parent(path, value, whole)
                    .into_iter()
                    .chain(words)
                    .collect()
            }
            _ => why.unwrap_or_default(),
        };
        let difference = ValueDifference {
            event: None,
            of,
            path: path.map(|path| path.parts().to_vec()).unwrap_or_default(),
            expected: briefly,
            actual: found.map(brief),
        };
        Some(Finding {
            differences: vec![difference],
            ..self.finding(
                own,
                expected,
                words.into_iter().map(Evidence::Words).collect(),
            )
        })
    }

    /// The mapping or list around a value that is not as it must be; `None` if it contains nothing else.
    fn parent(&self, path: &Path, value: &Value, whole: &str) -> Option<String> {
        let (way, parent, key) = path.parent(value)?;
        let entries = match parent {
            Value::Object(entries) => entries.len(),
            Value::Array(items) => items.len(),
            _ => 0,
        };
        let expected = match &self.wanted {
            ExpectedValue::Equal(wanted) if !self.is_negated => Some(json(wanted)),
            _ => None,
        };
        let focus = JsonFocus {
            path: vec![key.to_owned()],
            expected,
        };
        (entries > 1).then(|| is(&way, &surrounded(parent, &[focus]).text, whole))
    }

    /// The finding if there is no value, for the reason `why`.
    pub(super) fn absent(&self, why: &str, words: Vec<Evidence>, whole: &str) -> Finding {
        let own = format!("{why}, expected {}", self.briefly());
        self.finding(own, self.describe(whole), words)
    }

    fn finding(&self, own: String, expected: String, words: Vec<Evidence>) -> Finding {
        Finding::in_words(own, expected, words).in_words_of(self.message.as_deref())
    }

    /// In which ways a value is not what is expected, if there are words for them; `None` if it is.
    pub(super) fn differences(&self, found: &Value) -> Option<Vec<String>> {
        let is_it = match &self.wanted {
            ExpectedValue::Equal(wanted) => is_same_json(wanted, found),
            ExpectedValue::OneOf(all) => all.iter().any(|wanted| is_same_json(wanted, found)),
            ExpectedValue::Contain(text) => text_of(found).contains(text.as_str()),
            ExpectedValue::Match(pattern) => pattern.is_match(&text_of(found)),
            ExpectedValue::Type(wanted) => type_of(found) == *wanted,
            ExpectedValue::Exists => true,
            ExpectedValue::Fit(schema) => {
                let words = schema_mismatches(schema, found)
                    .into_iter()
                    .map(|mismatch| match mismatch.pointer.as_str() {
                        "" => mismatch.message,
                        pointer => format!("{}: {}", short(pointer), short(&mismatch.message)),
                    });
                return Some(words.collect()).filter(|words: &Vec<String>| !words.is_empty());
            }
        };
        (!is_it).then(Vec::new)
    }
}

/// The values that exist instead, if nothing is at a path.
fn around_path(path: &Path, value: &Value, whole: &str) -> Vec<String> {
    let (way, reached, missing) = path.reach(value);
    let meant = match (reached, missing) {
        (Value::Object(entries), Some(missing)) => nearest(missing, entries.keys()),
        _ => None,
    };
    let focus = meant.map(|key| JsonFocus {
        path: vec![key.clone()],
        expected: None,
    });
    let shown = surrounded(reached, focus.as_slice()).text;
    let question = meant.map(|key| format!("did you mean `{}`?", short(key)));
    [is(&way, &shown, whole)]
        .into_iter()
        .chain(question)
        .collect()
}

/// `` `cart` is `{"items": 3}` ``: the value at `way` in `whole`.
fn is(way: &str, shown: &str, whole: &str) -> String {
    if way.is_empty() {
        format!("{whole} is `{shown}`")
    } else {
        format!("`{}` is `{shown}`", short(way))
    }
}

/// The text that a pattern looks at: a string as it is, any other value as compact JSON.
pub(crate) fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

fn type_of(value: &Value) -> ValueType {
    match value {
        Value::Null => ValueType::Null,
        Value::Bool(_) => ValueType::Boolean,
        Value::Number(_) => ValueType::Number,
        Value::String(_) => ValueType::String,
        Value::Array(_) => ValueType::Array,
        Value::Object(_) => ValueType::Object,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_model::schema::ValueSchema;
    use serde_json::json;

    fn mismatch(
        wanted: ExpectedValue,
        path: Option<&str>,
        negated: bool,
        value: &Value,
    ) -> Option<Vec<String>> {
        let path = path.map(|path| Path::parse(path).unwrap());
        let condition = ValueCondition {
            path,
            wanted,
            is_negated: negated,
            message: None,
        };
        condition
            .mismatch(value, ComparedValue::State, "the state")
            .map(|finding| {
                let evidence = finding.evidence.into_iter().map(|evidence| match evidence {
                    Evidence::Said(words) | Evidence::Words(words) => words,
                    Evidence::Call { .. } => String::new(),
                });
                [finding.message].into_iter().chain(evidence).collect()
            })
    }

    #[test]
    fn numbers_and_keys_are_equal_by_what_they_mean() {
        let equal = |wanted: Value, found: Value| {
            mismatch(ExpectedValue::Equal(wanted), None, false, &found).is_none()
        };
        assert!(equal(
            json!({"a": 5, "b": [1.0]}),
            json!({"b": [1], "a": 5.0})
        ));
        assert!(equal(json!(u64::MAX), json!(u64::MAX)));
        assert!(!equal(json!(u64::MAX), json!(u64::MAX - 1)));
        assert!(!equal(json!("5"), json!(5)));
        assert!(!equal(json!({"a": 1}), json!({"a": 1, "b": 2})));
        assert!(!equal(json!([1, 2]), json!([2, 1])));
    }

    #[test]
    fn a_missing_path_is_reported_with_what_is_near() {
        let state = json!({"cart": {"items": 2, "total": 9}});
        let found = mismatch(
            ExpectedValue::Equal(json!(9)),
            Some("cart.totl"),
            false,
            &state,
        )
        .unwrap();
        assert_eq!(
            found,
            [
                "the state has nothing at `cart.totl`, expected `9`",
                "`cart` is `{\"items\": 2, \"total\": 9}`",
                "did you mean `total`?"
            ]
        );
        let found = mismatch(
            ExpectedValue::Equal(json!(3)),
            Some("cart.items"),
            false,
            &state,
        );
        assert_eq!(
            found.unwrap(),
            [
                "the state has `2` at `cart.items`, expected `3`",
                "`cart` is `{\"items\": 2 ≠ 3, \"total\": 9}`",
            ]
        );
        let found = mismatch(ExpectedValue::Exists, Some("x.y"), false, &json!([1])).unwrap();
        assert_eq!(found[1], "the state is `[1]`");
    }

    #[test]
    fn what_is_not_there_is_not_what_must_not_be() {
        let state = json!({"a": null});
        assert_eq!(
            mismatch(ExpectedValue::Equal(json!(1)), Some("b"), true, &state),
            None
        );
        assert_eq!(
            mismatch(ExpectedValue::Exists, Some("b"), true, &state),
            None
        );
        assert!(mismatch(ExpectedValue::Exists, Some("a"), true, &state).is_some());
        assert_eq!(
            mismatch(
                ExpectedValue::Type(ValueType::Null),
                Some("a"),
                false,
                &state
            ),
            None
        );
        assert!(
            mismatch(
                ExpectedValue::Type(ValueType::Null),
                Some("a"),
                true,
                &state
            )
            .is_some()
        );
    }

    #[test]
    fn a_schema_reports_each_mismatch() {
        let schema = ValueSchema::compile(
            json!({"properties": {"n": {"type": "number"}}, "required": ["m"]}),
        );
        let found = mismatch(
            ExpectedValue::Fit(schema.unwrap()),
            None,
            false,
            &json!({"n": "1"}),
        )
        .unwrap();
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
