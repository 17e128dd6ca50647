//! A server of the Messages API, asked by clients of it, streamed or not.

use ananke::outcome::Status;
use serde_json::{Value, json};

use super::server::{Serving, embedded, project};
use crate::support::project::Project;

/// An agent that reasons, executes one tool itself, and has the client execute another one.
const RULES: &str = "    - do:
        - think: Hm
        - call: { tool: internal, args: { n: 1 }, result: { ok: true } }
        - say: One moment.
        - call: { tool: look_up, args: { id: 7 }, result: { price: 3 } }
        - usage: { input_tokens: 5, output_tokens: 2 }
        - say: \"It costs 3.\"
";

async fn ask(serving: &Serving, body: &Value) -> super::server::Response {
    let body = body.to_string();
    serving
        .send("POST", "/v1/messages", &[], body.as_bytes())
        .await
}

#[tokio::test]
async fn a_message_has_its_whole_conversation_in_each_request() {
    let project = project(RULES);
    let serving = Serving::start(embedded(&project)).await;
    let tools = json!([{ "name": "look_up", "input_schema": { "type": "object" } }, { "type": "web_search_20260318", "name": "web_search" }]);
    let user = json!({ "role": "user", "content": [{ "type": "text", "text": "price?" }] });
    let asked = json!({ "model": "m", "max_tokens": 9, "messages": [user], "tools": tools });
    let answer: Value = serde_json::from_str(&ask(&serving, &asked).await.body).unwrap();
    assert_eq!(
        (&answer["type"], &answer["stop_reason"]),
        (&json!("message"), &json!("tool_use"))
    );
    let blocks = answer["content"].as_array().unwrap();
    let types: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["type"].as_str())
        .collect();
    assert_eq!(
        types,
        [
            "thinking",
            "mcp_tool_use",
            "mcp_tool_result",
            "text",
            "tool_use"
        ]
    );
    assert_eq!(blocks[0]["thinking"], "Hm");
    assert!(!blocks[0]["signature"].as_str().unwrap().is_empty());
    assert_eq!(
        (&blocks[1]["name"], &blocks[1]["input"]),
        (&json!("internal"), &json!({ "n": 1 }))
    );
    assert_eq!(blocks[2]["tool_use_id"], blocks[1]["id"]);
    assert_eq!(
        blocks[2]["content"],
        json!([{ "type": "text", "text": "{\"ok\":true}" }])
    );
    assert_eq!(
        (&blocks[4]["name"], &blocks[4]["input"]),
        (&json!("look_up"), &json!({ "id": 7 }))
    );

    let result = json!({ "type": "tool_result", "tool_use_id": blocks[4]["id"], "content": "3" });
    let messages = json!([user, { "role": "assistant", "content": blocks }, { "role": "user", "content": [result] }]);
    let asked = json!({ "model": "m", "max_tokens": 9, "messages": messages, "tools": tools });
    let answer: Value = serde_json::from_str(&ask(&serving, &asked).await.body).unwrap();
    assert_eq!(
        answer["content"],
        json!([{ "type": "text", "text": "It costs 3." }])
    );
    assert_eq!(answer["stop_reason"], "end_turn");
    assert_eq!(
        answer["usage"],
        json!({ "input_tokens": 5, "output_tokens": 2 })
    );

    let mut streamed = asked;
    streamed["stream"] = true.into();
    let events = ask(&serving, &streamed).await.events();
    assert_eq!(events.last().unwrap()["type"], "message_stop");
    let text: String = events
        .iter()
        .filter_map(|event| event["delta"]["text"].as_str())
        .collect();
    assert_eq!(text, "It costs 3.");
}

#[tokio::test]
async fn a_target_reads_what_the_mock_writes() {
    let agent = project(RULES);
    let serving = Serving::start(embedded(&agent)).await;
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: anthropic, endpoint: \"http://127.0.0.1:{}\", model: m }}\n",
        serving.port
    );
    let test = "version: \"1.4\"\nname: a\nclient_tools: [{ name: look_up, mock: { result: 3 } }]\nturns: [{ user: price?, assert: { tools: { require: [{ name: internal, result: { ok: true } }, { name: look_up, result: 3 }] }, text: { contains: [One moment., It costs 3.] }, usage: { max_total_tokens: 7 } } }]\n";
    let client = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)]);
    let outcome = client.run().await.remove(0);
    assert_eq!(
        outcome.status(),
        Status::Passed,
        "{:?}",
        outcome.first_problem()
    );
    let log = serving.log(2).await;
    assert!(
        log[0].starts_with("#1 the Messages API: \"price?\": 200"),
        "{log:?}"
    );
    assert!(
        log[1].starts_with("#2 the Messages API: 1 result: 200"),
        "{log:?}"
    );
}

#[tokio::test]
async fn an_agent_that_fails_is_an_error_of_the_api() {
    let project = project(
        "    - { when: { turn: 1 }, do: [{ error: { message: closed, code: E1 } }] }\n    - { do: [{ say: Bye }, { error: { message: closed } }] }\n",
    );
    let serving = Serving::start(embedded(&project)).await;
    let asked = json!({ "model": "m", "max_tokens": 9, "stream": true, "messages": [{ "role": "user", "content": "hi" }] });
    let failed = ask(&serving, &asked).await;
    let expected = json!({ "type": "error", "error": { "type": "E1", "message": "closed" } });
    assert_eq!(failed.status, 500);
    assert_eq!(
        serde_json::from_str::<Value>(&failed.body).unwrap(),
        expected
    );

    let user = json!({ "role": "user", "content": "hi" });
    let said = json!({ "role": "assistant", "content": "No" });
    let asked =
        json!({ "model": "m", "max_tokens": 9, "stream": true, "messages": [user, said, user] });
    let events = ask(&serving, &asked).await.events();
    let expected =
        json!({ "type": "error", "error": { "type": "api_error", "message": "closed" } });
    assert_eq!(*events.last().unwrap(), expected);
}
