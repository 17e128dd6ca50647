//! The arguments that a tool is called with: valid ones, and in one place each missing, of another type or at a boundary.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::made_value::{Properties, ValueMaker, required, size, type_of};
use ananke_model::schema::ValueSchema;
use ananke_run::WalkRandom;

/// A text that is longer than anyone types.
const LONG: usize = 10_000;

/// The largest integer that every JSON parser keeps.
const LARGEST: i64 = 9_007_199_254_740_991;

/// The kind of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentsKind {
    /// Valid ones.
    Valid,
    /// A required one is missing.
    Missing,
    /// One has another type.
    WrongType,
    /// One is at the boundary of what is allowed, or unusual.
    Boundary,
}

/// Arguments of one call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MadeArguments {
    pub(super) kind: ArgumentsKind,
    /// The description of the arguments, in words that follow "with".
    pub(super) words: String,
    pub(super) args: Value,
    /// Whether the schema takes them; unknown without a valid schema.
    pub(super) is_valid: Option<bool>,
}

/// The arguments for a tool with this schema, each once; those without which a tool is hardly tested are first.
pub(super) fn made_arguments(
    schema: &Value,
    compiled: Option<&ValueSchema>,
    random: WalkRandom,
) -> Vec<MadeArguments> {
    let mut maker = ValueMaker {
        root: schema,
        random,
        made: 0,
    };
    let mut made = Made {
        compiled,
        seen: HashSet::new(),
        list: Vec::new(),
    };
    let whole = maker.resolved(schema);
    for (words, properties) in [
        ("the required arguments", Properties::Required),
        ("all arguments", Properties::All),
        ("some arguments", Properties::Some),
        ("other values", Properties::Some),
    ] {
        let args = maker.object(schema, properties, 0);
        made.add(ArgumentsKind::Valid, words.to_owned(), args);
    }
    // The values that the others differ from in one place.
    let base = maker.object(schema, Properties::All, 0);
    for name in required(&whole) {
        let mut args = base.clone();
        args.shift_remove(name);
        made.add(ArgumentsKind::Missing, format!("no `{name}`"), args);
    }
    // Some agents take it for no arguments, which does no harm.
    made.list.push(MadeArguments {
        kind: ArgumentsKind::WrongType,
        words: "null for all arguments".to_owned(),
        args: Value::Null,
        is_valid: None,
    });
    let properties = whole.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        made.add_wrong_types(name, &maker.resolved(property), &base);
    }
    for (name, property) in properties.into_iter().flatten() {
        for (words, value) in boundaries(&maker.resolved(property)) {
            let (words, args) = (
                format!("{words} for `{name}`"),
                replaced(&base, name, value),
            );
            made.add(ArgumentsKind::Boundary, words, args);
        }
    }
    let args = replaced(&base, "ananke_unknown_argument", json!(1));
    let words = "an unknown argument".to_owned();
    made.add(ArgumentsKind::Boundary, words, args);
    made.list
}

/// Collects arguments.
struct Made<'a> {
    compiled: Option<&'a ValueSchema>,
    seen: HashSet<String>,
    list: Vec<MadeArguments>,
}

impl Made<'_> {
    fn add(&mut self, kind: ArgumentsKind, words: String, args: Map<String, Value>) {
        let value = Value::Object(args);
        if !self.seen.insert(value.to_string()) {
            return;
        }
        let is_valid = self
            .compiled
            .and_then(|compiled| compiled.mismatches(&value).ok())
            .map(|mismatches| mismatches.is_empty());
        let is_as_meant = match kind {
            ArgumentsKind::Valid => is_valid != Some(false),
            ArgumentsKind::Missing | ArgumentsKind::WrongType => is_valid != Some(true),
            ArgumentsKind::Boundary => true,
        };
        if is_as_meant {
            self.list.push(MadeArguments {
                kind,
                words,
                args: value,
                is_valid,
            });
        }
    }

    /// Adds `base` with a value of each other type for an argument.
    fn add_wrong_types(&mut self, name: &str, property: &Value, base: &Map<String, Value>) {
        let is_only = type_of(property);
        for (other, value) in [
            ("object", json!({ "a": 1 })),
            ("string", json!("text")),
            ("integer", json!(7)),
            ("null", Value::Null),
        ] {
            if other != is_only && !(is_only == "number" && other == "integer") {
                let words = format!("{} for `{name}`", with_article(other));
                let args = replaced(base, name, value);
                self.add(ArgumentsKind::WrongType, words, args);
            }
        }
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "string" => "a text".to_owned(),
        kind => format!("an {kind}"),
    }
}

fn replaced(args: &Map<String, Value>, name: &str, value: Value) -> Map<String, Value> {
    let mut args = args.clone();
    args.insert(name.to_owned(), value);
    args
}

fn text_of_length(length: usize) -> (String, Value) {
    (format!("{length} characters"), "a".repeat(length).into())
}

/// Texts as long as a schema allows, and one character longer; as short, and one shorter.
fn longest_and_shortest(schema: &Value) -> impl Iterator<Item = (String, Value)> {
    let lengths = [("minLength", -1), ("maxLength", 1)]
        .into_iter()
        .filter_map(|(key, by)| Some((i64::try_from(size(schema, key)?).ok()?, by)))
        .flat_map(|(limit, by)| [limit, limit.saturating_add(by)]);
    lengths
        .filter_map(|length| usize::try_from(length).ok())
        .filter(|length| *length <= LONG)
        .map(text_of_length)
}

/// Values at the boundaries of a schema, in words.
fn boundaries(schema: &Value) -> Vec<(String, Value)> {
    let mut found: Vec<(String, Value)> = Vec::new();
    match type_of(schema) {
        "string" => {
            found.extend(longest_and_shortest(schema));
            for (words, text) in [
                ("an empty text", ""),
                ("control characters", "\u{0}\u{1b}[31m\u{202e}\n"),
                ("characters of other scripts", "\u{1f600} 漢字 e\u{301}"),
                ("a path", "../../../../ananke-does-not-exist"),
            ] {
                found.push((words.to_owned(), json!(text)));
            }
            found.push(text_of_length(LONG));
        }
        kind @ ("integer" | "number") => {
            for (key, by) in [
                ("minimum", -1),
                ("maximum", 1),
                ("exclusiveMinimum", -1),
                ("exclusiveMaximum", 1),
            ] {
                if let Some(limit) = schema.get(key).and_then(Value::as_i64) {
                    for number in [limit, limit.saturating_add(by)] {
                        found.push((number.to_string(), number.into()));
                    }
                }
            }
            for number in [0, -1, LARGEST, -LARGEST] {
                found.push((number.to_string(), number.into()));
            }
            if kind == "integer" {
                found.push(("half a number".to_owned(), json!(0.5)));
            }
        }
        "array" => {
            found.push(("an empty list".to_owned(), json!([])));
            found.push(("a list of null".to_owned(), json!([null])));
        }
        "object" => found.push(("an empty object".to_owned(), json!({}))),
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(schema: &Value, seed: u64) -> Vec<MadeArguments> {
        let compiled = ValueSchema::compile(schema.clone()).expect("valid");
        made_arguments(schema, Some(&compiled), WalkRandom::of_walk(seed, 1))
    }

    #[test]
    fn arguments_are_what_their_words_say() {
        let schema = json!({
            "type": "object", "required": ["a"],
            "properties": { "a": { "type": "string", "maxLength": 3 }, "n": { "type": "integer", "minimum": 1 } },
        });
        let made = of(&schema, 1);
        let count = |kind| made.iter().filter(|made| made.kind == kind).count();
        assert_eq!(count(ArgumentsKind::Missing), 1);
        assert_eq!(count(ArgumentsKind::WrongType), 1 + 6);
        assert!(
            count(ArgumentsKind::Valid) >= 2 && count(ArgumentsKind::Boundary) > 8,
            "{made:?}"
        );
        for made in &made {
            let expected = match made.kind {
                ArgumentsKind::Valid => Some(true),
                ArgumentsKind::WrongType if made.args.is_null() => None,
                ArgumentsKind::Missing | ArgumentsKind::WrongType => Some(false),
                ArgumentsKind::Boundary => made.is_valid,
            };
            assert_eq!(made.is_valid, expected, "{made:?}");
        }
        assert_eq!(
            made,
            of(&schema, 1),
            "the same seed gives the same arguments"
        );
        let args = |seed| {
            of(&schema, seed)
                .into_iter()
                .map(|made| made.args)
                .collect::<Vec<_>>()
        };
        assert!((2..9).any(|seed| args(seed) != args(1)), "seeds differ");
    }

    #[test]
    fn a_tool_without_arguments_is_called_with_none_and_with_wrong_ones() {
        let made = of(&json!({ "type": "object" }), 1);
        let words: Vec<&str> = made.iter().map(|made| made.words.as_str()).collect();
        assert_eq!(
            words,
            [
                "the required arguments",
                "null for all arguments",
                "an unknown argument"
            ]
        );
    }
}
