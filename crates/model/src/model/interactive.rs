//! Conversations that go on as long as the agent asks: who answers, and what happens without an answer.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Number, Since, Text, TimeoutMs, short::ShortForm};
use ananke_derive::Bounds;

/// Whether a person at the terminal answers when the agent waits for input after the written turns (`enabled`).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = Interactive::bounds)]
pub struct Interactive {
    /// Whether a person is asked (default true). `true` or `false` alone is `enabled`.
    pub enabled: Option<bool>,
    /// How long the person may take for one answer, in milliseconds (default 300000).
    pub timeout_ms: Option<TimeoutMs>,
    /// The largest number of turns, those that are written included: 1 to 1000 (default 20).
    #[schemars(example = 10)]
    #[bounds(default = 20, within = 1..=1000)]
    pub max_turns: Option<Number>,
}

impl ShortForm for Interactive {
    const KEY: &'static str = "enabled";

    type Value = bool;
}

/// What to do if the agent waits for input and there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum MissingInput {
    /// The test is skipped.
    #[default]
    Skip,
    /// The test fails.
    Fail,
    /// The conversation ends, and the rules decide.
    End,
}

impl MissingInput {
    /// As files and the command line write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Fail => "fail",
            Self::End => "end",
        }
    }
}

/// The tools that ask the user, unless the config names others (SPEC 8).
pub const CONFIRMATION_TOOLS: [&str; 3] = ["request_confirmation", "ask_user", "get_user_input"];

/// How it is found out whether an agent waits for input.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Awaiting {
    /// The tools that ask the user (default `request_confirmation`, `ask_user` and `get_user_input`).
    #[schemars(example = serde_json::json!(["ask_customer"]))]
    pub tools: Vec<Text>,
}
