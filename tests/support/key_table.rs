//! A test that is generated from the table of the keys that a reader knows: each key with each kind of JSON value (SPEC 13).
//!
//! A crate includes this file in the tests of its reader: `#[path = "…/tests/support/key_table.rs"] mod key_table;`. It writes a
//! sample in which every key of the table has a value that is read, a [`KeyRow`] for each key, and a function that reads a document
//! and says what came of it as a [`KeyReading`]. [`key_problems`] then puts a value of every kind under every key. A key of the
//! sample without a row is a problem too, so that no key is forgotten.
//!
//! **Invariant:** a key that carries a fact is read, unread with that fact, or an error; null is absent.

#![allow(dead_code, reason = "each crate uses a part of it")]

use std::ops::ControlFlow;

use ananke_agents::{Sink, Stop, Wire};
use ananke_base::context::At;
use ananke_trace::trace::{Change, Fact, Facts};
use serde_json::{Value, json};

/// The kind of a value of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonKind {
    Object,
    List,
    Text,
    Number,
    Boolean,
}

/// Every kind: what is under such a key is not looked into.
pub(crate) const ANY: &[JsonKind] = &[
    JsonKind::Object,
    JsonKind::List,
    JsonKind::Text,
    JsonKind::Number,
    JsonKind::Boolean,
];

/// A text.
pub(crate) const WORD: &[JsonKind] = &[JsonKind::Text];

/// An id, which some agents write as a number.
pub(crate) const ID: &[JsonKind] = &[JsonKind::Text, JsonKind::Number];

/// An object.
pub(crate) const ITEM: &[JsonKind] = &[JsonKind::Object];

/// A list.
pub(crate) const LIST: &[JsonKind] = &[JsonKind::List];

/// A list, or its only item.
pub(crate) const ITEMS: &[JsonKind] = &[JsonKind::Object, JsonKind::List];

/// A text, or its parts.
pub(crate) const CONTENT: &[JsonKind] = &[JsonKind::Text, JsonKind::List];

/// The fact of a text.
pub(crate) const TEXT: &[Fact] = &[Fact::Text];

/// The facts of a call.
pub(crate) const CALL: &[Fact] = &[Fact::Calls, Fact::Arguments];

/// The fact of a result.
pub(crate) const RESULT: &[Fact] = &[Fact::Results];

/// A key that a reader knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyRow {
    /// Its place in the sample, as a JSON Pointer.
    pub(crate) pointer: &'static str,
    /// The kinds of values that are read.
    pub(crate) kinds: &'static [JsonKind],
    /// The facts that it carries: a value of another kind is unread with all of them. Without any, such a value may be ignored.
    pub(crate) carries: &'static [Fact],
}

/// The row of a key.
pub(crate) const fn row(
    pointer: &'static str,
    kinds: &'static [JsonKind],
    carries: &'static [Fact],
) -> KeyRow {
    KeyRow {
        pointer,
        kinds,
        carries,
    }
}

/// What came of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KeyReading {
    /// What was read, in any words: two documents that mean the same have the same.
    pub(crate) read: String,
    /// The facts that unread parts may be.
    pub(crate) unread: Vec<Facts>,
    /// The error of the reader, or of the turn.
    pub(crate) error: Option<String>,
}

/// The changes that a reader makes of a document, as a reading of it.
#[derive(Default)]
pub(crate) struct ReadingSink(pub(crate) KeyReading);

impl Sink for ReadingSink {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, change: Change<'_>) -> ControlFlow<Stop> {
        match change {
            Change::Unread(unread) => self.0.unread.push(unread.facts),
            Change::Warning(_) | Change::Violation { .. } => {}
            other => self.0.read.extend([format!("{other:?}"), "\n".to_owned()]),
        }
        ControlFlow::Continue(())
    }
}

impl KeyReading {
    fn has_unread(&self, fact: Fact) -> bool {
        self.unread.iter().any(|facts| facts.has(fact))
    }

    /// The reason why nothing of a fact may be silent here, if it was silent.
    fn silent_about(&self, fact: Fact) -> bool {
        self.error.is_none() && !self.has_unread(fact)
    }
}

/// Reads `sample` with a value of every kind under every key of `rows`, and returns what is wrong about that.
pub(crate) fn key_problems(
    sample: &Value,
    rows: &[KeyRow],
    mut read: impl FnMut(&Value) -> KeyReading,
) -> Vec<String> {
    let mut problems = Vec::new();
    let whole = read(sample);
    if whole.error.is_some() || !whole.unread.is_empty() {
        problems.push(format!("the sample is not read: {whole:?}"));
    }
    keys_without_rows(sample, "", rows, &mut problems);
    for row in rows {
        let Some(value) = sample.pointer(row.pointer) else {
            problems.push(format!("the sample has no `{}`", row.pointer));
            continue;
        };
        for (kind, other) in values(value) {
            let mut document = sample.clone();
            if let Some(place) = document.pointer_mut(row.pointer) {
                *place = other.clone();
            }
            let reading = read(&document);
            let what = || format!("`{}` is {other}: {reading:?}", row.pointer);
            for fact in row.carries {
                if row.kinds.contains(&kind) {
                    // A value of the same kind may hold others that are wrong; the sample's own does not.
                    if kind == kind_of(value) && other == *value && reading.has_unread(*fact) {
                        problems.push(format!("{} is not read", what()));
                    }
                } else if reading.silent_about(*fact) {
                    problems.push(format!("{} says nothing of `{fact:?}`", what()));
                }
            }
        }
        let (mut null, mut absent) = (sample.clone(), sample.clone());
        if let Some(place) = null.pointer_mut(row.pointer) {
            *place = Value::Null;
        }
        // An item of a list cannot be absent.
        if remove(&mut absent, row.pointer) {
            let null = read(&null);
            let absent = read(&absent);
            let are_errors = null.error.is_some() && absent.error.is_some();
            if !are_errors && (&null.read, &null.error) != (&absent.read, &absent.error) {
                let pointer = row.pointer;
                problems.push(format!(
                    "`{pointer}` is null: {null:?}; without it: {absent:?}"
                ));
            }
        }
    }
    problems
}

/// A value of each kind, and the one of the sample as JSON in a text, and in a list.
fn values(value: &Value) -> [(JsonKind, Value); 8] {
    [
        (kind_of(value), value.clone()),
        (JsonKind::Object, json!({ "text": "hidden" })),
        (JsonKind::List, json!(["hidden"])),
        (JsonKind::Text, json!("hidden")),
        (JsonKind::Number, json!(7)),
        (JsonKind::Boolean, json!(true)),
        (JsonKind::Text, json!(value.to_string())),
        (JsonKind::List, json!([value])),
    ]
}

fn kind_of(value: &Value) -> JsonKind {
    match value {
        Value::Object(_) => JsonKind::Object,
        Value::Array(_) => JsonKind::List,
        Value::String(_) => JsonKind::Text,
        Value::Number(_) => JsonKind::Number,
        Value::Bool(_) | Value::Null => JsonKind::Boolean,
    }
}

/// Reports each key of `value` that no row has, unless it is within one that may be anything.
fn keys_without_rows(value: &Value, at: &str, rows: &[KeyRow], problems: &mut Vec<String>) {
    let row = rows.iter().find(|row| row.pointer == at);
    if row.is_some_and(|row| row.kinds == ANY) {
        return;
    }
    if row.is_none() && !at.is_empty() {
        problems.push(format!("`{at}` has no row"));
    }
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                let key = key.replace('~', "~0").replace('/', "~1");
                keys_without_rows(value, &format!("{at}/{key}"), rows, problems);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                keys_without_rows(item, &format!("{at}/{index}"), rows, problems);
            }
        }
        _ => {}
    }
}

/// Removes a key. Answers whether it is one of an object.
fn remove(document: &mut Value, pointer: &str) -> bool {
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        return false;
    };
    let key = key.replace("~1", "/").replace("~0", "~");
    match document.pointer_mut(parent) {
        // The other keys keep their order, which may mean something to a reader.
        Some(Value::Object(keys)) => keys.shift_remove(&key).is_some(),
        _ => false,
    }
}

#[test]
fn a_reader_that_says_nothing_has_problems() {
    let rows = [
        KeyRow {
            pointer: "/text",
            kinds: &[JsonKind::Text],
            carries: &[Fact::Text],
        },
        KeyRow {
            pointer: "/other",
            kinds: ANY,
            carries: &[],
        },
    ];
    let silent = |document: &Value| KeyReading {
        read: document["text"].as_str().unwrap_or_default().to_owned(),
        ..KeyReading::default()
    };
    let sample = json!({ "text": "a", "other": { "b": 1 } });
    let problems = key_problems(&sample, &rows, silent);
    // An object, two lists, a number and a Boolean.
    assert_eq!(problems.len(), 5, "{problems:#?}");
    let careful = |document: &Value| KeyReading {
        unread: match document["text"] {
            Value::String(_) | Value::Null => Vec::new(),
            _ => vec![Facts::of(&[Fact::Text])],
        },
        ..silent(document)
    };
    assert_eq!(key_problems(&sample, &rows, careful), Vec::<String>::new());
    let larger = json!({ "text": "a", "other": 1, "new": 1 });
    assert_eq!(key_problems(&larger, &rows, careful), ["`/new` has no row"]);
}
