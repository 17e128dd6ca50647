//! The content of a user's message beyond plain text: texts and files as parts of one message.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};

use super::{Since, Text, form};
use ananke_base::message::MediaKind;
use ananke_base::source::{Node, NodeValue};

/// A user message: a text, or a list of parts.
#[derive(Clone, Debug)]
pub enum WrittenContent {
    /// Words alone.
    Text(Text),
    /// Words and files in their order; at least one.
    Parts(Vec<WrittenPart>),
}

impl WrittenContent {
    /// The words as they are written; of several parts, those that are words.
    pub fn written(&self) -> String {
        match self {
            Self::Text(text) => text.value.clone(),
            Self::Parts(parts) => {
                let words = parts.iter().filter_map(|part| match part {
                    WrittenPart::Text(part) => Some(part.text.value.as_str()),
                    _ => None,
                });
                words.collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// A part of a user message.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "type", rename = "ContentPart", transform = Since("1.3"))]
pub enum WrittenPart {
    /// A text part.
    Text(TextPart),
    /// An image (PNG, JPEG, …).
    Image(Media),
    /// An audio file.
    Audio(Media),
    /// A video file.
    Video(Media),
    /// Any other file: a PDF, a text, a table.
    Document(Media),
}

/// A file sent with a user message.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "type", rename = "Attachment", transform = Since("1.3"))]
pub enum WrittenAttachment {
    /// An image (PNG, JPEG, …).
    Image(Media),
    /// An audio file.
    Audio(Media),
    /// A video file.
    Video(Media),
    /// Any other file: a PDF, a text, a table.
    Document(Media),
}

impl WrittenAttachment {
    /// The file, and what kind it is.
    pub fn media(&self) -> (MediaKind, &Media) {
        match self {
            Self::Image(media) => (MediaKind::Image, media),
            Self::Audio(media) => (MediaKind::Audio, media),
            Self::Video(media) => (MediaKind::Video, media),
            Self::Document(media) => (MediaKind::Document, media),
        }
    }
}

/// A text part.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextPart {
    /// The text of this part.
    #[schemars(extend("x-since" = "1.3"))]
    pub text: Text,
}

/// A file: its location and type.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Media {
    /// A local file, as `file://PATH` or a plain path relative to the test file, whose content is sent; a `data:` URL
    /// in base64; or an `https://` URL, which the agent fetches itself.
    #[schemars(example = &"file://images/receipt.png", example = &"https://example.org/receipt.png")]
    pub source: Text,
    /// Its media type. Default: from the file extension, or from the `data:` URL.
    #[schemars(example = &"image/png")]
    pub media_type: Option<Text>,
    /// The name of the file for the agent (default: none is sent).
    #[schemars(length(min = 1), example = &"receipt.png")]
    pub name: Option<Text>,
}

impl<'de> Deserialize<'de> for WrittenContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        match node.value {
            NodeValue::List(_) => form(&node).map(Self::Parts),
            _ => form(&node).map(Self::Text),
        }
    }
}

impl JsonSchema for WrittenContent {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "UserContent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let text = generator.subschema_for::<Text>();
        let part = generator.subschema_for::<WrittenPart>();
        json_schema!({ "anyOf": [text, { "type": "array", "x-since": "1.3", "items": part, "minItems": 1 }] })
    }
}
