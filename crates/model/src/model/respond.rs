//! The answers of a turn to a server that asks back, in the words of its protocol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Since, Text};
use ananke_base::source::Node;

/// The answers to what a server asks while it works on a turn, in the words of its protocol. A test that has one offers
/// the capability from its first turn on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.2"))]
pub struct Respond {
    /// The answer to an elicitation.
    pub elicitation: Option<ElicitationAnswer>,
    /// The answer to a request for a message of the client's model: `role`, `model` and `content`.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(
        with = "Option<serde_json::Map<String, serde_json::Value>>",
        example = serde_json::json!({"role": "assistant", "model": "test", "content": {"type": "text", "text": "yes"}})
    )]
    pub sampling: Option<Node>,
    /// The directories that the server may work on.
    #[schemars(example = serde_json::json!([{"uri": "file:///shop", "name": "shop"}]))]
    pub roots: Option<Vec<ServerRoot>>,
}

/// The answer to an elicitation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.2"))]
pub struct ElicitationAnswer {
    /// What the user does.
    pub action: ElicitationAction,
    /// The values, if the user accepts. What is missing and has a default in the server's schema gets the default.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(
        with = "Option<serde_json::Map<String, serde_json::Value>>",
        example = serde_json::json!({"size": 42})
    )]
    pub content: Option<Node>,
}

/// What the user does with an elicitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ElicitationAction {
    /// Gives the values.
    Accept,
    /// Declines to give them.
    Decline,
    /// Closes the question without an answer.
    Cancel,
}

/// A directory that a server may work on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.2"))]
pub struct ServerRoot {
    /// The URI of the directory.
    #[schemars(example = &"file:///shop")]
    pub uri: Text,
    /// The name of the directory, for people.
    #[schemars(example = &"shop")]
    pub name: Option<Text>,
}

impl ElicitationAction {
    /// As the protocol writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}
