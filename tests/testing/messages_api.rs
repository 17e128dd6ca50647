//! Sessions with a model of the Messages API.

use std::io::Write as _;
use std::net::TcpListener;
use std::thread;

use ananke::testing::{AgentTarget, TestSession};
use serde_json::{Value, json};

use super::{declared, request};

/// A model that calls `add` after a message of the user, and says what it gave.
fn model() -> AgentTarget {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let request = request(&stream);
            assert_eq!(request["tools"][0]["name"], "add");
            let messages = request["messages"].as_array().unwrap();
            let last = &messages.last().unwrap()["content"];
            let block = match last[0]["content"].as_str() {
                Some(sum) => json!({ "type": "text", "text": format!("It is {sum}.") }),
                None => {
                    json!({ "type": "tool_use", "id": format!("call-{}", messages.len()), "name": "add", "input": { "a": 1, "b": 2 } })
                }
            };
            let start =
                json!({ "type": "content_block_start", "index": 0, "content_block": block });
            let delta = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } });
            let body = format!(
                "data: {start}\n\ndata: {delta}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
            );
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    });
    let keys = json!({ "endpoint": endpoint, "model": "m-1" });
    AgentTarget::new("anthropic", keys)
}

#[tokio::test]
async fn a_test_executes_the_tools_of_the_messages_api_and_mocks_them() {
    let mut session = TestSession::connect(model()).unwrap();
    session
        .tool(declared("add"), |_| async { Ok(json!(3)) })
        .unwrap();
    let run = session.run("Add 1 and 2").await.unwrap();
    run.expect()
        .next_function_call()
        .is_function_call("add", json!({ "a": 1, "b": 2 }));
    run.assert_yaml("text: { equals: It is 3. }").await.unwrap();

    let gives = |_: Value| Ok(json!(9));
    let mocked = session.mock_tools([("add", gives)]).await.unwrap();
    let run = session.run("And once more").await.unwrap();
    assert_eq!(mocked.call_count("add"), 1);
    run.assert_yaml("text: { equals: It is 9. }").await.unwrap();
}
