//! A value that is not what a rule expects, with its place in the call or the state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::focused_json::MISSING;
use ananke_derive::Mask;

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
    pub event: Option<u32>,
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
        self.path.join(".")
    }

    /// The value that was found and the one that was expected, as [`focused`](super::focused_json::focused) shows them.
    pub fn shown(&self) -> [&str; 2] {
        [self.actual.as_deref().unwrap_or(MISSING), &self.expected]
    }
}
