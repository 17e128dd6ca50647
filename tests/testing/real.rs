//! Sessions with a real agent, which `tests/real/agents/run` starts: the travel desk of pydantic-ai.

use ananke::testing::{EventRole, PendingAnswer, SessionTool, TestSession};
use serde_json::{Value, json};

fn desk() -> TestSession {
    let config = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/real/agents/specs/pydantic-ai/ananke.config.yaml"
    );
    TestSession::from_config(config, "default").unwrap()
}

#[tokio::test]
#[ignore = "tests/real/agents/run starts the agent"]
async fn tools_of_a_session_are_client_tools_of_pydantic_ai() {
    let mut session = desk();
    let parameters = json!({ "type": "object", "properties": { "flight": { "type": "string" } } });
    let tool = SessionTool {
        name: "pick_seat".to_owned(),
        description: "Lets the traveller pick a seat".to_owned(),
        parameters,
    };
    session
        .tool(tool, |arguments| async move {
            Ok(json!({ "seat": "A", "rows": arguments["rows"] }))
        })
        .unwrap();
    let run = session.run("Which seat?").await.unwrap();
    run.expect()
        .contains_function_call("pick_seat", json!({ "flight": "TP 123" }));
    run.expect()
        .contains_function_call_output(json!({ "seat": "A", "rows": [12, 14] }), false);
    run.expect().contains_function_call("get_weather", None);
    run.assert_yaml("text: { must_match: '\"seat\":\"A\"' }")
        .await
        .unwrap();

    let mocked = session
        .mock_tools([("pick_seat", |_: Value| Err("no seats are left".to_owned()))])
        .await
        .unwrap();
    let run = session.run("Which seat?").await.unwrap();
    run.expect()
        .contains_function_call_output(json!("no seats are left"), true);
    assert_eq!(
        mocked.calls("pick_seat"),
        [json!({ "flight": "TP 123", "rows": [12, 14] })]
    );
    drop(mocked);
    let run = session.run("How often have I asked?").await.unwrap();
    run.expect().next_message().is_message(EventRole::Assistant);
    run.assert_yaml("text: { must_match: asked 3 times }")
        .await
        .unwrap();
    session.close().await.unwrap();
}

#[tokio::test]
#[ignore = "tests/real/agents/run starts the agent"]
async fn a_session_approves_what_pydantic_ai_waits_for() {
    let mut session = desk();
    let run = session.run("Please book it").await.unwrap();
    assert_eq!(run.interrupts().len(), 2, "{:?}", run.interrupts());
    let approved = |tool: &str| PendingAnswer::resolved(json!({ "approved": true })).for_tool(tool);
    let run = session
        .resume([approved("book_flight"), approved("book_hotel")])
        .await
        .unwrap();
    run.expect()
        .contains_function_call_output(json!("TP 123 is booked"), None);
    run.assert_yaml("outcome: finished\ntext: { must_match: 3 nights }")
        .await
        .unwrap();
    session.close().await.unwrap();
}
