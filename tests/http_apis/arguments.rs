//! Arguments that a wrong path does not read, and calls that a response says several times.

use ananke::Status;

use super::requests::run;
use super::wrong::{response, statuses};

const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";
const FORBIDDEN: &str = "tools: { forbid_calls: [{ name: pay, args: { id: O-7 } }] }";

#[tokio::test]
async fn arguments_that_no_path_reads_are_not_shown() {
    for (keys, content_type, body, expected) in [
        (
            "calls: { at: \"calls[*]\", name: name, args: arguments }",
            JSON,
            r#"{"t":"Done","calls":[{"name":"pay","input":{"id":"O-7"}}]}"#,
            Status::NotShown,
        ),
        (
            "calls: { at: \"calls[*]\", name: name }",
            JSON,
            r#"{"t":"Done","calls":[{"name":"pay","input":{"id":"O-7"}}]}"#,
            Status::NotShown,
        ),
        (
            "calls: { at: \"calls[*]\", name: function.name, args: function.args }",
            JSON,
            r#"{"t":"Done","calls":[{"function":{"name":"pay","arguments":"{\"id\":\"O-7\"}"}}]}"#,
            Status::NotShown,
        ),
        // Nothing is there to read.
        (
            "calls: { at: \"calls[*]\", name: name, args: arguments }",
            JSON,
            r#"{"t":"Done","calls":[{"name":"pay","input":{}}]}"#,
            Status::Passed,
        ),
        // A path that goes through the key leaves the rest out on purpose.
        (
            "calls: { at: \"calls[*]\", name: name, args: input.args }",
            JSON,
            r#"{"t":"Done","calls":[{"name":"pay","input":{"trace":1}}]}"#,
            Status::Passed,
        ),
        // The pieces of the arguments are beside the call, under its id.
        (
            "stream: sse, calls: { at: \"tool_calls[*]\", id: id, name: name, args: args }",
            STREAM,
            "data: {\"tool_calls\":[{\"id\":\"c\",\"name\":\"pay\",\"args\":{}}],\"chunks\":[{\"id\":\"c\",\"name\":\"pay\",\"args\":\"{\\\"id\\\":\"}]}\n\n\
             data: {\"chunks\":[{\"id\":null,\"name\":null,\"args\":\"\\\"O-7\\\"}\"}]}\n\ndata: {\"t\":\"Done\"}\n\n",
            Status::NotShown,
        ),
        // A call that is half read beside its pieces says less than these.
        (
            "stream: sse, calls: { at: \"chunks[*]\", id: id, index: i, name: name, args: args, mode: delta }",
            STREAM,
            "data: {\"tool_calls\":[{\"id\":\"c\",\"name\":\"pay\",\"args\":{}}],\"chunks\":[{\"id\":\"c\",\"i\":0,\"name\":\"pay\",\"args\":\"{\\\"id\\\":\"}]}\n\n\
             data: {\"tool_calls\":[{\"id\":\"c\",\"name\":\"pay\",\"args\":{\"id\":\"O-\"}}],\"chunks\":[{\"i\":0,\"args\":\"\\\"O-8\\\"}\"}]}\n\ndata: {\"t\":\"Done\"}\n\n",
            Status::Passed,
        ),
    ] {
        let target = format!("  body: {{}}\n  response: {{ text: t, {keys} }}\n");
        let answers = vec![response("200 OK", content_type, body)];
        let found = statuses(&target, &[FORBIDDEN], answers).await;
        assert_eq!(found[0].0, expected, "{keys} {body}: {found:?}");
    }
}

#[tokio::test]
async fn a_call_that_waits_is_not_made_twice() {
    let call = r#"{"id":"c","name":"pay","args":{"id":"O-7"}}"#;
    let waits = format!(r#"{{"calls":[{call}],"waits":[{{"id":"i","call":"c"}}]}}"#);
    let done = format!(
        r#"{{"t":"Paid","calls":[{call},{{"id":"d","name":"pay","args":{{"id":"O-8"}}}}],"results":[{{"id":"c","out":"ok"}},{{"id":"d","out":"ok"}}]}}"#
    );
    let target = "  body: {}\n  resume: { body: { answer: \"${RESUME_STATUS}\" } }\n  response:\n    \
                  text: { path: t, optional: true }\n    calls: { at: \"calls[*]\", id: id, name: name, args: args }\n    \
                  results: { at: \"results[*]\", id: id, result: out }\n    interrupts: { at: \"waits[*]\", id: id, call: call }\n";
    let answers = [waits, done].map(|body| response("200 OK", JSON, &body));
    let (status, message, _) = run(
        target,
        "  - { user: pay, assert: { outcome: interrupted, tools: { require: [{ name: pay, count: 1 }] } } }\n  \
         - { type: resume, resume: [{ status: resolved }], assert: { tools: { require: [{ name: pay, args: { id: O-8 }, count: 1 }] } } }\n\
         assert: { tools: { require: [{ name: pay, count: 2, every: { result: ok } }] } }\n",
        answers.to_vec(),
    )
    .await;
    assert_eq!(status, Status::Passed, "{message}");
}

#[tokio::test]
async fn a_validation_error_says_what_is_missing() {
    let long = "x".repeat(500);
    let body = format!(
        r#"{{"detail":[{{"type":"missing","loc":["body","sessionId"],"input":{{"message":"{long}"}}}},{{"type":"missing","loc":["body","message"]}}]}}"#
    );
    for (target, expected) in [
        (
            "  body: { text: \"${INPUT}\" }\n",
            "the agent wants `sessionId` in the body, `message` in the body",
        ),
        (
            "  body: { message: \"${INPUT}\" }\n",
            "the agent wants `sessionId` in the body, `message` in the body: as a form, so write `form` instead of `body`",
        ),
    ] {
        let target = format!("{target}  response: {{ text: t }}\n");
        let answers = vec![response("422 Unprocessable Entity", JSON, &body)];
        let (status, message, _) = run(&target, "  - { user: hi }\n", answers).await;
        assert_eq!(status, Status::Error);
        assert!(message.contains(expected), "{message}");
    }
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_hides_no_call() {
    let body = r#"{"t":"Done","calls":[{"id":"c","type":"function","name":"pay","args":{"id":"O-7"},"note":{"x":1},"result":"ok"}]}"#;
    for (keys, rule) in [
        // One step too far, where no name is.
        (
            "calls: { at: \"calls[*].args\", name: name, args: args }",
            "tools: { forbid: [pay] }",
        ),
        (
            "calls: { at: \"calls[*].note\", name: name, args: args }",
            "tools: { max_calls: 0 }",
        ),
        // Another text for the name, other arguments, another result.
        (
            "calls: { at: \"calls[*]\", name: type, args: args }",
            "tools: { forbid: [pay] }",
        ),
        (
            "calls: { at: \"calls[*]\", name: name, args: note }",
            "tools: { forbid_calls: [{ name: pay, args: { id: O-7 } }] }",
        ),
        (
            "calls: { at: \"calls[*]\", id: id, name: name, args: args }, results: { at: \"calls[*]\", id: id, result: nope }",
            "tools: { forbid_calls: [{ name: pay, result: ok }] }",
        ),
        // Results alone.
        (
            "calls: { at: \"nothing[*]\", name: name }, results: { at: \"calls[*]\", id: id, result: result }",
            "tools: { forbid: [pay] }",
        ),
    ] {
        let target = format!("  body: {{}}\n  response: {{ text: t, {keys} }}\n");
        let answers = vec![response("200 OK", JSON, body)];
        let found = statuses(&target, &[rule], answers).await;
        assert_eq!(found[0].0, Status::NotShown, "{keys}: {found:?}");
    }
}

#[tokio::test]
async fn an_error_that_no_path_reads_is_no_pass() {
    for (content_type, body) in [
        (JSON, r#"{"t":"I will","error":"out of tokens"}"#),
        (
            STREAM,
            "data: {\"t\":\"I will\"}\n\nevent: error\ndata: {\"status\":\"INTERNAL\"}\n\n",
        ),
        (
            STREAM,
            "data: {\"t\":\"I will\"}\n\nerror: {\"error\":{\"message\":\"gone\"}}\n\n",
        ),
        (
            STREAM,
            "data: {\"t\":\"I will\"}\n\ndata: {\"type\":\"error\",\"detail\":\"gone\"}\n\n",
        ),
    ] {
        let target =
            "  body: {}\n  response: { text: t, calls: { at: \"calls[*]\", name: name } }\n";
        let answers = vec![response("200 OK", content_type, body)];
        let found = statuses(target, &["tools: { forbid: [pay] }"], answers).await;
        assert_eq!(found[0].0, Status::NotShown, "{body}: {found:?}");
        let read = "  body: {}\n  response: { text: t, error: [error.message, error, detail, status], calls: { at: \"calls[*]\", name: name } }\n";
        let answers = vec![response("200 OK", content_type, body)];
        let found = statuses(read, &["tools: { forbid: [pay] }"], answers).await;
        assert_eq!(found[0].0, Status::Error, "{body}: {found:?}");
    }
}
