//! JSON text to a tree with places.
//!
//! Flows in: a [`SourceFile`] with one JSON value. Flows out: a [`Node`], and what is wrong with the text. The JSON crate
//! reads the text once, from the left to the right, and gives the slices of keys and scalars; the place of a list or a
//! mapping follows from those of what it contains. **Invariant:** the costs are linear in the text, however deep it is.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Error, Number};

use super::duplicate_keys::{find_duplicates, keep_first};
use super::{Entry, Node, NodeValue, spelled, yaml_error::MAX_DEPTH};
use crate::diagnostic::{Code, Diagnostic, SourceFile, Span};

/// Reads a JSON value. Lines that begin with `//` are comments. A tree may come with problems: keys that are duplicated, of
/// which the first is kept. Without a tree there is exactly one problem.
pub fn parse_json(source: &Arc<SourceFile>) -> (Option<Node>, Vec<Diagnostic>) {
    let text = without_comments(&source.text);
    let begin = after_blanks(&text, 0);
    let mut reader = serde_json::Deserializer::from_str(&text);
    let read = ValueAt {
        text: &text,
        start: begin,
        depth: 0,
    }
    .deserialize(&mut reader);
    match read.and_then(|node| reader.end().map(|()| node)) {
        Ok(mut node) => {
            let mut problems = Vec::new();
            find_duplicates(source, &node, &mut problems);
            if !problems.is_empty() {
                keep_first(&mut node);
            }
            (Some(node), problems)
        }
        Err(error) => (None, vec![explain(source, &text, &error)]),
    }
}

/// The text with spaces instead of comments. No text of JSON goes on in a further line, so that a line which begins
/// with `//` is never a part of one.
fn without_comments(text: &str) -> Cow<'_, str> {
    let is_comment = |line: &str| line.trim_start().starts_with("//");
    if !text.split('\n').any(is_comment) {
        return Cow::Borrowed(text);
    }
    let blanked = |line: &str| {
        if is_comment(line) {
            " ".repeat(line.len())
        } else {
            line.to_owned()
        }
    };
    Cow::Owned(text.split('\n').map(blanked).collect::<Vec<_>>().join("\n"))
}

/// The offset of the next token, from `offset` on.
fn after_blanks(text: &str, offset: usize) -> usize {
    let rest = text.as_bytes().get(offset..).unwrap_or_default();
    offset
        + rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
            .count()
}

/// A value that begins at `start` of the text.
#[derive(Clone, Copy)]
struct ValueAt<'t> {
    text: &'t str,
    start: usize,
    /// The number of lists and mappings that contain it.
    depth: usize,
}

impl<'t> ValueAt<'t> {
    /// The value in this one that begins after the token which follows `offset`: a `:`, a `,` or nothing.
    fn inner(self, offset: usize, token: u8) -> Self {
        let start = after_blanks(self.text, offset);
        let is_token = self.text.as_bytes().get(start) == Some(&token);
        let start = if is_token {
            after_blanks(self.text, start + 1)
        } else {
            start
        };
        Self {
            start,
            depth: self.depth + 1,
            ..self
        }
    }

    /// The list or mapping whose last part ends at `offset`.
    fn closed(self, value: NodeValue, offset: usize) -> Node {
        Node {
            value,
            span: Span::new(self.start, after_blanks(self.text, offset) + 1),
        }
    }

    /// The place of a slice of the text.
    fn span(self, raw: &RawValue) -> Span {
        let start = (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        Span::new(start, start + raw.get().len())
    }

    fn scalar(self, raw: &'t RawValue) -> Result<Node, Error> {
        let value = match raw.get().as_bytes().first() {
            Some(b'n') => NodeValue::Null,
            Some(b't') => NodeValue::Bool(true),
            Some(b'f') => NodeValue::Bool(false),
            Some(b'"') => NodeValue::String(serde_json::from_str(raw.get())?),
            _ => NodeValue::Number(number(raw.get())?),
        };
        Ok(Node {
            value,
            span: self.span(raw),
        })
    }
}

/// A number as YAML reads it: with its spelling, and no larger than a double.
fn number(digits: &str) -> Result<Number, Error> {
    let number: Number = serde_json::from_str(digits)?;
    if !digits.contains(['.', 'e', 'E']) {
        return Ok(number.as_i64().map_or(number, Number::from));
    }
    if number.as_f64().is_none_or(f64::is_infinite) {
        return Err(Error::custom(NOT_FINITE));
    }
    Ok(spelled(digits).unwrap_or(number))
}

/// The error of a number that is too large.
const NOT_FINITE: &str = "this number is too large to be represented";

impl<'de> DeserializeSeed<'de> for ValueAt<'de> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Node, D::Error> {
        let opens = self.text.as_bytes().get(self.start);
        match opens {
            Some(b'{' | b'[') if self.depth == MAX_DEPTH => Err(D::Error::custom(too_deep())),
            Some(b'{') => reader.deserialize_map(self),
            Some(b'[') => reader.deserialize_seq(self),
            _ => {
                let raw: &RawValue = serde::Deserialize::deserialize(reader)?;
                self.scalar(raw).map_err(D::Error::custom)
            }
        }
    }
}

impl<'de> Visitor<'de> for ValueAt<'de> {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list or a mapping")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let (mut items, mut end) = (Vec::new(), self.start + 1);
        while let Some(item) = list.next_element_seed(self.inner(end, b','))? {
            end = item.span.end as usize;
            items.push(item);
        }
        Ok(self.closed(NodeValue::List(items), end))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let (mut entries, mut end) = (Vec::new(), self.start + 1);
        while let Some(key) = map.next_key::<&RawValue>()? {
            let key_span = self.span(key);
            let value = map.next_value_seed(self.inner(key_span.end as usize, b':'))?;
            end = value.span.end as usize;
            let key = serde_json::from_str(key.get()).map_err(A::Error::custom)?;
            entries.push(Entry {
                key,
                key_span,
                value,
            });
        }
        Ok(self.closed(NodeValue::Map(entries), end))
    }
}

fn too_deep() -> String {
    format!("lists and mappings nest deeper than {MAX_DEPTH} levels")
}

/// The crate's error as a problem of ours.
fn explain(source: &Arc<SourceFile>, text: &str, error: &Error) -> Diagnostic {
    let words = error.to_string();
    let words = words
        .rsplit_once(" at line ")
        .map_or(words.as_str(), |(words, _)| words);
    let begin = Span::new(after_blanks(text, 0), after_blanks(text, 0) + 1);
    if words == too_deep() || words.starts_with("recursion limit") {
        return Diagnostic::error(Code::LimitExceeded, too_deep()).at(source, begin, "");
    }
    if error.classify() == Category::Eof {
        let problem = Diagnostic::error(Code::Syntax, "the JSON object is not closed");
        return problem
            .at(source, begin, "opened here")
            .help("add the missing quote, `}` or `]`");
    }
    let offset = offset(text, error);
    let found = text.get(offset..).unwrap_or_default();
    let (message, help) = match words {
        words if words == NOT_FINITE => {
            (words.to_owned(), "write a finite number, or quote the text")
        }
        words if words.starts_with("trailing characters") => (
            "unexpected text after the JSON object".to_owned(),
            "write one object per line",
        ),
        _ => (
            format!("this is not valid JSON: {words}"),
            remedy(words, found),
        ),
    };
    let end = found
        .chars()
        .next()
        .map_or(offset, |character| offset + character.len_utf8());
    let problem = Diagnostic::error(Code::Syntax, message).at(source, Span::new(offset, end), "");
    if help.is_empty() {
        problem
    } else {
        problem.help(help)
    }
}

/// The remedy for text that is not JSON, if one is known.
fn remedy(words: &str, found: &str) -> &'static str {
    let is_word = |word: &&str| found.starts_with(*word);
    if [
        "NaN",
        "Infinity",
        "-Infinity",
        "None",
        "True",
        "False",
        "undefined",
    ]
    .iter()
    .any(is_word)
    {
        return "JSON writes `null`, `true` and `false`, and every other word as a text in quotes";
    }
    match words {
        words if words.starts_with("trailing comma") => "remove the last comma",
        words if words.starts_with("control character") => "write line breaks in a text as `\\n`",
        _ if is_word(&"'") => "write keys and texts in double quotes",
        _ if is_word(&"//") || is_word(&"#") => {
            "a comment begins with `//` and has a line of its own"
        }
        _ => "",
    }
}

/// The offset of an error. The crate counts the columns in bytes, from 1.
fn offset(text: &str, error: &Error) -> usize {
    let before = error.line().saturating_sub(1);
    let line = match before {
        0 => 0,
        _ => memchr::memchr_iter(b'\n', text.as_bytes())
            .nth(before - 1)
            .map_or(text.len(), |end| end + 1),
    };
    text.floor_char_boundary((line + error.column().saturating_sub(1)).min(text.len()))
}

#[cfg(test)]
mod tests {

    use super::*;

    fn read(text: &str) -> (Option<Node>, Vec<Diagnostic>) {
        parse_json(&Arc::new(SourceFile::new("a.jsonl", "a.jsonl", text)))
    }

    /// Every value of a text, as it is written.
    fn slices<'t>(text: &'t str, node: &Node, found: &mut Vec<&'t str>) {
        let slice = |span: Span| &text[span.range()];
        found.push(slice(node.span));
        match &node.value {
            NodeValue::List(items) => items.iter().for_each(|item| slices(text, item, found)),
            NodeValue::Map(entries) => entries.iter().for_each(|entry| {
                found.push(slice(entry.key_span));
                slices(text, &entry.value, found);
            }),
            _ => {}
        }
    }

    #[test]
    fn every_key_and_value_is_where_it_is_written() {
        let text = " { \"a\" : [ 1 , {} , [ ] ], \"\\u0062\":{\"c\" : \"\\ud83d\\ude00x\" ,\n\"d\":null }, \"e\": -1.50e2 } ";
        let (node, problems) = read(text);
        let node = node.expect("a tree");
        let mut found = Vec::new();
        slices(text, &node, &mut found);
        let expected = [
            text.trim(),
            "\"a\"",
            "[ 1 , {} , [ ] ]",
            "1",
            "{}",
            "[ ]",
            "\"\\u0062\"",
            "{\"c\" : \"\\ud83d\\ude00x\" ,\n\"d\":null }",
            "\"c\"",
            "\"\\ud83d\\ude00x\"",
            "\"d\"",
            "null",
            "\"e\"",
            "-1.50e2",
        ];
        assert_eq!((found.as_slice(), problems.len()), (&expected[..], 0));
        assert_eq!(
            node.get("b")
                .and_then(|b| b.get("c"))
                .and_then(Node::as_str),
            Some("😀x")
        );
        let number = node.get("e").map(|node| node.to_json().to_string());
        assert_eq!(number.as_deref(), Some("-1.50e2"));
    }

    #[test]
    fn comments_have_lines_of_their_own() {
        let (node, _) = read("{\n  // one \"\n\"a\": \"// b\"}");
        assert_eq!(
            node.expect("a tree").to_json(),
            serde_json::json!({"a": "// b"})
        );
    }

    #[test]
    fn what_is_no_json_is_reported_where_it_is() {
        let deep = "[".repeat(65) + &"]".repeat(65);
        for (text, expected) in [
            ("{\"a\": 1,}", "a.jsonl:1:9: error[syntax]"),
            ("{\"a\": NaN}", "a.jsonl:1:7: error[syntax]"),
            ("{\"a\": 'x'}", "a.jsonl:1:7: error[syntax]"),
            ("{\"a\": 1} {", "a.jsonl:1:10: error[syntax]"),
            ("{\"a\":\n1", "a.jsonl:1:1: error[syntax]"),
            ("{\"a\": 1e999}", "error[syntax]: this number is too large"),
            ("{\"a\": \"\\ud83d\"}", "error[syntax]"),
            (deep.as_str(), "a.jsonl:1:1: error[limit-exceeded]"),
            ("{\"a\": 1, \"a\": 2}", "a.jsonl:1:10: error[duplicate-key]"),
        ] {
            let (_, problems) = read(text);
            let [problem] = problems.as_slice() else {
                panic!("{text}: {problems:?}")
            };
            assert!(problem.to_string().contains(expected), "{text}: {problem}");
        }
    }
}
