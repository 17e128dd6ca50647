//! What the agent does, with the tool of this project.

use ananke::testing::{EventRole, SessionTool, TestSession};
use serde_json::json;
use weather_desk::temperature;

/// A session with the agent of the config, which can call the tool.
fn session() -> TestSession {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/ananke.config.yaml");
    let mut session =
        TestSession::from_config(config, "default").expect("the config has no mistake");
    let tool = SessionTool {
        name: "temperature".to_owned(),
        description: "How warm it is in a city".to_owned(),
        parameters: json!({ "type": "object", "properties": { "city": { "type": "string" } } }),
    };
    let added = session.tool(tool, |arguments| async move { temperature(&arguments) });
    added.expect("the agent takes tools");
    session
}

#[tokio::test]
async fn the_agent_asks_the_tool() {
    let mut session = session();
    let run = session
        .run("How warm is it in Paris?")
        .await
        .expect("the turn ends");
    run.expect()
        .next_event()
        .is_function_call("temperature", json!({ "city": "Paris" }));
    run.expect()
        .next_event()
        .is_function_call_output(json!({ "degrees": 21 }), false);
    run.assert_yaml("tools: { require: [temperature], forbid: [book_flight] }")
        .await
        .expect("the rules are valid");
    session.close().await.expect("it ends in order");
}

#[tokio::test]
async fn an_unknown_city_is_an_error_of_the_tool() {
    let mut session = session();
    let run = session
        .run("And in Atlantis?")
        .await
        .expect("the turn ends");
    run.expect()
        .contains_function_call_output(json!("there is no city Atlantis"), true);

    let mocked = session
        .mock_tools([("temperature", |_| Ok(json!({ "degrees": 4 })))])
        .await
        .expect("there is one");
    let run = session
        .run("How warm is it in Paris?")
        .await
        .expect("the turn ends");
    run.expect()
        .contains_function_call_output(json!({ "degrees": 4 }), false);
    assert_eq!(mocked.call_count("temperature"), 1);
}

#[tokio::test]
async fn the_conversation_goes_on() {
    let mut session = session();
    let turns = [
        (
            "How warm is it in Paris?",
            "tools: { require: [{ name: temperature, count: 1, every: { args: { city: Paris } } }] }",
        ),
        ("Is that much?", "tools: { forbid: temperature }"),
        ("It was in Paris.", "tools: { require: temperature }"),
    ];
    for (said, rules) in turns {
        let run = session.run(said).await.expect("the turn ends");
        run.assert_yaml(rules).await.expect(said);
    }
    session.close().await.expect("it ends in order");
}

#[tokio::test]
async fn it_asks_which_city() {
    let mut session = session();
    let run = session.run("How warm is it?").await.expect("the turn ends");
    run.expect().next_message().is_message(EventRole::Assistant);
    run.expect().no_more_events();
}
