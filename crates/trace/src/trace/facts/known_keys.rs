//! The tables of the keys that a reader knows: a known key with a value of another kind is unread with the facts that it carries,
//! an unknown one if its value may be a call, or if it is a known one that is missing in another spelling (SPEC 13).
//!
//! **Invariant:** null, and what is empty, carries nothing.

use std::ops::BitOr;

use serde_json::{Map, Value};

use super::fact::Facts;
use super::unread::Unread;
use ananke_base::text::is_spelled_alike;

/// Kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonKinds(u8);

/// A key that a reader knows.
#[derive(Clone, Copy, Debug)]
pub struct KnownKey {
    name: &'static str,
    /// The kinds of its values that are read.
    kinds: JsonKinds,
    /// The facts that it carries.
    facts: Facts,
}

impl JsonKinds {
    /// None: no value of such a key is read.
    pub const NONE: Self = Self(0);
    /// All: every value is read, or looked at elsewhere.
    pub const ANY: Self = Self(u8::MAX);
    /// An object.
    pub const OBJECT: Self = Self(1);
    /// A list.
    pub const LIST: Self = Self(2);
    /// A text.
    pub const TEXT: Self = Self(4);
    /// A number.
    pub const NUMBER: Self = Self(8);
    /// A Boolean.
    pub const BOOLEAN: Self = Self(16);
    /// An object or a list of them.
    pub const OBJECTS: Self = Self(1 | 2);
    /// A text, or a list of its parts.
    pub const CONTENT: Self = Self(2 | 4);
    /// An id: a text, or a number that is read as one.
    pub const ID: Self = Self(4 | 8);

    fn has(self, value: &Value) -> bool {
        let kind = match value {
            Value::Null => return true,
            Value::Object(_) => Self::OBJECT,
            Value::Array(_) => Self::LIST,
            Value::String(_) => Self::TEXT,
            Value::Number(_) => Self::NUMBER,
            Value::Bool(_) => Self::BOOLEAN,
        };
        self.0 & kind.0 != 0
    }
}

impl BitOr for JsonKinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl KnownKey {
    /// A key that carries these facts in values of these kinds.
    pub const fn new(name: &'static str, kinds: JsonKinds, facts: Facts) -> Self {
        Self { name, kinds, facts }
    }

    /// A key that carries no fact.
    pub const fn any(name: &'static str) -> Self {
        Self::new(name, JsonKinds::ANY, Facts::NONE)
    }
}

/// The keys of an object that are not understood. `holder` is before their names: `choices[].`, or nothing.
pub fn unread_keys(
    holder: &str,
    value: &Value,
    known: &[KnownKey],
    found: &mut Vec<Unread<'static>>,
) {
    let Value::Object(holding) = value else {
        return;
    };
    for (key, value) in holding {
        match known.iter().find(|known| known.name == key) {
            Some(known) if known.kinds.has(value) || is_empty(value) => {}
            Some(known) => {
                found.push(Unread::other_kind(
                    format!("key:{holder}{key}"),
                    known.facts,
                    value,
                ));
            }
            None => {
                let name = format!("key:{holder}{key}");
                let facts = facts_of_spelling(key, holding, known);
                if facts == Facts::NONE || is_empty(value) {
                    found.extend(Unread::key(name, value));
                } else {
                    found.push(Unread::spelled(name, facts, value));
                }
            }
        }
    }
}

/// The facts of the known key that an unknown one is in another spelling, if the object does not have the known one: `toolCalls`
/// for `tool_calls`.
fn facts_of_spelling(key: &str, holding: &Map<String, Value>, known: &[KnownKey]) -> Facts {
    let spelled = known.iter().find(|known| is_spelled_alike(known.name, key));
    match spelled {
        Some(known) if !holding.contains_key(known.name) => known.facts,
        _ => Facts::NONE,
    }
}

/// The items of a list that are of another kind than these, which carry these facts.
pub fn unread_items(
    name: &str,
    items: &[Value],
    kinds: JsonKinds,
    facts: Facts,
    found: &mut Vec<Unread<'static>>,
) {
    for item in items {
        if !kinds.has(item) && !is_empty(item) {
            found.push(Unread::other_kind(format!("key:{name}[]"), facts, item));
        }
    }
}

/// Whether a value says nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(fields) => fields.values().all(is_empty),
        Value::Number(_) | Value::Bool(true) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fact::Fact;
    use super::*;

    #[test]
    fn a_known_key_of_another_kind_is_unread_and_nothing_that_is_empty() {
        const TEXT: Facts = Facts::of(&[Fact::Text]);
        const KNOWN: &[KnownKey] = &[
            KnownKey::new("text", JsonKinds::TEXT, TEXT),
            KnownKey::new("id", JsonKinds::ID, TEXT),
            KnownKey::any("any"),
        ];
        let names = |value: Value| {
            let mut found = Vec::new();
            unread_keys("a[].", &value, KNOWN, &mut found);
            found
                .into_iter()
                .map(|unread| unread.name.into_owned())
                .collect::<Vec<_>>()
        };
        for value in [
            json!({ "text": "a", "id": 1, "any": ["a"] }),
            json!({ "text": null, "id": "1", "new": ["a"] }),
            json!({ "text": [], "id": [""] }),
            json!({ "text": false, "id": { "a": null } }),
            json!("text"),
        ] {
            assert_eq!(names(value.clone()), [""; 0], "{value}");
        }
        for value in [json!(1), json!(true), json!(["a"]), json!({ "a": 1 })] {
            assert_eq!(names(json!({ "text": value })), ["key:a[].text"], "{value}");
        }
        for value in [json!({ "Text": "a" }), json!({ "te_xt": "a" })] {
            assert_eq!(names(value).len(), 1);
        }
        for value in [
            json!({ "Text": "" }),
            json!({ "Any": "a" }),
            json!({ "text": "a", "Text": "a" }),
        ] {
            assert_eq!(names(value.clone()), [""; 0], "{value}");
        }
        let call = json!({ "new": { "name": "pay", "args": {} } });
        assert_eq!(names(call), ["key:a[].new"]);
        let mut found = Vec::new();
        unread_items(
            "a",
            &[json!({}), json!("x"), json!("")],
            JsonKinds::OBJECT,
            TEXT,
            &mut found,
        );
        assert_eq!(found.len(), 1);
    }
}
