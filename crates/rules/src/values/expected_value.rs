//! One condition on a value: its comparison with what is found, and its words.

use std::borrow::Cow;

use serde_json::Value;

use super::CallCount;
use super::bound::ValueBound;
use crate::describe::{json, short};
use crate::evaluation::schema_mismatches;
use ananke_base::source::received_json::is_not_finite;
use ananke_model::model::ValueType;
use ananke_model::schema::ValueSchema;
use ananke_model::variables::Pattern;
use ananke_trace::trace::is_same_json;

/// The expectation of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExpectedValue {
    /// This value.
    Equal(Value),
    /// One of these values.
    OneOf(Vec<Value>),
    /// Text that contains this, of a string; of any other value its compact JSON.
    Contain(String),
    /// Text that matches, of a string; of any other value its compact JSON.
    Match(Pattern),
    /// A value of this type.
    Type(ValueType),
    /// There.
    Exists,
    /// Valid for this schema.
    Fit(ValueSchema),
    /// A number or a date within this bound.
    Bound(ValueBound),
    /// So many code points, elements or keys.
    Length(CallCount),
    /// The same, known later, in words.
    LaterLength(String),
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueComparison {
    /// The value is as expected.
    Met,
    /// It is not, in these ways if there are words for them.
    Unmet(Vec<String>),
    /// A bound cannot compare it: it is of another kind.
    Incomparable,
}

impl ExpectedValue {
    /// Compares a value, which is written as `text`.
    pub(super) fn compare(&self, found: &Value, text: &str) -> ValueComparison {
        let is_met = match self {
            Self::Equal(wanted) => is_same_json(wanted, found),
            Self::OneOf(all) => all.iter().any(|wanted| is_same_json(wanted, found)),
            Self::Contain(part) => text.contains(part.as_str()),
            Self::Match(pattern) => pattern.is_match(text),
            Self::Type(wanted) => type_of(found) == *wanted,
            Self::Exists => true,
            Self::Fit(schema) => {
                let words = schema_mismatches(schema, found)
                    .into_iter()
                    .map(|mismatch| match mismatch.pointer.as_str() {
                        "" => mismatch.message,
                        pointer => format!("{}: {}", short(pointer), short(&mismatch.message)),
                    });
                let words: Vec<String> = words.collect();
                return if words.is_empty() {
                    ValueComparison::Met
                } else {
                    ValueComparison::Unmet(words)
                };
            }
            Self::Bound(bound) => match bound.allows(found) {
                Some(is_within) => is_within,
                None => return ValueComparison::Incomparable,
            },
            Self::Length(range) => match length(found) {
                Some(length) => range.allows(length),
                None => return ValueComparison::Incomparable,
            },
            Self::LaterLength(_) => return ValueComparison::Incomparable,
        };
        if is_met {
            ValueComparison::Met
        } else {
            ValueComparison::Unmet(Vec::new())
        }
    }

    /// Whether it is known later.
    pub(super) fn is_later(&self) -> bool {
        match self {
            Self::Bound(bound) => bound.value_type().is_none(),
            Self::LaterLength(_) => true,
            _ => false,
        }
    }

    /// The types of the values that it can be met by; `None` if any.
    pub(super) fn types(&self) -> Option<&[ValueType]> {
        match self {
            Self::Type(kind) => Some(std::slice::from_ref(kind)),
            Self::Bound(bound) => match bound.value_type()? {
                ValueType::Number => Some(&[ValueType::Number]),
                _ => Some(&[ValueType::String]),
            },
            Self::Length(_) => Some(&[ValueType::String, ValueType::Array, ValueType::Object]),
            _ => None,
        }
    }

    /// The expectation after the name of the value; `not` is empty or `not `.
    pub(super) fn describe(&self, not: &str) -> String {
        match self {
            Self::Equal(wanted) => format!("{not}equal to `{}`", json(wanted)),
            Self::OneOf(all) => format!("{not}equal to one of {}", listed(all)),
            Self::Contain(text) => format!("{not}containing `{}`", short(text)),
            Self::Match(pattern) => format!("{not}matching `{}`", short(pattern.as_str())),
            Self::Type(wanted) => format!("{not}of type {}", type_name(*wanted)),
            Self::Exists => format!("{not}there"),
            Self::Fit(_) => format!("{not}fitting the schema"),
            Self::Bound(bound) => format!("{not}{}", bound.describe()),
            Self::Length(range) => format!("{not}of length {}", range.length_in_words()),
            Self::LaterLength(words) => format!("{not}of length {words}"),
        }
    }

    /// The expectation, after the place and the value that was found there.
    pub(super) fn briefly(&self) -> String {
        match self {
            Self::Equal(wanted) => format!("`{}`", json(wanted)),
            Self::OneOf(all) => format!("one of {}", listed(all)),
            Self::Contain(text) => format!("a text containing `{}`", short(text)),
            Self::Match(pattern) => format!("a match of `{}`", short(pattern.as_str())),
            Self::Type(wanted) => format!("the type {}", type_name(*wanted)),
            Self::Exists => "something".to_owned(),
            Self::Fit(_) => "what fits the schema".to_owned(),
            Self::Bound(bound) => bound.describe(),
            Self::Length(range) => format!("the length {}", range.length_in_words()),
            Self::LaterLength(words) => format!("the length {words}"),
        }
    }

    /// The way in which a text does not meet the expectation, after its name; `None` if it is easier to say what is expected.
    pub(super) fn unmet_text(&self) -> Option<String> {
        match self {
            Self::Equal(wanted) => Some(format!("is not `{}`", json(wanted))),
            Self::Contain(text) => Some(format!("does not contain `{}`", short(text))),
            Self::Match(pattern) => Some(format!("does not match `{}`", short(pattern.as_str()))),
            _ => None,
        }
    }

    /// The same of a text that meets an expectation that is negated.
    pub(super) fn met_text(&self) -> Option<String> {
        match self {
            Self::Equal(wanted) => Some(format!("is `{}`", json(wanted))),
            Self::Contain(text) => Some(format!("contains `{}`", short(text))),
            Self::Match(pattern) => Some(format!("matches `{}`", short(pattern.as_str()))),
            _ => None,
        }
    }

    /// The expectation of anything else, after the place and the value that was found there.
    pub(super) fn negated_briefly(&self) -> String {
        match self {
            Self::Equal(_) => "another value".to_owned(),
            Self::OneOf(all) => format!("none of {}", listed(all)),
            Self::Contain(text) => format!("a text without `{}`", short(text)),
            Self::Match(pattern) => format!("no match of `{}`", short(pattern.as_str())),
            Self::Type(wanted) => format!("another type than {}", type_name(*wanted)),
            Self::Exists => "nothing".to_owned(),
            Self::Fit(_) => "what does not fit the schema".to_owned(),
            Self::Bound(bound) => format!("not {}", bound.describe()),
            Self::Length(range) => format!("another length than {}", range.length_in_words()),
            Self::LaterLength(words) => format!("another length than {words}"),
        }
    }
}

/// The code points of a string, the elements of a list or the keys of a mapping.
fn length(value: &Value) -> Option<u64> {
    let length = match value {
        // It is a number, whatever it is written as.
        _ if is_not_finite(value) => return None,
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(entries) => entries.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    u64::try_from(length).ok()
}

/// Values in a row.
fn listed(all: &[Value]) -> String {
    all.iter()
        .map(|value| format!("`{}`", json(value)))
        .collect::<Vec<_>>()
        .join(", ")
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

pub(crate) fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Null => "null",
        ValueType::Boolean => "boolean",
        ValueType::Number => "number",
        ValueType::String => "string",
        ValueType::Array => "array",
        ValueType::Object => "object",
    }
}
