//! Which calls a rule is about: by name, arguments and result.

use std::sync::Arc;

use regex::Regex;

use super::describe::short;
use super::{ArgumentPatterns, Matching};
use crate::diagnostic::Code;
use crate::model::Text;
use crate::source::FreeMap;
use crate::trace::ToolCall;
use crate::variables::{Filling, Late, Pattern, Patterns};

/// The conditions of a `require` or `forbid_calls` entry; all must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    /// The tool's exact name.
    pub name: String,
    /// Arguments and the pattern each must match.
    pub args: ArgumentPatterns,
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
        let args = ArgumentPatterns::compile(args, filling);
        let result = match result {
            Some(text) => filling.pattern(text).ready().map(Some),
            None => Some(None),
        };
        Some(Self { name: name.ready()?, args: args?, result: result? })
    }

    /// Starts selecting.
    pub(super) fn start(&self, patterns: &mut Patterns) -> Result<Selecting, regex::Error> {
        Ok(Selecting {
            name: self.name.clone(),
            args: self.args.start(patterns)?,
            result: self.result.as_ref().map(|pattern| patterns.compile(pattern)).transpose()?,
        })
    }

    /// The conditions in words: `` `charge_card` with `amount` matching `^10` ``.
    pub fn describe(&self) -> String {
        let mut conditions: Vec<String> = self.args.describe().collect();
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
    args: Matching,
    pub(super) result: Option<Arc<Regex>>,
}

impl Selecting {
    pub(super) fn has_args(&self) -> bool {
        !self.args.is_empty()
    }

    /// Why the call's arguments are not selected; `None` where they are.
    pub(super) fn args_misfit(&self, call: &ToolCall) -> Option<String> {
        self.args.misfit(call)
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
