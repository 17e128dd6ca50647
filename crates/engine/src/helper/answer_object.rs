//! The object that a helper answers with, key by key: what a key has, or in words what is wrong with it.

use serde_json::{Map, Value};

use super::answer_text::shown;

/// The fields of an object in an answer.
#[derive(Clone, Copy)]
pub(super) struct AnswerObject<'a>(pub(super) &'a Map<String, Value>);

impl<'a> AnswerObject<'a> {
    /// The value of `key`; null if there is none.
    pub(super) fn value(self, key: &str) -> &'a Value {
        self.0.get(key).unwrap_or(&Value::Null)
    }

    /// The text of `key`, without spaces around it.
    ///
    /// # Errors
    /// If it has another value.
    pub(super) fn text(self, key: &str) -> Result<Option<String>, String> {
        match self.value(key) {
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
