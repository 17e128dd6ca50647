//! The conditions in paths: `[?key=value]` and its like.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use ananke_base::source::received_json;
use ananke_model::variables::as_text;

/// A condition on a value or on the name of its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StepCondition {
    pub(crate) subject: ConditionSubject,
    pub(crate) test: ConditionTest,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConditionSubject {
    /// Written `@event`: the name of a server-sent event, or the code of a line.
    EventName,
    /// A key, and keys in its value.
    Keys(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConditionTest {
    Equals(String),
    Differs(String),
    IsGiven,
    IsNotGiven,
}

impl StepCondition {
    pub(crate) fn is_met(&self, value: &Value, event: Option<&str>) -> bool {
        let keys = match &self.subject {
            ConditionSubject::EventName => return self.is_met_by_name(event),
            ConditionSubject::Keys(keys) => keys,
        };
        // What is not there is not equal to anything, and is not given.
        let Some(subject) = inner(value, keys) else {
            return matches!(
                self.test,
                ConditionTest::Differs(_) | ConditionTest::IsNotGiven
            );
        };
        match &self.test {
            ConditionTest::Equals(expected) => is_text(&subject, expected),
            ConditionTest::Differs(expected) => !is_text(&subject, expected),
            ConditionTest::IsGiven => is_given(&subject),
            ConditionTest::IsNotGiven => !is_given(&subject),
        }
    }

    fn is_met_by_name(&self, event: Option<&str>) -> bool {
        let has_name = event.is_some_and(|name| !name.is_empty());
        match &self.test {
            ConditionTest::Equals(expected) => event == Some(expected.as_str()),
            ConditionTest::Differs(expected) => event != Some(expected.as_str()),
            ConditionTest::IsGiven => has_name,
            ConditionTest::IsNotGiven => !has_name,
        }
    }
}

/// The value under a key, and under keys in its value.
fn inner<'v>(value: &'v Value, keys: &[String]) -> Option<Cow<'v, Value>> {
    let mut value = Cow::Borrowed(value);
    for key in keys {
        value = match opened(value) {
            Cow::Borrowed(value) => Cow::Borrowed(value.as_object()?.get(key)?),
            Cow::Owned(mut value) => Cow::Owned(value.as_object_mut()?.get_mut(key)?.take()),
        };
    }
    Some(value)
}

/// Whether a value equals `expected`, as a path writes numbers and Booleans too.
fn is_text(value: &Value, expected: &str) -> bool {
    match value {
        Value::String(text) => text == expected,
        other => as_text(other) == *expected,
    }
}

/// Whether a value says something: it is not null, false, or empty.
pub(crate) fn is_given(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_true) => *is_true,
        Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(keys) => !keys.is_empty(),
    }
}

/// A value that can be stepped into, since servers put JSON into texts.
pub(crate) fn opened(value: Cow<'_, Value>) -> Cow<'_, Value> {
    if let Value::String(text) = &*value
        && text.trim_start().starts_with(['{', '['])
        && let Ok(read) = received_json::read(text)
    {
        return Cow::Owned(read.value);
    }
    value
}

impl fmt::Display for StepCondition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = match &self.subject {
            ConditionSubject::EventName => "@event".to_owned(),
            ConditionSubject::Keys(keys) => keys.join("."),
        };
        match &self.test {
            ConditionTest::Equals(value) => write!(formatter, "{subject}={value}"),
            ConditionTest::Differs(value) => write!(formatter, "{subject}!={value}"),
            ConditionTest::IsGiven => formatter.write_str(&subject),
            ConditionTest::IsNotGiven => write!(formatter, "!{subject}"),
        }
    }
}
