//! A tree as YAML text, written as people write it: block style, quotes where they are needed, texts of several lines as blocks.
//!
//! **Invariant:** the text, read again, is the same tree but for its places.

use std::fmt::Write as _;

use super::{Entry, Node, NodeValue};

/// Words that are no texts to some readers of YAML.
const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// The text of a tree, as lines after `indent` spaces.
pub fn to_yaml(node: &Node, indent: usize) -> String {
    let mut text = String::new();
    match &node.value {
        NodeValue::Map(entries) if !entries.is_empty() => mapping(entries, indent, &mut text),
        NodeValue::List(items) if !items.is_empty() => list(items, indent, &mut text),
        _ => {
            pad(indent, &mut text);
            inline(node, indent, &mut text);
        }
    }
    text
}

fn pad(indent: usize, text: &mut String) {
    text.extend(std::iter::repeat_n(' ', indent));
}

fn mapping(entries: &[Entry], indent: usize, text: &mut String) {
    for entry in entries {
        pad(indent, text);
        key_and_value(entry, indent, text);
    }
}

fn key_and_value(Entry { key, value, .. }: &Entry, indent: usize, text: &mut String) {
    text.push_str(&plain_or_quoted(key));
    text.push(':');
    match &value.value {
        NodeValue::Map(entries) if !entries.is_empty() => {
            text.push('\n');
            mapping(entries, indent + 2, text);
        }
        NodeValue::List(items) if !items.is_empty() => {
            text.push('\n');
            list(items, indent + 2, text);
        }
        _ => {
            text.push(' ');
            inline(value, indent + 2, text);
        }
    }
}

fn list(items: &[Node], indent: usize, text: &mut String) {
    for item in items {
        pad(indent, text);
        text.push_str("- ");
        match &item.value {
            NodeValue::Map(entries) if !entries.is_empty() => {
                for (number, entry) in entries.iter().enumerate() {
                    if number > 0 {
                        pad(indent + 2, text);
                    }
                    key_and_value(entry, indent + 2, text);
                }
            }
            NodeValue::List(inner) if !inner.is_empty() => {
                let mut lines = String::new();
                list(inner, indent + 2, &mut lines);
                text.push_str(lines.trim_start_matches(' '));
            }
            _ => inline(item, indent + 2, text),
        }
    }
}

/// A value that begins on the line of its key, with the end of its line; `indent` is that of further lines.
fn inline(node: &Node, indent: usize, text: &mut String) {
    let words = match &node.value {
        NodeValue::Null => "null".to_owned(),
        NodeValue::Bool(value) => value.to_string(),
        NodeValue::Number(value) => value.to_string(),
        NodeValue::String(value) if is_block(value) => return block(value, indent, text),
        NodeValue::String(value) => plain_or_quoted(value),
        NodeValue::List(_) => "[]".to_owned(),
        NodeValue::Map(_) => "{}".to_owned(),
    };
    text.push_str(&words);
    text.push('\n');
}

/// Whether a text is easier to read as lines, and the same after it.
fn is_block(value: &str) -> bool {
    let is_shown = |character: char| character == '\n' || is_printable(character);
    value.contains('\n')
        && !value.starts_with(['\n', ' '])
        && !value.ends_with("\n\n")
        && value != "\n"
        && value.chars().all(is_shown)
        && value
            .lines()
            .all(|line| line.is_empty() || !line.trim_matches(' ').is_empty())
}

fn block(value: &str, indent: usize, text: &mut String) {
    text.push_str(if value.ends_with('\n') { "|\n" } else { "|-\n" });
    for line in value.lines() {
        if !line.is_empty() {
            pad(indent, text);
            text.push_str(line);
        }
        text.push('\n');
    }
}

/// A text without quotes if it can only be a text, else in double quotes, as in JSON.
fn plain_or_quoted(value: &str) -> String {
    let is_word = |word: &&str| value.eq_ignore_ascii_case(word);
    let is_plain = value.starts_with(|first: char| first.is_ascii_alphabetic())
        && value.chars().all(|character| {
            character.is_ascii_alphanumeric() || matches!(character, ' ' | '_' | '-' | '.' | '/')
        })
        && !value.ends_with(' ')
        && !WORDS.iter().any(is_word);
    if is_plain {
        return value.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in value.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            character if is_printable(character) => quoted.push(character),
            character if u32::from(character) < 0x1_0000 => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            character => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(character));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Whether YAML takes a character as it is, and people see it.
fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::diagnostic::SourceFile;
    use crate::source::{parse, parse_json};

    fn node(value: &Value) -> Node {
        let source = Arc::new(SourceFile::new("a", "a", value.to_string()));
        parse_json(&source).0.expect("JSON")
    }

    /// Whether two trees are the same but for their places.
    fn is_same(one: &Node, other: &Node) -> bool {
        match (&one.value, &other.value) {
            (NodeValue::List(one), NodeValue::List(other)) => {
                one.len() == other.len()
                    && one
                        .iter()
                        .zip(other)
                        .all(|(one, other)| is_same(one, other))
            }
            (NodeValue::Map(one), NodeValue::Map(other)) => {
                one.len() == other.len()
                    && one.iter().zip(other).all(|(one, other)| {
                        one.key == other.key && is_same(&one.value, &other.value)
                    })
            }
            (one, other) => one == other,
        }
    }

    #[test]
    fn a_tree_is_written_as_people_write_it() {
        let value = json!({"a": [1, "two words", [true, {"b": null}], {}, []], "no": {"c": "x: y\n"}, "d": "one\n\ntwo", "e": ""});
        let expected = "a:\n  - 1\n  - two words\n  - - true\n    - b: null\n  - {}\n  - []\n\"no\":\n  c: |\n    x: y\nd: |-\n  one\n\n  two\ne: \"\"\n";
        assert_eq!(to_yaml(&node(&value), 0), expected);
    }

    fn values() -> impl Strategy<Value = Value> {
        let texts = prop_oneof![
            ".*",
            "[a-z :#\\-\\n\"'|>\\[{&*!%@`]{0,12}",
            "(null|yes|No|~|1e3|0x1|\\.5|<<|=|---|\\.\\.\\.|\\$\\{A\\})",
            "[ \\n\\ta]{0,8}",
        ];
        let numbers = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from)
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            numbers,
            texts.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((texts.clone(), inner), 0..4)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same_tree(value in values()) {
            let tree = node(&json!({ "x": value }));
            let text = to_yaml(&tree, 0);
            let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text.clone()));
            let read = parse(&source);
            let is_read = matches!(&read, Ok(read) if is_same(read, &tree));
            prop_assert!(is_read, "{text}\n{read:?}");
        }
    }
}
