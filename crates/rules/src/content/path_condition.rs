//! The conditions on a value of the last message or the state, and in words what does not meet them.

use serde_json::Value;

use crate::describe::{json, short};
use crate::evaluation::{Evidence, Finding};
use crate::values::{CompiledCondition, ExpectedValue};
use ananke_base::diagnostic::Spanned;
use ananke_base::text::nearest;
use ananke_model::model::ValueRule;
use ananke_model::variables::{Fill as _, Interpolation, Patterns};
use ananke_trace::outcome::{ComparedValue, JsonFocus, ValueDifference, brief, surrounded};
use ananke_trace::trace::Path;

/// Conditions on one value (SPEC 7.5).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PathCondition {
    /// The path of the value; without it the whole is meant.
    pub(super) path: Option<Path>,
    /// What it must be.
    pub(super) condition: CompiledCondition,
}

impl PathCondition {
    /// Checks and fills an entry; `None` if something is known later or was reported.
    pub(super) fn compile(
        written: &Spanned<ValueRule>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let path = written.value.path.fill(interpolation).ok();
        let condition = &written.value.condition;
        let condition = CompiledCondition::compile(condition, written.span, interpolation);
        Some(Self {
            path: path?,
            condition: condition?,
        })
    }

    /// The same condition with its patterns compiled.
    ///
    /// # Errors
    /// If one compiles to more than is allowed.
    pub(super) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let mut started = self.clone();
        started.condition.start(patterns)?;
        Ok(started)
    }

    /// The expectation of `whole` (`the state`), in words.
    pub(super) fn describe(&self, whole: &str) -> String {
        let path = self.path.as_ref().filter(|path| !path.is_whole());
        let Some(path) = path else {
            return format!("{whole} {}", self.condition.describe());
        };
        let path = path.as_str();
        match self.condition.single() {
            Some((ExpectedValue::Exists, false)) => format!("something at `{path}` in {whole}"),
            Some((ExpectedValue::Exists, true)) => format!("nothing at `{path}` in {whole}"),
            _ => format!("`{path}` in {whole} {}", self.condition.describe()),
        }
    }

    /// The mismatch of `value`, which is all of `whole` (`the state`); `None` if there is none.
    pub(super) fn mismatch(
        &self,
        value: &Value,
        of: ComparedValue,
        whole: &str,
    ) -> Option<Finding> {
        let Self { path, condition } = self;
        let found = path.as_ref().map_or(Some(value), |path| path.find(value));
        // A missing value is not what it must not be.
        let why = match found {
            Some(found) => condition.differences(found)?,
            None if condition.is_negated() => return None,
            None => Vec::new(),
        };
        let path = path.as_ref().filter(|path| !path.is_whole());
        let place = path
            .map(|path| format!(" at `{}`", path.as_str()))
            .unwrap_or_default();
        let is = if path.is_some() { "has" } else { "is" };
        let expected = self.describe(whole);
        let briefly = condition.briefly();
        let own = match found {
            Some(found) => format!("{whole} {is} `{}`{place}, expected {briefly}", brief(found)),
            None => format!("{whole} has nothing{place}, expected {briefly}"),
        };
        let words = match (found, path) {
            (None, Some(path)) => around_path(path, value, whole),
            (Some(_), Some(path)) => {
                let parent = self.parent(path, value, whole);
                parent.into_iter().chain(why).collect()
            }
            _ => why,
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
        let expected = match self.condition.single() {
            Some((ExpectedValue::Equal(wanted), false)) => Some(json(wanted)),
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
        let own = format!("{why}, expected {}", self.condition.briefly());
        self.finding(own, self.describe(whole), words)
    }

    /// The finding if the text `whole` is not as expected.
    pub(super) fn unmet_text(&self, words: Vec<Evidence>, whole: &str) -> Finding {
        let own = format!("{whole} {}", self.condition.unmet_text());
        self.finding(own, self.describe(whole), words)
    }

    fn finding(&self, own: String, expected: String, words: Vec<Evidence>) -> Finding {
        Finding::in_words(own, expected, words).in_words_of(self.condition.message())
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

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_model::model::ValueType;
    use ananke_model::schema::ValueSchema;
    use serde_json::json;

    fn mismatch(
        wanted: ExpectedValue,
        path: Option<&str>,
        negated: bool,
        value: &Value,
    ) -> Option<Vec<String>> {
        let path = path.map(|path| Path::parse(path).unwrap());
        let condition = PathCondition {
            path,
            condition: CompiledCondition::of(wanted, negated),
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
