//! The severity of a change that is not noticed.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// The words with which names of tools begin that change nothing.
const READING: [&str; 14] = [
    "get", "list", "read", "find", "search", "check", "count", "look", "lookup", "fetch", "show",
    "describe", "query", "view",
];

/// How bad it is if a change is not noticed, by its side effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(rename = "Severity")]
#[serde(rename_all = "snake_case")]
pub enum MutantSeverity {
    /// It is about a tool that changes something, or about a claim that something was changed.
    High,
    /// It is about a tool that reads, a result or the state.
    Medium,
    /// It is about words and times.
    Low,
}

impl MutantSeverity {
    /// The severity of a change to a call to `tool`.
    pub fn of_tool(tool: &str) -> Self {
        let begins = |word: &str| {
            tool.get(..word.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(word))
                && !tool[word.len()..].starts_with(|next: char| next.is_ascii_lowercase())
        };
        if READING.iter().any(|word| begins(word)) {
            Self::Medium
        } else {
            Self::High
        }
    }

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

impl fmt::Display for MutantSeverity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_reads_is_known_by_its_name() {
        for (tool, severity) in [
            ("get_weather", MutantSeverity::Medium),
            ("listOrders", MutantSeverity::Medium),
            ("lookup_order", MutantSeverity::Medium),
            ("checkout", MutantSeverity::High),
            ("refund", MutantSeverity::High),
        ] {
            assert_eq!(MutantSeverity::of_tool(tool), severity, "{tool}");
        }
    }
}
