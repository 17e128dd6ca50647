//! One part of a message that a test writes itself, checked and filled.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{MessagePart, Text};
use ananke_model::variables::{Interpolation, Leaf};

/// The part with its variables filled: its own keys, in the order of the model.
pub(super) fn message_part(
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
