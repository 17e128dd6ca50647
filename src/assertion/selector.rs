//! Which calls a rule is about: by name, arguments and result.

use std::sync::Arc;

use regex::Regex;
use serde_json::Value;

use super::describe::short;
use crate::diagnostic::Code;
use crate::model::Text;
use crate::source::FreeMap;
use crate::trace::{Args, Path, ToolCall};
use crate::variables::{Filling, Late, Pattern, Patterns};

/// The conditions of a `require` or `forbid_calls` entry; all must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    /// The tool's exact name.
    pub name: String,
    /// Arguments and the pattern each must match.
    pub args: Vec<(Path, Pattern)>,
    /// The pattern the result must match.
    pub result: Option<Pattern>,
}

impl Selector {
    /// Checks and fills the conditions; `None` where something is known later or was reported.
    pub(super) fn compile(
        name: &Text,
        args: Option<&FreeMap<Text>>,
        result: Option<&Text>,
        filling: &mut Filling<'_>,
    ) -> Option<Self> {
        let name = tool_name(name, filling);
        let mut compiled = Some(Vec::new());
        for (key, text) in args.into_iter().flatten() {
            let path =
                Path::parse(key).map_err(|error| filling.report(Code::BadValue, text.span, error, None)).ok();
            let pattern = filling.pattern(text).ready();
            compiled = compiled.zip(path.zip(pattern)).map(|(mut list, entry)| {
                list.push(entry);
                list
            });
        }
        let result = match result {
            Some(text) => filling.pattern(text).ready().map(Some),
            None => Some(None),
        };
        Some(Self { name: name.ready()?, args: compiled?, result: result? })
    }

    /// Starts selecting.
    pub(super) fn start(&self, patterns: &mut Patterns) -> Result<Selecting, regex::Error> {
        let args = self.args.iter().map(|(path, pattern)| Ok((path.clone(), patterns.compile(pattern)?)));
        Ok(Selecting {
            name: self.name.clone(),
            args: args.collect::<Result<_, regex::Error>>()?,
            result: self.result.as_ref().map(|pattern| patterns.compile(pattern)).transpose()?,
        })
    }

    /// The conditions in words: `` `charge_card` with `amount` matching `^10` ``.
    pub fn describe(&self) -> String {
        let args = self.args.iter();
        let mut conditions: Vec<String> = args
            .map(|(path, pattern)| format!("`{}` matching `{}`", path.as_str(), short(pattern.as_str())))
            .collect();
        if let Some(pattern) = &self.result {
            conditions.push(format!("a result matching `{}`", short(pattern.as_str())));
        }
        let with = if conditions.is_empty() { "" } else { " with " };
        format!("`{}`{with}{}", self.name, conditions.join(" and "))
    }
}

/// A tool's name; an empty one would select nothing for ever.
pub(super) fn tool_name(name: &Text, filling: &mut Filling<'_>) -> Late<String> {
    match filling.text(name) {
        Late::Ready(filled) if filled.is_empty() => {
            filling.report(Code::EmptyValue, name.span, "a tool's name cannot be empty", None);
            Late::Pending
        }
        filled => filled,
    }
}

/// A selector at work.
#[derive(Debug)]
pub(super) struct Selecting {
    pub(super) name: String,
    args: Vec<(Path, Arc<Regex>)>,
    pub(super) result: Option<Arc<Regex>>,
}

impl Selecting {
    pub(super) fn has_args(&self) -> bool {
        !self.args.is_empty()
    }

    /// Why the call's arguments are not selected; `None` where they are.
    pub(super) fn args_misfit(&self, call: &ToolCall) -> Option<String> {
        if self.args.is_empty() {
            return None;
        }
        let value = match call.args() {
            Args::Json(value) => value,
            Args::Malformed(error) => return Some(format!("the arguments are no JSON: {error}")),
        };
        self.args.iter().find_map(|(path, regex)| {
            let Some(found) = path.find(value) else {
                return Some(format!("there is no argument `{}`", path.as_str()));
            };
            let text = match found {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            (!regex.is_match(&text)).then(|| {
                format!(
                    "argument `{}` is `{}`, which does not match `{}`",
                    path.as_str(),
                    short(&text),
                    short(regex.as_str())
                )
            })
        })
    }

    /// Why the call's result is not selected; `None` where it is.
    pub(super) fn result_misfit(&self, call: &ToolCall) -> Option<String> {
        let regex = self.result.as_ref()?;
        match call.result() {
            None => Some("there is no result".to_owned()),
            Some(result) if regex.is_match(&result.text) => None,
            Some(result) => Some(format!(
                "the result `{}` does not match `{}`",
                short(&result.text),
                short(regex.as_str())
            )),
        }
    }
}
