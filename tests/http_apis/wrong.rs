//! Mappings that find nothing, responses that are not what they should be, and configs that contradict themselves.

use ananke::{ErrorKind, Status};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

pub(super) const JSON: &str = "application/json";
pub(super) const STREAM: &str = "text/event-stream";

/// A response with this content type and body.
pub(super) fn response(status: &str, content_type: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The project of a test whose turn is answered with `answers`, one for each request.
async fn project(target: &str, assert: &str, answers: Vec<Vec<u8>>) -> Project {
    let answers = answers
        .into_iter()
        .map(|bytes| vec![Step::Expect, Step::Send(bytes)]);
    let agent = RawAgent::start(answers.collect()).await;
    let config = format!(
        "version: \"1.4\"\ntarget:\n  type: http\n  endpoint: \"http://{}/chat\"\n{target}",
        agent.address
    );
    let test = format!(
        "version: \"1.4\"\nname: one\nturns: [{{ user: hi, timeout_ms: 20000, assert: {{ {assert} }} }}]\n"
    );
    Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)])
}

const TEXT: &str = "text: { not_contains: never }";

#[tokio::test]
async fn an_error_says_what_the_response_has() {
    let calls = "calls: { at: \"tool_calls[*]\", name: name, args: input }";
    for (keys, content_type, body, expected) in [
        (
            "text: replies",
            JSON,
            r#"{"reply":"Hi","session_id":"s","tool_calls":[{"tool":"pay"}]}"#,
            "`response.text`: \"replies\" found nothing in the response. It has: reply, session_id, tool_calls[*].tool (did you mean \"reply\"?)",
        ),
        (
            "stream: sse, text: \"[?type=text].content\"",
            STREAM,
            "data: {\"type\":\"token\",\"content\":\"Hi\"}\n\ndata: {\"type\":\"tool_start\",\"run_id\":1,\"name\":\"pay\"}\n\n",
            "\"[?type=text].content\" found nothing in the response. It has: token: type, content; tool_start: type, run_id, name",
        ),
        (
            "text: usage",
            JSON,
            r#"{"usage":{"input":1}}"#,
            "event 1 of the response has an object where `response.text` (\"usage\") expects text",
        ),
        (
            &format!("text: reply, {calls}"),
            JSON,
            r#"{"reply":"Hi","tool_calls":[{"tool":"pay","input":{}}]}"#,
            "has an item of \"tool_calls[*]\" in which `response.calls.name` finds nothing: \"name\". It has: tool, input",
        ),
        (
            "stream: sse, text: text, done: \"[?type=end]\"",
            STREAM,
            "data: {\"text\":\"Hi\"}\n\n",
            "the response ended without what `response.done` (\"[?type=end]\") waits for",
        ),
        ("text: reply", JSON, "", "the response is empty"),
        (
            "text: reply",
            "text/html",
            "<html>",
            "event 1 of the response is not JSON",
        ),
        (
            "stream: ndjson, text: a",
            JSON,
            "{\"a\":\"b\"}\n{\"a\":",
            "the stream ended inside an event",
        ),
        (
            "stream: sse, text: a.b",
            STREAM,
            "data: {\"a\":\n\n",
            "event 1 of the response is not JSON",
        ),
        (
            "stream: prefixed, text: $",
            "text/plain",
            "no code\n",
            "has no colon after its code",
        ),
    ] {
        let target = format!("  body: {{ message: \"${{INPUT}}\" }}\n  response: {{ {keys} }}\n");
        let answer = response("200 OK", content_type, body);
        let outcome = project(&target, TEXT, vec![answer])
            .await
            .run()
            .await
            .remove(0);
        let (_, problem) = outcome
            .first_problem()
            .unwrap_or_else(|| panic!("{keys}: {body}"));
        assert!(
            problem.message.contains(expected),
            "{keys}: {}",
            problem.message
        );
        assert_eq!(problem.kind, ErrorKind::Protocol, "{keys}");
    }
}

#[tokio::test]
async fn the_status_of_a_response_says_whose_error_it_is() {
    let target =
        "  body: { message: \"${INPUT}\" }\n  response: { text: reply, error: error.message }\n";
    let failed = r#"{"error":{"message":"model overloaded"}}"#;
    let invalid =
        r#"{"detail":[{"type":"missing","loc":["body","prompt"],"msg":"Field required"}]}"#;
    for (status, body, kind, message, help) in [
        ("200 OK", failed, ErrorKind::Agent, "model overloaded", ""),
        (
            "400 Bad Request",
            failed,
            ErrorKind::Agent,
            "model overloaded",
            "",
        ),
        (
            "401 Unauthorized",
            failed,
            ErrorKind::Protocol,
            "HTTP 401",
            "headers",
        ),
        ("500 Oh", failed, ErrorKind::Protocol, "HTTP 500", "logs"),
        (
            "422 No",
            invalid,
            ErrorKind::Protocol,
            "HTTP 422",
            "the agent wants `prompt` in the body",
        ),
    ] {
        let answer = response(status, JSON, body);
        let outcome = project(target, TEXT, vec![answer])
            .await
            .run()
            .await
            .remove(0);
        let (_, problem) = outcome
            .first_problem()
            .unwrap_or_else(|| panic!("{status}"));
        assert_eq!(problem.kind, kind, "{status}");
        assert!(
            problem.message.contains(message),
            "{status}: {}",
            problem.message
        );
        let said = problem.help.clone().unwrap_or_default();
        assert!(said.contains(help), "{status}: {said}");
    }
}

#[tokio::test]
async fn a_call_that_no_path_finds_passes_no_rule() {
    let body = r#"{"reply":"Done","steps":[{"tool":"pay","input":{"sum":1},"output":"ok"}]}"#;
    for (calls, rule, expected) in [
        ("steps[*]", "forbid: [pay]", Status::Failed),
        ("actions[*]", "forbid: [pay]", Status::NotShown),
        ("actions[*]", "max_calls: 0", Status::NotShown),
        ("actions[*]", "forbid: [refund]", Status::NotShown),
        (
            "steps[*]",
            "require: [{ name: pay, args: { sum: 1 }, result: ok }]",
            Status::Passed,
        ),
    ] {
        let target = format!(
            "  body: {{}}\n  response: {{ text: reply, calls: {{ at: \"{calls}\", name: tool, args: input, result: output }} }}\n"
        );
        let answer = response("200 OK", JSON, body);
        let assert = format!("tools: {{ {rule} }}");
        let outcome = project(&target, &assert, vec![answer])
            .await
            .run()
            .await
            .remove(0);
        assert_eq!(outcome.status(), expected, "{calls}: {rule}");
    }
}

#[tokio::test]
async fn a_wrong_path_to_the_name_of_a_tool_hides_no_call() {
    for (calls, message) in [
        (
            r#"[{"tool":"pay"}]"#,
            "`response.calls.name` finds nothing: \"name\". It has: tool",
        ),
        (r#"["pay"]"#, "`response.calls.name` finds nothing"),
        (
            r#"[{"name":["pay"]}]"#,
            "has a list where `response.calls.name` (\"name\") expects the name of a tool",
        ),
        (
            r#"[{"name":{"of":"pay"}}]"#,
            "has an object where `response.calls.name`",
        ),
        (r#"[{"progress":5}, {}, null]"#, ""),
    ] {
        let target =
            "  body: {}\n  response: { text: reply, calls: { at: \"calls[*]\", name: name } }\n";
        let body = format!(r#"{{"reply":"Done","calls":{calls}}}"#);
        let answer = response("200 OK", JSON, &body);
        let found = statuses(target, &["tools: { forbid: [pay] }"], vec![answer]).await;
        let expected = if message.is_empty() {
            Status::Passed
        } else {
            Status::Error
        };
        assert_eq!(found[0].0, expected, "{calls}: {found:?}");
        assert!(found[0].1.contains(message), "{calls}: {found:?}");
    }
}

#[tokio::test]
async fn what_a_request_needs_must_be_known() {
    let started = response("200 OK", JSON, r#"{"id":"t"}"#);
    for (target, message) in [
        (
            "  start: { endpoint: /threads, body: {}, capture: { THREAD: thread_id } }\n  body: {}\n  response: { text: a }\n",
            "the capture `THREAD`: \"thread_id\" found nothing in the response. It has: id",
        ),
        (
            "  start: { endpoint: /threads, body: {}, capture: { THREAD: { header: x-thread } } }\n  body: {}\n  response: { text: a }\n",
            "the capture `THREAD`: the response has no header `x-thread`",
        ),
        (
            "  start: { endpoint: /threads, body: {}, capture: { BADGE: { cookie: badge } } }\n  body: {}\n  response: { text: a }\n",
            "the capture `BADGE`: the response sets no cookie `badge`",
        ),
        (
            "  capture: { CHAT: chat }\n  query: { of: \"chat-${CHAT}\" }\n  body: {}\n  response: { text: a }\n",
            "`CHAT` is not known yet: no response has given it",
        ),
    ] {
        let outcome = project(target, TEXT, vec![started.clone()])
            .await
            .run()
            .await
            .remove(0);
        let (_, problem) = outcome
            .first_problem()
            .unwrap_or_else(|| panic!("{target}"));
        assert!(
            problem.message.contains(message),
            "{target}: {}",
            problem.message
        );
    }
}

#[test]
fn a_config_that_cannot_be_right_does_not_load() {
    for (keys, assert, message) in [
        (
            "body: {}, form: {}, response: { text: a }",
            TEXT,
            "`body` and `form` both say what is sent",
        ),
        (
            "method: GET, body: {}, response: { text: a }",
            TEXT,
            "a GET request has no body",
        ),
        (
            "response: { text: a..b }",
            TEXT,
            "`a..b` is not a path: expected a key at character 3",
        ),
        (
            "response: { text: { path: a, match: \"x\" } }",
            TEXT,
            "`match` has 0 groups, expected one",
        ),
        (
            "response: { text: a, results: { at: b } }",
            TEXT,
            "`results` need `calls`",
        ),
        (
            "response: { text: a }",
            "tools: { forbid: [b] }",
            "a target of the type `http` does not show tool calls",
        ),
        (
            "response: { text: a }, body: { m: \"${INPUTS}\" }",
            TEXT,
            "`INPUTS`",
        ),
        (
            "response: { text: a }, capture: { INPUT: b }",
            TEXT,
            "`INPUT` is a variable of every request",
        ),
        (
            "response: { text: a }, capture: { \"1\": b }",
            TEXT,
            "`1` is not a valid variable name",
        ),
        (
            "response: { text: a }, then: { endpoint: /x, every_ms: 0 }",
            TEXT,
            "`0` is out of range",
        ),
    ] {
        let config = format!(
            "version: \"1.4\"\ntarget: {{ type: http, endpoint: \"http://127.0.0.1:1/\", {keys} }}\n"
        );
        let test = format!(
            "version: \"1.4\"\nname: one\nturns: [{{ user: hi, assert: {{ {assert} }} }}]\n"
        );
        let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
        let problems = project.plan().problems;
        let said: Vec<String> = problems.iter().map(|it| it.message.clone()).collect();
        assert!(
            said.iter().any(|it| it.contains(message)),
            "{keys}: {said:?}"
        );
    }
}

/// The statuses of tests with one turn for each of `rules`, whose requests get `answers`.
pub(super) async fn statuses(
    target: &str,
    rules: &[&str],
    answers: Vec<Vec<u8>>,
) -> Vec<(Status, String)> {
    let answers = answers
        .into_iter()
        .map(|bytes| vec![Step::Expect, Step::Send(bytes)]);
    statuses_of(target, rules, answers.collect()).await
}

/// The same for an agent that follows a script on each connection.
pub(super) async fn statuses_of(
    target: &str,
    rules: &[&str],
    script: Vec<Vec<Step>>,
) -> Vec<(Status, String)> {
    let agent = RawAgent::start(script).await;
    let config = format!(
        "version: \"1.4\"\ntarget:\n  type: http\n  endpoint: \"http://{}/chat\"\n{target}",
        agent.address
    );
    let mut test = "version: \"1.4\"\nname: one\nturns:\n".to_owned();
    for rule in rules {
        test.push_str("  - { user: hi, timeout_ms: 20000, assert: { ");
        test.push_str(rule);
        test.push_str(" } }\n");
    }
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let outcomes = project.run().await;
    outcomes
        .iter()
        .map(|outcome| {
            let problem = outcome.first_problem();
            let said = problem.map_or_else(String::new, |(_, problem)| problem.message.clone());
            (outcome.status(), said)
        })
        .collect()
}

#[tokio::test]
async fn a_call_beside_text_is_not_hidden_by_the_text() {
    for (body, rule, expected) in [
        // The text and a call that no path finds are in one object.
        (
            r#"{"reply":"Done","tool":"pay","input":{"sum":1}}"#,
            "tools: { forbid: [pay] }",
            Status::NotShown,
        ),
        // A name and text are no call.
        (
            r#"{"name":"shop","reply":"x","output":"Done"}"#,
            "tools: { forbid: [pay] }",
            Status::Passed,
        ),
    ] {
        let text = if body.contains("output") {
            "output"
        } else {
            "reply"
        };
        let target = format!(
            "  body: {{}}\n  response: {{ text: {text}, calls: {{ at: \"calls[*]\", name: name }} }}\n"
        );
        let found = statuses(&target, &[rule], vec![response("200 OK", JSON, body)]).await;
        assert_eq!(found[0].0, expected, "{body}: {found:?}");
    }
}

#[tokio::test]
async fn arguments_that_come_too_late_are_not_read() {
    let target = "  body: {}\n  response: { stream: ndjson, text: t, calls: { at: \"[?tool]\", id: id, name: tool, args: args, result: out } }\n";
    let lines = |last: &str| {
        let first = r#"{"id":1,"tool":"pay","out":"ok"}"#;
        response(
            "200 OK",
            "application/x-ndjson",
            &format!("{first}\n{last}\n{{\"t\":\"Done\"}}\n"),
        )
    };
    let rule = "tools: { forbid_calls: [{ name: pay, args: { sum: 9 } }] }";
    for (last, expected) in [
        (
            r#"{"id":1,"tool":"pay","args":{"sum":9},"out":"ok"}"#,
            Status::NotShown,
        ),
        (
            r#"{"id":1,"tool":"pay","args":{},"out":"ok"}"#,
            Status::Passed,
        ),
    ] {
        let found = statuses(target, &[rule], vec![lines(last)]).await;
        assert_eq!(found[0].0, expected, "{last}: {found:?}");
    }
}

#[tokio::test]
async fn a_result_without_an_id_is_of_a_call_of_its_turn() {
    let target = "  body: {}\n  response: { text: t, calls: { at: \"calls[*]\", name: n }, results: { at: \"results[*]\", result: r } }\n";
    let first = response("200 OK", JSON, r#"{"t":"a","calls":[{"n":"look"}]}"#);
    let second = response(
        "200 OK",
        JSON,
        r#"{"t":"b","calls":[{"n":"pay"}],"results":[{"r":"paid"}]}"#,
    );
    let rules = [
        "tools: { require: [look] }",
        "tools: { require: [{ name: pay, result: paid }] }",
    ];
    let found = statuses(target, &rules, vec![first, second]).await;
    assert_eq!(found[0].0, Status::Passed, "{found:?}");
}

#[tokio::test]
async fn a_request_that_waits_for_nothing_may_have_an_empty_response() {
    let target = "  body: {}\n  then: [{ endpoint: /seen, body: {} }, { endpoint: /reply }]\n  response: { text: t }\n";
    let answers = vec![
        response("200 OK", JSON, "{}"),
        response("204 No Content", JSON, ""),
        response("200 OK", JSON, r#"{"t":"Done"}"#),
    ];
    let found = statuses(target, &["text: { equals: Done }"], answers).await;
    assert_eq!(found[0].0, Status::Passed, "{found:?}");
}
