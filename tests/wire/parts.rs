//! User messages with files: the exact parts of both versions of the protocol, in every request of a conversation.

use std::fmt::Write as _;

use ananke::outcome::{Outcome, Status};
use serde_json::{Value, json};

use super::bodies::answer;
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

fn run(events: &[Value]) -> Vec<u8> {
    let mut run = vec![json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})];
    run.extend_from_slice(events);
    run.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}));
    answer(&run)
}

/// Runs one test with these turns, and further keys of the target, against an agent with these responses; returns the
/// requests and the outcome.
async fn converse(target: &str, turns: &str, answers: &[Vec<Value>]) -> (Vec<Value>, Outcome) {
    let scripts = answers
        .iter()
        .map(|events| vec![Step::Expect, Step::Send(run(events))]);
    let agent = RawAgent::start(scripts.collect()).await;
    let mut config =
        "version: \"1.3\"\ntarget:\n  type: agui\n  agentId: shop\n  threadId: t\n".to_owned();
    let _ = writeln!(config, "  endpoint: \"{}\"\n  {target}", agent.url());
    let project = Project::new(&[
        ("ananke.config.yaml", config.as_str()),
        (
            "specs/a.test.yaml",
            &format!("version: \"1.3\"\nname: a\nturns:\n{turns}"),
        ),
        ("specs/cart.png", "not really a picture"),
        ("terms.bin", "terms"),
    ]);
    let outcome = project.run().await.remove(0);
    let requests = agent.requests().await;
    let bodies = requests
        .iter()
        .map(|request| serde_json::from_slice(&request.body).expect("JSON"));
    (bodies.collect(), outcome)
}

const TURNS: &str = r#"
  - user:
      - { type: text, text: "Is this" }
      - { type: image, source: "file://cart.png" }
      - { type: text, text: "my cart?" }
      - { type: image, source: "https://a.example/cart.jpeg?size=1" }
    attachments:
      - { type: document, source: "../terms.bin", media_type: "text/plain;charset=utf-8" }
      - type: audio
        source: >-
          data:audio/wav;base64,UklG
          Rg==
  - user: "And this?"
    attachments: [{ type: video, source: "http://a.example/v", media_type: video/mp4 }]
"#;

#[tokio::test]
async fn parts_of_1_0_are_sent_again_unchanged() {
    let (bodies, outcome) = converse("", TURNS, &[vec![], vec![]]).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    let image =
        json!({"type": "data", "value": "bm90IHJlYWxseSBhIHBpY3R1cmU=", "mimeType": "image/png"});
    let first = json!([
        {"type": "text", "text": "Is this"},
        {"type": "image", "source": image},
        {"type": "text", "text": "my cart?"},
        {"type": "image", "source": {"type": "url", "value": "https://a.example/cart.jpeg?size=1"}},
        {"type": "document", "source": {"type": "data", "value": "dGVybXM=", "mimeType": "text/plain;charset=utf-8"}},
        {"type": "audio", "source": {"type": "data", "value": "UklGRg==", "mimeType": "audio/wav"}},
    ]);
    let second = json!([
        {"type": "text", "text": "And this?"},
        {"type": "video", "source": {"type": "url", "value": "http://a.example/v", "mimeType": "video/mp4"}},
    ]);
    let [one, two] = bodies.as_slice() else {
        panic!("two requests: {bodies:?}")
    };
    assert_eq!(one["protocolVersion"], "1.0");
    assert_eq!(one["messages"][0]["content"], first);
    let contents: Vec<&Value> = two["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| &message["content"])
        .collect();
    assert_eq!(contents, [&first, &second]);
    assert_eq!(two["messages"][0]["id"], one["messages"][0]["id"]);
}

#[tokio::test]
async fn parts_of_0_x_are_binary_and_the_version_is_not_said() {
    let (bodies, _) = converse("protocolVersion: \"0.x\"", TURNS, &[vec![], vec![]]).await;
    let contents = json!([
        {"type": "text", "text": "Is this"},
        {"type": "binary", "mimeType": "image/png", "data": "bm90IHJlYWxseSBhIHBpY3R1cmU="},
        {"type": "text", "text": "my cart?"},
        {"type": "binary", "mimeType": "image/jpeg", "url": "https://a.example/cart.jpeg?size=1"},
        {"type": "binary", "mimeType": "text/plain;charset=utf-8", "data": "dGVybXM="},
        {"type": "binary", "mimeType": "audio/wav", "data": "UklGRg=="},
    ]);
    let body = |body: &Value| {
        let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "threadId",
                "runId",
                "state",
                "messages",
                "tools",
                "context",
                "forwardedProps"
            ],
            "{body}"
        );
        body["messages"][0]["content"].clone()
    };
    assert_eq!(
        bodies.iter().map(body).collect::<Vec<_>>(),
        [contents.clone(), contents]
    );
}

#[tokio::test]
async fn a_report_names_files_and_never_holds_them() {
    let (_, outcome) = converse("", TURNS, &[vec![], vec![]]).await;
    let inputs: Vec<&str> = outcome
        .transcript
        .turns
        .iter()
        .map(|turn| turn.input.as_str())
        .collect();
    let first = "Is this [image image/png, 20 bytes] my cart? [image https://a.example/cart.jpeg?size=1] \
                 [document text/plain;charset=utf-8, 5 bytes] [audio audio/wav, 4 bytes]";
    assert_eq!(
        inputs,
        [first, "And this? [video video/mp4, http://a.example/v]"]
    );
    assert!(!format!("{outcome:?}").contains("bm90"));
}

fn said(id: &str, role: &str, text: &str) -> [Value; 3] {
    [
        json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": role}),
        json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text}),
        json!({"type": "TEXT_MESSAGE_END", "messageId": id}),
    ]
}

/// Found by its role and its text, since the server gave it another id: what comes before it is history.
#[tokio::test]
async fn a_snapshot_that_repeats_the_parts_is_recognised() {
    let turns = r#"
  - user: [{ type: text, text: "Is this" }, { type: image, source: cart.png }, { type: text, text: "it?" }]
    assert: { text: { must_match: "new", must_not_match: "old" } }
"#;
    let own = json!([
        {"type": "text", "text": "Is this"},
        {"type": "image", "source": {"type": "data", "value": "bm90", "mimeType": "image/png"}},
        {"type": "text", "text": "it?"},
    ]);
    let snapshot = |own: &Value| {
        json!({"type": "MESSAGES_SNAPSHOT", "messages": [
            {"id": "s1", "role": "assistant", "content": "old"},
            {"id": "s2", "role": "user", "content": own},
            {"id": "s3", "role": "assistant", "content": "new"},
        ]})
    };
    let (_, outcome) = converse("", turns, &[vec![snapshot(&own)]]).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    // Another text is another message, and then everything that was not known before the turn is live.
    let (_, outcome) = converse(
        "",
        turns,
        &[vec![snapshot(&json!([{"type": "text", "text": "it?"}]))]],
    )
    .await;
    assert_eq!(outcome.status(), Status::Failed, "{outcome:?}");
}

/// Some agents stream the user's message back under its own id.
#[tokio::test]
async fn an_agent_cannot_rewrite_what_the_user_said() {
    let agent = RawAgent::start(vec![
        vec![
            Step::Expect,
            Step::Send(run(&said("message-1", "user", "nothing"))),
        ],
        vec![Step::Expect, Step::Send(run(&[]))],
    ])
    .await;
    let project = Project::new(&[
        (
            "ananke.config.yaml",
            &format!(
                "version: \"1.3\"\ntarget: {{ type: agui, agentId: shop, threadId: t, endpoint: \"{}\" }}\n",
                agent.url()
            ),
        ),
        (
            "a.test.yaml",
            "version: \"1.3\"\nname: a\nturns:\n  - user: [{ type: image, source: a.png }]\n  - user: b\n",
        ),
        ("a.png", "a"),
    ]);
    let outcome = project.run().await.remove(0);
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    let requests = agent.requests().await;
    let body: Value = serde_json::from_slice(&requests[1].body).unwrap();
    let image = json!({"type": "image", "source": {"type": "data", "value": "YQ==", "mimeType": "image/png"}});
    let expected = json!([{"id": "message-1", "role": "user", "content": [image]}, {"id": "message-3", "role": "user", "content": "b"}]);
    assert_eq!(body["messages"], expected);
}
