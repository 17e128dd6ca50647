//! A response that came as one document, as the stream of events that says the same.

use std::time::Duration;

use serde_json::{Value, json};

use crate::event::text_of;
use ananke_agents::{ServedEnd, ServedFrame, ServedResponse};

/// The response as a stream of events, if it is a response of the API in one document; any other response is returned unchanged.
/// Recordings are for tests, which ask for streams, while the recorded client may have asked for a document.
pub(super) fn streamed(response: ServedResponse) -> ServedResponse {
    // Errors are documents for clients that stream as well, and an incomplete document cannot be read.
    if response.status != 200 || response.end != ServedEnd::Complete {
        return response;
    }
    let Ok(document) = serde_json::from_slice::<Value>(&body_of(&response)) else {
        return response;
    };
    if document["object"] != "response" {
        return response;
    }

    // The stream is sent at the time of the last frame, when the document was complete. Its last event has all items.
    let after = match response.frames.last() {
        Some(frame) => frame.after,
        None => Duration::ZERO,
    };
    let mut begun = document.clone();
    begun["status"] = "in_progress".into();
    begun["output"] = json!([]);
    let created = json!({ "type": "response.created", "response": begun });
    let status = text_of(&document, "status").unwrap_or("completed");
    let name = format!("response.{status}");
    let ended = json!({ "type": name, "response": document });
    let mut stream = ServedResponse {
        after: response.after,
        ..ServedResponse::events(vec![
            ServedFrame::named_event(after, "response.created", created),
            ServedFrame::named_event(after, &name, ended),
        ])
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

/// The id of a response of the API, by which a later request names it.
pub(super) fn id_of_response(response: &ServedResponse) -> Option<String> {
    let body = body_of(response);
    if let Ok(document) = serde_json::from_slice::<Value>(&body) {
        return text_of(&document, "id").map(str::to_owned);
    }
    // The first events of a stream name it.
    let text = String::from_utf8_lossy(&body);
    for line in text.lines() {
        if let Some(data) = line.strip_prefix("data:")
            && let Ok(event) = serde_json::from_str::<Value>(data)
            && let Some(id) = text_of(&event["response"], "id")
        {
            return Some(id.to_owned());
        }
    }
    None
}

/// The whole body. A document may be split anywhere into frames.
fn body_of(response: &ServedResponse) -> Vec<u8> {
    let mut body = Vec::new();
    for frame in &response.frames {
        body.extend_from_slice(&frame.bytes);
    }
    body
}
