//! The conditions on a JSON value in a larger one, of every rule that looks at values.

use serde_json::Value;

use crate::describe::{json, short};
use ananke_base::diagnostic::{Code, Diagnostic, Span, Spanned};
use ananke_base::source::Node;
use ananke_model::model::{self, Text, ValueType};
use ananke_model::schema::{SchemaError, ValueSchema, idle_words};
use ananke_model::variables::{Fill as _, Interpolation, Pattern, Patterns};
use ananke_trace::trace::Path;

/// The keys of which an entry has one.
const CONDITIONS: &str = "`equals`, `one_of`, `contains`, `match`, `type`, `exists` and `schema`";

/// The condition on one value (SPEC 7.5).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ValueCondition {
    /// The path of the value; without it the whole is meant.
    pub(super) path: Option<Path>,
    /// The value that is expected.
    pub(super) wanted: ExpectedValue,
    /// Whether it must not be that. A value that is not there is not that.
    pub(super) is_negated: bool,
    /// The message of a failure, instead of the words of the rule.
    pub(super) message: Option<String>,
}

/// The expectation of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ExpectedValue {
    /// This value.
    Equal(Value),
    /// One of these values.
    OneOf(Vec<Value>),
    /// Text that contains this, of a string; of any other value its compact JSON.
    Contain(String),
    /// Text that matches, of a string; of any other value its compact JSON.
    Match(Pattern),
    /// A value of this type.
    Type(ValueType),
    /// There.
    Exists,
    /// Valid for this schema.
    Fit(ValueSchema),
}

/// A path, filled.
fn parsed(written: &Text, interpolation: &mut Interpolation<'_>) -> Option<Path> {
    let filled = interpolation.text(written).ok()?;
    let report = |error| {
        let help = "a path has keys and indexes alone: `items[0].id`".to_owned();
        interpolation.report(Code::BadValue, written.span, error, Some(help))
    };
    Path::parse(&filled).map_err(report).ok()
}

/// The one condition that the entry at `span` has to have; in `conditions` it is `None` if it was reported.
fn only(
    mut conditions: impl Iterator<Item = Option<ExpectedValue>>,
    span: Span,
    interpolation: &mut Interpolation<'_>,
) -> Option<ExpectedValue> {
    match (conditions.next(), conditions.next()) {
        (Some(only), None) => only,
        (None, _) => {
            let problem = "nothing says what the value must be";
            let help = format!("add one of {CONDITIONS}");
            interpolation.report(Code::MissingKey, span, problem, Some(help));
            None
        }
        (Some(_), Some(_)) => {
            let problem = format!("an entry takes one of {CONDITIONS}, not several");
            let help = "write one entry for each of them: all must pass".to_owned();
            interpolation.report(Code::Contradiction, span, problem, Some(help));
            None
        }
    }
}

impl ValueCondition {
    /// Checks and fills a condition; `None` if something is known later or was reported.
    pub(super) fn compile(
        written: &Spanned<model::ValueRule>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let model::ValueRule {
            path,
            equals,
            one_of,
            contains,
            matches,
            value_type,
            exists,
            schema,
            not,
            of: _,
            message,
        } = &written.value;
        let is_negated = not.unwrap_or_default() != (*exists == Some(false));
        if is_negated {
            for node in equals.iter().chain(one_of.iter().flatten()) {
                interpolation.check_prohibited(node);
            }
        }
        let path = match path {
            None => Some(None),
            Some(text) => parsed(text, interpolation).map(Some),
        };
        let equals = equals
            .as_ref()
            .map(|node| interpolation.json(node).ok().map(ExpectedValue::Equal));
        let one_of = one_of
            .as_ref()
            .map(|all| all.fill(interpolation).ok().map(ExpectedValue::OneOf));
        let contains = contains.as_ref().map(|text| {
            let filled = if is_negated {
                interpolation.prohibited_text(text)
            } else {
                interpolation.text(text)
            };
            let filled = filled.ok()?;
            contained(&filled, text.span, interpolation)?;
            Some(ExpectedValue::Contain(filled))
        });
        let matches = matches
            .as_ref()
            .map(|text| interpolation.pattern(text).ok().map(ExpectedValue::Match));
        let value_type = value_type.map(|value_type| Some(ExpectedValue::Type(value_type)));
        let schema = schema.as_ref().map(|node| fit(node, interpolation));
        let given = exists.map(|_| Some(ExpectedValue::Exists));
        let wanted = [equals, one_of, contains, matches, value_type, given, schema];
        let message = message.fill(interpolation);
        let only = only(wanted.into_iter().flatten(), written.span, interpolation);
        Some(Self {
            path: path?,
            wanted: only?,
            is_negated,
            message: message.ok()?,
        })
    }

    /// The same condition with its pattern compiled.
    ///
    /// # Errors
    /// If the pattern compiles to more than is allowed.
    pub(super) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let mut started = self.clone();
        if let ExpectedValue::Match(pattern) = &mut started.wanted {
            pattern.start(patterns)?;
        }
        Ok(started)
    }

    /// The expectation of `whole` (`the state`), in words.
    pub(super) fn describe(&self, whole: &str) -> String {
        let value = match &self.path {
            None => whole.to_owned(),
            Some(path) if path.is_whole() => whole.to_owned(),
            Some(path) if self.wanted == ExpectedValue::Exists => {
                let something = if self.is_negated {
                    "nothing"
                } else {
                    "something"
                };
                return format!("{something} at `{}` in {whole}", path.as_str());
            }
            Some(path) => format!("`{}` in {whole}", path.as_str()),
        };
        let not = if self.is_negated { "not " } else { "" };
        match &self.wanted {
            ExpectedValue::Equal(wanted) => format!("{value} {not}equal to `{}`", json(wanted)),
            ExpectedValue::OneOf(all) => format!("{value} {not}equal to one of {}", listed(all)),
            ExpectedValue::Contain(text) => format!("{value} {not}containing `{}`", short(text)),
            ExpectedValue::Match(pattern) => {
                format!("{value} {not}matching `{}`", short(pattern.as_str()))
            }
            ExpectedValue::Type(wanted) => format!("{value} {not}of type {}", type_name(*wanted)),
            ExpectedValue::Exists => format!("{value} {not}there"),
            ExpectedValue::Fit(_) => format!("{value} {not}fitting the schema"),
        }
    }

    /// The expectation, after the place and the value that was found there.
    pub(super) fn briefly(&self) -> String {
        match (&self.wanted, self.is_negated) {
            (ExpectedValue::Equal(wanted), false) => format!("`{}`", json(wanted)),
            (ExpectedValue::Equal(_), true) => "another value".to_owned(),
            (ExpectedValue::OneOf(all), false) => format!("one of {}", listed(all)),
            (ExpectedValue::OneOf(all), true) => format!("none of {}", listed(all)),
            (ExpectedValue::Contain(text), false) => format!("a text containing `{}`", short(text)),
            (ExpectedValue::Contain(text), true) => format!("a text without `{}`", short(text)),
            (ExpectedValue::Match(pattern), false) => {
                format!("a match of `{}`", short(pattern.as_str()))
            }
            (ExpectedValue::Match(pattern), true) => {
                format!("no match of `{}`", short(pattern.as_str()))
            }
            (ExpectedValue::Type(wanted), false) => format!("the type {}", type_name(*wanted)),
            (ExpectedValue::Type(wanted), true) => {
                format!("another type than {}", type_name(*wanted))
            }
            (ExpectedValue::Exists, false) => "something".to_owned(),
            (ExpectedValue::Exists, true) => "nothing".to_owned(),
            (ExpectedValue::Fit(_), false) => "what fits the schema".to_owned(),
            (ExpectedValue::Fit(_), true) => "what does not fit the schema".to_owned(),
        }
    }
}

/// Values in a row.
fn listed(all: &[Value]) -> String {
    all.iter()
        .map(|value| format!("`{}`", json(value)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Reports a text that must occur, or must not, if it is empty: each contains that.
fn contained(filled: &str, span: Span, interpolation: &mut Interpolation<'_>) -> Option<()> {
    if filled.is_empty() {
        let message = "every text contains an empty text";
        let help = "write the expected text, or remove the entry";
        interpolation.report(Code::EmptyValue, span, message, Some(help.to_owned()));
        return None;
    }
    Some(())
}

fn fit(node: &Node, interpolation: &mut Interpolation<'_>) -> Option<ExpectedValue> {
    let written = interpolation.json(node).ok()?;
    if interpolation.json_waits(node) {
        return Some(ExpectedValue::Fit(ValueSchema::as_written(written)));
    }
    for word in idle_words(&written) {
        let of_schema = node.at(word.path.iter().map(String::as_str));
        let mut entries = of_schema.entries().iter();
        let entry = entries.find(|entry| entry.key == word.key);
        let span = entry.map_or(of_schema.span, |entry| entry.key_span);
        let source = interpolation.source().clone();
        let code = if word.key == "format" {
            Code::UnknownValue
        } else {
            Code::UnknownKey
        };
        let warning = Diagnostic::warning(code, word.message);
        interpolation.add(warning.at(&source, span, "").help(word.help));
    }
    match ValueSchema::compile_with_formats(written) {
        Ok(schema) => Some(ExpectedValue::Fit(schema)),
        Err(SchemaError { path, message }) => {
            let place = node.at(path.iter().map(String::as_str)).span;
            interpolation.report(
                Code::BadValue,
                place,
                format!("this is not a valid JSON Schema: {message}"),
                None,
            );
            None
        }
    }
}

pub(super) fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Null => "null",
        ValueType::Boolean => "boolean",
        ValueType::Number => "number",
        ValueType::String => "string",
        ValueType::Array => "array",
        ValueType::Object => "object",
    }
}
