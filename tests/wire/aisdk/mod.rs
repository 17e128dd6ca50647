//! Backends of `useChat`: streams of the real SDK, every odd form of a stream, client tools, approvals, and what the next request
//! has.

mod captured;
mod conversations;
mod streams;

use std::fmt::Write as _;
use std::sync::Arc;

use ananke::agents::Ended;
use ananke::aisdk::{AiSdkSettings, AiSdkTarget};
use serde_json::{Map, Value, json};

use crate::support::conformance::{Exchanged, conforming};

fn backend() -> AiSdkTarget {
    AiSdkTarget::new(AiSdkSettings {
        endpoint: "http://127.0.0.1:1/api/chat".parse().expect("a URL"),
        body: Map::new(),
        headers: Vec::new(),
        options: Arc::default(),
    })
}

/// A stream of these chunks, with its end mark.
fn stream(chunks: &[Value]) -> String {
    unmarked(chunks) + "data: [DONE]\n\n"
}

fn unmarked(chunks: &[Value]) -> String {
    let mut stream = String::new();
    for chunk in chunks {
        let _ = write!(stream, "data: {chunk}\n\n");
    }
    stream
}

/// The three chunks of a text.
fn text(id: &str, text: &str) -> [Value; 3] {
    [
        json!({ "type": "text-start", "id": id }),
        json!({ "type": "text-delta", "id": id, "delta": text }),
        json!({ "type": "text-end", "id": id }),
    ]
}

/// A chunk that has only its type.
fn bare(of_type: &str) -> Value {
    json!({ "type": of_type })
}

fn input(id: &str, tool: &str, input: &Value) -> Value {
    json!({ "type": "tool-input-available", "toolCallId": id, "toolName": tool, "input": input })
}

fn output(id: &str, output: &Value) -> Value {
    json!({ "type": "tool-output-available", "toolCallId": id, "output": output })
}

async fn read(name: &str, body: &str) -> Exchanged {
    conforming(&backend(), name, 1, body.as_bytes()).await
}

/// Checks what a complete response means.
async fn assert_read(name: &str, body: &str, expected: &str) {
    let exchanged = read(name, body).await;
    assert_eq!(
        (exchanged.changes.as_str(), exchanged.ended),
        (expected, Ok(Ended::Terminal)),
        "{name}"
    );
}
