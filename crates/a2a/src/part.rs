//! Parts of messages: written in the shape of either version, and read whatever their shape.

use base64::Engine as _;
use serde_json::{Map, Value, json};

use super::dialect::{A2aVersion, Binding, Dialect};
use ananke_base::message::{Attachment, ContentPart, FileContent, UserContent};

/// The content of a part, whatever its shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PartContent<'a> {
    /// Text.
    Text(&'a str),
    /// Any JSON.
    Data(&'a Value),
    /// A file: its name or URL, its media type, and its size, as far as they are known.
    File(Value),
    /// Nothing that is known.
    Unknown,
}

/// The parts of a user's message, in the shape of 1.0.
pub(super) fn parts_of(content: &UserContent) -> Vec<Value> {
    match content {
        UserContent::Text(text) => vec![json!({ "text": text })],
        UserContent::Parts(parts) => parts
            .iter()
            .map(|part| match part {
                ContentPart::Text(text) => json!({ "text": text }),
                ContentPart::File(file) => file_part(file),
            })
            .collect(),
    }
}

fn file_part(file: &Attachment) -> Value {
    let mut part = Map::new();
    match &file.content {
        FileContent::Data { base64, .. } => part.insert("raw".to_owned(), json!(base64)),
        FileContent::Url(url) => part.insert("url".to_owned(), json!(url)),
    };
    part.extend(
        file.media_type
            .iter()
            .map(|media_type| ("mediaType".to_owned(), json!(media_type))),
    );
    part.extend(
        file.name
            .iter()
            .map(|name| ("filename".to_owned(), json!(name))),
    );
    Value::Object(part)
}

/// A part in the shape of 1.0 as `dialect` writes it.
pub(super) fn translated(part: Value, dialect: Dialect) -> Value {
    let Dialect {
        version: A2aVersion::V03,
        binding,
    } = dialect
    else {
        return part;
    };
    let Value::Object(mut part) = part else {
        return part;
    };
    let mut take = |key: &str| part.remove(key);
    let (text, data, url, raw) = (take("text"), take("data"), take("url"), take("raw"));
    let (media_type, name, metadata) = (take("mediaType"), take("filename"), take("metadata"));
    let is_flat = binding == Binding::JsonRpc;
    let mut written = Map::new();
    if let Some(text) = text {
        written.extend(is_flat.then(|| ("kind".to_owned(), json!("text"))));
        written.insert("text".to_owned(), text);
    } else if let Some(data) = data {
        // Data is an object there.
        let data = if data.is_object() {
            data
        } else {
            json!({ "value": data })
        };
        written.extend(is_flat.then(|| ("kind".to_owned(), json!("data"))));
        written.insert(
            "data".to_owned(),
            if is_flat {
                data
            } else {
                json!({ "data": data })
            },
        );
    } else {
        let (uri, bytes) = if is_flat {
            ("uri", "bytes")
        } else {
            ("fileWithUri", "fileWithBytes")
        };
        let keys = [
            (uri, url),
            (bytes, raw),
            ("mimeType", media_type),
            ("name", name),
        ];
        let keys = keys
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?)));
        written.extend(is_flat.then(|| ("kind".to_owned(), json!("file"))));
        written.insert("file".to_owned(), Value::Object(keys.collect()));
    }
    written.extend(metadata.map(|metadata| ("metadata".to_owned(), metadata)));
    Value::Object(written)
}

/// The items of a list under a key.
pub(super) fn list<'v>(holder: &'v Value, key: &str) -> &'v [Value] {
    let items = holder.get(key).and_then(Value::as_array);
    items.map(Vec::as_slice).unwrap_or_default()
}

/// The parts of a message or an artifact.
pub(super) fn parts(holder: &Value) -> &[Value] {
    let parts = holder
        .get("parts")
        .or_else(|| holder.get("content"))
        .and_then(Value::as_array);
    parts.map(Vec::as_slice).unwrap_or_default()
}

/// The members that contain parts, or something that does.
const HOLDERS: [&str; 9] = [
    "task",
    "message",
    "msg",
    "status",
    "statusUpdate",
    "artifact",
    "artifactUpdate",
    "artifacts",
    "history",
];

/// Takes data out of the object that HTTP+JSON of 0.3 puts around it, in everything that `holder` contains.
pub(super) fn unwrap_data(holder: &mut Value) {
    match holder {
        Value::Array(holders) => holders.iter_mut().for_each(unwrap_data),
        Value::Object(members) => {
            for (key, member) in members {
                match (key.as_str(), member) {
                    ("parts" | "content", Value::Array(parts)) => {
                        parts.iter_mut().for_each(unwrap_part);
                    }
                    (key, member) if HOLDERS.contains(&key) => unwrap_data(member),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn unwrap_part(part: &mut Value) {
    let Some(data) = part.get_mut("data") else {
        return;
    };
    let inner = data
        .as_object_mut()
        .filter(|data| data.len() == 1)
        .and_then(|data| data.get_mut("data"));
    if let Some(inner) = inner.map(Value::take) {
        *data = inner;
    }
}

/// The content of `part`. Servers send members that are not set as empty texts.
pub(super) fn content(part: &Value) -> PartContent<'_> {
    let text = |key: &str| {
        part.get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let data = part.get("data").filter(|data| !data.is_null());
    let file = part.get("file").filter(|file| file.is_object());
    if let Some(text) = text("text") {
        return PartContent::Text(text);
    }
    if let Some(data) = data {
        return PartContent::Data(data);
    }
    if text("url").is_some() || text("raw").is_some() {
        return PartContent::File(described(part, "url", "raw", "mediaType", "filename"));
    }
    if let Some(file) = file {
        let is_flat = file.get("uri").is_some() || file.get("bytes").is_some();
        let (uri, bytes) = if is_flat {
            ("uri", "bytes")
        } else {
            ("fileWithUri", "fileWithBytes")
        };
        return PartContent::File(described(file, uri, bytes, "mimeType", "name"));
    }
    // An empty text is one all the same.
    part.get("text")
        .and_then(Value::as_str)
        .map_or(PartContent::Unknown, PartContent::Text)
}

/// A file without its bytes.
fn described(file: &Value, url: &str, bytes: &str, media_type: &str, name: &str) -> Value {
    let text = |key: &str| {
        file.get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let size = text(bytes).map(|base64| {
        let decoded = base64::engine::general_purpose::STANDARD.decode(base64);
        decoded.map_or_else(|_| base64.len() * 3 / 4, |decoded| decoded.len())
    });
    let keys = [
        ("filename", text(name).map(Value::from)),
        ("mediaType", text(media_type).map(Value::from)),
        ("url", text(url).map(Value::from)),
        ("size", size.map(Value::from)),
    ];
    Value::Object(
        keys.into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?)))
            .collect(),
    )
}

/// The texts of a message, one line after the other.
pub(super) fn text_of(message: &Value) -> String {
    let texts = parts(message)
        .iter()
        .filter_map(|part| match content(part) {
            PartContent::Text(text) => Some(text),
            _ => None,
        });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Dialect = Dialect {
        version: A2aVersion::V03,
        binding: Binding::JsonRpc,
    };
    const OLD_HTTP: Dialect = Dialect {
        version: A2aVersion::V03,
        binding: Binding::HttpJson,
    };
    const NEW: Dialect = Dialect {
        version: A2aVersion::V1,
        binding: Binding::JsonRpc,
    };

    #[test]
    fn parts_are_translated_and_read_back() {
        let file = json!({ "raw": "aGVsbG8=", "mediaType": "text/plain", "filename": "a" });
        for (part, flat, proto) in [
            (
                json!({ "text": "hi" }),
                json!({ "kind": "text", "text": "hi" }),
                json!({ "text": "hi" }),
            ),
            (
                json!({ "data": { "a": 1 }, "metadata": { "m": 1 } }),
                json!({ "kind": "data", "data": { "a": 1 }, "metadata": { "m": 1 } }),
                json!({ "data": { "data": { "a": 1 } }, "metadata": { "m": 1 } }),
            ),
            (
                json!({ "url": "http://f" }),
                json!({ "kind": "file", "file": { "uri": "http://f" } }),
                json!({ "file": { "fileWithUri": "http://f" } }),
            ),
            (
                file,
                json!({ "kind": "file", "file": { "bytes": "aGVsbG8=", "mimeType": "text/plain", "name": "a" } }),
                json!({ "file": { "fileWithBytes": "aGVsbG8=", "mimeType": "text/plain", "name": "a" } }),
            ),
        ] {
            let of = |dialect| translated(part.clone(), dialect);
            assert_eq!(
                (of(NEW), of(OLD), of(OLD_HTTP)),
                (part.clone(), flat.clone(), proto.clone())
            );
            assert_eq!(content(&flat), content(&part));
            if part.get("data").is_none() {
                assert_eq!(content(&proto), content(&part));
            }
        }
        assert_eq!(
            translated(json!({ "data": [1] }), OLD)["data"],
            json!({ "value": [1] })
        );
    }

    #[test]
    fn data_is_taken_out_of_its_object_in_parts_alone() {
        let with = |data: Value| {
            let parts =
                json!([{ "data": data, "metadata": { "data": { "data": 1 } } }, { "text": "hi" }]);
            json!({
                "task": { "status": { "message": { "content": parts } }, "history": [{ "parts": parts }],
                    "artifacts": [{ "parts": parts }], "metadata": { "parts": [{ "data": { "data": 2 } }] } },
                "artifactUpdate": { "artifact": { "parts": parts } },
            })
        };
        for (wrapped, data) in [
            (json!({ "data": { "a": 1 } }), json!({ "a": 1 })),
            (json!({ "data": { "data": 1 } }), json!({ "data": 1 })),
            (json!({ "data": 1, "b": 2 }), json!({ "data": 1, "b": 2 })),
        ] {
            let mut event = with(wrapped);
            unwrap_data(&mut event);
            assert_eq!(event, with(data));
        }
    }

    #[test]
    fn members_that_are_not_set_are_ignored() {
        let part = json!({ "text": "", "data": { "a": 1 }, "filename": "", "mediaType": "" });
        assert_eq!(content(&part), PartContent::Data(&json!({ "a": 1 })));
        assert_eq!(content(&json!({ "text": "" })), PartContent::Text(""));
        assert_eq!(content(&json!({})), PartContent::Unknown);
        let file = json!({ "raw": "aGVsbG8=", "filename": "a", "mediaType": "", "url": "" });
        assert_eq!(
            content(&file),
            PartContent::File(json!({ "filename": "a", "size": 5 }))
        );
    }
}
