//! What a JSON value must be, where it stands in a larger one: the matchers of every rule that looks at values.

use std::sync::Arc;

use regex::Regex;
use serde_json::Value;

use crate::assertion::describe::short;
use crate::assertion::judge::{Finding, Seen};
use crate::diagnostic::{Code, Spanned};
use crate::model::{self, ValueType};
use crate::schema::{SchemaError, ValueSchema};
use crate::source::Node;
use crate::text::nearest;
use crate::trace::Path;
use crate::variables::{Filling, Late, Pattern, Patterns};

/// What must hold of one value (SPEC 7.5).
#[derive(Clone, Debug, PartialEq)]
pub struct Matcher {
    /// Where the value stands; without it the whole is meant.
    pub path: Option<Path>,
    /// What it must be.
    pub wanted: Wanted,
    /// Whether it must not be that. A value that is not there is not that.
    pub negated: bool,
    /// What a failure says, instead of our own words.
    pub message: Option<String>,
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// This value.
    Equal(Value),
    /// Text that matches, of a string; of any other value its compact JSON.
    Match(Pattern),
    /// Of this type.
    Type(ValueType),
    /// There.
    Exists,
    /// What this schema takes.
    Fit(ValueSchema),
}

impl Matcher {
    /// Checks and fills a matcher; `None` where something is known later or was reported.
    pub fn compile(written: &Spanned<model::ValueRule>, filling: &mut Filling<'_>) -> Option<Self> {
        let model::ValueRule { path, equals, matches, value_type, exists, schema, not, message } =
            &written.value;
        let path = match path {
            None => Some(None),
            Some(text) => filling.text(text).ready().and_then(|path| match Path::parse(&path) {
                Ok(path) => Some(Some(path)),
                Err(error) => {
                    filling.report(Code::BadValue, text.span, error, None);
                    None
                }
            }),
        };
        let equals = equals.as_ref().map(|node| filling.json(node).ready().map(Wanted::Equal));
        let matches = matches.as_ref().map(|text| filling.pattern(text).ready().map(Wanted::Match));
        let value_type = value_type.map(|value_type| Some(Wanted::Type(value_type)));
        let schema = schema.as_ref().map(|node| fit(node, filling));
        let given = exists.map(|_| Some(Wanted::Exists));
        let mut wanted = [equals, matches, value_type, given, schema].into_iter().flatten();
        let message = Late::optional(message.as_ref().map(|text| filling.text(text)));
        let only = match (wanted.next(), wanted.next()) {
            (Some(only), None) => only,
            (None, _) => {
                let problem = "nothing says what the value must be";
                let help = "add one of `equals`, `match`, `type`, `exists` and `schema`";
                filling.report(Code::MissingKey, written.span, problem, Some(help.to_owned()));
                None
            }
            (Some(_), Some(_)) => {
                let problem =
                    "an entry takes one of `equals`, `match`, `type`, `exists` and `schema`, not several";
                let help = "write an entry for each of them: all must hold";
                filling.report(Code::Contradiction, written.span, problem, Some(help.to_owned()));
                None
            }
        };
        let negated = not.unwrap_or_default() != (*exists == Some(false));
        Some(Self { path: path?, wanted: only?, negated, message: message.ready()? })
    }

    /// What is wanted of `whole` (`the state`), in words.
    pub fn describe(&self, whole: &str) -> String {
        let value = match &self.path {
            None => whole.to_owned(),
            Some(path) if path.is_whole() => whole.to_owned(),
            Some(path) if self.wanted == Wanted::Exists => {
                let something = if self.negated { "nothing" } else { "something" };
                return format!("{something} at `{}` in {whole}", path.as_str());
            }
            Some(path) => format!("`{}` in {whole}", path.as_str()),
        };
        let not = if self.negated { "not " } else { "" };
        match &self.wanted {
            Wanted::Equal(wanted) => format!("{value} {not}equal to `{}`", json(wanted)),
            Wanted::Match(pattern) => format!("{value} {not}matching `{}`", short(pattern.as_str())),
            Wanted::Type(wanted) => format!("{value} {not}of type {}", type_name(*wanted)),
            Wanted::Exists => format!("{value} {not}there"),
            Wanted::Fit(_) => format!("{value} {not}fitting the schema"),
        }
    }

    /// What is wanted, behind the place and what was found there.
    fn briefly(&self) -> String {
        match (&self.wanted, self.negated) {
            (Wanted::Equal(wanted), false) => format!("`{}`", json(wanted)),
            (Wanted::Equal(_), true) => "another value".to_owned(),
            (Wanted::Match(pattern), false) => format!("a match of `{}`", short(pattern.as_str())),
            (Wanted::Match(pattern), true) => format!("no match of `{}`", short(pattern.as_str())),
            (Wanted::Type(wanted), false) => format!("the type {}", type_name(*wanted)),
            (Wanted::Type(wanted), true) => format!("another type than {}", type_name(*wanted)),
            (Wanted::Exists, false) => "something".to_owned(),
            (Wanted::Exists, true) => "nothing".to_owned(),
            (Wanted::Fit(_), false) => "what fits the schema".to_owned(),
            (Wanted::Fit(_), true) => "what does not fit the schema".to_owned(),
        }
    }

    /// Starts matching.
    ///
    /// # Errors
    /// Where a pattern compiles to more than is allowed.
    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Matching, regex::Error> {
        let regex = match &self.wanted {
            Wanted::Match(pattern) => Some(patterns.compile(pattern)?),
            _ => None,
        };
        Ok(Matching { matcher: self.clone(), regex })
    }
}

fn fit(node: &Node, filling: &mut Filling<'_>) -> Option<Wanted> {
    let written = filling.json(node).ready()?;
    if filling.json_waits(node) {
        return Some(Wanted::Fit(ValueSchema::as_written(written)));
    }
    match ValueSchema::compile(written) {
        Ok(schema) => Some(Wanted::Fit(schema)),
        Err(SchemaError { path, message }) => {
            let place = node.at(path.iter().map(String::as_str)).span;
            filling.report(Code::BadValue, place, format!("this is no JSON Schema: {message}"), None);
            None
        }
    }
}

/// A matcher at work.
#[derive(Debug)]
pub(crate) struct Matching {
    matcher: Matcher,
    regex: Option<Arc<Regex>>,
}

impl Matching {
    /// What is wrong with `value`, which is all of `whole` (`the state`); `None` where nothing is.
    pub(crate) fn misfit(&self, value: &Value, whole: &str) -> Option<Finding> {
        let Matcher { path, negated, .. } = &self.matcher;
        let found = path.as_ref().map_or(Some(value), |path| path.find(value));
        let why = found.map_or(Some(Vec::new()), |found| self.unlike(found));
        if why.is_none() != *negated {
            return None;
        }
        let path = path.as_ref().filter(|path| !path.is_whole());
        let place = path.map(|path| format!(" at `{}`", path.as_str())).unwrap_or_default();
        let is = if path.is_some() { "has" } else { "is" };
        let (expected, briefly) = (self.matcher.describe(whole), self.matcher.briefly());
        let own = match found {
            Some(found) => format!("{whole} {is} `{}`{place}, expected {briefly}", json(found)),
            None => format!("{whole} has nothing{place}, expected {briefly}"),
        };
        let seen = match (found, path) {
            (None, Some(path)) => around_path(path, value, whole),
            _ => why.unwrap_or_default(),
        };
        Some(self.finding(own, expected, seen))
    }

    /// What is wrong where there is no value to look at, for the reason `why`.
    pub(crate) fn absent(&self, why: &str, seen: Vec<String>, whole: &str) -> Finding {
        let own = format!("{why}, expected {}", self.matcher.briefly());
        self.finding(own, self.matcher.describe(whole), seen)
    }

    fn finding(&self, own: String, expected: String, mut seen: Vec<String>) -> Finding {
        let message = match &self.matcher.message {
            Some(message) => {
                seen.insert(0, own);
                message.clone()
            }
            None => own,
        };
        let seen = seen.into_iter().map(Seen::Words).collect();
        Finding { message, expected, seen, events: Vec::new() }
    }

    /// In which ways a value is not what is wanted, where there are words for them; `None` where it is.
    pub(crate) fn unlike(&self, found: &Value) -> Option<Vec<String>> {
        let is_it = match &self.matcher.wanted {
            Wanted::Equal(wanted) => same(wanted, found),
            Wanted::Match(_) => {
                let text = match found {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                self.regex.as_ref().is_none_or(|regex| regex.is_match(&text))
            }
            Wanted::Type(wanted) => type_of(found) == *wanted,
            Wanted::Exists => true,
            Wanted::Fit(schema) => {
                let told =
                    schema.mismatches(found).into_iter().map(|mismatch| match mismatch.pointer.as_str() {
                        "" => mismatch.message,
                        pointer => format!("{}: {}", short(pointer), short(&mismatch.message)),
                    });
                return Some(told.collect()).filter(|told: &Vec<String>| !told.is_empty());
            }
        };
        (!is_it).then(Vec::new)
    }
}

/// What there is where a path goes astray.
fn around_path(path: &Path, value: &Value, whole: &str) -> Vec<String> {
    let (way, reached, missing) = path.reach(value);
    let place = if way.is_empty() { whole.to_owned() } else { format!("`{}`", short(&way)) };
    let mut seen = vec![format!("{place} is `{}`", json(reached))];
    if let (Value::Object(entries), Some(missing)) = (reached, missing) {
        let meant = nearest(missing, entries.keys());
        seen.extend(meant.map(|key| format!("did you mean `{}`?", short(key))));
    }
    seen
}

/// Whether two values mean the same: key order does not count, and `5` is `5.0`.
pub(crate) fn same(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Number(wanted), Value::Number(found)) => {
            wanted == found
                || (wanted.is_f64() != found.is_f64())
                    && wanted.as_f64().partial_cmp(&found.as_f64()).is_some_and(std::cmp::Ordering::is_eq)
        }
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| same(wanted, found))
        }
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.len() == found.len()
                && wanted.iter().all(|(key, wanted)| found.get(key).is_some_and(|found| same(wanted, found)))
        }
        (wanted, found) => wanted == found,
    }
}

fn type_of(value: &Value) -> ValueType {
    match value {
        Value::Null => ValueType::Null,
        Value::Bool(_) => ValueType::Boolean,
        Value::Number(_) => ValueType::Number,
        Value::String(_) => ValueType::String,
        Value::Array(_) => ValueType::Array,
        Value::Object(_) => ValueType::Object,
    }
}

pub(crate) fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Null => "null",
        ValueType::Boolean => "boolean",
        ValueType::Number => "number",
        ValueType::String => "string",
        ValueType::Array => "array",
        ValueType::Object => "object",
    }
}

/// A value as compact JSON, cut to what fits a line.
pub(crate) fn json(value: &Value) -> String {
    short(&value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn misfit(wanted: Wanted, path: Option<&str>, negated: bool, value: &Value) -> Option<Vec<String>> {
        let path = path.map(|path| Path::parse(path).unwrap());
        let matcher = Matcher { path, wanted, negated, message: None };
        let matching = matcher.start(&mut Patterns::default()).unwrap();
        matching.misfit(value, "the state").map(|finding| {
            let seen = finding.seen.into_iter().map(|seen| match seen {
                Seen::Words(words) => words,
                Seen::Call { .. } | Seen::Miss { .. } => String::new(),
            });
            [finding.message].into_iter().chain(seen).collect()
        })
    }

    #[test]
    fn numbers_and_keys_are_equal_by_what_they_mean() {
        let equal =
            |wanted: Value, found: Value| misfit(Wanted::Equal(wanted), None, false, &found).is_none();
        assert!(equal(json!({"a": 5, "b": [1.0]}), json!({"b": [1], "a": 5.0})));
        assert!(equal(json!(u64::MAX), json!(u64::MAX)));
        assert!(!equal(json!(u64::MAX), json!(u64::MAX - 1)));
        assert!(!equal(json!("5"), json!(5)));
        assert!(!equal(json!({"a": 1}), json!({"a": 1, "b": 2})));
        assert!(!equal(json!([1, 2]), json!([2, 1])));
    }

    #[test]
    fn a_missing_path_is_told_with_what_is_near() {
        let state = json!({"cart": {"items": 2, "total": 9}});
        let found = misfit(Wanted::Equal(json!(9)), Some("cart.totl"), false, &state).unwrap();
        assert_eq!(
            found,
            [
                "the state has nothing at `cart.totl`, expected `9`",
                "`cart` is `{\"items\":2,\"total\":9}`",
                "did you mean `total`?"
            ]
        );
        let found = misfit(Wanted::Exists, Some("x.y"), false, &json!([1])).unwrap();
        assert_eq!(found[1], "the state is `[1]`");
    }

    #[test]
    fn what_is_not_there_is_not_what_must_not_be() {
        let state = json!({"a": null});
        assert_eq!(misfit(Wanted::Equal(json!(1)), Some("b"), true, &state), None);
        assert_eq!(misfit(Wanted::Exists, Some("b"), true, &state), None);
        assert!(misfit(Wanted::Exists, Some("a"), true, &state).is_some());
        assert_eq!(misfit(Wanted::Type(ValueType::Null), Some("a"), false, &state), None);
        assert!(misfit(Wanted::Type(ValueType::Null), Some("a"), true, &state).is_some());
    }

    #[test]
    fn a_schema_tells_each_mismatch() {
        let schema =
            ValueSchema::compile(json!({"properties": {"n": {"type": "number"}}, "required": ["m"]}));
        let found = misfit(Wanted::Fit(schema.unwrap()), None, false, &json!({"n": "1"})).unwrap();
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
