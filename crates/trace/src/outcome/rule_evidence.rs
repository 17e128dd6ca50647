//! The findings of a rule: lines of evidence, values that differ, what it measured against a limit, and what it counted.
//!
//! **Why:** Evidence is kept in parts and not as one text, since a console prints it in columns, HTML folds it, and an
//! annotation has room for one line. A part knows the event that it is about, which is how a report can point at the
//! place in the transcript.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::focused_json::MISSING;
use crate::trace::{EventNumber, Path};
use ananke_derive::Mask;

/// Something that was found instead of what a rule expects.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub enum EvidenceLine {
    /// A call.
    Call {
        /// The call with its arguments and its result, on one line.
        text: String,
        /// The number of its first event.
        event: EventNumber,
        /// The rest about it, which a transcript with the call and the values that differ does not show; may be empty.
        remark: String,
    },
    /// The text of a message, which a transcript shows.
    Said(String),
    /// Anything else.
    Words(String),
}

impl EvidenceLine {
    /// All of it, on one line.
    pub fn text(&self) -> &str {
        match self {
            Self::Call { text, .. } | Self::Said(text) | Self::Words(text) => text,
        }
    }

    /// The same, to be changed.
    pub(super) fn text_mut(&mut self) -> &mut String {
        match self {
            Self::Call { text, .. } | Self::Said(text) | Self::Words(text) => text,
        }
    }
}

/// The value that the path of a difference leads into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparedValue {
    /// The arguments of a call.
    Arguments,
    /// The result of a call.
    Result,
    /// The agent's state.
    State,
    /// The JSON in the last message.
    Output,
}

/// A value that is not what a rule expects.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct ValueDifference {
    /// The event of the call; `None` if it is not about a call.
    pub event: Option<EventNumber>,
    /// The value that the path leads into.
    #[mask(skip)]
    pub of: ComparedValue,
    /// The keys and indexes that lead to it; none for the whole value.
    pub path: Vec<String>,
    /// The value that was expected there, as JSON or in words.
    pub expected: String,
    /// The value that was found there, as short JSON; `None` if there is none.
    pub actual: Option<String>,
}

impl ValueDifference {
    /// The path as rules write it: `billing.country`; empty for the whole value.
    pub fn path(&self) -> String {
        if self.path.is_empty() {
            return String::new();
        }
        Path::of_steps(&self.path)
    }

    /// The value that was found and the one that was expected, as [`focused`](super::focused_json::focused) shows them.
    pub fn shown(&self) -> [&str; 2] {
        [self.actual.as_deref().unwrap_or(MISSING), &self.expected]
    }
}

/// The number that was measured, and the most that was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The number: microseconds of a time, parts of an amount ([`Usd`](ananke_base::text::Usd)), else a count.
    pub actual: u64,
    /// The largest number that passes: milliseconds of a time, parts of an amount, else a count.
    pub limit: u64,
    /// The unit of both.
    pub unit: MeasuredUnit,
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MeasuredUnit {
    /// Time.
    Milliseconds,
    /// Tokens.
    Tokens,
    /// Tool calls.
    Calls,
    /// US dollars.
    Dollars,
    /// Requests to a model.
    Requests,
}

impl Measured {
    /// Whether it is within the limit; equal to it is.
    pub fn is_allowed(&self) -> bool {
        let limit = match self.unit {
            MeasuredUnit::Milliseconds => self.limit.saturating_mul(1000),
            MeasuredUnit::Tokens
            | MeasuredUnit::Calls
            | MeasuredUnit::Dollars
            | MeasuredUnit::Requests => self.limit,
        };
        self.actual <= limit
    }
}

impl MeasuredUnit {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Tokens => "tokens",
            Self::Calls => "calls",
            Self::Dollars => "USD",
            Self::Requests => "requests",
        }
    }
}

/// The number of times that a rule with triggers was triggered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCounts {
    /// The number of triggers.
    pub triggered: u64,
    /// For how many of them, or of what they were compared with, the rule could not be checked.
    pub not_checkable: u64,
}
