//! The program that a rule or a tool asks.

use std::fmt;

use serde_json::Value;

use ananke_trace::redact::truncated;

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
