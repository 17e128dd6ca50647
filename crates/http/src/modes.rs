//! The choices that say how a response is read.

use schemars::JsonSchema;
use serde::Deserialize;

/// The forms of responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum StreamForm {
    /// JSON, server-sent events or JSON lines, as the first bytes say.
    #[default]
    Auto,
    /// One JSON value.
    Json,
    /// Server-sent events.
    Sse,
    /// JSON values, one after the other.
    Ndjson,
    /// Text in pieces.
    Text,
    /// Lines of a code, a colon and JSON.
    Prefixed,
}

/// What several texts of a response are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum TextMode {
    /// Each is a message.
    Whole,
    /// Pieces of one message. A call between them begins another one.
    Delta,
    /// Each event has all of the text so far.
    Cumulative,
}

/// What several items of one call are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum CallMode {
    /// Each has what is known by then: later values replace earlier ones.
    #[default]
    Whole,
    /// Pieces of its arguments, which are joined.
    Delta,
}
