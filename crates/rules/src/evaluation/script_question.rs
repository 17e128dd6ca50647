//! A question to a script: the program that is asked, and what it is asked.

use std::fmt;

use serde_json::Value;

use super::{Evidence, Finding};
use crate::describe::{said, short};
use ananke_trace::redact::{Redactor, truncated};

/// The most characters of a command that are shown.
const SHOWN_COMMAND: usize = 200;

/// A script of the project, or a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ScriptSource {
    /// The script of this name.
    Named(String),
    /// A program and its arguments.
    Command(Vec<String>),
}

impl ScriptSource {
    /// Its name, or the words of the command.
    pub fn shown(&self) -> String {
        let words = match self {
            Self::Named(name) => return name.clone(),
            Self::Command(words) => words
                .iter()
                .map(|word| Value::from(word.as_str()).to_string()),
        };
        let whole = format!("[{}]", words.collect::<Vec<_>>().join(", "));
        truncated(&whole, SHOWN_COMMAND)
    }
}

/// In backticks, as messages name it.
impl fmt::Display for ScriptSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.shown())
    }
}

/// The most lines of a script's message that are shown.
const SHOWN_LINES: usize = 10;

/// A script, and what it is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptQuestion {
    /// The script.
    pub program: ScriptSource,
    /// The most time that it may take, in milliseconds, if the rule says so.
    pub timeout_ms: Option<u64>,
    /// The whole request.
    pub request: Value,
    /// Whether the rule passes if the script rejects.
    pub is_negated: bool,
    /// The author's own sentence about the failure.
    pub(crate) message: Option<String>,
    /// The expectation of the rule, in words.
    pub(crate) expected: String,
}

impl ScriptQuestion {
    /// The failure of the rule after the script accepted it.
    pub(super) fn acceptance(&self, redactor: &Redactor) -> Finding {
        let message = format!(
            "the script {} accepted it, expected that it is rejected",
            self.program
        );
        let seen = self.request["output"]
            .as_str()
            .map(|output| Evidence::Said(said(&short(&redactor.text(output)))));
        Finding::in_words(message, self.expected.clone(), seen).in_words_of(self.message.as_deref())
    }

    /// The failure of the rule after the script rejected it with the message `words`.
    pub(super) fn rejection(&self, words: Option<&str>, redactor: &Redactor) -> Finding {
        let Self {
            program,
            request,
            expected,
            ..
        } = self;
        let words = redactor.text(words.unwrap_or_default());
        let mut lines = words
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty());
        let says = format!("the script {program} rejected it");
        let message = lines
            .next()
            .map_or_else(|| says.clone(), |first| format!("{says}: {}", short(first)));
        let printed = lines.by_ref().take(SHOWN_LINES).map(short);
        let mut shown: Vec<Evidence> = printed.map(Evidence::Words).collect();
        if lines.next().is_some() {
            shown.push(Evidence::Words("…".to_owned()));
        }
        shown.extend(
            request["output"]
                .as_str()
                .map(|output| Evidence::Said(said(&short(&redactor.text(output))))),
        );
        Finding::in_words(message, expected.clone(), shown).in_words_of(self.message.as_deref())
    }
}
