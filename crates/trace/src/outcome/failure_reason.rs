//! The key that equal failures share (SPEC 11). If no path is its place, it contains the kind of the finding about a tool, the
//! expectation of any other rule, or the message of a problem.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The key that equal failures share: not the sentence, whose values differ from test to test.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "Reason")]
pub struct FailureReason {
    /// The rule's path in an assert block, or the `kind` of an error.
    pub kind: Cow<'static, str>,
    /// The tool that it is about; omitted if it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The place of the first value that differs; omitted if no value does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it is about where neither a tool nor a path says it; omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
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
