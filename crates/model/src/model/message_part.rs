//! One part of a message that a test writes itself, key by key.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scalars::Text;
use super::since::Since;
use ananke_base::source::Node;

/// One part of a message. Exactly one of `text`, `data`, `url` and `raw` says what it is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.1"))]
pub struct MessagePart {
    /// What the user says.
    #[schemars(example = "I want to checkout")]
    pub text: Option<Text>,
    /// Any JSON value.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"cart": "c-1"}))]
    pub data: Option<Node>,
    /// The URL of a file that the agent fetches.
    #[schemars(example = "https://shop.example/receipt.pdf")]
    pub url: Option<Text>,
    /// The bytes of a file, in base64.
    #[schemars(example = "aGVsbG8=")]
    pub raw: Option<Text>,
    /// The media type of the part.
    #[serde(rename = "mediaType")]
    #[schemars(example = "application/pdf")]
    pub media_type: Option<Text>,
    /// The name of the file.
    #[schemars(example = "receipt.pdf")]
    pub filename: Option<Text>,
    /// Further data about the part, for the agent.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(
        with = "Option<serde_json::Map<String, serde_json::Value>>",
        example = serde_json::json!({"source": "camera"})
    )]
    pub metadata: Option<Node>,
}
