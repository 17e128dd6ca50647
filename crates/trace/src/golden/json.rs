//! JSON for review: keys in a stable order, small values on one line, large ones on several.

use serde_json::Value;

use super::writer::STEP;
use crate::trace::json_key;
use ananke_base::text::is_confusable;

/// The longest value on one line, in characters.
const WIDTH: usize = 88;

/// A value whose leaves are texts.
enum Formatted {
    Leaf(String),
    /// A list or a mapping: its brackets, and its items, each with its key and a colon if it has a key.
    Group([char; 2], Vec<(String, Formatted)>),
}

/// `value` as lines; `word` changes every string and every key before it is written.
pub(super) fn write(value: &Value, word: &mut dyn FnMut(&str) -> String) -> String {
    let mut text = String::new();
    formatted(value, word).block(0, &mut text);
    text
}

/// `text` as a JSON string, with invisible characters escaped.
pub(super) fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut visible = String::with_capacity(json.len());
    for character in json.chars() {
        if is_confusable(character) {
            let units = character.encode_utf16(&mut [0; 2]).to_vec();
            visible.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            visible.push(character);
        }
    }
    visible
}

fn formatted(value: &Value, word: &mut dyn FnMut(&str) -> String) -> Formatted {
    match value {
        Value::String(text) => Formatted::Leaf(quoted(&word(text))),
        Value::Array(items) => {
            let items = items
                .iter()
                .map(|item| (String::new(), formatted(item, word)));
            Formatted::Group(['[', ']'], items.collect())
        }
        Value::Object(entries) => {
            // Ids among the keys get their aliases in the order they were sent, whatever the order of the keys.
            let mut keys: Vec<(String, &Value)> = entries
                .iter()
                .map(|(key, value)| (quoted(&word(key)), value))
                .collect();
            keys.sort_by(|(one, _), (other, _)| one.cmp(other));
            let items = keys
                .into_iter()
                .map(|(key, value)| (key + ": ", formatted(value, word)));
            Formatted::Group(['{', '}'], items.collect())
        }
        // 5.0 is 5: numbers are written by their value.
        scalar => Formatted::Leaf(json_key(scalar)),
    }
}

impl Formatted {
    /// The value on one line, if it fits into `width` characters.
    fn inline(&self, width: usize) -> Option<String> {
        let mut text = String::new();
        self.push_inline(width, &mut text).then_some(text)
    }

    /// Returns whether it fits; stops if it does not.
    fn push_inline(&self, width: usize, text: &mut String) -> bool {
        let fits = match self {
            Self::Leaf(leaf) => {
                text.push_str(leaf);
                true
            }
            Self::Group([open, close], items) => {
                text.push(*open);
                let all = items.iter().enumerate().all(|(index, (key, item))| {
                    text.push_str(if index > 0 { ", " } else { "" });
                    text.push_str(key);
                    item.push_inline(width, text)
                });
                text.push(*close);
                all
            }
        };
        // Bytes are never fewer than characters, which are counted only where it matters.
        fits && (text.len() <= width || text.chars().count() <= width)
    }

    /// Appends the value; its further lines are indented by `indent`.
    fn block(&self, indent: usize, text: &mut String) {
        let Self::Group([open, close], items) = self else {
            self.push_inline(usize::MAX, text);
            return;
        };
        // However little room there is, brackets with nothing in them stay together.
        let width = if items.is_empty() {
            usize::MAX
        } else {
            WIDTH.saturating_sub(indent)
        };
        if let Some(inline) = self.inline(width) {
            return text.push_str(&inline);
        }
        let new_line = |text: &mut String, indent: usize| {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
        };
        text.push(*open);
        for (index, (key, item)) in items.iter().enumerate() {
            text.push_str(if index > 0 { "," } else { "" });
            new_line(text, indent + STEP);
            text.push_str(key);
            item.block(indent + STEP, text);
        }
        new_line(text, indent);
        text.push(*close);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn as_is(value: &Value) -> String {
        write(value, &mut str::to_owned)
    }

    #[test]
    fn small_values_stand_on_one_line_with_their_keys_in_order() {
        assert_eq!(
            as_is(&json!({"b": [1, 2.5, null], "a": {"d": true, "c": "x\ny"}})),
            r#"{"a": {"c": "x\ny", "d": true}, "b": [1, 2.5, null]}"#
        );
        assert_eq!(
            as_is(&json!([5.0, -0.0, 1e2, 0.5, 9_007_199_254_740_993_u64])),
            "[5, 0, 100, 0.5, 9007199254740993]"
        );
        assert_eq!(as_is(&json!([[], {}, ""])), r#"[[], {}, ""]"#);
        assert_eq!(as_is(&json!([])), "[]");
    }

    #[test]
    fn large_values_are_opened_up() {
        let long = "x".repeat(80);
        assert_eq!(
            as_is(&json!({"z": [{"id": 1, "text": long}, {"id": 2}], "a": {}})),
            format!(
                "{{\n  \"a\": {{}},\n  \"z\": [\n    {{\n      \"id\": 1,\n      \"text\": \"{long}\"\n    }},\n    {{\"id\": 2}}\n  ]\n}}"
            )
        );
    }

    #[test]
    fn every_string_and_key_can_be_changed_and_seen() {
        let mut loud = |text: &str| text.to_uppercase();
        assert_eq!(
            write(&json!({"b": "c", "a": ["\u{202e}\u{e0041}"]}), &mut loud),
            r#"{"A": ["\u202e\udb40\udc41"], "B": "C"}"#
        );
    }

    #[test]
    fn deep_values_are_written_in_time_that_grows_with_them() {
        let deep = (0..100).fold(json!("x".repeat(200)), |inner, _| json!([inner, 1]));
        assert_eq!(as_is(&deep).lines().count(), 301);
    }
}
