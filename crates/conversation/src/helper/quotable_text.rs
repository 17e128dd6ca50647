//! The text that a helper may quote: all messages and calls of the conversation that it is asked about.
//!
//! **Invariant:** quotes, backslashes, white space and what is not visible make no difference: a quotation is found word for word.

use serde_json::Value;

use ananke_base::text::TextForm;

/// The separator between the words of a text in [`QuotableText`].
const SPACE: char = ' ';

/// Everything that was said and done in a conversation, as words.
#[derive(Debug, Default)]
pub struct QuotableText(Vec<String>);

impl QuotableText {
    /// The words of each text in `values`. Lists and objects are there as JSON too, because a helper may quote them so.
    pub fn of<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut found = Self::default();
        for value in values {
            if !value.is_string() {
                found.0.push(words(&value.to_string()));
            }
            found.add_texts(value);
        }
        found
    }

    fn add_texts(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.0.push(words(text)),
            Value::Array(items) => items.iter().for_each(|item| self.add_texts(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.add_texts(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Whether `part` was said or done, word for word.
    pub(super) fn contains(&self, part: &str) -> bool {
        let part = words(part);
        self.0.iter().any(|text| text.contains(&part))
    }
}

/// The words and signs of a text, with one space before and after each: `AS` is then not found in `PASS`.
fn words(text: &str) -> String {
    // Texts that look the same must be found, so accents are composed and invisible characters removed.
    let visible = TextForm {
        is_composed: true,
        is_visible: true,
    };
    let text = visible.apply(text);
    // Room for the spaces at the beginning and the end.
    let mut spaced = String::with_capacity(text.len() + 2);
    spaced.push(SPACE);
    for character in text.chars() {
        if character.is_alphanumeric() || character == '_' {
            spaced.push(character);
            continue;
        }
        // Any other character ends a word.
        if !spaced.ends_with(SPACE) {
            spaced.push(SPACE);
        }
        // A sign is a word of its own, unless a helper may add or drop it when it quotes.
        if !is_ignored(character) {
            spaced.extend([character, SPACE]);
        }
    }
    if !spaced.ends_with(SPACE) {
        spaced.push(SPACE);
    }
    spaced
}

/// Whether a quotation may add or drop the character.
fn is_ignored(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '\\' | '"' | '\'' | '`' | '‘'..='‟' | '«' | '»')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_quotation_is_found_word_for_word() {
        let said = json!([
            { "content": "Sure: {“passed”:\u{a0}true}. You will PASS the exam." },
            { "result": { "passed": true, "score": 1 }, "args": "{\\\"passed\\\": false}" },
        ]);
        let quotable = QuotableText::of([&said, &json!("It is over"), &json!(null)]);
        for part in [
            "{\"passed\": true}",
            "{ \"passed\" :\ntrue }",
            "{\"passed\":true,\"score\":1}",
            "{\"passed\": false}",
            "PASS",
            "over",
        ] {
            assert!(quotable.contains(part), "{part}");
        }
        for part in [
            "{\"passed\": true, \"score\": 0}",
            "{\"passed\": true, \"reason\": \"fine\"}",
            "PASS: it is polite",
            "AS",
            "{\"score\": 1}",
            "FAIL",
        ] {
            assert!(!quotable.contains(part), "{part}");
        }
    }
}
