//! Models of the Messages API: every form in which servers stream a message, the tool loop, and servers that pause.

mod captures;
mod loops;
mod streams;

use std::sync::Arc;

use ananke::agents::{ModelParams, ModelSettings, ModelTarget, ToolExecution};
use ananke::anthropic::MessagesApi;
use ananke::outcome::Outcome;
use serde_json::{Value, json};

use crate::support::conformance::{Exchanged, conforming};
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, RawAgent, Step};

pub(super) fn model() -> ModelTarget<MessagesApi> {
    let settings = ModelSettings {
        endpoint: "http://127.0.0.1:1/v1/messages".parse().expect("a URL"),
        model: "m".to_owned(),
        instructions: None,
        params: ModelParams::default(),
        headers: Vec::new(),
        options: Arc::default(),
        retries: 0,
        tools: ToolExecution::default(),
    };
    ModelTarget::new(settings, MessagesApi)
}

async fn read(name: &str, body: &str) -> Exchanged {
    conforming(&model(), name, 1, body.as_bytes()).await
}

fn start() -> Value {
    let usage = json!({ "input_tokens": 7, "output_tokens": 1 });
    let message = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null, "usage": usage });
    json!({ "type": "message_start", "message": message })
}

fn begins(index: u64, block: Value) -> Value {
    let mut event = json!({ "type": "content_block_start", "index": index });
    event["content_block"] = block;
    event
}

fn piece(index: u64, delta: Value) -> Value {
    let mut event = json!({ "type": "content_block_delta", "index": index });
    event["delta"] = delta;
    event
}

fn ends(index: u64) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn stops(reason: &str) -> Value {
    json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": { "output_tokens": 2 } })
}

fn stop() -> Value {
    json!({ "type": "message_stop" })
}

/// The events of a text.
fn says(index: u64, text: &str) -> Vec<Value> {
    vec![
        begins(index, json!({ "type": "text", "text": "" })),
        piece(index, json!({ "type": "text_delta", "text": text })),
        ends(index),
    ]
}

/// The events of a call.
fn uses(index: u64, kind: &str, id: &str, name: &str, input: &str) -> Vec<Value> {
    vec![
        begins(
            index,
            json!({ "type": kind, "id": id, "name": name, "input": {} }),
        ),
        piece(
            index,
            json!({ "type": "input_json_delta", "partial_json": input }),
        ),
        ends(index),
    ]
}

/// The events of a result, which comes as a whole.
fn shows(index: u64, kind: &str, id: &str, content: Value) -> Vec<Value> {
    let mut block = json!({ "type": kind, "tool_use_id": id });
    block["content"] = content;
    vec![begins(index, block), ends(index)]
}

/// A stream of these events, each with its name.
fn stream(events: &[Value]) -> String {
    events.iter().fold(String::new(), |stream, event| {
        let name = event["type"].as_str().unwrap_or_default();
        stream + &format!("event: {name}\ndata: {event}\n\n")
    })
}

/// The events of a whole message with these blocks.
fn message(blocks: Vec<Vec<Value>>, reason: &str) -> Vec<Value> {
    let mut events = vec![start()];
    events.extend(blocks.into_iter().flatten());
    events.extend([stops(reason), stop()]);
    events
}

/// The outcome of a test, and what the model received.
struct Tested {
    outcome: Outcome,
    requests: Vec<Captured>,
}

const TOOLS: &str = "
client_tools:
  - name: find_order
    description: Finds an order
    parameters: { type: object }
    mock: { result: { order: O-7 } }
";

fn response(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\n{headers}connection: close\r\n\r\n"
    );
    vec![Step::Expect, Step::Send((head + body).into_bytes())]
}

fn fine(events: &[Value]) -> Vec<Step> {
    response("200 OK", "", &stream(events))
}

/// Tests a model that responds like this.
async fn tested(responses: Vec<Vec<Step>>, target: &str, test: &str) -> Tested {
    let agent = RawAgent::start(responses).await;
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: anthropic, endpoint: \"{}\", model: m, {target} }}\n",
        agent.url().replace("/agent", "")
    );
    let test = format!("version: \"1.4\"\nname: a\n{test}");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    Tested {
        outcome,
        requests: agent.requests().await,
    }
}

fn body(request: &Captured) -> Value {
    serde_json::from_slice(&request.body).expect("JSON")
}
