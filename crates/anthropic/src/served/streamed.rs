//! A message that came as one document, as the stream of events that says the same.

use std::time::Duration;

use serde_json::{Value, json};

use super::answer_blocks::event_frame;
use ananke_agents::{ServedEnd, ServedResponse};

/// The response as a stream of events, if it is a message in one document; any other response is returned unchanged. Recordings
/// are for tests, which ask for streams, while the recorded client may have asked for a document.
pub(super) fn streamed(response: ServedResponse) -> ServedResponse {
    // Errors are documents for clients that stream as well, and an incomplete document cannot be read.
    if response.status != 200 || response.end != ServedEnd::Complete {
        return response;
    }
    // A document may be split anywhere into frames, so that its bytes are joined before they are read. The stream is sent at the
    // time of the last frame, when the document was complete.
    let mut body = Vec::new();
    let mut after = Duration::ZERO;
    for frame in &response.frames {
        body.extend_from_slice(&frame.bytes);
        after = frame.after;
    }
    let Ok(mut document) = serde_json::from_slice::<Value>(&body) else {
        return response;
    };
    if document["type"] != "message" || !document["content"].is_array() {
        return response;
    }

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
    let mut stream = ServedResponse {
        after: response.after,
        ..ServedResponse::events(frames)
    };
    // The headers of the response stay, apart from those that describe the document: a stream has its own.
    for (name, value) in response.headers {
        let is_of_document = name.eq_ignore_ascii_case("content-type")
            || name.eq_ignore_ascii_case("content-length");
        if !is_of_document {
            stream.headers.push((name, value));
        }
    }
    stream
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use ananke_agents::ServedFrame;

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
        let stream = streamed(response(body));
        assert!(stream.is_event_stream());
        let mut events = Vec::new();
        for frame in &stream.frames {
            let text = String::from_utf8_lossy(&frame.bytes).into_owned();
            let (_, data) = text.split_once("data: ").unwrap();
            events.push(serde_json::from_str::<Value>(data).unwrap());
        }
        let text = json!({ "type": "text", "text": "Hi" });
        let ends = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null }, "usage": { "output_tokens": 1 } });
        assert_eq!(events.len(), 5);
        assert_eq!(events[1]["content_block"], text);
        assert_eq!(events[3], ends);
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
            assert_eq!(streamed(response(body)), response(body));
        }
    }
}
