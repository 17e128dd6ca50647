//! Values in `args` and `result` that look like conditions: `{ min: 40 }` means that mapping itself.

use serde_json::{Number, Value};

use super::Selector;
use super::mismatches::Whole;
use crate::describe::json;
use ananke_base::context::DateOrTime;
use ananke_model::model::BOUND_WORDS;
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

/// A value of an entry that looks like a condition.
#[derive(Debug)]
struct Lookalike<'s> {
    whole: Whole,
    /// The keys and indexes that lead to it.
    path: Vec<PathPart<'s>>,
    /// The value as it is written.
    value: &'s Value,
    /// The condition that it looks like: `min: 40`.
    condition: String,
}

#[derive(Clone, Copy, Debug)]
enum PathPart<'s> {
    Key(&'s str),
    Index(usize),
}

impl Selector {
    /// In words, each value that looks like a condition: a call to such a tool had a scalar or nothing in its place, and none
    /// had what is written.
    pub(crate) fn lookalikes(&self, calls: &[ToolCall]) -> Vec<String> {
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
    if let Some(condition) = condition(value) {
        all.push(Lookalike {
            whole,
            path: path.clone(),
            value,
            condition,
        });
        return;
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
fn condition(value: &Value) -> Option<String> {
    let bounds: Vec<String> = match value {
        Value::Object(entries) if !entries.is_empty() => entries
            .iter()
            .map(|(key, value)| Some(format!("{}: {}", bound_key(key)?, bound(value)?)))
            .collect::<Option<_>>()?,
        Value::String(text) => {
            let text = text.trim();
            let (rest, key) = SIGNS
                .iter()
                .find_map(|(sign, key)| Some((text.strip_prefix(sign)?, key)))?;
            vec![format!("{key}: {}", bound(&Value::from(rest.trim()))?)]
        }
        _ => return None,
    };
    Some(bounds.join(", "))
}

/// The key of the bound that is called `word`, here or in another language.
fn bound_key(word: &str) -> Option<&str> {
    if ["min", "max", "above", "below"].contains(&word) {
        return Some(word);
    }
    let (_, keys) = BOUND_WORDS.iter().find(|(known, _)| *known == word)?;
    keys.first().copied()
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
    fn warning<'c>(&self, calls: impl Iterator<Item = &'c ToolCall>) -> Option<String> {
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
                Some(Value::Array(_)) => {}
                None => {
                    shown.get_or_insert_with(|| (&call.name, "nothing".to_owned()));
                }
                Some(found) => {
                    shown.get_or_insert_with(|| (&call.name, format!("`{}`", brief(found))));
                }
            }
        }
        let (name, found) = shown?;
        let place = self.place();
        let key = self.key();
        let value = json(self.value);
        let at = if place.is_empty() {
            String::new()
        } else {
            format!(" at `{place}`")
        };
        let instead = if place.is_empty() {
            format!("{key}_where: {{ {} }}", self.condition)
        } else {
            format!(
                "{key}_where: {{ {}: {{ {} }} }}",
                yaml_key(&place),
                self.condition
            )
        };
        Some(format!(
            "`{key}` contains `{value}`{at} as it is written, and a call to `{name}` had {found} there: write `{instead}` if a bound \
             is meant"
        ))
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

/// A key as it is written in a mapping between braces.
fn yaml_key(key: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "_-.".contains(sign);
    if key.chars().all(is_plain) {
        key.to_owned()
    } else {
        Value::from(key).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{answered, call, selector};
    use super::*;

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
        ] {
            let yaml = format!("{{ name: pay, args: {{ amount: {written} }} }}");
            let words = selector(&yaml)
                .expect(&yaml)
                .lookalikes(&[call(r#"{"amount": 1000}"#, [])]);
            let line = format!("write `args_where: {{ amount: {{ {line} }} }}` if");
            assert!(words.len() == 1 && words[0].contains(&line), "{words:?}");
        }
        for written in [
            "40",
            "{}",
            "{ min: 40, currency: EUR }",
            "{ min: soon }",
            "{ min: { value: 3 } }",
            "'> see below'",
            "'40'",
            "->",
        ] {
            let yaml = format!("{{ name: pay, args: {{ amount: {written} }} }}");
            let words = selector(&yaml)
                .expect(&yaml)
                .lookalikes(&[call(r#"{"amount": 1000}"#, [])]);
            assert_eq!(words, Vec::<String>::new(), "{written}");
        }
    }

    #[test]
    fn what_the_calls_had_decides_whether_a_bound_is_meant() {
        let rows: [(&str, &[&str], bool); 9] = [
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
        ];
        for (args, calls, expected) in rows {
            let calls: Vec<ToolCall> = calls.iter().map(|args| call(args, [])).collect();
            for (exact, expected) in [("", expected), (", exact: true", false)] {
                let yaml = format!("{{ name: pay, args: {args}{exact} }}");
                let words = selector(&yaml).expect(&yaml).lookalikes(&calls);
                assert_eq!(!words.is_empty(), expected, "{yaml}: {words:?}");
            }
            let other = format!("{{ name: refund, args: {args} }}");
            assert!(
                selector(&other)
                    .expect(&other)
                    .lookalikes(&calls)
                    .is_empty()
            );
        }
    }

    #[test]
    fn the_whole_result_and_values_in_lists_have_a_line_too() {
        let calls = [call("{}", [answered("42", None)])];
        let words = |yaml: &str| selector(yaml).expect(yaml).lookalikes(&calls).join("; ");
        assert_eq!(
            words("{ name: pay, result: { min: 40 } }"),
            "`result` contains `{\"min\":40}` as it is written, and a call to `pay` had `42` there: write `result_where: { min: 40 }` if \
             a bound is meant"
        );
        assert_eq!(
            words("{ name: pay, args: { items: [{ price: { lt: 3 } }] } }"),
            "`args` contains `{\"lt\":3}` at `items[0].price` as it is written, and a call to `pay` had nothing there: write \
             `args_where: { \"items[0].price\": { below: 3 } }` if a bound is meant"
        );
    }
}
