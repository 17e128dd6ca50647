//! The tree of a YAML document, with the place of every key and value.

use serde_json::{Map, Number, Value};

use crate::diagnostic::Span;
use crate::text::truncate;

/// A value of a document and where it was written (for an alias: where it is used).
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value itself.
    pub value: NodeValue,
    /// Its place.
    pub span: Span,
}

/// The value of a [`Node`]: the YAML 1.2 core schema's types.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeValue {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer or a finite float.
    Number(Number),
    /// Text, quoted or plain.
    String(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<Entry>),
}

/// One key of a mapping and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key as text (`1: x` has the key `1`).
    pub key: String,
    /// The place of the key in the text.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Entry {
    /// An entry that is written in no file.
    pub fn new(key: String, value: Node) -> Self {
        Self {
            key,
            key_span: Span::default(),
            value,
        }
    }
}

impl Node {
    /// A value that is written in no file.
    pub fn of_json(value: &Value) -> Self {
        let value = match value {
            Value::Null => NodeValue::Null,
            Value::Bool(value) => NodeValue::Bool(*value),
            Value::Number(value) => NodeValue::Number(value.clone()),
            Value::String(value) => NodeValue::String(value.clone()),
            Value::Array(items) => NodeValue::List(items.iter().map(Self::of_json).collect()),
            Value::Object(map) => NodeValue::Map(
                map.iter()
                    .map(|(key, value)| Entry::new(key.clone(), Self::of_json(value)))
                    .collect(),
            ),
        };
        Self {
            value,
            span: Span::default(),
        }
    }

    /// Sets the value of a mapping's key; a new key is the last.
    pub fn set(&mut self, key: &str, value: Self) {
        let NodeValue::Map(entries) = &mut self.value else {
            return;
        };
        match entries.iter_mut().find(|entry| entry.key == key) {
            Some(entry) => entry.value = value,
            None => entries.push(Entry::new(key.to_owned(), value)),
        }
    }

    /// Removes a key of a mapping, and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Self> {
        let NodeValue::Map(entries) = &mut self.value else {
            return None;
        };
        let position = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(position).value)
    }

    /// The items of a list; nothing for any other value.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            NodeValue::List(items) => items,
            _ => &[],
        }
    }

    /// The value of a mapping's key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let NodeValue::Map(entries) = &mut self.value else {
            return None;
        };
        entries
            .iter_mut()
            .find(|entry| entry.key == key)
            .map(|entry| &mut entry.value)
    }

    /// The entries of a mapping; nothing for any other value.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            NodeValue::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a mapping's key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries()
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
    }

    /// The value that these keys and positions lead to, or as far as they lead.
    pub fn at<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> &Self {
        let mut reached = self;
        for part in path {
            let next = match &reached.value {
                NodeValue::List(items) => part
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| items.get(index)),
                _ => reached.get(part),
            };
            let Some(next) = next else { break };
            reached = next;
        }
        reached
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            NodeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is the same text, truth value or nothing as `value`.
    pub fn is_scalar(&self, value: &Value) -> bool {
        match (&self.value, value) {
            (NodeValue::Null, Value::Null) => true,
            (NodeValue::Bool(one), Value::Bool(other)) => one == other,
            (NodeValue::String(one), Value::String(other)) => one == other,
            _ => false,
        }
    }

    /// The value without its places.
    pub fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(value) => Value::Bool(*value),
            NodeValue::Number(value) => Value::Number(value.clone()),
            NodeValue::String(value) => Value::String(value.clone()),
            NodeValue::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            NodeValue::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// The value in the words of a message: `a mapping`, `the number 3`, `nothing`.
    pub fn describe(&self) -> String {
        match &self.value {
            NodeValue::Null => "nothing".to_owned(),
            NodeValue::Bool(value) => format!("`{value}`"),
            NodeValue::Number(value) => format!("the number {value}"),
            NodeValue::String(value) => format!("the text `{}`", printable(value)),
            NodeValue::List(_) => "a list".to_owned(),
            NodeValue::Map(_) => "a mapping".to_owned(),
        }
    }
}

/// Text of the user's, fit for one line of a message: escaped, and cut where it is long.
pub fn printable(text: &str) -> String {
    let text = truncate::chars(text, 40);
    // A message quotes with backticks: `'` and `"` are no end of it.
    text.split_inclusive(['\'', '"'])
        .map(|part| match part.strip_suffix(['\'', '"']) {
            Some(before) => format!("{}{}", before.escape_debug(), &part[before.len()..]),
            None => part.escape_debug().to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_stay_and_what_is_no_character_of_a_line_is_escaped() {
        for (text, shown) in [
            ("pay(id='7')", "pay(id='7')"),
            ("say \"hi\"", "say \"hi\""),
            ("a\nb'\u{1b}'", "a\\nb'\\u{1b}'"),
            ("'", "'"),
            ("", ""),
            ("नमस्ते", "नमस्ते"),
        ] {
            assert_eq!(printable(text), shown, "{text:?}");
        }
    }
}
