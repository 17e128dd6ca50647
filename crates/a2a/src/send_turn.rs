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
use ananke_model::model::{OwnTurnKeys, Since, Text, optional_mapping};
use ananke_model::variables::{Interpolation, Leaf};

/// A turn with a message of the user whose parts are written in the words of the protocol.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(transform = Since("1.1"))]
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

    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Map<String, Value>> {
        let parts: Vec<Leaf<Value>> = self
            .parts
            .iter()
            .map(|part| filled_part(part, interpolation))
            .collect();
        let parts = parts.into_iter().collect::<Leaf<Vec<Value>>>()?;
        Ok(Map::from_iter([("parts".to_owned(), parts.into())]))
    }

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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.1"))]
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

/// The part with its variables filled: its own keys, in the order of the model.
fn filled_part(
    written: &Spanned<MessagePart>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Value> {
    let MessagePart {
        text,
        data,
        url,
        raw,
        media_type,
        filename,
        metadata,
    } = &written.value;
    let kinds = [text.is_some(), data.is_some(), url.is_some(), raw.is_some()];
    if kinds.iter().filter(|is_given| **is_given).count() != 1 {
        let message = "a part has exactly one of `text`, `data`, `url` and `raw`";
        return Err(interpolation.report(Code::Contradiction, written.span, message, None));
    }
    let mut fill = |text: &Option<Text>| {
        text.as_ref()
            .map(|text| interpolation.text(text).map(Value::String))
            .transpose()
    };
    let (said, address, base64) = (fill(text), fill(url), fill(raw));
    let (media_type, filename) = (fill(media_type), fill(filename));
    let data = interpolation.optional_json(data.as_ref());
    let metadata = interpolation.optional_json(metadata.as_ref());
    if let (Some(written), Ok(Some(Value::String(base64)))) = (raw, &base64)
        && let Err(error) = STANDARD.decode(base64)
    {
        let message = format!("`raw` is not base64: {error}");
        return Err(interpolation.report(Code::BadValue, written.span, message, None));
    }
    let keys = [
        ("text", said?),
        ("data", data?),
        ("url", address?),
        ("raw", base64?),
        ("mediaType", media_type?),
        ("filename", filename?),
        ("metadata", metadata?),
    ];
    let filled = keys
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Ok(Value::Object(filled.collect::<Map<String, Value>>()))
}
