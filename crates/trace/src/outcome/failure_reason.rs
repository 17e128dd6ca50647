//! The key that equal failures share (SPEC 11).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The key that equal failures share: not the sentence, whose values differ from test to test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FailureReason {
    /// The rule's path in an assert block, or the kind of a problem.
    pub kind: Cow<'static, str>,
    /// The tool that it is about, if it is about one.
    pub tool: Option<String>,
    /// The place of the first value that differs, if values differ.
    pub path: Option<String>,
    /// What it is about where no path says it: the kind of the finding about a tool, the expectation of any other rule, the
    /// message of a problem.
    pub about: Option<String>,
}

/// A finding without its numbers and without what it quotes.
pub fn without_values(message: &str) -> String {
    let parts = message.split('`').enumerate();
    let words = parts.map(|(index, part)| if index % 2 == 0 { part } else { "" });
    let words: String = words.collect::<Vec<_>>().join("`");
    words
        .chars()
        .filter(|sign| !sign.is_ascii_digit())
        .collect()
}
