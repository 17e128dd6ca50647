//! What was not read never passes (SPEC 13): a violation in an unknown place hides no verdict, and an extra of a vendor changes
//! none.

use std::sync::{Arc, Mutex};

use ananke::outcome::{Outcome, Status};
use ananke::recording::RecordingMode;
use serde_json::{Value, json};

use crate::replay::{outcomes, recordings};
use crate::support::canned::Canned;
use crate::support::project::Project;

/// The rules that each violation breaks.
const RULES: &str =
    "{ tools: { forbid: [delete_order], max_calls: 1 }, text: { must_not_match: hunter2 } }";

/// The targets whose responses are streams of events.
pub(super) const AGUI: &str = "{ type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }";
pub(super) const OPENAI: &str =
    "{ type: openai, endpoint: \"http://127.0.0.1:1/\", model: m, tools: observed }";
pub(super) const A2A: &str = "{ type: a2a, agentCard: { name: a, capabilities: { streaming: true }, supportedInterfaces: [{ url: \"http://127.0.0.1:1/\", protocolBinding: \"HTTP+JSON\", protocolVersion: \"1.0\" }] }, tool_calls: [adk] }";

/// The outcome of a test for each of these responses.
pub(super) async fn judged(target: &str, rules: &str, bodies: Vec<Vec<u8>>) -> Vec<Outcome> {
    let test = "turns: [{ user: hi }]";
    judged_tests(target, rules, &vec![test; bodies.len()], bodies).await
}

/// The outcomes of these tests, whose requests get these responses.
pub(super) async fn judged_tests(
    target: &str,
    rules: &str,
    tests: &[&str],
    bodies: Vec<Vec<u8>>,
) -> Vec<Outcome> {
    let numbered = tests.iter().enumerate();
    let tests: Vec<String> = numbered
        .map(|(number, test)| format!("  - {{ name: \"{number}\", {test} }}\n"))
        .collect();
    let target = target.strip_suffix('}').expect("a mapping in flow style");
    let config = format!("version: \"1.4\"\ntarget: {target}, assert: {rules} }}\n");
    let tests = format!("version: \"1.4\"\ntests:\n{}", tests.concat());
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &tests)]);
    let canned = Arc::new(Canned {
        bodies: Mutex::new(bodies),
        chunk: usize::MAX,
    });
    let kept = recordings(&project.folder().join("kept"), RecordingMode::Record);
    outcomes(&project, canned, &kept).await
}

/// A stream of these events.
pub(super) fn stream(events: &[Value]) -> Vec<u8> {
    let data = events.iter().map(|event| format!("data: {event}\n\n"));
    data.collect::<String>().into_bytes()
}

/// The value with something under an unknown key, once in each object of it.
pub(super) fn with_key(value: &Value, extra: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::Object(fields) => {
            let mut here = fields.clone();
            here.insert("x_extra".to_owned(), extra.clone());
            found.push(Value::Object(here));
            for (key, field) in fields {
                found.extend(with_key(field, extra).into_iter().map(|field| {
                    let mut fields = fields.clone();
                    fields.insert(key.clone(), field);
                    Value::Object(fields)
                }));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                found.extend(with_key(item, extra).into_iter().map(|item| {
                    let mut items = items.clone();
                    items[index] = item;
                    Value::Array(items)
                }));
            }
        }
        _ => {}
    }
    found
}

/// The streams in which one event is replaced by each of the events that `change` makes of it.
pub(super) fn each(events: &[Value], change: impl Fn(&Value) -> Vec<Value>) -> Vec<Vec<Value>> {
    let changed = |index: usize| {
        let with = move |event| {
            let mut events = events.to_vec();
            events[index] = event;
            events
        };
        change(&events[index]).into_iter().map(with)
    };
    (0..events.len()).flat_map(changed).collect()
}

/// The streams in which one event of these is inserted at each place before the last `rest` events.
pub(super) fn inserted(
    events: &[Value],
    new: &[Value],
    from: usize,
    rest: usize,
) -> Vec<Vec<Value>> {
    let at = |place: usize| {
        let with = move |event: &Value| {
            let mut events = events.to_vec();
            events.insert(place, event.clone());
            events
        };
        new.iter().map(with)
    };
    (from..=events.len() - rest).flat_map(at).collect()
}

/// Calls in the shapes that protocols give them.
pub(super) fn calls() -> Vec<Value> {
    vec![
        json!({ "name": "delete_order", "arguments": "{\"id\":7}" }),
        json!({ "functionCall": { "name": "delete_order", "args": { "id": 7 } } }),
        json!([{ "id": "c9", "type": "function", "function": { "name": "delete_order", "arguments": {} } }]),
        json!({ "tool_name": "delete_order", "tool_input": { "id": 7 }, "output": "done" }),
        json!({ "inner": { "payload": "{\"name\":\"delete_order\",\"arguments\":{}}" } }),
    ]
}

/// What vendors add for themselves.
pub(super) fn extras() -> Vec<Value> {
    vec![
        json!({ "latency_ms": 12, "tier": "fast" }),
        json!(["https://example.com/a"]),
        json!({ "filtered": false, "severity": "safe", "message": "hunter2" }),
        json!({ "name": "model-1", "description": "hunter2", "parameters": { "type": "object", "properties": {} } }),
        json!(0.5),
        json!("hunter2 delete_order"),
    ]
}

fn is_hidden(outcome: &Outcome) -> bool {
    matches!(outcome.status(), Status::Failed | Status::NotShown)
}

pub(super) async fn hides_no_verdict(target: &str, streams: Vec<Vec<Value>>) {
    assert!(!streams.is_empty());
    let bodies = streams.iter().map(|events| stream(events)).collect();
    let outcomes = judged(target, RULES, bodies).await;
    assert_eq!(outcomes.len(), streams.len());
    for (outcome, events) in outcomes.iter().zip(&streams) {
        assert!(
            is_hidden(outcome),
            "{:?} {}",
            outcome.status(),
            json!(events)
        );
        for rule in outcome.verdict.not_shown() {
            assert!(rule.message.contains("was not read"), "{}", rule.message);
        }
    }
}

pub(super) async fn changes_no_verdict(target: &str, streams: Vec<Vec<Value>>) {
    assert!(!streams.is_empty());
    let bodies = streams.iter().map(|events| stream(events)).collect();
    let outcomes = judged(target, RULES, bodies).await;
    for (outcome, events) in outcomes.iter().zip(&streams) {
        assert_eq!(
            outcome.status(),
            Status::Passed,
            "{:?} {events:#?}",
            outcome.verdict.rules
        );
    }
}

/// A whole answer of an AG-UI agent.
pub(super) fn agui() -> Vec<Value> {
    let function = json!({ "name": "find_order", "arguments": "{}" });
    vec![
        json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" }),
        json!({ "type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant" }),
        json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Done." }),
        json!({ "type": "TEXT_MESSAGE_END", "messageId": "m" }),
        json!({ "type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "find_order" }),
        json!({ "type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}" }),
        json!({ "type": "TOOL_CALL_END", "toolCallId": "c" }),
        json!({ "type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "q", "content": "ok" }),
        json!({ "type": "MESSAGES_SNAPSHOT", "messages": [
            { "id": "u", "role": "user", "content": "hi" },
            { "id": "m", "role": "assistant", "content": "Done." },
            { "id": "n", "role": "assistant", "toolCalls": [{ "id": "c", "type": "function", "function": function }] },
            { "id": "q", "role": "tool", "toolCallId": "c", "content": "ok" },
        ] }),
        json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r" }),
    ]
}

#[tokio::test]
async fn a_call_under_an_unknown_key_of_agui_is_never_passed_over() {
    for call in calls() {
        let places = |event: &Value| {
            let mut found = with_key(event, &call);
            // What the user said, and the function of a call that is read, are looked at as they are.
            found.retain(|event| {
                event.pointer("/messages/0/x_extra").is_none()
                    && event
                        .pointer("/messages/2/toolCalls/0/function/x_extra")
                        .is_none()
            });
            found
        };
        hides_no_verdict(AGUI, each(&agui(), places)).await;
    }
}

#[tokio::test]
async fn a_violation_in_an_unknown_event_or_message_of_agui_is_never_passed_over() {
    let mut events: Vec<Value> = calls()
        .iter()
        .map(|call| json!({ "type": "TOOL_CALL_PROPOSED", "call": call }))
        .collect();
    events.push(json!({ "type": "ANSWER", "text": "hunter2" }));
    events.push(json!({ "type": "DELTA", "inner": { "delta": "hunter2" } }));
    hides_no_verdict(AGUI, inserted(&agui(), &events, 1, 1)).await;
    let with_messages = |event: &Value| {
        let mut found = Vec::new();
        if event["type"] == "MESSAGES_SNAPSHOT" {
            for message in [
                json!({ "id": "x", "role": "bot", "content": "hunter2" }),
                json!({ "id": "x", "role": "function", "name": "delete_order", "arguments": "{}" }),
                json!({ "id": "x", "role": "assistant", "content": [{ "type": "output_text", "answer": "hunter2" }] }),
                json!({ "id": "x", "role": "assistant", "content": [{ "type": "tool_use", "name": "delete_order", "input": {} }] }),
            ] {
                let mut event = event.clone();
                event["messages"]
                    .as_array_mut()
                    .expect("a list")
                    .push(message);
                found.push(event);
            }
        }
        found
    };
    hides_no_verdict(AGUI, each(&agui(), with_messages)).await;
}

#[tokio::test]
async fn what_vendors_add_to_agui_changes_no_verdict() {
    for extra in extras() {
        changes_no_verdict(AGUI, each(&agui(), |event| with_key(event, &extra))).await;
    }
    let harmless = [
        json!({ "type": "CUSTOM", "name": "ui", "value": { "name": "delete_order", "args": {}, "text": "hunter2" } }),
        json!({ "type": "RAW", "event": { "name": "delete_order", "input": {} } }),
        json!({ "type": "HEARTBEAT", "n": 1 }),
        json!({ "type": "STEP_STARTED", "stepName": "s", "x": { "name": "s", "input": {} } }),
    ];
    changes_no_verdict(AGUI, inserted(&agui(), &harmless, 1, 1)).await;
}

/// A whole response of a model behind chat completions.
pub(super) fn openai() -> Vec<Value> {
    let chunk = |delta: Value, finish: Value| json!({ "id": "x", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let call = json!({ "index": 0, "id": "c", "type": "function", "function": { "name": "find_order", "arguments": "{}" } });
    vec![
        chunk(
            json!({ "role": "assistant", "content": "Done." }),
            Value::Null,
        ),
        chunk(json!({ "tool_calls": [call] }), Value::Null),
        chunk(json!({}), json!("stop")),
        json!({ "id": "x", "object": "chat.completion.chunk", "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 } }),
    ]
}

#[tokio::test]
async fn a_violation_in_an_unknown_place_of_a_chunk_is_never_passed_over() {
    for call in calls() {
        let places = |event: &Value| {
            let mut found = with_key(event, &call);
            found.retain(|event| event.pointer("/usage/x_extra").is_none());
            found
        };
        hides_no_verdict(OPENAI, each(&openai(), places)).await;
    }
    let choice = |delta: Value| json!({ "choices": [{ "index": 1, "delta": delta }] });
    let mut chunks: Vec<Value> = calls()
        .iter()
        .map(|call| json!({ "type": "response.tool", "item": call }))
        .collect();
    let part = |part: Value| json!({ "choices": [{ "index": 0, "delta": { "content": [part] } }] });
    chunks.extend([
        json!({ "type": "delta", "text": "hunter2" }),
        choice(json!({ "content": "hunter2" })),
        choice(json!({ "tool_calls": [{ "function": { "name": "delete_order", "arguments": "{}" } }] })),
        part(json!({ "type": "output", "output": "hunter2" })),
        part(json!({ "type": "tool_use", "name": "delete_order", "input": {} })),
        part(json!({ "type": "text", "text": "ok", "call": { "name": "delete_order", "input": {} } })),
    ]);
    hides_no_verdict(OPENAI, inserted(&openai(), &chunks, 0, 0)).await;
}

#[tokio::test]
async fn what_gateways_add_to_chunks_changes_no_verdict() {
    for extra in extras() {
        changes_no_verdict(OPENAI, each(&openai(), |event| with_key(event, &extra))).await;
    }
}

/// A whole answer of an A2A agent in the shape of 1.0.
pub(super) fn a2a() -> Vec<Value> {
    let status = |status: Value| json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": status } });
    let message =
        json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "Working." }] });
    let artifact = json!({ "artifactId": "a", "parts": [{ "text": "Done." }] });
    vec![
        json!({ "task": { "id": "t", "contextId": "c", "status": { "state": "TASK_STATE_SUBMITTED" } } }),
        status(json!({ "state": "TASK_STATE_WORKING", "message": message })),
        json!({ "artifactUpdate": { "taskId": "t", "contextId": "c", "artifact": artifact } }),
        status(json!({ "state": "TASK_STATE_COMPLETED" })),
    ]
}

#[tokio::test]
async fn a_violation_in_an_unknown_place_of_a2a_is_never_passed_over() {
    for call in calls() {
        hides_no_verdict(A2A, each(&a2a(), |event| with_key(event, &call))).await;
    }
    let with_parts = |event: &Value| {
        let mut found = Vec::new();
        for part in [
            json!({ "answer": "hunter2" }),
            json!({ "kind": "call", "call": { "name": "delete_order", "args": {} } }),
        ] {
            for pointer in [
                "/statusUpdate/status/message/parts",
                "/artifactUpdate/artifact/parts",
            ] {
                let mut event = event.clone();
                if let Some(parts) = event.pointer_mut(pointer).and_then(Value::as_array_mut) {
                    parts.push(part.clone());
                    found.push(event);
                }
            }
        }
        found
    };
    hides_no_verdict(A2A, each(&a2a(), with_parts)).await;
}

#[tokio::test]
async fn what_agents_add_to_a2a_changes_no_verdict() {
    for extra in extras() {
        changes_no_verdict(A2A, each(&a2a(), |event| with_key(event, &extra))).await;
    }
}

/// The streams in which one key with one of these values is duplicated: `other` makes the value that comes first.
fn duplicated(events: &[Value], other: impl Fn(&str) -> String) -> Vec<Vec<u8>> {
    let mut streams = Vec::new();
    for value in ["Done.", "find_order"] {
        let pair = format!(":\"{value}\"");
        for (index, event) in events.iter().enumerate() {
            let text = event.to_string();
            for (colon, _) in text.match_indices(&pair) {
                let key = text[..colon - 1].rfind('"').expect("a key in quotes");
                let (before, written) = text.split_at(key);
                let name = &text[key..colon];
                let event = format!("data: {before}{name}:\"{}\",{written}\n\n", other(value));
                let mut lines: Vec<String> = events
                    .iter()
                    .map(|event| format!("data: {event}\n\n"))
                    .collect();
                lines[index] = event;
                streams.push(lines.concat().into_bytes());
            }
        }
    }
    streams
}

#[tokio::test]
async fn a_violation_under_a_duplicate_key_is_never_passed_over() {
    for (target, events) in [(AGUI, agui()), (OPENAI, openai()), (A2A, a2a())] {
        judges_duplicates(target, &events).await;
    }
}

/// Checks that a key hides nothing which it has twice.
pub(super) async fn judges_duplicates(target: &str, events: &[Value]) {
    let violates = |it: &str| it.replace("Done.", "hunter2").replace("find", "delete");
    let streams = duplicated(events, violates);
    assert!(!streams.is_empty(), "{target}");
    for outcome in judged(target, RULES, streams).await {
        assert_eq!(outcome.status(), Status::NotShown, "{target}");
    }
    for outcome in judged(target, RULES, duplicated(events, str::to_owned)).await {
        assert_eq!(outcome.status(), Status::Passed, "{target}");
    }
}

/// Streams as servers of the field send them, with what they add for themselves: the target, and the events.
fn honest_streams() -> Vec<(&'static str, &'static str, Vec<Value>)> {
    let severity = json!({ "hate": { "filtered": false, "severity": "safe" } });
    let chunk = |more: Value| {
        let mut chunk = json!({ "id": "x", "object": "chat.completion.chunk", "choices": [
            { "index": 0, "delta": { "role": "assistant", "content": "Hello" }, "finish_reason": null }] });
        let Value::Object(more) = more else {
            panic!("an object");
        };
        chunk.as_object_mut().expect("an object").extend(more);
        chunk
    };
    let stop = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let search = json!([{ "title": "Orders", "url": "https://example.com", "date": "2026-01-02", "snippet": "hunter2" }]);
    let verbose = json!({ "index": 0, "content": "Hello", "tokens": [1], "prompt": "hunter2", "generation_settings": { "seed": 1, "samplers": ["top_k"] } });
    let adk = json!({ "adk_app_name": "shop", "adk_usage_metadata": { "totalTokenCount": 7 }, "adk_grounding_metadata": { "webSearchQueries": ["hunter2"] } });
    let agui = |event: Value| {
        let mut events = agui();
        events.insert(4, event);
        events
    };
    let mut with_metadata = a2a();
    with_metadata[1]["statusUpdate"]["metadata"] = adk.clone();
    with_metadata[2]["artifactUpdate"]["artifact"]["metadata"] = adk.clone();
    with_metadata[2]["artifactUpdate"]["artifact"]["parts"][0]["metadata"] = adk;
    vec![
        (
            "OpenRouter",
            OPENAI,
            vec![
                chunk(json!({ "provider": "OpenAI", "system_fingerprint": "fp" })),
                json!({ "provider": "OpenAI", "choices": [{ "index": 0, "delta": { "content": "", "reasoning_details": [] }, "finish_reason": "stop", "native_finish_reason": "completed" }],
                    "usage": { "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "cost": 0.1, "cost_details": { "upstream_inference_cost": null } } }),
            ],
        ),
        (
            "Azure",
            OPENAI,
            vec![
                json!({ "id": "", "object": "", "model": "", "choices": [], "prompt_filter_results": [{ "prompt_index": 0, "content_filter_results": severity }] }),
                json!({ "choices": [{ "index": 0, "delta": { "content": "Hello" }, "finish_reason": null, "content_filter_results": severity }], "obfuscation": "x" }),
                stop.clone(),
            ],
        ),
        (
            "Perplexity",
            OPENAI,
            vec![
                chunk(
                    json!({ "citations": ["https://example.com"], "search_results": search, "related_questions": ["delete_order?"] }),
                ),
                stop.clone(),
            ],
        ),
        (
            "LiteLLM",
            OPENAI,
            vec![
                json!({ "choices": [{ "index": 0, "delta": { "content": "Hello", "role": "assistant", "provider_specific_fields": { "citations": [{ "cited_text": "hunter2" }] },
                    "function_call": null, "tool_calls": null, "audio": null }, "logprobs": null, "finish_reason": null }], "stream_options": { "include_usage": true } }),
                stop.clone(),
            ],
        ),
        (
            "llama.cpp",
            OPENAI,
            vec![
                chunk(json!({ "__verbose": verbose })),
                json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }], "timings": { "prompt_n": 1, "predicted_ms": 2.5 } }),
            ],
        ),
        (
            "AG-UI RAW",
            AGUI,
            agui(
                json!({ "type": "RAW", "source": "langgraph", "event": { "event": "on_tool_start", "name": "delete_order", "data": { "input": { "id": 7 } } } }),
            ),
        ),
        (
            "AG-UI CUSTOM",
            AGUI,
            agui(
                json!({ "type": "CUSTOM", "name": "PredictState", "value": [{ "state_key": "d", "tool": "write", "tool_argument": "text" }] }),
            ),
        ),
        (
            "AG-UI raw events",
            AGUI,
            agui(
                json!({ "type": "STEP_FINISHED", "stepName": "s", "rawEvent": { "name": "delete_order", "output": "hunter2" } }),
            ),
        ),
        ("ADK", A2A, with_metadata),
    ]
}

#[tokio::test]
async fn honest_streams_have_nothing_that_is_unread() {
    for (name, target, events) in honest_streams() {
        for outcome in judged(target, RULES, vec![stream(&events)]).await {
            let warnings = outcome
                .transcript
                .turns
                .iter()
                .flat_map(|turn| &turn.warnings);
            let unread: Vec<&String> = warnings.filter(|text| text.contains("was not")).collect();
            assert_eq!(
                (outcome.status(), unread),
                (Status::Passed, vec![]),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn what_a_target_knows_is_silenced_and_calls_of_known_forms_are_not() {
    let target = AGUI.replace(" }", ", known: [\"event:SUGGEST*\", \"arguments:*\"] }");
    let mut suggestions = agui();
    suggestions.insert(4, json!({ "type": "SUGGESTIONS", "text": "hunter2?" }));
    let mut malformed = agui();
    malformed[5]["delta"] = json!("{\"id\": ");
    malformed.remove(8);
    let rules = "{ tools: { forbid_calls: [{ name: find_order, args: { id: 7 } }] }, text: { must_not_match: hunter2 } }";
    let bodies = [&suggestions, &malformed].map(|events| stream(events));
    let outcomes = judged(&target, rules, bodies.to_vec()).await;
    assert_eq!(outcomes[0].status(), Status::Passed);
    assert_eq!(outcomes[0].verdict.silenced, ["`event:SUGGEST*`, 1 time"]);
    assert_eq!(outcomes[1].status(), Status::NotShown);
    let lacks: Vec<&str> = outcomes[1]
        .verdict
        .not_shown()
        .map(|rule| &*rule.message)
        .collect();
    assert_eq!(lacks.len(), 1, "{lacks:?}");
    assert!(
        lacks[0].starts_with(
            "`arguments:find_order` (turn 1, event #7) was not read: they are not valid JSON"
        ),
        "{lacks:?}"
    );
}

#[tokio::test]
async fn a_rule_about_another_tool_does_not_rest_on_arguments_that_are_unread() {
    let mut malformed = agui();
    malformed[5]["delta"] = json!("{\"id\": ");
    malformed.remove(8);
    for (rules, status) in [
        (
            "{ tools: { forbid_calls: [{ name: pay, args: { id: 7 } }] } }",
            Status::Passed,
        ),
        (
            "{ tools: { forbid_calls: [{ name: find_order, args: { id: 7 } }] } }",
            Status::NotShown,
        ),
        (
            "{ tools: { forbid_calls: [{ name: find_order, args_match: { id: id } }] } }",
            Status::Failed,
        ),
        (
            "{ tools: { require: [{ name: find_order }] } }",
            Status::Passed,
        ),
        (
            "{ tools: { require: [{ name: find_order, args: { id: 7 } }] } }",
            Status::NotShown,
        ),
        (
            "{ tools: { require: [{ name: pay, args: { id: 7 } }] } }",
            Status::Failed,
        ),
        ("{ tools: { forbid: [pay], max_calls: 1 } }", Status::Passed),
        (
            "{ sequence: { mode: only, steps: [{ call: find_order }] } }",
            Status::Passed,
        ),
        (
            "{ whenever: [{ call: { name: find_order, args: { id: 7 } }, preceded_by: { call: pay } }] }",
            Status::NotShown,
        ),
        (
            "{ whenever: [{ call: pay, preceded_by: { call: find_order } }] }",
            Status::Passed,
        ),
        ("{ text: { must_match: Done } }", Status::Passed),
    ] {
        let outcome = judged(AGUI, rules, vec![stream(&malformed)])
            .await
            .remove(0);
        assert_eq!(outcome.status(), status, "{rules}");
    }
}
