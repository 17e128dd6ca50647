//! A message that came as one document, as the stream of events that says the same.

use std::time::Duration;

use serde_json::{Value, json};

use super::answer_blocks::event_frame;
use ananke_agents::ServedFrame;

/// The stream that says the same as a message in one document; `None` if the document is not a message.
pub(super) fn events(document: &Value, after: Duration) -> Option<Vec<ServedFrame>> {
    if document["type"] != "message" || !document["content"].is_array() {
        return None;
    }

    let mut document = document.clone();
    // Each block begins as a whole, which needs no pieces.
    let content = document["content"].take();
    let reason = document["stop_reason"].take();
    let sequence = document["stop_sequence"].take();
    let delta = json!({ "stop_reason": reason, "stop_sequence": sequence });
    document["content"] = json!([]);
    let usage = document["usage"].clone();
    let mut frames = vec![event_frame(
        after,
        "message_start",
        json!({ "message": document }),
    )];
    for (index, block) in content.as_array().into_iter().flatten().enumerate() {
        let start = json!({ "index": index, "content_block": block });
        frames.push(event_frame(after, "content_block_start", start));
        frames.push(event_frame(
            after,
            "content_block_stop",
            json!({ "index": index }),
        ));
    }
    frames.push(event_frame(
        after,
        "message_delta",
        json!({ "delta": delta, "usage": usage }),
    ));
    frames.push(event_frame(after, "message_stop", json!({})));
    Some(frames)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use ananke_agents::ServedResponse;

    use super::*;

    fn response(body: &str) -> ServedResponse {
        let frame = ServedFrame {
            after: Duration::from_millis(2),
            bytes: Bytes::from(body.to_owned()),
        };
        ServedResponse::new(200, "application/json", vec![frame])
    }

    #[test]
    fn a_document_is_a_stream_that_says_the_same() {
        let body = r#"{"id":"m","type":"message","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"output_tokens":1}}"#;
        let stream = response(body).streamed(events);
        assert!(stream.is_event_stream());
        let mut sent = Vec::new();
        for frame in &stream.frames {
            let text = String::from_utf8_lossy(&frame.bytes).into_owned();
            let (_, data) = text.split_once("data: ").unwrap();
            sent.push(serde_json::from_str::<Value>(data).unwrap());
        }
        let text = json!({ "type": "text", "text": "Hi" });
        let ends = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null }, "usage": { "output_tokens": 1 } });
        assert_eq!(sent.len(), 5);
        assert_eq!(sent[1]["content_block"], text);
        assert_eq!(sent[3], ends);
        assert_eq!(stream.frames[0].after, Duration::from_millis(2));
    }

    #[test]
    fn anything_else_stays_as_it_is() {
        for body in [
            "data: {}\n\n",
            r#"{"type":"error","error":{}}"#,
            "",
            r#"{"type":"message"}"#,
        ] {
            assert_eq!(response(body).streamed(events), response(body));
        }
    }
}
