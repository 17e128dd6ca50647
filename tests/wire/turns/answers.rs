//! Turns that answer interrupts of an agent, and its calls to tools of the client.

use ananke::agents::{Action, Ended};
use ananke::message::{InterruptAnswer, ToolAnswer};
use serde_json::{Value, json};

use super::{Talk, call, finished, run, said, say, started, whole};
use crate::support::agui::settings;

fn interrupted(run: &str) -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t-1", "runId": run, "outcome": {"type": "interrupt", "interrupts": [{"id": "i1", "reason": "tool_call", "toolCallId": "c1"}, {"id": "i2", "reason": "input_required"}]}})
}

fn resume(id: &str, is_resolved: bool, payload: Option<Value>) -> InterruptAnswer {
    InterruptAnswer {
        id: id.to_owned(),
        is_resolved,
        payload,
    }
}

#[tokio::test]
async fn interrupts_are_answered_in_a_run_of_their_own() {
    let first = [
        vec![started("r-1")],
        call("c1", "delete"),
        vec![interrupted("r-1")],
    ]
    .concat();
    let mut talk = Talk::new([whole(&first), whole(&run("r-2", Vec::new()))]).await;
    assert_eq!(talk.send(say(1)).await, Ok(Ended::Terminal));
    let answers = vec![
        resume("i1", true, Some(json!({"approved": true}))),
        resume("i2", false, None),
    ];
    assert_eq!(
        talk.send(Action::Resume(answers)).await,
        Ok(Ended::Terminal)
    );
    let body = talk.last_body();
    let expected = json!([
        {"interruptId": "i1", "status": "resolved", "payload": {"approved": true}},
        {"interruptId": "i2", "status": "cancelled"},
    ]);
    assert_eq!(body["resume"], expected);
    assert_eq!(
        body["messages"].as_array().map(Vec::len),
        Some(2),
        "the history, and nothing new: {body}"
    );
    assert!(talk.bodies()[0].get("resume").is_none());
}

#[tokio::test]
async fn interrupts_told_as_custom_events_are_answered_as_commands() {
    let custom = |value: &str, id: Option<&str>| json!({"type": "CUSTOM", "name": "on_interrupt", "value": value, "rawEvent": id.map(|id| json!({"id": id}))});
    let one = [
        vec![started("r-1"), custom("{\"q\":1}", Some("x9"))],
        vec![finished("r-1")],
    ]
    .concat();
    let two = run("r-2", vec![custom("a", None), custom("b", None)]);
    let mut settings = settings("http://127.0.0.1/");
    settings.conversation.forwarded_props = json!({"tenant": 1});
    let mut talk = Talk::with(
        settings,
        [whole(&one), whole(&two), whole(&run("r-3", Vec::new()))],
    )
    .await;
    assert_eq!(talk.send(say(1)).await, Ok(Ended::Terminal));
    let yes = vec![resume("x9", true, Some(json!("yes")))];
    assert_eq!(talk.send(Action::Resume(yes)).await, Ok(Ended::Terminal));
    assert_eq!(
        talk.last_body()["forwardedProps"],
        json!({"tenant": 1, "command": {"resume": "yes"}})
    );
    assert!(talk.last_body().get("resume").is_none());
    let both = vec![
        resume("on_interrupt-1", true, Some(json!(1))),
        resume("on_interrupt-2", false, None),
    ];
    assert_eq!(talk.send(Action::Resume(both)).await, Ok(Ended::Terminal));
    let command = json!({"resume": {"on_interrupt-1": 1, "on_interrupt-2": null}});
    assert_eq!(talk.last_body()["forwardedProps"]["command"], command);
    assert!(
        talk.told
            .text()
            .contains("interrupted [\"on_interrupt-1\", \"on_interrupt-2\"]"),
        "{}",
        talk.told.text()
    );
}

#[tokio::test]
async fn an_agent_that_tells_interrupts_both_ways_is_answered_the_new_way() {
    let custom = json!({"type": "CUSTOM", "name": "on_interrupt", "value": "{}"});
    let first = [
        vec![started("r-1"), custom],
        call("c1", "delete"),
        vec![interrupted("r-1")],
    ]
    .concat();
    let mut talk = Talk::new([whole(&first), whole(&run("r-2", Vec::new()))]).await;
    assert_eq!(talk.send(say(1)).await, Ok(Ended::Terminal));
    let answers = vec![resume("i1", true, None), resume("i2", true, None)];
    assert_eq!(
        talk.send(Action::Resume(answers)).await,
        Ok(Ended::Terminal)
    );
    assert_eq!(talk.last_body()["resume"].as_array().map(Vec::len), Some(2));
    assert_eq!(talk.last_body()["forwardedProps"], json!({}));
}

fn two_calls() -> Vec<Value> {
    let result = json!({"type": "TOOL_CALL_RESULT", "messageId": "x", "toolCallId": "c2", "content": "server"});
    run(
        "r-1",
        [
            said("m1", "Let me see."),
            call("c1", "ask"),
            call("c2", "look"),
            call("c3", "ask"),
            vec![result],
        ]
        .concat(),
    )
}

pub(super) fn answers() -> Vec<ToolAnswer> {
    let answer = |call: &str, content: Value, is_error| ToolAnswer {
        call: call.to_owned(),
        content,
        is_error,
    };
    vec![
        answer("c1", json!({"ok": true}), false),
        answer("c3", json!("no"), true),
    ]
}

#[tokio::test]
async fn answers_to_calls_stand_behind_the_message_that_made_them() {
    let mut talk = Talk::new([whole(&two_calls()), whole(&run("r-2", said("m2", "Done.")))]).await;
    assert_eq!(talk.send(say(1)).await, Ok(Ended::Terminal));
    assert_eq!(
        talk.send(Action::ToolResults(answers())).await,
        Ok(Ended::Terminal)
    );
    let body = talk.last_body();
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 5, "{body}");
    let tools: Vec<_> = messages[2..]
        .iter()
        .map(|message| {
            (
                &message["toolCallId"],
                &message["content"],
                message.get("error"),
            )
        })
        .collect();
    assert_eq!(
        tools,
        [
            (&json!("c2"), &json!("server"), None),
            (&json!("c1"), &json!("{\"ok\":true}"), None),
            (&json!("c3"), &json!("no"), Some(&json!("no"))),
        ]
    );
    assert_eq!(
        body["runId"],
        json!("r-2"),
        "a run of its own on the same thread"
    );
}

#[tokio::test]
async fn an_agent_that_keeps_its_thread_is_sent_only_what_is_new() {
    let mut settings = settings("http://127.0.0.1/");
    settings.conversation.last_only = true;
    let empty = || whole(&run("r-2", Vec::new()));
    let mut talk = Talk::with(settings, [whole(&two_calls()), empty(), empty()]).await;
    for action in [say(1), Action::ToolResults(answers()), say(2)] {
        assert_eq!(talk.send(action).await, Ok(Ended::Terminal));
    }
    let sent = talk.bodies();
    let kinds: Vec<Vec<&str>> = sent
        .iter()
        .map(|body| {
            body["messages"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|message| message["role"].as_str())
                .collect()
        })
        .collect();
    assert_eq!(kinds, [vec!["user"], vec!["tool", "tool"], vec!["user"]]);
    assert_eq!(sent[2]["messages"][0]["id"], json!("u2"));
}
