//! The rules for reading every answer of a helper: the way it is quoted, and the content of its fence.

use serde_json::{Map, Value};

use ananke_trace::redact::truncated;

/// The number of characters of an unexpected text that are shown.
const SHOWN: usize = 200;

/// A part of an answer, on one line.
pub(super) fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    truncated(&words.join(" "), SHOWN)
}

/// The content of the one fenced block that `text` consists of.
pub(super) fn fenced(text: &str) -> Option<&str> {
    const FENCE: &str = "```";
    let (_, inside) = text.strip_prefix(FENCE)?.split_once('\n')?;
    let inside = inside.strip_suffix(FENCE)?;
    if inside.contains(FENCE) {
        // Two blocks with text between them also begin and end with a fence.
        return None;
    }
    Some(inside)
}

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

    /// The message about an answer that cannot be read, because `key` has the value `found`.
    pub(super) fn wrong(key: &str, found: &Value, expected: &str) -> String {
        format!(
            "an object whose `{key}` is {}, expected {expected}",
            shown(&found.to_string())
        )
    }
}
