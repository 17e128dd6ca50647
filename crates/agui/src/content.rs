//! The content of a message: text, any JSON of the agent, or the user's text with files.
//!
//! Files are shared with the turn that sends them, and serialized straight into the body of every request.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::conversation_settings::ProtocolVersion;
use ananke_base::message::{Attachment, ContentPart, FileContent, UserContent};
use ananke_base::text::ShortText;

/// The content of a message.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Content {
    /// Text.
    Text(ShortText),
    /// Any other content that the agent sent.
    Json(Box<Value>),
    /// The user's content of several parts.
    Parts(Box<ContentParts>),
}

/// Several parts, in the format of one version of the protocol.
#[derive(Debug)]
pub(super) struct ContentParts {
    parts: Arc<[ContentPart]>,
    version: ProtocolVersion,
}

/// A text part.
#[derive(Serialize)]
struct SentTextPart<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

/// A file in 1.0.
#[derive(Serialize)]
struct MediaPart<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    source: PartSource<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<PartMetadata<'a>>,
}

/// The metadata of a file part: the name of the file.
#[derive(Serialize)]
struct PartMetadata<'a> {
    filename: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PartSource<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
}

/// A file in 0.x.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BinaryPart<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<&'a str>,
}

impl Content {
    /// The user's content, for a server of `version`.
    pub(super) fn of(content: UserContent, version: ProtocolVersion) -> Self {
        match content {
            UserContent::Text(text) => Self::text(&text),
            UserContent::Parts(parts) => Self::Parts(Box::new(ContentParts { parts, version })),
        }
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// Content that is whole text; `None` for any other.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(_) | Self::Parts(_) => None,
        }
    }

    /// Its text, or that of the text parts that the agent sent.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Json(value) => {
                let parts = value.as_array().into_iter().flatten();
                let texts = parts.filter_map(|part| part.get("text").and_then(Value::as_str));
                texts.collect::<Vec<_>>().join("\n")
            }
            Self::Parts(_) => String::new(),
        }
    }
}

impl From<Value> for Content {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.into()),
            value => Self::Json(Box::new(value)),
        }
    }
}

impl Serialize for ContentParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.parts.iter().map(|part| VersionedPart {
            part,
            version: self.version,
        }))
    }
}

/// One part in the format of a version.
struct VersionedPart<'a> {
    part: &'a ContentPart,
    version: ProtocolVersion,
}

impl Serialize for VersionedPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Attachment {
            kind,
            media_type,
            name,
            content,
        } = match self.part {
            ContentPart::Text(text) => {
                return SentTextPart { kind: "text", text }.serialize(serializer);
            }
            ContentPart::File(file) => file,
        };
        let mime_type = media_type.as_deref();
        let (from, value) = match content {
            FileContent::Data { base64, .. } => ("data", base64),
            FileContent::Url(url) => ("url", url),
        };
        match self.version {
            ProtocolVersion::V1 => {
                let source = PartSource {
                    kind: from,
                    value,
                    mime_type,
                };
                let metadata = name.as_deref().map(|filename| PartMetadata { filename });
                MediaPart {
                    kind: kind.as_str(),
                    source,
                    metadata,
                }
                .serialize(serializer)
            }
            ProtocolVersion::V0 => {
                let data = (from == "data").then_some(value.as_str());
                let url = (from == "url").then_some(value.as_str());
                let filename = name.as_deref();
                BinaryPart {
                    kind: "binary",
                    mime_type,
                    data,
                    url,
                    filename,
                }
                .serialize(serializer)
            }
        }
    }
}
