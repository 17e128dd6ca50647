//! The parts of a message as a test writes them: each has one of `text`, `data`, `url` and `raw`.

use serde_json::Value;

use ananke_base::message::size_in_words;

/// The texts among `parts`, joined by newlines.
pub(super) fn text_of_parts(parts: &[Value]) -> String {
    let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// A part in words, for reports.
pub(super) fn describe(part: &Value) -> String {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    if let Some(said) = text("text") {
        return said.to_owned();
    }
    if let Some(data) = part.get("data") {
        return format!("[data {data}]");
    }
    let known = [text("filename"), text("mediaType"), text("url")]
        .into_iter()
        .flatten()
        .map(str::to_owned);
    let size =
        text("raw").map(|base64| size_in_words(base64.trim_end_matches('=').len() as u64 * 3 / 4));
    format!(
        "[file {}]",
        known.chain(size).collect::<Vec<_>>().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_described_and_their_texts_joined() {
        let parts = [
            json!({ "text": "Look:" }),
            json!({ "data": { "cart": 1 } }),
            json!({ "raw": "aGVsbG8=", "filename": "a.txt", "mediaType": "text/plain" }),
            json!({ "url": "https://shop.example/b" }),
            json!({ "text": "Right?" }),
        ];
        assert_eq!(text_of_parts(&parts), "Look:\nRight?");
        let words: Vec<String> = parts.iter().map(describe).collect();
        assert_eq!(
            words.join(" "),
            r#"Look: [data {"cart":1}] [file a.txt, text/plain, 5 bytes] [file https://shop.example/b] Right?"#
        );
    }
}
