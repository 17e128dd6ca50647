//! The messages that a case of a JSONL file sends: texts, messages, and their parts in the spellings of several systems.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{MessageCall, OneOrMany, Since, Text, TextOr};
use ananke_base::diagnostic::Spanned;
use ananke_base::message::Role;

/// The input of a case: a text, a message, or messages.
pub type CaseInput = OneOrMany<Spanned<TextOr<CaseMessage>>>;

/// The content of a message: a text, a part, or parts.
pub type CaseParts = OneOrMany<Spanned<TextOr<CasePart>>>;

/// A message of a case.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CaseMessage {
    /// The sender (default: `user`).
    pub role: Option<Role>,
    /// The text, or the parts of a message with files. Optional for an `assistant` that calls tools.
    #[schemars(example = &"Hello")]
    pub content: Option<Spanned<CaseParts>>,
    /// The message's id (default: a new one).
    #[schemars(length(min = 1))]
    pub id: Option<Text>,
    /// The name of the sender, if several have the same role.
    #[schemars(length(min = 1))]
    pub name: Option<Text>,
    /// The calls of an `assistant`. A later `tool` message answers each of them.
    pub tool_calls: Option<Vec<Spanned<MessageCall>>>,
    /// The id of the call that a `tool` message answers.
    #[schemars(length(min = 1))]
    pub tool_call_id: Option<Text>,
}

/// A part of a message: a text or a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct CasePart {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Spanned<PartType>,
    /// The text of a text part.
    pub text: Option<Text>,
    /// A local file, as `file://PATH` relative to the case file; or a URL.
    #[schemars(example = &"file://fixtures/invoice.jpg")]
    pub source: Option<Text>,
    /// A URL, `https:` or `data:`.
    pub url: Option<Text>,
    /// The image of an `image_url` part.
    pub image_url: Option<TextOr<PartUrl>>,
    /// The content of an audio part, in base64.
    pub data: Option<Text>,
    /// The format of `data`: `wav`, `mp3`.
    #[schemars(example = &"wav")]
    pub format: Option<Text>,
    /// The audio of an `input_audio` part.
    pub input_audio: Option<PartAudio>,
    /// The file of a `file` part.
    pub file: Option<PartFile>,
    /// The name of the file for the agent.
    #[schemars(example = &"expense_policy.pdf")]
    pub name: Option<Text>,
    /// Another name of `name`.
    pub filename: Option<Text>,
    /// The media type of the file (default: from its file extension).
    #[schemars(example = &"image/png")]
    pub media_type: Option<Text>,
    /// How closely a model looks at an image; not sent.
    pub detail: Option<Text>,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum PartType {
    /// A text.
    Text,
    /// An image.
    Image,
    /// An image by its URL.
    ImageUrl,
    /// An audio file.
    Audio,
    /// An audio file by its content.
    InputAudio,
    /// A video file.
    Video,
    /// Any file.
    File,
    /// Any file.
    Document,
}

/// An image by its URL.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct PartUrl {
    /// The URL, `https:` or `data:`.
    pub url: Text,
    /// How closely a model looks at the image; not sent.
    pub detail: Option<Text>,
}

/// An audio file by its content.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct PartAudio {
    /// The content, in base64.
    pub data: Text,
    /// The format: `wav`, `mp3`.
    #[schemars(example = &"wav")]
    pub format: Text,
}

/// A file by its URL or content.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct PartFile {
    /// The URL, `https:` or `data:`.
    pub url: Option<Text>,
    /// The content as a `data:` URL.
    pub file_data: Option<Text>,
    /// The name of the file for the agent.
    #[schemars(example = &"expense_policy.pdf")]
    pub filename: Option<Text>,
}
