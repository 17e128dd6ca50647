//! Patterns that the arguments of a call must match.

use std::borrow::Cow;
use std::sync::Arc;

use regex::Regex;
use serde_json::Value;

use crate::assertion::describe::short;
use crate::diagnostic::Code;
use crate::model::Text;
use crate::source::FreeMap;
use crate::trace::{Args, Path, ToolCall};
use crate::variables::{Filling, Pattern, Patterns};

/// Arguments and the pattern each must match (SPEC 7.2, `args_match`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArgumentPatterns(Vec<(Path, Pattern)>);

impl ArgumentPatterns {
    /// Checks and fills the patterns; `None` if something is known later or was reported.
    pub fn compile(written: Option<&FreeMap<Text>>, filling: &mut Filling<'_>) -> Option<Self> {
        let mut compiled = Some(Vec::new());
        for (key, text) in written.into_iter().flatten() {
            let path =
                Path::parse(key).map_err(|error| filling.report(Code::BadValue, key.span, error, None)).ok();
            let pattern = filling.pattern(text).ready();
            compiled = compiled.zip(path.zip(pattern)).map(|(mut list, entry)| {
                list.push(entry);
                list
            });
        }
        compiled.map(Self)
    }

    /// Starts matching.
    ///
    /// # Errors
    /// If a pattern compiles to more than is allowed.
    pub fn start(&self, patterns: &mut Patterns) -> Result<ArgumentPatternMatcher, regex::Error> {
        let compiled = self.0.iter().map(|(path, pattern)| Ok((path.clone(), patterns.compile(pattern)?)));
        Ok(ArgumentPatternMatcher(compiled.collect::<Result<_, regex::Error>>()?))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every call that matches these also matches `fewer`.
    pub(crate) fn include(&self, fewer: &Self) -> bool {
        fewer.0.iter().all(|condition| self.0.contains(condition))
    }

    /// Each pattern in words: `` `amount` matching `^10` ``; `how` is `matching` or `not matching`.
    pub(crate) fn describe<'p>(&'p self, how: &'p str) -> impl Iterator<Item = String> + 'p {
        let words = move |(path, pattern): &(Path, Pattern)| {
            format!("`{}` {how} `{}`", path.as_str(), short(pattern.as_str()))
        };
        self.0.iter().map(words)
    }
}

/// Matches the arguments of calls.
#[derive(Debug)]
pub struct ArgumentPatternMatcher(Vec<(Path, Arc<Regex>)>);

impl ArgumentPatternMatcher {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Why the call's arguments do not match; `None` if they do.
    pub fn mismatch(&self, call: &ToolCall) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        match call.args() {
            Args::Json(value) => self.mismatches(value).next(),
            Args::Malformed(error) => Some(format!("the arguments are no JSON: {error}")),
        }
    }

    /// Each pattern that does not match, in words.
    pub(crate) fn mismatches<'m>(&'m self, args: &'m Value) -> impl Iterator<Item = String> + 'm {
        self.0.iter().filter_map(|(path, regex)| {
            let Some(found) = path.find(args) else {
                return Some(format!("there is no argument `{}`", path.as_str()));
            };
            let text = text_of(found);
            let words = || format!("{}, which does not match `{}`", is(path, &text), short(regex.as_str()));
            (!regex.is_match(&text)).then(words)
        })
    }

    /// Each pattern that matches, in words.
    pub(crate) fn hits<'m>(&'m self, args: &'m Value) -> impl Iterator<Item = String> + 'm {
        self.0.iter().filter_map(|(path, regex)| {
            let text = text_of(path.find(args)?);
            let words = || format!("{}, which matches `{}`", is(path, &text), short(regex.as_str()));
            regex.is_match(&text).then(words)
        })
    }
}

/// What patterns look at: a string as it is, any other value as compact JSON.
fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

fn is(path: &Path, text: &str) -> String {
    format!("argument `{}` is `{}`", path.as_str(), short(text))
}
