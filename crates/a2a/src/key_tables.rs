//! The tables of the keys of A2A and of the conventions for calls, each with the test that is generated from it.
//!
//! **Invariant:** every key that the reader of this crate knows has a row.

use serde_json::{Value, json};

use super::a2a_conversation::A2aConversation;
use super::config::ToolCallConvention;
use super::dialect::{A2aVersion, Binding, Dialect};
use super::history::SaidMessage;
use super::key_table::{
    ANY, CALL, ITEM, KeyReading, KeyRow, LIST, RESULT, ReadingSink, TEXT, WORD, key_problems, row,
};
use super::turn_reader::A2aReader;
use ananke_agents::EventReader as _;
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::Fact;

const SAID: &[Fact] = &[Fact::Text, Fact::Calls, Fact::Results];

/// What came of a turn with these events, the last of which ends it.
fn reading(events: &[&Value], convention: ToolCallConvention) -> KeyReading {
    let dialect = Dialect {
        version: A2aVersion::V1,
        binding: Binding::HttpJson,
    };
    let ids = SequentialIds::default();
    let mut conversation = A2aConversation::default();
    let said = SaidMessage::default();
    let conventions = [convention];
    let mut reader = A2aReader::new(dialect, &conventions, &ids, &mut conversation, said);
    let mut sink = ReadingSink::default();
    for event in events {
        if let Err(error) = reader.event(At(0), event.to_string().as_bytes(), &mut sink) {
            sink.0.error = Some(error);
            return sink.0;
        }
    }
    if !reader.is_ended() {
        sink.0.error = Some("the turn has no end".to_owned());
        return sink.0;
    }
    let error = reader.finish(&mut sink).err().map(|error| error.message);
    KeyReading { error, ..sink.0 }
}

/// The problems of the keys of the first event of a turn.
fn problems(sample: &Value, rows: &[KeyRow], convention: ToolCallConvention) -> Vec<String> {
    let end = json!({ "taskId": "t", "status": { "state": "completed" } });
    key_problems(sample, rows, |event| reading(&[event, &end], convention))
}

/// The parts of something said in a task that is done, and the problems of the keys of the only one.
fn part_problems(part: &Value, rows: &[KeyRow]) -> Vec<String> {
    key_problems(part, rows, |part| {
        let artifact = json!({ "artifactId": "a", "parts": [part] });
        let status = json!({ "state": "completed" });
        let task = json!({ "id": "t", "status": status, "artifacts": [artifact] });
        reading(&[&task], ToolCallConvention::Adk)
    })
}

#[test]
fn every_key_of_a_task_is_read_unread_or_an_error() {
    let message = json!({ "messageId": "s", "role": "agent", "parts": [{ "text": "a" }] });
    let sample = json!({
        "id": "t", "contextId": "c", "kind": "task",
        "status": { "state": "completed", "timestamp": "1", "message": message },
        "artifacts": [{ "artifactId": "a", "name": "n", "description": "d", "parts": [{ "text": "b" }] }],
        "history": [{ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "c" }] }],
    });
    let rows = [
        row("/id", ANY, &[]),
        row("/contextId", ANY, &[]),
        row("/kind", ANY, &[]),
        row("/status", ITEM, SAID),
        row("/status/state", WORD, SAID),
        row("/status/timestamp", ANY, &[]),
        row("/status/message", ITEM, SAID),
        row("/status/message/messageId", ANY, &[]),
        row("/status/message/role", WORD, SAID),
        row("/status/message/parts", LIST, SAID),
        row("/status/message/parts/0", ITEM, SAID),
        row("/status/message/parts/0/text", WORD, TEXT),
        row("/artifacts", LIST, SAID),
        row("/artifacts/0", ITEM, SAID),
        row("/artifacts/0/artifactId", ANY, &[]),
        row("/artifacts/0/name", ANY, &[]),
        row("/artifacts/0/description", ANY, &[]),
        row("/artifacts/0/parts", LIST, SAID),
        row("/artifacts/0/parts/0", ITEM, SAID),
        row("/artifacts/0/parts/0/text", WORD, TEXT),
        row("/history", LIST, SAID),
        row("/history/0", ITEM, SAID),
        row("/history/0/messageId", ANY, &[]),
        row("/history/0/role", WORD, SAID),
        row("/history/0/parts", LIST, SAID),
        row("/history/0/parts/0", ITEM, SAID),
        row("/history/0/parts/0/text", WORD, TEXT),
    ];
    let adk = ToolCallConvention::Adk;
    assert_eq!(
        key_problems(&sample, &rows, |task| reading(&[task], adk)),
        [""; 0]
    );
}

#[test]
fn every_key_of_an_update_is_read_unread_or_an_error() {
    let adk = ToolCallConvention::Adk;
    let message = json!({ "messageId": "s", "role": "agent", "content": [{ "text": "a" }] });
    let sample = json!({
        "kind": "status-update", "taskId": "t", "contextId": "c", "final": false,
        "status": { "state": "working", "message": message },
    });
    let rows = [
        row("/kind", ANY, &[]),
        row("/taskId", ANY, &[]),
        row("/contextId", ANY, &[]),
        row("/final", ANY, &[]),
        row("/status", ITEM, SAID),
        row("/status/state", WORD, SAID),
        row("/status/message", ITEM, SAID),
        row("/status/message/messageId", ANY, &[]),
        row("/status/message/role", WORD, SAID),
        row("/status/message/content", LIST, SAID),
        row("/status/message/content/0", ITEM, SAID),
        row("/status/message/content/0/text", WORD, TEXT),
    ];
    let ended = |update: &Value| {
        // A word that is no state is one of a task that goes on.
        let end = json!({ "taskId": "t", "status": { "state": "completed" } });
        let mut reading = reading(&[update, &end], adk);
        let state = update.pointer("/status/state").and_then(Value::as_str);
        if state.is_none() && reading.error.is_none() {
            reading.error = Some("no state".to_owned());
        }
        reading
    };
    assert_eq!(key_problems(&sample, &rows, ended), [""; 0]);

    let sample = json!({
        "kind": "artifact-update", "taskId": "t", "contextId": "c", "append": false, "lastChunk": true,
        "artifact": { "artifactId": "a", "parts": [{ "text": "a" }] },
    });
    let rows = [
        row("/kind", ANY, &[]),
        row("/taskId", ANY, &[]),
        row("/contextId", ANY, &[]),
        row("/append", ANY, &[]),
        row("/lastChunk", ANY, &[]),
        row("/artifact", ITEM, SAID),
        row("/artifact/artifactId", ANY, &[]),
        row("/artifact/parts", LIST, SAID),
        row("/artifact/parts/0", ITEM, SAID),
        row("/artifact/parts/0/text", WORD, TEXT),
    ];
    assert_eq!(problems(&sample, &rows, adk), [""; 0]);
}

#[test]
fn every_member_of_a_result_is_read_unread_or_an_error() {
    let adk = ToolCallConvention::Adk;
    let message = json!({ "messageId": "m", "role": "agent", "parts": [{ "text": "a" }] });
    for (name, pointer) in [("message", "/message"), ("msg", "/msg")] {
        let sample = json!({ name: message });
        let rows = [row(pointer, ITEM, SAID)];
        let problems = key_problems(&sample, &rows, |result| reading(&[result], adk));
        let others = problems
            .iter()
            .filter(|problem| !problem.ends_with("has no row"));
        assert_eq!(others.count(), 0, "{problems:#?}");
    }
    let artifact = json!({ "artifactId": "a", "parts": [{ "text": "a" }] });
    let status = json!({ "taskId": "t", "status": { "state": "working" } });
    let update = json!({ "taskId": "t", "artifact": artifact });
    for (name, member, pointer) in [
        ("artifact", artifact, "/artifact"),
        ("statusUpdate", status.clone(), "/statusUpdate"),
        ("artifactUpdate", update, "/artifactUpdate"),
        (
            "task",
            json!({ "id": "t", "status": status["status"] }),
            "/task",
        ),
    ] {
        let sample = json!({ name: member });
        let problems = problems(&sample, &[row(pointer, ITEM, SAID)], adk);
        let others = problems
            .iter()
            .filter(|problem| !problem.ends_with("has no row"));
        assert_eq!(others.count(), 0, "{problems:#?}");
    }
    // A message of its own, without an object around it.
    let mut flat = message;
    flat["kind"] = json!("message");
    let rows = [
        row("/kind", ANY, &[]),
        row("/messageId", ANY, &[]),
        row("/role", WORD, SAID),
        row("/parts", LIST, SAID),
        row("/parts/0", ITEM, SAID),
        row("/parts/0/text", WORD, TEXT),
    ];
    assert_eq!(
        key_problems(&flat, &rows, |result| reading(&[result], adk)),
        [""; 0]
    );
}

#[test]
fn every_key_of_a_part_with_a_call_is_read_unread_or_an_error() {
    let data = json!({ "id": "c", "name": "pay", "args": { "n": 1 } });
    let sample = json!({ "data": data, "metadata": { "adk_type": "function_call" } });
    let rows = [
        row("/data", ITEM, CALL),
        row("/data/id", ANY, &[]),
        row("/data/name", WORD, CALL),
        // Whatever they are, the trace says whether they are arguments.
        row("/data/args", ANY, CALL),
        row("/metadata", ITEM, CALL),
        row("/metadata/adk_type", WORD, CALL),
    ];
    assert_eq!(part_problems(&sample, &rows), [""; 0]);

    let data = json!({ "id": "c", "name": "pay", "response": { "ok": true } });
    let sample = json!({ "data": data, "metadata": { "adk_type": "function_response" } });
    let rows = [
        row("/data", ITEM, RESULT),
        row("/data/id", ANY, &[]),
        row("/data/name", WORD, RESULT),
        row("/data/response", ANY, RESULT),
        row("/metadata", ITEM, RESULT),
        row("/metadata/adk_type", WORD, RESULT),
    ];
    // The call of the result is missing, so that its arguments are unread.
    let problems = part_problems(&sample, &rows);
    let others = problems
        .iter()
        .filter(|problem| !problem.starts_with("the sample is not read"));
    assert_eq!(others.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn every_key_of_a_status_with_a_call_is_read_unread_or_an_error() {
    let request = json!({ "callId": "c", "name": "ls", "args": {} });
    let data = json!({ "request": request, "status": "success", "response": "a" });
    let message =
        json!({ "messageId": "m", "role": "agent", "parts": [{ "kind": "data", "data": data }] });
    let sample = json!({
        "taskId": "t", "metadata": { "coderAgent": { "kind": "tool-call-update" } },
        "status": { "state": "working", "message": message },
    });
    let rows = [
        row("/taskId", ANY, &[]),
        row("/metadata", ITEM, CALL),
        row("/metadata/coderAgent", ITEM, CALL),
        row("/metadata/coderAgent/kind", WORD, CALL),
        row("/status", ITEM, SAID),
        row("/status/state", ANY, &[]),
        row("/status/message", ITEM, SAID),
        row("/status/message/messageId", ANY, &[]),
        row("/status/message/role", WORD, SAID),
        row("/status/message/parts", LIST, SAID),
        row("/status/message/parts/0", ITEM, SAID),
        row("/status/message/parts/0/kind", ANY, &[]),
        row("/status/message/parts/0/data", ITEM, CALL),
        row("/status/message/parts/0/data/request", ITEM, CALL),
        row("/status/message/parts/0/data/request/callId", ANY, &[]),
        row("/status/message/parts/0/data/request/name", WORD, CALL),
        row("/status/message/parts/0/data/request/args", ANY, CALL),
        row("/status/message/parts/0/data/status", WORD, RESULT),
        row("/status/message/parts/0/data/response", ANY, RESULT),
    ];
    assert_eq!(
        problems(&sample, &rows, ToolCallConvention::Gemini),
        [""; 0]
    );
}

#[test]
fn every_key_of_a_step_is_read_unread_or_an_error() {
    let key = "github.com/a2aproject/a2a-samples/extensions/traceability/v1/traceability";
    let invocation = json!({ "tool_name": "ls", "parameters": {} });
    let action = json!({ "tool_invocation": invocation });
    let step =
        json!({ "step_id": "s", "call_type": "TOOL", "step_action": action, "outputs": "a" });
    let sample = json!({
        "taskId": "t", "status": { "state": "working" }, "metadata": { key: { "steps": [step] } },
    });
    let before =
        "/metadata/github.com~1a2aproject~1a2a-samples~1extensions~1traceability~1v1~1traceability";
    let at = |rest: &str| -> &'static str { format!("{before}{rest}").leak() };
    let rows = [
        row("/taskId", ANY, &[]),
        row("/status", ITEM, SAID),
        row("/status/state", ANY, &[]),
        row("/metadata", ITEM, CALL),
        row(at(""), ITEM, CALL),
        row(at("/steps"), LIST, CALL),
        row(at("/steps/0"), ITEM, CALL),
        row(at("/steps/0/step_id"), ANY, &[]),
        // A step whose kind is no text is a call if it has a tool.
        row(at("/steps/0/call_type"), ANY, &[]),
        row(at("/steps/0/step_action"), ITEM, CALL),
        row(at("/steps/0/step_action/tool_invocation"), ITEM, CALL),
        row(
            at("/steps/0/step_action/tool_invocation/tool_name"),
            WORD,
            CALL,
        ),
        row(
            at("/steps/0/step_action/tool_invocation/parameters"),
            ANY,
            CALL,
        ),
        row(at("/steps/0/outputs"), ANY, RESULT),
    ];
    assert_eq!(
        problems(&sample, &rows, ToolCallConvention::Traceability),
        [""; 0]
    );
}
