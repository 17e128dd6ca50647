//! What a user says beyond plain text: texts and files as parts of one message.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};

use super::scalars::Text;
use super::since::Since;
use super::tree::form;
use crate::message::MediaKind;
use crate::source::{Node, NodeValue};

/// What a user says: a text, or a list of parts.
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

/// One part of what a user says.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "type", rename = "ContentPart", transform = Since("1.3"))]
pub enum WrittenPart {
    /// Words of the user, before, between or behind files.
    Text(TextPart),
    /// A picture: PNG, JPEG and the like.
    Image(Media),
    /// A recording to listen to.
    Audio(Media),
    /// A film to watch.
    Video(Media),
    /// A file of any other kind: a PDF, a text, a table.
    Document(Media),
}

/// A file that goes with what a user says.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(tag = "type", rename = "Attachment", transform = Since("1.3"))]
pub enum WrittenAttachment {
    /// A picture: PNG, JPEG and the like.
    Image(Media),
    /// A recording to listen to.
    Audio(Media),
    /// A film to watch.
    Video(Media),
    /// A file of any other kind: a PDF, a text, a table.
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

/// Words as one part among others.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextPart {
    /// What is said.
    #[schemars(extend("x-since" = "1.3"))]
    pub text: Text,
}

/// A file: where it is, and of which type.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Media {
    /// A local file, as `file://PATH` or a plain path from the test file's folder, whose content is sent; a `data:` URL
    /// in base64; or an `https://` URL, which the agent fetches itself.
    #[schemars(example = &"file://images/receipt.png", example = &"https://example.org/receipt.png")]
    pub source: Text,
    /// Its media type. Without it the ending of a local file's name says it, and a `data:` URL its beginning.
    #[schemars(example = &"image/png")]
    pub media_type: Option<Text>,
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
