//! Findings: the ways in which a rule fails, and the evidence for each.

use crate::assertion::describe::short;
use crate::diagnostic::Difference;
use crate::trace::{ToolCall, Trace};

/// One way in which a rule fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The whole finding on one line.
    pub(crate) message: String,
    /// What was expected.
    pub(crate) expected: String,
    /// What was found instead, in order.
    pub(crate) evidence: Vec<Evidence>,
    /// The numbers of the events that it is based on.
    pub(crate) events: Vec<u32>,
}

/// A finding with a difference or a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detailed {
    /// How the rule fails.
    pub(crate) finding: Finding,
    /// Expected against actual text.
    pub(crate) difference: Option<Difference>,
    /// What to do.
    pub(crate) help: Option<String>,
}

/// Something that a finding points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// A call, by its index in the trace; described at the end of the turn, when its result is known.
    Call {
        /// Its index in [`Trace::calls`].
        index: usize,
        /// The first mismatch, where the call was nearly selected.
        mismatch: Option<String>,
    },
    /// A call that was not selected, with all its mismatches.
    NearMiss {
        /// Its index in [`Trace::calls`].
        index: usize,
        /// One line per mismatch.
        mismatches: Vec<String>,
        /// Whether other calls have more mismatches.
        is_closest: bool,
    },
    /// Anything else, in words.
    Words(String),
}

impl Finding {
    /// A finding that points at one call, from its first event on.
    pub(crate) fn of_call(message: String, expected: &str, index: usize, call: &ToolCall) -> Self {
        let evidence = vec![Evidence::call(index)];
        Self { message, expected: expected.to_owned(), evidence, events: vec![call.first_event] }
    }

    /// A finding with words as its only evidence, and no event.
    pub(crate) fn in_words(
        message: String,
        expected: String,
        words: impl IntoIterator<Item = String>,
    ) -> Self {
        let evidence = words.into_iter().map(Evidence::Words).collect();
        Self { message, expected, evidence, events: Vec::new() }
    }
}

impl Evidence {
    /// A call without a mismatch.
    pub(crate) fn call(index: usize) -> Self {
        Self::Call { index, mismatch: None }
    }

    /// Its lines in a report.
    pub(crate) fn lines(self, trace: &Trace) -> Vec<String> {
        let shown = |index: usize| trace.calls.get(index).map(call).unwrap_or_default();
        match self {
            Self::Words(words) => vec![words],
            Self::Call { index, mismatch: None } => vec![shown(index)],
            Self::Call { index, mismatch: Some(mismatch) } => vec![format!("{}: {mismatch}", shown(index))],
            Self::NearMiss { index, mismatches, is_closest } => {
                let closest = if is_closest { "closest: " } else { "" };
                let first = format!("{closest}{}", shown(index));
                if let [only] = mismatches.as_slice() {
                    return vec![format!("{first}: {only}")];
                }
                let mismatches = mismatches.iter().map(|mismatch| format!("  {mismatch}"));
                [first].into_iter().chain(mismatches).collect()
            }
        }
    }
}

/// `name(args) → result`.
fn call(call: &ToolCall) -> String {
    let result = match call.result() {
        Some(result) if result.text.is_empty() => "(empty result)".to_owned(),
        Some(result) => short(&result.text),
        None => "(no result)".to_owned(),
    };
    format!("{}({}) → {result}", short(&call.name), short(call.args_text.trim()))
}
