//! Tools of a session and their mocks, on every path.

use std::panic::AssertUnwindSafe;

use ananke::testing::{
    AgentTarget, Attachment, ContentPart, FileContent, MediaKind, TestSession, TestingError,
};
use futures_util::FutureExt as _;
use serde_json::{Value, json};

use super::{declared, model};

async fn sum(session: &mut TestSession) -> Value {
    let run = session.run("Add 1 and 2").await.unwrap();
    match run.expect().next_function_call_output().event() {
        ananke::testing::AgentEvent::FunctionCallOutput {
            output,
            tool_call_id,
            ..
        } => {
            assert!(tool_call_id.starts_with("call-"), "{tool_call_id}");
            output.clone()
        }
        other => panic!("{other:?}"),
    }
}

fn session() -> TestSession {
    let mut session = TestSession::connect(model().target()).unwrap();
    session
        .tool(declared("add"), |_| async { Ok(json!(3)) })
        .unwrap();
    session
}

fn gives(
    value: i64,
) -> [(
    &'static str,
    impl Fn(Value) -> Result<Value, String> + Send + Sync + 'static,
); 1] {
    [("add", move |_: Value| Ok(json!(value)))]
}

#[tokio::test]
async fn tools_are_as_before_in_whatever_order_their_mocks_are_dropped() {
    let mut session = session();
    let first = session.mock_tools(gives(10)).await.unwrap();
    let second = session.mock_tools(gives(20)).await.unwrap();
    assert_eq!(sum(&mut session).await, 20);
    drop(first);
    assert_eq!(sum(&mut session).await, 20);
    assert_eq!(second.call_count("add"), 2);
    drop(second);
    assert_eq!(sum(&mut session).await, 3);

    let first = session.mock_tools(gives(10)).await.unwrap();
    drop(session.mock_tools(gives(20)).await.unwrap());
    assert_eq!(sum(&mut session).await, 10);
    drop(first);
    assert_eq!(sum(&mut session).await, 3);
}

#[tokio::test]
async fn an_assertion_that_fails_and_an_error_leave_no_mock_behind() {
    let mut session = session();
    let panics = async {
        let _mocked = session.mock_tools(gives(10)).await.unwrap();
        let run = session.run("Add 1 and 2").await.unwrap();
        run.expect().no_more_events();
    };
    assert!(AssertUnwindSafe(panics).catch_unwind().await.is_err());
    assert_eq!(sum(&mut session).await, 3);
    let fails = async {
        let _mocked = session.mock_tools(gives(10)).await?;
        session
            .mock_tools([("sub", |_: Value| Ok(json!(1)))])
            .await
            .map(|_| ())
    };
    let error = fails.await.unwrap_err();
    assert_eq!(
        error,
        TestingError::Usage("there is no tool `sub` to mock; the tools are: add".to_owned())
    );
    assert_eq!(sum(&mut session).await, 3);
    let partly = ["add", "sub"].map(|name| (name, Ok));
    assert!(
        session.mock_tools(partly).await.is_err(),
        "none of them, if one is unknown"
    );
    assert_eq!(sum(&mut session).await, 3);
}

#[tokio::test]
async fn a_tool_that_panics_fails_the_test() {
    let mut session = session();
    let _mocked = session
        .mock_tools([("add", |_: Value| panic!("no mock is called"))])
        .await
        .unwrap();
    let panicked = AssertUnwindSafe(session.run("Add 1 and 2"))
        .catch_unwind()
        .await
        .unwrap_err();
    assert_eq!(panicked.downcast_ref::<&str>(), Some(&"no mock is called"));
}

#[tokio::test]
async fn a_tool_needs_an_agent_that_takes_tools() {
    let mut session = TestSession::connect(AgentTarget::new(
        "a2a",
        json!({ "endpoint": "http://127.0.0.1:1/" }),
    ))
    .unwrap();
    let refused = session
        .tool(declared("add"), |_| async { Ok(Value::Null) })
        .unwrap_err();
    assert!(
        matches!(&refused, TestingError::Config(why) if why.contains("takes no client tools")),
        "{refused:?}"
    );
    let unreachable = session.run("Hi").await.unwrap_err();
    assert!(
        unreachable.to_string().contains("connection refused"),
        "{unreachable}"
    );
}

#[tokio::test]
async fn a_message_has_parts() {
    let mut session = session();
    let picture = Attachment {
        kind: MediaKind::Image,
        media_type: Some("image/png".to_owned()),
        name: None,
        content: FileContent::Data {
            base64: "cG5n".to_owned(),
            size: 3,
        },
    };
    let parts = vec![
        ContentPart::Text("done, what is this?".to_owned()),
        ContentPart::File(picture),
    ];
    let run = session.run(parts).await.unwrap();
    run.assert_yaml("text: { equals: \"I see text and image_url.\" }")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_config_gives_instructions_and_tools() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("ananke.config.yaml");
    let endpoint = model().endpoint;
    let text = format!(
        "version: \"1.3\"
target:
  type: openai
  endpoint: \"{endpoint}\"
  model: m-1
  instructions: Say the instructions.
  client_tools: [{{ name: add, description: \"Adds $${{x}}\", parameters: {{ type: object }}, mock: {{ result: 3 }} }}]
"
    );
    std::fs::write(&config, text).unwrap();
    let mut session = TestSession::from_config(&config, "default").unwrap();
    assert_eq!(sum(&mut session).await, 3);
    let mocked = session.mock_tools(gives(9)).await.unwrap();
    assert_eq!(sum(&mut session).await, 9);
    drop(mocked);
    assert_eq!(sum(&mut session).await, 3);
    let run = session.run("done").await.unwrap();
    run.assert_yaml("text: { equals: Say the instructions. }")
        .await
        .unwrap();
}
