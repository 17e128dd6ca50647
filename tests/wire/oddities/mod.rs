//! Events that are odd but clear: accepted, with a warning.

mod rows;

use std::fmt::Write as _;

use ananke::agui::AguiTarget;
use proptest::prelude::*;

use crate::support::agui::{agui, settings};
use crate::support::conformance::exchanged;
use crate::support::seeds::seeded;
use crate::support::wire_rows::is_message;
use rows::ODDITIES;

const STARTED: &str = r#"{"type":"RUN_STARTED","threadId":"t-1","runId":"r-1"}"#;
const FINISHED: &str = r#"{"type":"RUN_FINISHED","threadId":"t-1","runId":"r-1"}"#;
const OPEN: &str = r#"{"type":"TEXT_MESSAGE_START","messageId":"m"}"#;
const CLOSE: &str = r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#;
const CALL: &str = r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"look"}"#;
const CALL_END: &str = r#"{"type":"TOOL_CALL_END","toolCallId":"c"}"#;

/// What these events mean between the start and the end of a run, without those two lines.
async fn means(events: &[&[u8]]) -> String {
    let mut body = Vec::new();
    for event in [&[STARTED.as_bytes()], events, &[FINISHED.as_bytes()]].concat() {
        body.extend_from_slice(&[b"data: ", event, b"\n\n"].concat());
    }
    let exchanged = exchanged(&agui(), 1, &body, 64).await;
    match exchanged.ended {
        Ok(_) => {
            let text = exchanged.changes;
            text.strip_prefix("run\n")
                .unwrap_or(&text)
                .replacen("finished", "-", 1)
        }
        Err(failure) => failure.message,
    }
}

#[tokio::test]
async fn odd_events_are_taken_where_they_are_clear() {
    let mut wrong = String::new();
    for (name, events, expected) in ODDITIES {
        let events: Vec<_> = events.iter().map(|event| event.as_bytes()).collect();
        let means = means(&events).await;
        if !is_message(&means, expected) {
            write!(wrong, "{name}\nexpected\n{expected}\ngot\n{means}\n\n")
                .expect("a string takes everything");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced() {
    let content = b"{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"a\xFFb\"}";
    let means = means(&[OPEN.as_bytes(), content, CLOSE.as_bytes()]).await;
    let warning = "! an event holds bytes that are not UTF-8: U+FFFD is taken for them";
    assert_eq!(means, format!("assistant: a\u{fffd}b\n{warning}\n-"));
}

#[tokio::test]
async fn a_stream_that_is_odd_without_end_is_not_told_of_without_end() {
    let event = r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":7,"delta":""}"#;
    let events: Vec<_> = std::iter::repeat_n(event.as_bytes(), 1000).collect();
    let means = means(&events).await;
    assert_eq!(means.lines().count(), 104);
    assert!(
        means.contains("! there are more warnings, which are not shown"),
        "{means}"
    );
}

#[tokio::test]
async fn patches_can_neither_blow_up_the_state_nor_stack_it_up() {
    let mut bombs = vec![r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":{}}}"#.to_owned()];
    let copy = r#"{"op":"copy","from":"/a","path":"/a/b"},{"op":"copy","from":"/a","path":"/a/c"},{"op":"remove","path":"/a/b/x"}"#;
    bombs.push(format!(r#"{{"type":"STATE_DELTA","delta":[{copy}]}}"#));
    let double =
        vec![r#"{"op":"copy","from":"","path":"/d"},{"op":"copy","from":"","path":"/e"}"#; 64]
            .join(",");
    bombs.push(format!(r#"{{"type":"STATE_DELTA","delta":[{double}]}}"#));
    let stack = vec![
        r#"{"op":"move","from":"/a","path":"/b"},{"op":"add","path":"/a","value":{}},{"op":"move","from":"/b","path":"/a/x"}"#;
        1000
    ];
    bombs.push(format!(
        r#"{{"type":"STATE_DELTA","delta":[{}]}}"#,
        stack.join(",")
    ));
    let bombs: Vec<_> = bombs.iter().map(String::as_bytes).collect();
    let means = means(&bombs).await;
    let refused = means
        .lines()
        .filter(|line| line.starts_with("!! delta-not-applied"))
        .count();
    assert_eq!(refused, 3, "{means}");
    assert!(means.ends_with("state {\"a\":{}}"), "{means}");
}

/// Events of every type with any fields, of which some are right.
fn event() -> impl Strategy<Value = String> {
    let kinds = [
        "RUN_STARTED",
        "RUN_FINISHED",
        "RUN_ERROR",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TEXT_MESSAGE_CHUNK",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_CHUNK",
        "TOOL_CALL_RESULT",
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "MESSAGES_SNAPSHOT",
        "CUSTOM",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_MESSAGE_CHUNK",
        "REASONING_ENCRYPTED_VALUE",
        "THINKING_TEXT_MESSAGE_CONTENT",
        "REASONING_END",
        "STEP_STARTED",
        "STEP_FINISHED",
        "SUBAGENT_STARTED",
        "SUBAGENT_FINISHED",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
    ];
    let names = [
        "messageId",
        "toolCallId",
        "toolCallName",
        "parentMessageId",
        "role",
        "delta",
        "content",
        "snapshot",
        "messages",
        "outcome",
        "subagentRunId",
        "parentSubagentRunId",
        "stepName",
        "entityId",
        "subtype",
        "replace",
        "protocolVersion",
        "message_id",
        "message",
        "entityId",
        "encryptedValue",
        "usage",
    ];
    let values = [
        "\"a\"",
        "\"b\"",
        "\"assistant\"",
        "\"\\ud83d\"",
        "7",
        "null",
        "{}",
        "[]",
        "\"\\\\\"",
        "1e999",
        r#"[{"op":"add","path":"/a","value":1}]"#,
        r#"[{"op":"move","from":"","path":"/a"}]"#,
        r#"[{"id":"a","role":"assistant","toolCalls":[{"id":"b","function":{"name":"n"}}]}]"#,
        r#"[{"id":"b","role":"tool","toolCallId":"a","content":"x"}]"#,
        r#"{"type":"interrupt"}"#,
    ];
    let field = (
        prop::sample::select(names.to_vec()),
        prop::sample::select(values.to_vec()),
    );
    let fields = prop::collection::vec(field, 0..5);
    (prop::sample::select(kinds.to_vec()), fields).prop_map(|(kind, fields)| {
        let mut event = format!("{{\"type\":\"{kind}\"");
        for (name, value) in fields {
            write!(event, ",\"{name}\":{value}").expect("a string takes everything");
        }
        event + "}"
    })
}

/// The timestamps of events are passed on if the target asks for them, and only if they are numbers.
#[tokio::test]
async fn events_tell_their_times_where_they_are_asked() {
    let stamped = |stamp: &str| format!(r#"data: {{"type":"RAW","timestamp":{stamp}}}"#) + "\n\n";
    let stamps = [
        "1795292437212",
        "1795292437212.5",
        "\"1795292437212\"",
        "-1",
        "null",
        "1e300",
    ];
    let events: String = stamps.iter().map(|stamp| stamped(stamp)).collect();
    let body = format!("data: {STARTED}\n\n{events}data: {FINISHED}\n\n").into_bytes();
    let mut settings = settings("http://127.0.0.1:1/");
    settings.conversation.event_clock = true;
    let exchanged = exchanged(&AguiTarget::new(settings), 1, &body, 64).await;
    exchanged.ended.expect("a whole run");
    assert_eq!(
        exchanged.changes,
        "run\nat 1795292437212000\nat 1795292437212500\nfinished"
    );
}

proptest! {
    #![proptest_config(seeded())]

    /// The summary would report text or arguments that were not announced.
    #[test]
    fn no_events_are_too_odd(events in prop::collection::vec(event(), 0..12)) {
        let events: Vec<_> = events.iter().map(String::as_bytes).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let means = runtime.block_on(means(&events));
        prop_assert!(!means.contains("LOST"), "{means}");
    }
}
