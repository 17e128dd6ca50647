//! The object that a helper answers with, key by key: what a key has, or in words what is wrong with it.

use serde_json::Value;

use super::answer_text::shown;
use ananke_trace::trace::is_same_json;

/// The entries of an object in an answer, in their order; a key may occur more than once.
#[derive(Clone, Copy)]
pub(super) struct AnswerObject<'a>(pub(super) &'a [(String, Value)]);

impl<'a> AnswerObject<'a> {
    /// The value of `key`; null if there is none.
    ///
    /// # Errors
    /// If it has two different values.
    pub(super) fn value(self, key: &str) -> Result<&'a Value, String> {
        let mut values = self
            .0
            .iter()
            .filter(|(other, _)| other == key)
            .map(|(_, value)| value);
        let first = values.next().unwrap_or(&Value::Null);
        if values.any(|other| !is_same_json(other, first)) {
            return Err(format!("an object with two different values of `{key}`"));
        }
        Ok(first)
    }

    /// The text of `key`, without spaces around it.
    ///
    /// # Errors
    /// If it has another value.
    pub(super) fn text(self, key: &str) -> Result<Option<String>, String> {
        match self.value(key)? {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.trim().to_owned())),
            other => Err(Self::wrong(key, other, "a text")),
        }
    }

    /// That `key` has the value `found`, in the words of an answer that cannot be read.
    pub(super) fn wrong(key: &str, found: &Value, expected: &str) -> String {
        format!(
            "an object whose `{key}` is {}, expected {expected}",
            shown(&found.to_string())
        )
    }
}
