//! The testing API, against scripted agents and a model of this process.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![allow(clippy::too_many_lines, reason = "a test is one story")]

#[cfg(feature = "mock")]
mod agui;
mod asking;
mod expecting;
mod messages_api;
mod mocking;
mod real;
mod resuming;
mod verbose;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::panic::AssertUnwindSafe;
use std::thread;

use ananke::testing::{
    AgentEvent, AgentTarget, EventRole, SessionTool, TestJudge, TestSession, TestingError,
};
use futures_util::FutureExt as _;
use serde_json::{Value, json};

const WEATHER: &str = r"
type: scripted
rules:
  - when: { user: Paris }
    do:
      - call: { tool: get_weather, args: { city: Paris, unit: null }, result: { degrees: 21 }, delay_ms: 40 }
      - say: It is 21 degrees in Paris.
  - when: { user: fail }
    do:
      - call: { tool: get_weather, args: { city: Atlantis }, result: no such city, failure: failed }
      - say: There is no such city.
  - when: { user: break }
    do: [{ error: { message: the model is gone } }]
  - when: { user: thread }
    do: [{ say: 'It is ${THREAD_ID}.' }]
  - when: { turn: 2 }
    do: [{ say: You asked before. }]
  - do: [{ say: Hello. }]
";

fn weather() -> TestSession {
    TestSession::connect(AgentTarget::yaml(WEATHER)).unwrap()
}

/// What a panic says.
fn panic_of(assertion: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panicked = std::panic::catch_unwind(assertion).unwrap_err();
    panicked
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_else(|| (*panicked.downcast_ref::<&str>().unwrap()).to_owned())
}

#[tokio::test]
async fn the_rules_of_yaml_tests_apply_to_a_run() {
    let mut session = weather();
    session.run("Hi").await.unwrap();
    let result = session.run("fail").await.unwrap();
    result
        .assert_yaml("tools: { require: [{ name: get_weather, count: 1 }] }")
        .await
        .unwrap();
    result
        .assert_yaml("text:\n  contains: no such city\ntiming: { max_duration_ms: 1000 }")
        .await
        .unwrap();
    for (block, rule, message) in [
        (
            "tools: { forbid: [get_weather] }",
            "tools.forbid",
            "`get_weather` was called, which is forbidden",
        ),
        (
            "tools: { require: [pay] }",
            "tools.require",
            "`pay` was not called in this turn",
        ),
        (
            "text:\n  contains: Rome",
            "text.contains",
            "nothing the agent said in this turn contains `Rome`",
        ),
    ] {
        let findings = result.findings(block).await.unwrap();
        let found: Vec<_> = findings
            .iter()
            .map(|finding| (&*finding.rule, finding.message.as_str()))
            .collect();
        assert_eq!(found, [(rule, message)]);
    }
    let forbidden = "tools: { forbid: [get_weather] }";
    let panicked = AssertUnwindSafe(result.assert_yaml(forbidden))
        .catch_unwind()
        .await
        .unwrap_err();
    let message = panicked.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with("`get_weather` was called, which is forbidden\n"),
        "{message}"
    );
    assert!(
        message.contains("\n\nevents:\n  1  function call: get_weather"),
        "{message}"
    );
    let wrong = result
        .assert_yaml("tools: { forbids: [a] }")
        .await
        .unwrap_err();
    assert!(
        wrong.to_string().contains("unknown key `forbids`"),
        "{wrong}"
    );
    assert!(result.assert_yaml("").await.is_err(), "nothing is asserted");
    let result = session.run("Which thread?").await.unwrap();
    result
        .assert_yaml("text: { equals: \"It is ${THREAD_ID}.\" }")
        .await
        .unwrap();
}

#[tokio::test]
async fn a_turn_that_fails_is_an_error_and_ends_the_session() {
    let mut session = weather();
    let error = session.run("break").await.unwrap_err();
    assert_eq!(
        error,
        TestingError::Agent("agent error: the model is gone".to_owned())
    );
    assert_eq!(
        session.run("Hi").await.unwrap_err().to_string(),
        "the session has ended"
    );
    session.close().await.unwrap();
    let wrong = TestSession::connect(AgentTarget::yaml("type: scripte"))
        .err()
        .unwrap();
    assert!(wrong.to_string().contains("scripte"), "{wrong}");
}

#[tokio::test]
async fn a_run_that_is_not_waited_for_is_not_taken_for_the_next_one() {
    let mut session = weather();
    session.start().await.unwrap();
    assert!(session.run("Weather in Paris?").now_or_never().is_none());
    let run = session.run("Hi").await.unwrap();
    run.assert_yaml("text: { equals: You asked before. }")
        .await
        .unwrap();
    run.expect().next_message();
    run.expect().no_more_events();
    let said = |event: &AgentEvent| event.role() == EventRole::User;
    let places: Vec<usize> = (0..)
        .zip(session.history())
        .filter(|(_, event)| said(event))
        .map(|(at, _)| at)
        .collect();
    assert_eq!(
        (places, session.history().len()),
        (vec![0, 4], 6),
        "{:?}",
        session.history()
    );
}

#[tokio::test]
async fn another_agent_judges_a_message() {
    let mut session = weather();
    let result = session.run("Hi").await.unwrap();
    let says = |text: &str| {
        TestJudge::new(AgentTarget::yaml(format!(
            "type: scripted\nrules: [{{ do: [{{ say: {} }}] }}]",
            json!(text)
        )))
    };
    let verdict = says(r#"{"passed": true, "reason": "polite"}"#);
    result
        .expect()
        .at(0)
        .judge(&verdict, "greets the user")
        .await
        .unwrap();
    let error = result
        .expect()
        .at(0)
        .judge(&verdict, " ")
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the intent is empty: say what the message must do"
    );
    let itself = TestJudge::new(AgentTarget::yaml(WEATHER));
    let error = result
        .expect()
        .at(0)
        .judge(&itself, "greets")
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent cannot judge itself: name another target"
    );
    let error = result
        .expect()
        .at(0)
        .judge(&says("perhaps"), "greets")
        .await
        .unwrap_err();
    assert!(matches!(error, TestingError::Judge(_)), "{error:?}");
    let decided = says(r#"{"passed": false, "reason": "rude"}"#)
        .decide("Hi", "What?", "greets")
        .await
        .unwrap();
    assert!(
        !decided.is_passed && decided.reason.contains("rude"),
        "{decided:?}"
    );
}

fn declared(name: &str) -> SessionTool {
    let (name, description) = (name.to_owned(), "Adds ${x}".to_owned());
    SessionTool {
        name,
        description,
        parameters: json!({ "type": "object" }),
    }
}

/// A model that calls `add` once after each message of the user, and says what it gave. To `done`, or without a tool, it says
/// its instructions.
struct Model {
    endpoint: String,
}

impl Model {
    fn target(&self) -> AgentTarget {
        AgentTarget::new(
            "openai",
            json!({ "endpoint": self.endpoint, "model": "m-1" }),
        )
    }
}

fn model() -> Model {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let request = request(&stream);
            let messages = request["messages"].as_array().unwrap();
            let (instructions, tool) = (&messages[0]["content"], &request["tools"][0]["function"]);
            assert!(
                tool.is_null() || tool["description"] == "Adds ${x}",
                "{tool}"
            );
            let last = messages.last().unwrap();
            let said = &last["content"];
            let text = match (said.as_str(), said.as_array()) {
                (_, Some(parts)) => {
                    let types: Vec<&str> = parts
                        .iter()
                        .filter_map(|part| part["type"].as_str())
                        .collect();
                    Some(format!("I see {}.", types.join(" and ")))
                }
                (Some(said), _) if last["role"] == "tool" => Some(format!("It is {said}.")),
                (Some("done"), _) => Some(instructions.as_str().unwrap().to_owned()),
                _ => tool.is_null().then(|| instructions.to_string()),
            };
            let message = if let Some(text) = text {
                json!({ "role": "assistant", "content": text })
            } else {
                let call = json!({ "name": "add", "arguments": "{\"a\":1,\"b\":2}" });
                let id = format!("call-{}", messages.len());
                json!({ "role": "assistant", "tool_calls": [{ "index": 0, "id": id, "type": "function", "function": call }] })
            };
            let body = json!({ "id": "x", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": message, "finish_reason": "stop" }] });
            let body = format!("data: {body}\n\ndata: [DONE]\n\n");
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    });
    Model { endpoint }
}

/// The body of the request that comes over `stream`.
fn request(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test]
async fn a_test_executes_tools_and_mocks_them() {
    let mut session = TestSession::connect(model().target()).unwrap();
    session
        .tool(declared("add"), |arguments| async move {
            let sum = arguments["a"]
                .as_i64()
                .zip(arguments["b"].as_i64())
                .map(|(a, b)| a + b);
            sum.map(Value::from)
                .ok_or_else(|| "two numbers are needed".to_owned())
        })
        .unwrap();
    let twice = session
        .tool(declared("add"), |_| async { Ok(Value::Null) })
        .unwrap_err();
    assert_eq!(twice.to_string(), "there are two tools with the name `add`");

    let result = session.run("Add 1 and 2").await.unwrap();
    result
        .expect()
        .next_function_call()
        .is_function_call("add", json!({ "a": 1 }));
    result
        .expect()
        .next_function_call_output()
        .is_function_call_output(json!(3), false);
    let message = result.expect().next_message().event();
    assert_eq!(
        message,
        &AgentEvent::Message {
            role: EventRole::Assistant,
            content: "It is 3.".to_owned()
        }
    );
    result
        .assert_yaml("tools: { require: [{ name: add, result_match: \"^3$\" }] }")
        .await
        .unwrap();

    let unknown = session
        .mock_tools([("sub", |_: Value| Ok(json!(1)))])
        .await
        .err()
        .unwrap();
    assert_eq!(
        unknown.to_string(),
        "there is no tool `sub` to mock; the tools are: add"
    );
    {
        let mocked = session
            .mock_tools([("add", |_: Value| Err("overflow".to_owned()))])
            .await
            .unwrap();
        let result = session.run("Add 1 and 2").await.unwrap();
        result
            .expect()
            .contains_function_call_output(json!("overflow"), true);
        assert_eq!(
            (mocked.call_count("add"), mocked.calls("add")),
            (1, vec![json!({ "a": 1, "b": 2 })])
        );
    }
    let result = session.run("Add 1 and 2").await.unwrap();
    result
        .expect()
        .contains_function_call_output(json!(3), false);
    let result = session.run("done").await.unwrap();
    result
        .assert_yaml("text: { equals: You are a helpful assistant. }")
        .await
        .unwrap();
    let late = session
        .tool(declared("sub"), |_| async { Ok(Value::Null) })
        .unwrap_err();
    assert_eq!(
        late.to_string(),
        "the tool `sub` comes too late: the session has begun"
    );
    session.close().await.unwrap();
}

#[tokio::test]
async fn a_config_gives_the_target_and_its_tools() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("ananke.config.yaml");
    let text = format!(
        "version: \"1.3\"\ntarget: {{ type: scripted, rules: [{{ do: [{{ say: Hi }}] }}] }}\ntargets:\n  weather:\n{}",
        indented(WEATHER, 4)
    );
    std::fs::write(&config, text).unwrap();
    let mut session = TestSession::from_config(&config, "weather").unwrap();
    let result = session.run("Weather in Paris?").await.unwrap();
    result.expect().contains_function_call("get_weather", None);
    result
        .assert_yaml("tools: { require: [get_weather] }")
        .await
        .unwrap();
    drop(session);
    let unknown = TestSession::from_config(&config, "wether").err().unwrap();
    assert!(unknown.to_string().contains("`wether`"), "{unknown}");
    assert!(TestSession::from_config(folder.path().join("none.yaml"), "weather").is_err());
}

fn indented(text: &str, by: usize) -> String {
    let before = " ".repeat(by);
    text.lines()
        .map(|line| [&before, line, "\n"].concat())
        .collect()
}
