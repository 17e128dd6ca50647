//! Values in `args` and `result` that look like conditions or patterns: `{ min: 40 }` and `"^O-"` mean themselves.

use serde_json::{Map, Number, Value};

use super::Selector;
use super::mismatches::Whole;
use super::written_pattern::{WrittenPattern, escaped};
use crate::describe::{json, yaml_key};
use crate::evaluation::CodedWarning;
use ananke_base::context::DateOrTime;
use ananke_base::diagnostic::Code;
use ananke_model::schema::condition_key;
use ananke_trace::outcome::brief;
use ananke_trace::trace::{Args, ToolCall, ToolResult, is_same_json};

/// Comparisons as they are written at the beginning of a text, the longer ones first, and the key that means the same.
const SIGNS: [(&str, &str); 6] = [
    (">=", "min"),
    ("≥", "min"),
    ("<=", "max"),
    ("≤", "max"),
    (">", "above"),
    ("<", "below"),
];

/// The keys of conditions on the size of a value.
const BOUNDS: [&str; 4] = ["min", "max", "above", "below"];

/// The types that a condition names.
const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "array", "object", "null",
];

/// The keys that go with other conditions.
const NOT_ALONE: [&str; 2] = ["not", "message"];

/// A value of an entry that looks like a condition.
#[derive(Debug)]
struct Lookalike<'s> {
    whole: Whole,
    /// The keys and indexes that lead to it.
    path: Vec<PathPart<'s>>,
    /// The value as it is written.
    value: &'s Value,
    meant: Meant<'s>,
}

/// The condition that a value looks like.
#[derive(Clone, Debug)]
enum Meant<'s> {
    /// Bounds, as they are written: `min: 40`.
    Bounds(String),
    /// Conditions of which one is no bound: `match: "^O-"`. Without a value in its place such a mapping may be meant itself.
    Conditions(String),
    /// The values of which one is meant.
    Choices(&'s [Value]),
    /// A regular expression or a glob.
    Pattern(WrittenPattern),
}

#[derive(Clone, Copy, Debug)]
enum PathPart<'s> {
    Key(&'s str),
    Index(usize),
}

impl Selector {
    /// A warning for each value that looks like a condition or a pattern: a call to such a tool had a scalar or nothing in its
    /// place, and none had what is written.
    pub(crate) fn lookalikes(&self, calls: &[ToolCall]) -> Vec<CodedWarning> {
        let mut all = Vec::new();
        for (json, whole) in [
            (self.args.json(), Whole::Arguments),
            (self.result.json(), Whole::Result),
        ] {
            if let Some(json) = json.filter(|json| !json.is_exact()) {
                collect(&json.value, whole, &mut Vec::new(), &mut all);
            }
        }
        if all.is_empty() {
            return Vec::new();
        }
        let calls = || calls.iter().filter(|call| self.name.matches(&call.name));
        all.iter()
            .filter_map(|lookalike| lookalike.warning(calls()))
            .collect()
    }
}

/// Adds the values in `value`, which is at `path`, that look like conditions.
fn collect<'s>(
    value: &'s Value,
    whole: Whole,
    path: &mut Vec<PathPart<'s>>,
    all: &mut Vec<Lookalike<'s>>,
) {
    if let Some(meant) = meant(value) {
        // Words like `type` and `match` are keys of agents too, and most lists are meant: what is in them may be meant as well.
        let is_certain = !matches!(meant, Meant::Conditions(_) | Meant::Choices(_));
        all.push(Lookalike {
            whole,
            path: path.clone(),
            value,
            meant,
        });
        if is_certain {
            return;
        }
    }
    let inside: Vec<(PathPart<'s>, &Value)> = match value {
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (PathPart::Key(key), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, value)| (PathPart::Index(index), value))
            .collect(),
        _ => return,
    };
    for (part, value) in inside {
        path.push(part);
        collect(value, whole, path, all);
        path.pop();
    }
}

/// The condition that a value looks like.
fn meant(value: &Value) -> Option<Meant<'_>> {
    match value {
        Value::Object(entries) => written_conditions(entries),
        Value::String(text) => match comparison(text.trim()) {
            Some(bound) => Some(Meant::Bounds(bound)),
            None => WrittenPattern::of(text).map(Meant::Pattern),
        },
        Value::Array(items) if items.len() > 1 && items.iter().all(is_scalar) => {
            Some(Meant::Choices(items))
        }
        _ => None,
    }
}

/// The conditions of a mapping as they are written in YAML; `None` if one of them cannot be one.
fn written_conditions(entries: &Map<String, Value>) -> Option<Meant<'_>> {
    let mut written = Vec::new();
    let mut keys = Vec::new();
    for (word, value) in entries {
        // A word of other languages that no single key means; `not` would negate what is next to it.
        if entries.len() == 1
            && let Some((key, condition)) = foreign_condition(word, value)
        {
            keys.push(key);
            written.push(condition);
            continue;
        }
        let key = condition_key(word)?;
        keys.push(key);
        let value = match (key, value) {
            (key, value) if BOUNDS.contains(&key) => bound(value)?,
            ("type", Value::String(name)) if TYPES.contains(&name.as_str()) => value.to_string(),
            ("match" | "contains" | "message", Value::String(_))
            | ("one_of", Value::Array(_))
            | ("exists" | "not", Value::Bool(_))
            | ("length", Value::Number(_) | Value::Object(_))
            | ("schema", Value::Object(_))
            | ("equals", _) => value.to_string(),
            _ => return None,
        };
        written.push(format!("{key}: {value}"));
    }
    let written = written.join(", ");
    if keys.iter().all(|key| NOT_ALONE.contains(key)) {
        None
    } else if keys.iter().all(|key| BOUNDS.contains(key)) {
        Some(Meant::Bounds(written))
    } else {
        Some(Meant::Conditions(written))
    }
}

/// The condition that a word of other languages means: its key, and how it is written.
fn foreign_condition(word: &str, value: &Value) -> Option<(&'static str, String)> {
    match (word, value) {
        ("starts_with" | "startsWith" | "startswith", Value::String(text)) => {
            let regex = Value::from(format!("^{}", escaped(text)));
            Some(("match", format!("match: {regex}")))
        }
        ("ends_with" | "endsWith" | "endswith", Value::String(text)) => {
            let regex = Value::from(format!("{}$", escaped(text)));
            Some(("match", format!("match: {regex}")))
        }
        ("any_of" | "anyOf", Value::Array(_)) => Some(("one_of", format!("one_of: {value}"))),
        ("not_equals" | "notEquals" | "neq" | "$ne", other) if is_scalar(other) => {
            Some(("equals", format!("equals: {value}, not: true")))
        }
        ("between", Value::Array(items)) => {
            let [least, most] = items.as_slice() else {
                return None;
            };
            let (least, most) = (bound(least)?, bound(most)?);
            Some(("min", format!("min: {least}, max: {most}")))
        }
        _ => None,
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// The bound that a text spells: `>= 40`.
fn comparison(text: &str) -> Option<String> {
    for (sign, key) in SIGNS {
        if let Some(rest) = text.strip_prefix(sign) {
            return Some(format!("{key}: {}", bound(&Value::from(rest.trim()))?));
        }
    }
    None
}

/// A bound as it is written in YAML; `None` if the value is none.
fn bound(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => {
            let number: Option<Number> = text.parse().ok();
            (number.is_some() || DateOrTime::parse(text).is_some()).then(|| text.clone())
        }
        _ => None,
    }
}

impl Lookalike<'_> {
    /// The warning about it, if a call shows that it is not meant as it is written.
    fn warning<'c>(&self, calls: impl Iterator<Item = &'c ToolCall>) -> Option<CodedWarning> {
        let mut shown = None;
        for call in calls {
            let Some(whole) = self.whole_of(call) else {
                continue;
            };
            let found = self.path.iter().try_fold(&whole, |value, part| match part {
                PathPart::Key(key) => value.get(key),
                PathPart::Index(index) => value.get(index),
            });
            match found {
                Some(Value::Object(_)) => return None,
                Some(found) if is_same_json(found, self.value) => return None,
                Some(found) if self.is_shown_by(found) => {
                    shown.get_or_insert_with(|| (&call.name, format!("`{}`", brief(found))));
                }
                None if matches!(self.meant, Meant::Bounds(_)) => {
                    shown.get_or_insert_with(|| (&call.name, "nothing".to_owned()));
                }
                Some(_) | None => {}
            }
        }
        let (name, found) = shown?;
        Some(self.worded(name, &found))
    }

    /// Whether a value in its place shows what is meant.
    fn is_shown_by(&self, found: &Value) -> bool {
        match (&self.meant, found) {
            (_, Value::Array(_)) => false,
            (Meant::Pattern(pattern), Value::String(text)) => pattern.is_match(text),
            (Meant::Pattern(pattern), other) => pattern.is_match(&other.to_string()),
            (Meant::Choices(items), other) => items.iter().any(|item| is_same_json(item, other)),
            (Meant::Bounds(_) | Meant::Conditions(_), _) => true,
        }
    }

    /// The warning: a call to the tool `name` had `found` in its place.
    fn worded(&self, name: &str, found: &str) -> CodedWarning {
        let place = self.place();
        let key = self.key();
        let (code, condition, noun) = match &self.meant {
            Meant::Bounds(bounds) => (Code::LooksLikeCondition, bounds.clone(), "bound"),
            Meant::Conditions(written) => (Code::LooksLikeCondition, written.clone(), "condition"),
            Meant::Choices(items) => {
                let choices = Value::from(items.to_vec());
                (
                    Code::LooksLikeCondition,
                    format!("one_of: {choices}"),
                    "condition",
                )
            }
            Meant::Pattern(pattern) => {
                let regex = Value::from(pattern.as_str());
                (Code::LooksLikePattern, format!("match: {regex}"), "pattern")
            }
        };
        let at = if place.is_empty() {
            String::new()
        } else {
            format!(" at `{place}`")
        };
        let instead = if place.is_empty() {
            format!("{key}_where: {{ {condition} }}")
        } else {
            format!("{key}_where: {{ {}: {{ {condition} }} }}", yaml_key(&place))
        };
        let words = format!(
            "`{key}` contains `{}`{at} as it is, and a call to `{name}` had {found}: write `{instead}` for a {noun}",
            json(self.value)
        );
        CodedWarning { code, words }
    }

    /// The value that it is compared with.
    fn whole_of(&self, call: &ToolCall) -> Option<Value> {
        match self.whole {
            Whole::Arguments => match call.args() {
                Args::Json(args) => Some(call.opened_args().unwrap_or(args).clone()),
                Args::Malformed(_) => None,
            },
            Whole::Result => call.result().map(ToolResult::value),
        }
    }

    fn key(&self) -> &'static str {
        match self.whole {
            Whole::Arguments => "args",
            Whole::Result => "result",
        }
    }

    /// Its path: `items[0].price`.
    fn place(&self) -> String {
        let mut place = String::new();
        for part in &self.path {
            match part {
                PathPart::Index(index) => place.extend(["[", &index.to_string(), "]"]),
                PathPart::Key(key) if place.is_empty() => place += key,
                PathPart::Key(key) => place.extend([".", key]),
            }
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{answered, call, selector};
    use super::*;

    fn lookalikes(yaml: &str, calls: &[ToolCall]) -> Vec<String> {
        let warnings = selector(yaml).expect(yaml).lookalikes(calls);
        warnings.into_iter().map(|warning| warning.words).collect()
    }

    #[test]
    fn a_mapping_of_bounds_and_a_comparison_are_conditions_with_a_line_to_write() {
        for (written, line) in [
            ("{ min: 40 }", "min: 40"),
            ("{ gte: 40, lt: 100.5 }", "min: 40, below: 100.5"),
            ("{ $gt: 40 }", "above: 40"),
            ("{ '>=': 40 }", "min: 40"),
            ("{ maximum: 2026-12-31 }", "max: 2026-12-31"),
            ("'>= 40'", "min: 40"),
            ("'<2026-12-31'", "below: 2026-12-31"),
            ("'≤ 3'", "max: 3"),
            ("{ match: '^1' }", "match: \"^1\""),
            ("{ $regex: '^1', not: true }", "match: \"^1\", not: true"),
            ("{ pattern: 'O-[0-9]' }", "match: \"O-[0-9]\""),
            ("{ contains: '00' }", "contains: \"00\""),
            ("{ one_of: [1, 2] }", "one_of: [1,2]"),
            ("{ $in: [1, 2] }", "one_of: [1,2]"),
            ("{ equals: 7 }", "equals: 7"),
            ("{ type: string }", "type: \"string\""),
            ("'^1'", "match: \"^1\""),
            ("/^1/", "match: \"^1\""),
            ("'1*'", "match: \"^1\""),
            ("'*0'", "match: \"0$\""),
            ("'[0-9]+'", "match: \"[0-9]+\""),
            ("'\\d+'", "match: \"\\\\d+\""),
            ("(?i)1000", "match: \"(?i)1000\""),
            ("'10.*'", "match: \"10.*\""),
            ("'00$'", "match: \"00$\""),
            ("[999, 1000]", "one_of: [999,1000]"),
            ("{ starts_with: '1' }", "match: \"^1\""),
            ("{ endsWith: '.0' }", "match: \"\\\\.0$\""),
            ("{ any_of: [1, 2] }", "one_of: [1,2]"),
            ("{ not_equals: 7 }", "equals: 7, not: true"),
            ("{ between: [1, 9] }", "min: 1, max: 9"),
        ] {
            let yaml = format!("{{ name: pay, args: {{ amount: {written} }} }}");
            let words = lookalikes(&yaml, &[call(r#"{"amount": 1000}"#, [])]);
            let line = format!("write `args_where: {{ amount: {{ {line} }} }}` for");
            assert!(words.len() == 1 && words[0].contains(&line), "{words:?}");
        }
    }

    #[test]
    fn a_literal_value_is_no_condition() {
        for written in [
            "40",
            "{}",
            "{ min: 40, currency: EUR }",
            "{ min: soon }",
            "{ min: { value: 3 } }",
            "'> see below'",
            "'40'",
            "->",
            "'^2'",
            "'2*'",
            "'[EUR]'",
            "'[1]'",
            "'1|2'",
            "'1||2'",
            "'*'",
            "'**'",
            "'1 * 2'",
            "'^'",
            "'$'",
            "'/1/'",
            "'[\"1\"]'",
            "'100?'",
            "[1, 2]",
            "[1000]",
            "[[1000], 1]",
            "{ between: [1] }",
            "{ between: [a, b] }",
            "{ any_of: 1 }",
            "{ not_equals: 7, min: 3 }",
            "'(*'",
            "{ not: true }",
            "{ message: no }",
            "{ match: 5 }",
            "{ match: '^1', currency: EUR }",
        ] {
            let yaml = format!("{{ name: pay, args: {{ amount: {written} }} }}");
            let words = lookalikes(&yaml, &[call(r#"{"amount": 1000}"#, [])]);
            assert_eq!(words, Vec::<String>::new(), "{written}");
        }
    }

    #[test]
    fn what_the_calls_had_decides_whether_a_bound_is_meant() {
        let rows: [(&str, &[&str], bool); 17] = [
            ("{ amount: { min: 40 } }", &["{\"amount\": 1000}"], true),
            ("{ amount: { min: 40 } }", &["{}"], true),
            ("{ amount: { min: 40 } }", &[], false),
            ("{ amount: { min: 40 } }", &["{\"amount\": [1]}"], false),
            (
                "{ amount: { min: 40 } }",
                &["{\"amount\": 5}", "{\"amount\": {\"min\": 1}}"],
                false,
            ),
            ("{ amount: '>= 40' }", &["{\"amount\": 5}"], true),
            (
                "{ amount: '>= 40' }",
                &["{\"amount\": 5}", "{\"amount\": \">= 40\"}"],
                false,
            ),
            (
                "{ items: [{ price: { lt: 3 } }] }",
                &["{\"items\": [{\"price\": 5}]}"],
                true,
            ),
            ("{ min: 40 }", &["{\"min\": 40}"], false),
            (
                "{ card: { type: '^deb' } }",
                &["{\"card\": {\"type\": \"debit\"}}"],
                true,
            ),
            (
                "{ card: { match: '^deb' } }",
                &["{\"card\": {\"match\": \"debit\"}}"],
                true,
            ),
            ("{ card: { type: gift } }", &["{\"card\": \"gift\"}"], false),
            ("{ id: { match: '^O' } }", &["{\"id\": \"O-7\"}"], true),
            ("{ id: { match: '^O' } }", &["{}"], false),
            ("{ id: '^O-' }", &["{\"id\": \"O-7\"}"], true),
            ("{ id: '^O-' }", &["{\"id\": \"P-7\"}", "{}"], false),
            (
                "{ id: 'O-*' }",
                &["{\"id\": \"O-7\"}", "{\"id\": \"O-*\"}"],
                false,
            ),
        ];
        for (args, calls, expected) in rows {
            let calls: Vec<ToolCall> = calls.iter().map(|args| call(args, [])).collect();
            for (exact, expected) in [("", expected), (", exact: true", false)] {
                let yaml = format!("{{ name: pay, args: {args}{exact} }}");
                let words = lookalikes(&yaml, &calls);
                assert_eq!(!words.is_empty(), expected, "{yaml}: {words:?}");
            }
            let other = format!("{{ name: refund, args: {args} }}");
            assert_eq!(lookalikes(&other, &calls), Vec::<String>::new());
        }
    }

    #[test]
    fn the_whole_result_and_values_in_lists_have_a_line_too() {
        let calls = [call("{}", [answered("42", None)])];
        let words = |yaml: &str| lookalikes(yaml, &calls).join("; ");
        assert_eq!(
            words("{ name: pay, result: { min: 40 } }"),
            "`result` contains `{\"min\":40}` as it is, and a call to `pay` had `42`: write `result_where: { min: 40 }` for a bound"
        );
        assert_eq!(
            words("{ name: pay, args: { items: [{ price: { lt: 3 } }] } }"),
            "`args` contains `{\"lt\":3}` at `items[0].price` as it is, and a call to `pay` had nothing: write \
             `args_where: { \"items[0].price\": { below: 3 } }` for a bound"
        );
    }
}
