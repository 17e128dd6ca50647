//! Models behind the Responses API: streams of real servers, every odd form of a stream, the tool loop, both forms of history,
//! and approvals.

mod captured;
mod conversations;
mod streams;

use std::fmt::Write as _;
use std::sync::Arc;

use ananke::agents::{Ended, ModelParams, ModelSettings, ModelTarget, ToolExecution};
use ananke::responses::{HistoryForm, ResponsesApi};
use serde_json::{Value, json};

use crate::support::conformance::{Exchanged, conforming};

/// A model that executes nothing itself.
fn model() -> ModelTarget<ResponsesApi> {
    let settings = ModelSettings {
        endpoint: "http://127.0.0.1:1/v1/responses".parse().expect("a URL"),
        model: "m".to_owned(),
        instructions: None,
        params: ModelParams::default(),
        headers: Vec::new(),
        options: Arc::default(),
        retries: 0,
        // Calls need no declaration then.
        tools: ToolExecution::Observed,
    };
    let history = HistoryForm::Full;
    ModelTarget::new(settings, ResponsesApi { history })
}

/// An event of the type `response.NAME`, or of a type without this prefix.
fn event(name: &str, keys: Value) -> Value {
    let full = match name {
        "error" | "keepalive" => name.to_owned(),
        _ => format!("response.{name}"),
    };
    let mut event = json!({ "type": full });
    if let (Value::Object(event), Value::Object(keys)) = (&mut event, keys) {
        event.extend(keys);
    }
    event
}

fn added(index: u64, item: &Value) -> Value {
    event(
        "output_item.added",
        json!({ "output_index": index, "item": item }),
    )
}

fn done(index: u64, item: &Value) -> Value {
    event(
        "output_item.done",
        json!({ "output_index": index, "item": item }),
    )
}

/// A piece of the text of the message `id`.
fn say(id: &str, text: &str) -> Value {
    event(
        "output_text.delta",
        json!({ "item_id": id, "output_index": 0, "content_index": 0, "delta": text }),
    )
}

/// A whole message with this text.
fn message(id: &str, text: &str) -> Value {
    let part = json!({ "type": "output_text", "text": text, "annotations": [] });
    json!({ "type": "message", "id": id, "status": "completed", "role": "assistant", "content": [part] })
}

/// A whole call of a function.
fn call(id: &str, call_id: &str, name: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": id, "call_id": call_id, "name": name, "arguments": arguments, "status": "completed" })
}

/// The last event of a response with these items.
fn completed(output: &Value) -> Value {
    event(
        "completed",
        json!({ "response": { "id": "resp_1", "object": "response", "status": "completed", "output": output } }),
    )
}

/// A stream of these events.
fn stream(events: &[Value]) -> String {
    let mut stream = String::new();
    for event in events {
        let name = event["type"].as_str().unwrap_or_default();
        let _ = write!(stream, "event: {name}\ndata: {event}\n\n");
    }
    stream
}

async fn read(name: &str, body: &str) -> Exchanged {
    conforming(&model(), name, 1, body.as_bytes()).await
}

/// Checks what a complete response means.
async fn assert_read(name: &str, events: &[Value], expected: &str) {
    let exchanged = read(name, &stream(events)).await;
    assert_eq!(
        (exchanged.changes.as_str(), exchanged.ended),
        (expected, Ok(Ended::Terminal)),
        "{name}"
    );
}
