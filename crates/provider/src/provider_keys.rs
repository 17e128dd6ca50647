//! Texts with the shape of a provider's key, which no recording may have.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

/// The text that replaces a key.
const MASK: &str = "***";

/// The shapes of keys, one after the other: their beginnings are those that providers document.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = [
        // OpenAI, Anthropic (`sk-ant-`), OpenRouter (`sk-or-`), DeepSeek and many others.
        r"\bsk-[A-Za-z0-9_-]{16,}",
        // Google.
        r"\bAIza[A-Za-z0-9_-]{30,}",
        // Groq, xAI, Perplexity, Fireworks, Replicate, Hugging Face.
        r"\b(?:gsk_|xai-|pplx-|fw_|r8_|hf_)[A-Za-z0-9]{20,}",
        // Amazon and GitHub, whose models have keys of these kinds.
        r"\bAKIA[A-Z0-9]{16}\b",
        r"\bgh[pousr]_[A-Za-z0-9]{30,}",
    ];
    Regex::new(&shapes.join("|")).ok()
});

/// The text without keys, and their number.
pub(crate) fn without_keys(text: &str) -> (Cow<'_, str>, usize) {
    let mut count = 0;
    let Some(shapes) = &*SHAPES else {
        return (Cow::Borrowed(text), 0);
    };
    let masked = shapes.replace_all(text, |found: &Captures<'_>| {
        // Words with hyphens may begin like a key, and no key is without a digit.
        if found[0].bytes().any(|byte| byte.is_ascii_digit()) {
            count += 1;
            MASK.to_owned()
        } else {
            found[0].to_owned()
        }
    });
    (masked, count)
}

/// Masks the keys in all texts of a value, and returns their number.
pub(crate) fn mask_value(value: &mut Value) -> usize {
    match value {
        Value::String(text) => {
            let (masked, count) = without_keys(text);
            if count > 0 {
                *text = masked.into_owned();
            }
            count
        }
        Value::Array(items) => {
            let mut count = 0;
            for item in items {
                count += mask_value(item);
            }
            count
        }
        Value::Object(entries) => {
            let mut count = 0;
            // Keys of objects are names that a program gives, so that values alone are looked at.
            for (_, entry) in entries {
                count += mask_value(entry);
            }
            count
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_masked_and_words_are_not() {
        for (text, masked, count) in [
            ("use sk-ant-api03-abcdefgh12345678", "use ***", 1),
            (
                "sk-proj-abcdefghijk12345 AIzaSyA1234567890abcdefghijklmnopqrstuv",
                "*** ***",
                2,
            ),
            ("gsk_abcdefghij1234567890", "***", 1),
            (
                "a task-oriented-approach-number-12",
                "a task-oriented-approach-number-12",
                0,
            ),
            (
                "sk-learn-is-a-library-of-models",
                "sk-learn-is-a-library-of-models",
                0,
            ),
            ("sk-short1", "sk-short1", 0),
        ] {
            assert_eq!(without_keys(text), (masked.into(), count), "{text}");
        }
        let mut value = json!({ "a": ["sk-abcdefgh12345678"], "b": 7 });
        assert_eq!(mask_value(&mut value), 1);
        assert_eq!(value, json!({ "a": ["***"], "b": 7 }));
    }
}
