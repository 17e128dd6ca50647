//! The tools that a rule is about: one by its exact name, or all whose names match.

use std::borrow::Cow;

use super::suffixed_names::named_in;
use crate::describe::short;
use ananke_base::diagnostic::{Code, Diagnostic, Span};
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf, Pattern, Patterns, call_as_name};

/// The most names of one pattern that are shown.
const MOST_NAMED: usize = 8;

/// The tools a rule is about (SPEC 7.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ToolName {
    /// The tool of this name.
    Exact(String),
    /// Every tool whose name contains a match.
    Matching(Pattern),
    /// The tool of the trigger of a rule, which is known when the trigger comes: the rule compares the names.
    OfTrigger,
}

impl ToolName {
    /// Checks and fills one of `name` and `name_match`; `None` if it is known later or was reported.
    pub(crate) fn compile(
        exact: Option<&Text>,
        matching: Option<&Text>,
        entry: Span,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        match (exact, matching) {
            (Some(name), None) => tool_name(name, interpolation).ok().map(Self::Exact),
            (None, Some(pattern)) => interpolation.pattern(pattern).ok().map(Self::Matching),
            (Some(_), Some(pattern)) => {
                let message = "`name` and `name_match` exclude each other";
                let help =
                    "keep one of them: `name_match: \"^pay$\"` means the same as `name: pay`";
                interpolation.report(
                    Code::Contradiction,
                    pattern.span,
                    message,
                    Some(help.to_owned()),
                );
                None
            }
            (None, None) => {
                let help = "add `name`, or `name_match` with a regular expression (version 1.3)";
                let message = "`name` or `name_match` is missing";
                interpolation.report(Code::MissingKey, entry, message, Some(help.to_owned()));
                None
            }
        }
    }

    /// The name, unless it is a pattern.
    pub(crate) fn exact(&self) -> Option<&str> {
        match self {
            Self::Exact(name) => Some(name),
            Self::Matching(_) | Self::OfTrigger => None,
        }
    }

    /// The names that it consists of, without a place, each with the arguments that the rule looks at.
    pub(crate) fn with_arguments(&self, arguments: &[String]) -> Vec<RuleTool<'_>> {
        let mut tools = self.named_tools();
        for tool in &mut tools {
            tool.arguments = arguments.to_vec();
        }
        tools
    }

    /// The names that it consists of, without a place.
    pub(crate) fn named_tools(&self) -> Vec<RuleTool<'_>> {
        match self {
            Self::Exact(name) => vec![RuleTool::exact(name, None)],
            Self::Matching(pattern) => named_in(pattern.as_str())
                .into_iter()
                .flatten()
                .map(|name| RuleTool {
                    name: name.into(),
                    is_suffix: true,
                    arguments: Vec::new(),
                    span: None,
                })
                .collect(),
            Self::OfTrigger => Vec::new(),
        }
    }

    /// The words for it: `` `pay` ``, `` a tool matching `^pay` ``.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Exact(name) => format!("`{name}`"),
            Self::Matching(pattern) => match named(pattern).as_deref() {
                Some([name]) => format!("`{}`", short(name)),
                Some(names) => format!("a tool named {}", one_of(names)),
                None => format!("a tool matching `{}`", short(pattern.as_str())),
            },
            Self::OfTrigger => "the same tool".to_owned(),
        }
    }

    /// Whether it surely matches a tool of this name; a pattern of which a part is known later never does.
    pub(crate) fn surely_matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == name,
            Self::Matching(pattern) => !is_later(pattern) && pattern.is_match(name),
            Self::OfTrigger => false,
        }
    }

    /// Whether it may match a tool of this name.
    pub(crate) fn may_match(&self, name: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == name || exact.contains("${"),
            Self::Matching(pattern) => is_later(pattern) || pattern.is_match(name),
            Self::OfTrigger => true,
        }
    }

    /// Whether it surely matches every tool that `other` matches.
    pub(crate) fn surely_includes(&self, other: &Self) -> bool {
        match other {
            Self::Exact(name) => self.surely_matches(name),
            Self::Matching(_) | Self::OfTrigger => self == other,
        }
    }

    /// Compiles its pattern.
    pub(crate) fn start(&mut self, patterns: &mut Patterns) -> Result<(), regex::Error> {
        match self {
            Self::Exact(_) | Self::OfTrigger => Ok(()),
            Self::Matching(pattern) => pattern.start(patterns),
        }
    }

    /// Whether it matches the tool `name`.
    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == name,
            Self::Matching(pattern) => pattern.is_match(name),
            Self::OfTrigger => true,
        }
    }

    /// The words for no call at all: `` `pay` was ``, `` no tool matching `^pay` was ``.
    pub(crate) fn not_called(&self) -> String {
        match self {
            Self::Exact(name) => format!("`{name}` was not called"),
            Self::Matching(pattern) => match named(pattern).as_deref() {
                Some([name]) => format!("`{}` was not called", short(name)),
                Some(names) => format!("no tool named {} was called", one_of(names)),
                None => format!("no tool matching `{}` was called", short(pattern.as_str())),
            },
            Self::OfTrigger => "the same tool was not called".to_owned(),
        }
    }
}

/// The names that a pattern is made of, if it is made of names; with more than a few, the pattern is shown.
fn named(pattern: &Pattern) -> Option<Vec<String>> {
    named_in(pattern.as_str()).filter(|names| names.len() <= MOST_NAMED)
}

/// Names with "or" in front of the last.
fn one_of(names: &[String]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", short(name)))
        .collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

/// Whether a part of the pattern is known later.
fn is_later(pattern: &Pattern) -> bool {
    pattern.as_str().contains("${")
}

/// A tool's name; an empty one could never select anything.
pub(crate) fn tool_name(name: &Text, interpolation: &mut Interpolation<'_>) -> Leaf<String> {
    match interpolation.text(name) {
        Ok(filled) if filled.is_empty() => Err(interpolation.report(
            Code::EmptyValue,
            name.span,
            "a tool's name cannot be empty",
            None,
        )),
        Ok(filled) => {
            interpolation.check_tool_name(name, &filled)?;
            if is_like_a_pattern(&filled) {
                let message = format!(
                    "`{}` is compared with whole names, not as a pattern",
                    short(&filled)
                );
                let warning =
                    interpolation.at(Diagnostic::warning(Code::PatternAsName, message), name.span);
                interpolation.add(warning.help(
                    "write a regular expression as `name_match`, in an entry of `require` or `forbid_calls`: `{ name_match: \"^delete_\" }`",
                ));
            }
            if let Some(help) = call_as_name(&filled) {
                let message = format!(
                    "`{}` is compared with whole names, not as a call",
                    short(&filled)
                );
                let warning =
                    interpolation.at(Diagnostic::warning(Code::PatternAsName, message), name.span);
                interpolation.add(warning.help(help));
            }
            Ok(filled)
        }
        not_ready => not_ready,
    }
}

/// Whether a text is probably meant as a glob or as a regular expression: names of tools do not look so.
fn is_like_a_pattern(name: &str) -> bool {
    name.contains(['*', '|'])
        || name.contains(".+")
        || name.starts_with(['^', '/'])
        || (name.ends_with('$') && !name.contains("${"))
}

/// The name of a tool in a rule.
#[derive(Clone, Debug)]
pub(crate) struct RuleTool<'r> {
    /// The name.
    pub(crate) name: Cow<'r, str>,
    /// Whether tools have it that have something before it which ends with `__` or `.`.
    pub(crate) is_suffix: bool,
    /// The arguments that the rule looks at.
    pub(crate) arguments: Vec<String>,
    /// The place of the name in its file, unless it is that of the rule.
    pub(crate) span: Option<Span>,
}

impl<'r> RuleTool<'r> {
    /// The exact name of a tool.
    pub(crate) fn exact(name: &'r str, span: Option<Span>) -> Self {
        Self {
            name: Cow::Borrowed(name),
            is_suffix: false,
            arguments: Vec::new(),
            span,
        }
    }
}
