//! What is sent: requests that are rejected for now, and what one turn adds to its request.

use ananke::Status;
use serde_json::{Value, json};

use super::wrong::response;
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, RawAgent, Step};

const JSON: &str = "application/json";

/// Runs the turns of a test against an agent with these answers. Returns the status, the message and the help of the first problem,
/// and the requests that the agent got.
pub(super) async fn run(
    target: &str,
    turns: &str,
    answers: Vec<Vec<u8>>,
) -> (Status, String, Vec<Captured>) {
    let answers = answers
        .into_iter()
        .map(|bytes| vec![Step::Expect, Step::Send(bytes)]);
    let agent = RawAgent::start(answers.collect()).await;
    let config = format!(
        "version: \"1.4\"\ntarget:\n  type: http\n  endpoint: \"http://{}/chat?a=1\"\n{target}",
        agent.address
    );
    let test = format!("version: \"1.4\"\nname: one\nturns:\n{turns}");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    let message = match outcome.first_problem() {
        Some((_, problem)) => {
            let help = problem.help.clone().unwrap_or_default();
            format!("{} {help}", problem.message)
        }
        None => String::new(),
    };
    (outcome.status(), message, agent.requests().await)
}

fn rejection(header: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 429 Too Many Requests\r\n{header}content-length: 9\r\nconnection: close\r\n\r\nslow down"
    )
    .into_bytes()
}

#[tokio::test]
async fn a_request_that_is_rejected_for_now_is_sent_again() {
    let turns = "  - { user: hi, assert: { text: { equals: Done } } }\n";
    let done = || response("200 OK", JSON, r#"{"t":"Done"}"#);
    let started = || response("200 OK", JSON, "{}");
    for (keys, answers, expected, says) in [
        (
            "",
            vec![
                rejection("retry-after: 0\r\n"),
                rejection("retry-after-ms: 1\r\n"),
                done(),
            ],
            Status::Passed,
            "",
        ),
        // A request before the turns is one, too.
        (
            "  start: [{ endpoint: /start }]\n",
            vec![rejection("retry-after: 0\r\n"), started(), done()],
            Status::Passed,
            "",
        ),
        (
            "  retry_429: false\n",
            vec![rejection("retry-after: 0\r\n")],
            Status::Error,
            "HTTP 429",
        ),
        (
            "  retry_429: 1\n",
            vec![
                rejection("retry-after: 0\r\n"),
                rejection("retry-after: 0\r\n"),
            ],
            Status::Error,
            "HTTP 429",
        ),
        (
            "",
            vec![rejection("retry-after: 61\r\n")],
            Status::Error,
            "HTTP 429",
        ),
    ] {
        let count = answers.len();
        let target =
            format!("  body: {{ say: \"${{INPUT}}\" }}\n{keys}  response: {{ text: t }}\n");
        let (status, message, requests) = run(&target, turns, answers).await;
        assert_eq!(status, expected, "{keys}: {message}");
        assert!(message.contains(says), "{keys}: {message}");
        assert_eq!(requests.len(), count, "{keys}");
    }
}

#[tokio::test]
async fn a_turn_adds_to_its_own_request() {
    let turns = "  - user: one\n    request: { headers: { X-Tenant: b, x-new: n }, query: { v: \"2\" }, body: { options: { fast: true }, locale: de } }\n    \
                 assert: { text: { equals: Done } }\n  - { user: two, assert: { text: { equals: Done } } }\n";
    let target = "  headers: { x-tenant: a }\n  body: { say: \"${INPUT}\", options: { fast: false, deep: 1 } }\n  response: { text: t }\n";
    let done = || response("200 OK", JSON, r#"{"t":"Done"}"#);
    let (status, message, requests) = run(target, turns, vec![done(), done()]).await;
    assert_eq!(status, Status::Passed, "{message}");
    let bodies: Vec<Value> = requests
        .iter()
        .map(|request| serde_json::from_slice(&request.body).expect("JSON"))
        .collect();
    assert_eq!(
        bodies,
        [
            json!({"say": "one", "options": {"fast": true, "deep": 1}, "locale": "de"}),
            json!({"say": "two", "options": {"fast": false, "deep": 1}}),
        ]
    );
    let heads: Vec<&str> = requests
        .iter()
        .map(|request| request.head.as_str())
        .collect();
    assert!(heads[0].contains("/chat?a=1&v=2 "), "{}", heads[0]);
    assert!(heads[0].contains("x-tenant: b\r\n") && heads[0].contains("x-new: n\r\n"));
    assert!(!heads[0].contains("x-tenant: a"), "{}", heads[0]);
    assert!(heads[1].contains("/chat?a=1 ") && heads[1].contains("x-tenant: a\r\n"));
    assert!(!heads[1].contains("x-new"), "{}", heads[1]);
}

#[tokio::test]
async fn a_turn_adds_fields_to_a_form() {
    let turns = "  - { user: one, request: { body: { fast: true, say: 2 } }, assert: { text: { equals: Done } } }\n";
    let target = "  form: { say: \"${INPUT}\" }\n  response: { text: t }\n";
    let done = response("200 OK", JSON, r#"{"t":"Done"}"#);
    let (status, message, requests) = run(target, turns, vec![done]).await;
    assert_eq!(status, Status::Passed, "{message}");
    assert_eq!(requests[0].body, b"say=2&fast=true");
}

#[tokio::test]
async fn a_request_without_a_body_gets_none_from_a_turn() {
    let turns = "  - { user: one, request: { body: { fast: true } }, assert: { text: { equals: Done } } }\n";
    let target = "  method: GET\n  query: { say: \"${INPUT}\" }\n  response: { text: t }\n";
    let (status, message, requests) = run(target, turns, Vec::new()).await;
    assert_eq!(status, Status::Error);
    assert!(message.contains("is a GET, which has none"), "{message}");
    assert_eq!(requests.len(), 0);
}
