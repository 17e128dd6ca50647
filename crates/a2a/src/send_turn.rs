//! A message of the user whose parts a test writes itself, as it is written and with its variables filled.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::written_part;
use ananke_agents::ProtocolTurn;
use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::message::OwnTurnKind;
use ananke_base::source::Node;
use ananke_derive::Fill;
use ananke_model::model::{Excludes, OwnTurnKeys, Since, Text, optional_mapping};
use ananke_model::variables::{Interpolation, Leaf, fill_all};

/// A turn with a message of the user whose parts are written in the words of the protocol.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[schemars(transform = Since("1.1"))]
#[fill(keys, check = check_parts)]
pub(super) struct SendTurn {
    /// The parts of the message: each is a `text`, a `data`, a `url` or a `raw`.
    #[schemars(length(min = 1), example = serde_json::json!([{"text": "Check this cart."}, {"data": {"cart": "c-1"}}]))]
    parts: Vec<Spanned<MessagePart>>,
}

impl ProtocolTurn for SendTurn {
    const KIND: OwnTurnKind = OwnTurnKind {
        name: "a2a:send",
        describe: |keys| {
            let parts = parts(keys).iter().map(written_part::describe);
            parts.collect::<Vec<_>>().join(" ")
        },
        said: Some(|keys| written_part::text_of_parts(parts(keys))),
    };
    const SINCE: &'static str = "1.1";
    const DESCRIPTION: &'static str =
        "A message of the user whose parts are written one by one: text, data and files.";
    const SETTINGS: &'static [&'static str] = OwnTurnKeys::OF_MESSAGE;

    fn describe_written(&self) -> String {
        let texts = self
            .parts
            .iter()
            .filter_map(|part| part.value.text.as_ref());
        let texts = texts.map(|text| text.value.as_str());
        texts.collect::<Vec<_>>().join(" ")
    }
}

/// The parts of a message with its variables filled.
pub(super) fn parts(keys: &Map<String, Value>) -> &[Value] {
    let parts = keys.get("parts").and_then(Value::as_array);
    parts.map(Vec::as_slice).unwrap_or_default()
}

/// One part of a message. Exactly one of `text`, `data`, `url` and `raw` says what it is.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.1"), transform = Excludes(&[("text", "data"), ("text", "url"), ("text", "raw"), ("data", "url"), ("data", "raw"), ("url", "raw")]))]
#[fill(keys)]
pub(super) struct MessagePart {
    /// What the user says.
    #[schemars(example = "I want to checkout")]
    text: Option<Text>,
    /// Any JSON value.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"cart": "c-1"}))]
    data: Option<Node>,
    /// The URL of a file that the agent fetches.
    #[schemars(example = "https://shop.example/receipt.pdf")]
    url: Option<Text>,
    /// The bytes of a file, in base64.
    #[schemars(example = "aGVsbG8=")]
    #[fill(with = fill_base64)]
    raw: Option<Text>,
    /// The media type of the part.
    #[serde(rename = "mediaType")]
    #[schemars(example = "application/pdf")]
    media_type: Option<Text>,
    /// The name of the file.
    #[schemars(example = "receipt.pdf")]
    filename: Option<Text>,
    /// Further data about the part, for the agent.
    #[serde(default, deserialize_with = "optional_mapping")]
    #[schemars(
        with = "Option<serde_json::Map<String, serde_json::Value>>",
        example = serde_json::json!({"source": "camera"})
    )]
    metadata: Option<Node>,
}

fn check_parts(written: &SendTurn, interpolation: &mut Interpolation<'_>) -> Leaf<()> {
    fill_all(&written.parts, |Spanned { value: part, span }| {
        let kinds = [
            part.text.is_some(),
            part.data.is_some(),
            part.url.is_some(),
            part.raw.is_some(),
        ];
        if kinds.iter().filter(|is_given| **is_given).count() == 1 {
            return Ok(());
        }
        let message = "a part has exactly one of `text`, `data`, `url` and `raw`";
        Err(interpolation.report(Code::Contradiction, *span, message, None))
    })
}

fn fill_base64(written: &Text, interpolation: &mut Interpolation<'_>) -> Leaf<Value> {
    let base64 = interpolation.text(written)?;
    match STANDARD.decode(&base64) {
        Ok(_) => Ok(base64.into()),
        Err(error) => {
            let message = format!("`raw` is not base64: {error}");
            Err(interpolation.report(Code::BadValue, written.span, message, None))
        }
    }
}
