//! A response that came as one document, as the stream of events that says the same.

use std::time::Duration;

use serde_json::{Value, json};

use crate::event::text_of;
use ananke_agents::{ServedFrame, ServedResponse};

/// The stream that says the same as a response in one document; `None` if the document is not a response.
pub(super) fn events(document: &Value, after: Duration) -> Option<Vec<ServedFrame>> {
    if document["object"] != "response" {
        return None;
    }
    // The first event has the response as it begins, because clients add the items of later events to it.
    let mut begun = document.clone();
    begun["status"] = "in_progress".into();
    begun["output"] = json!([]);
    let mut events = DocumentEvents {
        after,
        frames: Vec::new(),
    };
    events.add("created", json!({ "response": begun }));
    for (place, item) in items_of(document, "output") {
        events.add_item(place, item);
    }
    let status = text_of(document, "status").unwrap_or("completed");
    events.add(status, json!({ "response": document }));
    Some(events.frames)
}

/// The events that say what a document has, all of them at one time.
struct DocumentEvents {
    after: Duration,
    frames: Vec<ServedFrame>,
}

impl DocumentEvents {
    /// Adds an event. Its name follows `response.`.
    fn add(&mut self, name: &str, mut event: Value) {
        let name = format!("response.{name}");
        event["type"] = name.as_str().into();
        event["sequence_number"] = self.frames.len().into();
        let frame = ServedFrame::named_event(self.after, &name, event);
        self.frames.push(frame);
    }

    /// Adds the events of the item at a place. Clients show text and arguments as they come in deltas, so that each is one delta.
    fn add_item(&mut self, place: usize, item: &Value) {
        let mut begun = item.clone();
        let item_type = text_of(item, "type").unwrap_or_default();
        match item_type {
            "message" => begun["content"] = json!([]),
            "function_call" | "mcp_call" => begun["arguments"] = "".into(),
            _ => {}
        }
        let added = json!({ "output_index": place, "item": begun });
        self.add("output_item.added", added);
        let id = &item["id"];
        match item_type {
            "message" => {
                for (number, part) in items_of(item, "content") {
                    let part_place =
                        json!({ "item_id": id, "output_index": place, "content_index": number });
                    self.add_part(&part_place, part);
                }
            }
            "function_call" | "mcp_call" => {
                let arguments = &item["arguments"];
                let delta = json!({ "item_id": id, "output_index": place, "delta": arguments });
                self.add(&format!("{item_type}_arguments.delta"), delta);
                let done = json!({ "item_id": id, "output_index": place, "arguments": arguments });
                self.add(&format!("{item_type}_arguments.done"), done);
            }
            _ => {}
        }
        let done = json!({ "output_index": place, "item": item });
        self.add("output_item.done", done);
    }

    /// Adds the events of a part of a message; `place` has the keys that say which part it is.
    fn add_part(&mut self, place: &Value, part: &Value) {
        let (name, key) = match text_of(part, "type") {
            Some("refusal") => ("refusal", "refusal"),
            _ => ("output_text", "text"),
        };
        let mut empty = part.clone();
        empty[key] = "".into();
        let mut added = place.clone();
        added["part"] = empty;
        self.add("content_part.added", added);
        let mut delta = place.clone();
        delta["delta"] = part[key].clone();
        self.add(&format!("{name}.delta"), delta);
        let mut done = place.clone();
        done[key] = part[key].clone();
        self.add(&format!("{name}.done"), done);
        let mut complete = place.clone();
        complete["part"] = part.clone();
        self.add("content_part.done", complete);
    }
}

/// The objects of a list under a key, each with its place in the list.
fn items_of<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    let list = value[key].as_array();
    let all = list.into_iter().flatten().enumerate();
    all.filter(|(_, item)| item.is_object())
}

/// The id of a response of the API, by which a later request names it.
pub(super) fn id_of_response(response: &ServedResponse) -> Option<String> {
    let body = response.body();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_has_what_its_document_has() {
        let text = json!({ "type": "output_text", "text": "Hi", "annotations": [] });
        let refusal = json!({ "type": "refusal", "refusal": "No" });
        let output = json!([
            { "type": "message", "id": "m", "role": "assistant", "content": [text, refusal, "odd"] },
            { "type": "function_call", "id": "f", "call_id": "c", "name": "f", "arguments": "{}" },
            "odd",
        ]);
        let document = json!({ "object": "response", "id": "resp_1", "status": "completed", "output": output });
        let frame = ServedFrame {
            after: Duration::ZERO,
            bytes: document.to_string().into(),
        };
        let response = ServedResponse::new(200, "application/json", vec![frame]);
        let stream = response.streamed(events);
        assert!(stream.is_event_stream());
        let mut names = Vec::new();
        let mut deltas = String::new();
        for frame in &stream.frames {
            let event = String::from_utf8_lossy(&frame.bytes).into_owned();
            let data = event.split_once("data: ").unwrap().1;
            let event: Value = serde_json::from_str(data).unwrap();
            names.push(event["type"].as_str().unwrap().to_owned());
            deltas += event["delta"].as_str().unwrap_or_default();
        }
        assert_eq!(deltas, "HiNo{}");
        let of_item = "output_item.added content_part.added output_text.delta output_text.done content_part.done content_part.added \
                       refusal.delta refusal.done content_part.done output_item.done";
        let of_call = "output_item.added function_call_arguments.delta function_call_arguments.done output_item.done";
        let expected = format!("created {of_item} {of_call} completed");
        assert_eq!(names.join(" ").replace("response.", ""), expected);
    }
}
