//! What is sought in what the agent says: a pattern or a literal text, in all of it or in its last message.

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;
use regex_syntax::hir::Look;

use crate::assertion::describe::{literally, short};
use crate::diagnostic::Code;
use crate::model::{Text, TextOf};
use crate::variables::{Filling, Pattern, Patterns};

/// What is sought.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sought {
    /// What matches this regex.
    Pattern(Pattern),
    /// This very text.
    Literal(String),
}

/// What is sought, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wording {
    /// What is sought.
    pub sought: Sought,
    /// Where.
    pub of: TextOf,
}

impl Wording {
    pub(crate) fn pattern(text: &Text, of: TextOf, filling: &mut Filling<'_>) -> Option<Self> {
        filling.pattern(text).ready().map(|pattern| Self { sought: Sought::Pattern(pattern), of })
    }

    pub(crate) fn literal(text: &Text, of: TextOf, filling: &mut Filling<'_>) -> Option<Self> {
        let literal = filling.text(text).ready()?;
        if literal.is_empty() {
            let message = "an empty text stands in every text";
            let help = "write what is to be said, or drop the entry";
            filling.report(Code::EmptyValue, text.span, message, Some(help.to_owned()));
            return None;
        }
        Some(Self { sought: Sought::Literal(literal), of })
    }

    /// `` text matching `x` ``
    pub(crate) fn describe(&self) -> String {
        let whose = match self.of {
            TextOf::All => "text",
            TextOf::Final => "last message",
        };
        match &self.sought {
            Sought::Pattern(pattern) => format!("{whose} matching `{}`", short(pattern.as_str())),
            Sought::Literal(literal) => format!("{whose} containing `{}`", literally(literal)),
        }
    }

    /// Whether what is found in one message need not be found in the joined text: `^` and `$` mean its ends.
    pub(crate) fn is_anchored(&self) -> bool {
        let pattern = match &self.sought {
            Sought::Pattern(pattern) => pattern.as_str(),
            Sought::Literal(_) => return false,
        };
        let Ok(hir) = regex_syntax::parse(pattern) else { return true };
        let looks = hir.properties().look_set();
        [Look::Start, Look::End, Look::StartCRLF, Look::EndCRLF].into_iter().any(|look| looks.contains(look))
    }

    /// Starts seeking.
    ///
    /// # Errors
    /// Where a pattern compiles to more than is allowed.
    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Seeking, regex::Error> {
        Ok(match &self.sought {
            Sought::Pattern(pattern) => Seeking::Pattern(patterns.compile(pattern)?),
            Sought::Literal(literal) => Seeking::Literal(literal.clone()),
        })
    }
}

/// What is sought, at work.
#[derive(Debug)]
pub(crate) enum Seeking {
    Pattern(Arc<Regex>),
    Literal(String),
}

impl Seeking {
    /// Where it first stands in `text`.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        match self {
            Self::Pattern(regex) => regex.find(text).map(|found| found.range()),
            Self::Literal(literal) => text.find(literal).map(|start| start..start + literal.len()),
        }
    }

    /// Whether `text` would do if the case of its letters did not count; asked of literals alone.
    pub(crate) fn differs_in_case(&self, text: &str) -> bool {
        match self {
            Self::Pattern(_) => false,
            Self::Literal(literal) => text.to_lowercase().contains(&literal.to_lowercase()),
        }
    }

    /// `` matches `x` ``; with `not`, `` match `x` ``.
    pub(crate) fn verb(&self, negated: bool) -> String {
        let (verb, ending, what) = match self {
            Self::Pattern(regex) => ("match", "es", short(regex.as_str())),
            Self::Literal(literal) => ("contain", "s", literally(literal)),
        };
        format!("{verb}{} `{what}`", if negated { "" } else { ending })
    }
}
