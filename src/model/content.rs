//! What a user says beyond plain text: texts and files as parts of one message.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use super::scalars::Text;
use super::since::Since;
use crate::message::MediaKind;

/// What a user says: a text, or a list of parts.
#[derive(Clone, Debug)]
pub enum UserContent {
    /// Words alone.
    Text(Text),
    /// Words and files in their order; at least one.
    Parts(Vec<ContentPart>),
}

impl UserContent {
    /// The words as they are written; of several parts, those that are words.
    pub fn written(&self) -> String {
        match self {
            Self::Text(text) => text.value.clone(),
            Self::Parts(parts) => {
                let words = parts.iter().filter_map(|part| match part {
                    ContentPart::Text(part) => Some(part.text.value.as_str()),
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
#[schemars(tag = "type")]
#[schemars(transform = Since("1.3"))]
pub enum ContentPart {
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
#[schemars(tag = "type")]
#[schemars(transform = Since("1.3"))]
pub enum Attachment {
    /// A picture: PNG, JPEG and the like.
    Image(Media),
    /// A recording to listen to.
    Audio(Media),
    /// A film to watch.
    Video(Media),
    /// A file of any other kind: a PDF, a text, a table.
    Document(Media),
}

impl Attachment {
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

impl<'de> Deserialize<'de> for UserContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct UserContentVisitor;
        impl<'de> Visitor<'de> for UserContentVisitor {
            type Value = UserContent;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text or a list of parts")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, one: D) -> Result<UserContent, D::Error> {
                Text::deserialize(one).map(UserContent::Text)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<UserContent, A::Error> {
                let mut parts = Vec::new();
                while let Some(part) = list.next_element()? {
                    parts.push(part);
                }
                Ok(UserContent::Parts(parts))
            }
        }
        deserializer.deserialize_newtype_struct(crate::source::ONE_OR_MANY, UserContentVisitor)
    }
}

impl JsonSchema for UserContent {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "UserContent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let text = generator.subschema_for::<Text>();
        let part = generator.subschema_for::<ContentPart>();
        json_schema!({ "anyOf": [text, { "type": "array", "x-since": "1.3", "items": part, "minItems": 1 }] })
    }
}
