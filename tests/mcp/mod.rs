//! Servers of MCP over HTTP from outside: sessions, streams that are continued and merged, and what servers do wrong. Every test is
//! recorded and replayed without its server, with the same verdict.

mod wrong_answers;

use std::sync::Arc;

use ananke::outcome::Outcome;
use ananke::recording::RecordingMode;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::replay::{Nowhere, outcomes, outcomes_over_http, recordings};
use crate::support::answering_server::AnsweringServer;
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, Step};

/// A request as a server sees it.
struct Asked {
    method: String,
    path: String,
    body: Value,
    head: String,
}

impl Asked {
    fn of(captured: &Captured) -> Self {
        let mut words = captured.head.split(' ').map(str::to_owned);
        Self {
            method: words.next().unwrap_or_default(),
            path: words.next().unwrap_or_default(),
            body: serde_json::from_slice(&captured.body).unwrap_or_default(),
            head: captured.head.clone(),
        }
    }

    /// The method of JSON-RPC; of a response the word `response`, and without a body that of HTTP.
    fn what(&self) -> &str {
        match self.body.get("method").and_then(Value::as_str) {
            Some(method) => method,
            None if self.body.is_object() => "response",
            None => &self.method,
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }

    /// A result as the whole response.
    fn result(&self, result: &Value) -> Vec<Step> {
        json_response(
            "",
            &json!({ "jsonrpc": "2.0", "id": self.body["id"], "result": result }),
        )
    }
}

fn response(status: &str, content_type: &str, more: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\n{more}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    vec![Step::Send([head.as_bytes(), body.as_bytes()].concat())]
}

fn json_response(more: &str, body: &Value) -> Vec<Step> {
    response("200 OK", "application/json", more, &body.to_string())
}

/// The head of a stream, and its first part.
fn stream(events: &str) -> Step {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    Step::Send([head, events].concat().into_bytes())
}

fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

fn call_result(id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": { "content": [{ "type": "text", "text": "done" }] } })
}

/// What a server of the older era with a session does that has no stream of its own.
fn usual(asked: &Asked) -> Vec<Step> {
    match asked.what() {
        "initialize" => {
            let result = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
            let body = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "result": result });
            json_response("mcp-session-id: s1\r\n", &body)
        }
        "tools/call" => json_response("", &call_result(&asked.body["id"])),
        "DELETE" => response("200 OK", "text/plain", "", ""),
        "server/discover" => response("400 Bad Request", "text/plain", "", "no session"),
        "GET" => response("405 Method Not Allowed", "text/plain", "", ""),
        _ => response("202 Accepted", "text/plain", "", ""),
    }
}

/// What came of a test, and what its server was asked.
struct Ran {
    outcome: Outcome,
    asked: Vec<Asked>,
}

impl Ran {
    /// The status, and the first problem with its help.
    fn verdict(&self) -> String {
        verdict(&self.outcome)
    }

    fn what(&self) -> Vec<&str> {
        self.asked.iter().map(Asked::what).collect()
    }
}

fn verdict(outcome: &Outcome) -> String {
    let problem = outcome.first_problem().map(|(_, problem)| {
        let help = problem
            .help
            .as_ref()
            .map(|help| format!(" ({help})"))
            .unwrap_or_default();
        format!(": {}{help}", problem.message)
    });
    format!(
        "{}{}",
        outcome.status().as_str(),
        problem.unwrap_or_default()
    )
}

const CALL: &str = "[{ type: mcp:call, tool: find, assert: { text: { equals: done } } }]";

/// Runs a test of the server that answers so; what it leaves to others is answered as [`usual`].
async fn ran(
    keys: &str,
    turns: &str,
    answer: impl Fn(&Asked) -> Option<Vec<Step>> + Send + Sync + 'static,
) -> Ran {
    let server = AnsweringServer::start(move |captured| {
        let asked = Asked::of(captured);
        answer(&asked).unwrap_or_else(|| usual(&asked))
    })
    .await;
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: mcp, endpoint: \"http://{}/mcp\", {keys} }}\n",
        server.address
    );
    let test = format!("version: \"1.4\"\nname: one\nturns: {turns}\n");
    let project = Project::new(&[("ananke.config.yaml", &config), ("one.test.yaml", &test)]);
    let kept = project.folder().join("recordings");
    let outcome = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record))
        .await
        .remove(0);
    let asked = server.requests().iter().map(Asked::of).collect();
    drop(server);
    let replayed = outcomes(
        &project,
        Arc::new(Nowhere),
        &recordings(&kept, RecordingMode::Replay),
    )
    .await
    .remove(0);
    assert_eq!(verdict(&replayed), verdict(&outcome), "replayed");
    Ran { outcome, asked }
}

const LEGACY: &str = "transport: http, protocol: legacy";

#[tokio::test]
async fn a_session_goes_with_every_request_and_is_ended() {
    let turns = "[{ type: mcp:call, tool: find }, { type: mcp:call, tool: find, assert: { text: { equals: done } } }]";
    let run = ran(LEGACY, turns, |_| None).await;
    assert_eq!(run.verdict(), "passed");
    let what = [
        "initialize",
        "notifications/initialized",
        "GET",
        "tools/call",
        "tools/call",
        "DELETE",
    ];
    assert_eq!(run.what(), what);
    for (number, asked) in run.asked.iter().enumerate() {
        let (session, version) = (
            asked.header("mcp-session-id"),
            asked.header("mcp-protocol-version"),
        );
        let expected = if number == 0 {
            (None, None)
        } else {
            (Some("s1"), Some("2025-11-25"))
        };
        assert_eq!((session, version), expected, "{}", asked.what());
    }
    // A server without sessions has none to end.
    let run = ran(LEGACY, CALL, |asked| {
        (asked.what() == "initialize")
            .then(|| asked.result(&json!({ "protocolVersion": "2025-03-26" })))
    })
    .await;
    assert_eq!(
        (run.verdict().as_str(), run.what().contains(&"DELETE")),
        ("passed", false)
    );
}

#[tokio::test]
async fn a_cookie_of_the_server_goes_with_its_later_requests() {
    // A load balancer keeps the session on one machine by it.
    let balanced = |asked: &Asked| match asked.what() {
        "initialize" => {
            let result = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
            let body = json!({ "jsonrpc": "2.0", "id": asked.body["id"], "result": result });
            let more = "set-cookie: AWSALB=x1; Path=/; HttpOnly\r\nset-cookie: other=2; Path=/elsewhere\r\n";
            Some(json_response(more, &body))
        }
        _ if asked.header("cookie") != Some("AWSALB=x1") => Some(response(
            "404 Not Found",
            "text/plain",
            "",
            "another machine",
        )),
        _ => None,
    };
    let run = ran(LEGACY, CALL, balanced).await;
    assert_eq!(run.verdict(), "passed");
    assert_eq!(run.asked[0].header("cookie"), None);
    let own = format!("{LEGACY}, headers: {{ cookie: AWSALB=own }}");
    let run = ran(&own, CALL, balanced).await;
    assert_eq!(
        run.verdict(),
        "error: the server refuses a message with HTTP 404; received: text/plain, 15 bytes, starting `another machine` (is `endpoint` the URL of the server? `transport: sse` was tried too, and does not work)"
    );
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_an_error() {
    let run = ran(LEGACY, CALL, |asked| {
        (asked.what() == "tools/call")
            .then(|| response("404 Not Found", "text/plain", "", "Session not found"))
    })
    .await;
    assert_eq!(
        run.verdict(),
        "error: the session is gone: the server does not know it any more; received: HTTP 404, text/plain, 17 bytes, starting `Session not found`"
    );
    assert!(!run.what().contains(&"DELETE"), "there is nothing to end");
}

#[tokio::test]
async fn a_stream_that_ends_is_continued_after_its_last_event() {
    let run = ran(LEGACY, CALL, |asked| {
        match (asked.what(), asked.header("last-event-id")) {
            ("tools/call", _) => Some(vec![stream("id: 7\nretry: 1\ndata: \n\n")]),
            // It ends once more, before it is complete.
            ("GET", Some("7")) => Some(vec![stream("id: 8\ndata: \n\ndata: {\"jsonrpc\":")]),
            ("GET", Some("8")) => Some(vec![stream(&event(&call_result(&json!(2))))]),
            _ => None,
        }
    })
    .await;
    assert_eq!(run.verdict(), "passed");
    assert_eq!(run.what()[3..], ["tools/call", "GET", "GET", "DELETE"]);

    let unnumbered =
        |asked: &Asked| (asked.what() == "tools/call").then(|| vec![stream(": hello\n\n")]);
    let run = ran(LEGACY, CALL, unnumbered).await;
    let verdict = run.verdict();
    assert!(
        verdict.starts_with("error: the stream ended without a response; received: HTTP 200"),
        "{verdict}"
    );

    let endless = |asked: &Asked| match (asked.what(), asked.header("last-event-id")) {
        ("tools/call", _) | ("GET", Some(_)) => Some(vec![stream("id: 1\nretry: 1\ndata: \n\n")]),
        _ => None,
    };
    let run = ran(LEGACY, CALL, endless).await;
    let verdict = run.verdict();
    assert!(
        verdict.starts_with("error: the stream ended without a response"),
        "{verdict}"
    );
    assert_eq!(
        run.what().iter().filter(|what| **what == "GET").count(),
        1 + 10,
        "it has an end"
    );
}

/// A request on the stream of its own comes while a call waits, with the id of that call; its answer lets the call go on.
#[tokio::test]
async fn what_a_server_pushes_is_answered_while_a_call_waits() {
    let (called, answered) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let turns = "[{ type: mcp:call, tool: find, respond: { roots: [{ uri: \"file:///shop\" }] }, assert: { text: { equals: done }} }]";
    let run = ran(LEGACY, turns, move |asked| {
        let (called, answered) = (Arc::clone(&called), Arc::clone(&answered));
        Some(match asked.what() {
            "GET" => {
                let pushed = json!({ "jsonrpc": "2.0", "id": 2, "method": "roots/list" });
                let logged = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "data": "hm" } });
                vec![stream(": hi\n\n"), Step::Await(called), Step::Send((event(&logged) + &event(&pushed)).into_bytes()), Step::Hold]
            }
            "tools/call" => {
                let result = event(&call_result(&asked.body["id"]));
                vec![Step::ChangeListener(called), stream(": yes\n\n"), Step::Await(answered), Step::Send(result.into_bytes())]
            }
            "response" => [vec![Step::ChangeListener(answered)], usual(asked)].concat(),
            _ => return None,
        })
    })
    .await;
    assert_eq!(run.verdict(), "passed");
    let answer = run
        .asked
        .iter()
        .find(|asked| asked.what() == "response")
        .expect("an answer");
    assert_eq!(
        answer.body["result"],
        json!({ "roots": [{ "uri": "file:///shop" }] })
    );
    let call = run
        .asked
        .iter()
        .find(|asked| asked.what() == "tools/call")
        .expect("a call");
    assert_eq!(
        (&answer.body["id"], &call.body["id"]),
        (&json!(2), &json!(2)),
        "ids count in each direction by themselves"
    );
}

#[tokio::test]
async fn a_pushed_request_with_the_id_of_the_call_is_no_response() {
    let answered = Arc::new(Notify::new());
    let turns = "[{ type: mcp:call, tool: find, respond: { elicitation: { action: decline } }, assert: { text: { equals: done } } }]";
    let run = ran(LEGACY, turns, move |asked| {
        let id = &asked.body["id"];
        match asked.what() {
            "tools/call" => {
                let pushed = json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": { "message": "?" } });
                let result = event(&call_result(id)).into_bytes();
                // The same id twice: two questions.
                let twice = event(&pushed) + &event(&pushed);
                Some(vec![stream(&twice), Step::Await(Arc::clone(&answered)), Step::Await(Arc::clone(&answered)), Step::Send(result)])
            }
            "response" => Some([vec![Step::ChangeListener(Arc::clone(&answered))], usual(asked)].concat()),
            _ => None,
        }
    })
    .await;
    assert_eq!(run.verdict(), "passed");
    assert_eq!(
        run.what()
            .iter()
            .filter(|what| **what == "response")
            .count(),
        2
    );
}

/// Servers of the older era refuse what they do not know in many ways, also without JSON-RPC.
#[tokio::test]
async fn a_server_that_refuses_to_be_discovered_is_initialized() {
    for body in [
        r#"{"error":"Missing mcp-session-id header"}"#,
        "Bad Request",
        "",
    ] {
        let run = ran("transport: http", CALL, move |asked| {
            (asked.what() == "server/discover")
                .then(|| response("400 Bad Request", "text/plain", "", body))
        })
        .await;
        assert_eq!(run.verdict(), "passed", "{body}");
        assert_eq!(run.what()[..2], ["server/discover", "initialize"]);
    }
    let run = ran("transport: http", CALL, |_| {
        Some(response("401 Unauthorized", "text/plain", "", "who?"))
    })
    .await;
    assert_eq!(
        run.verdict(),
        "error: the server responded with HTTP 401; received: text/plain, 4 bytes, starting `who?` (check the `headers` of the target, such as `authorization`)"
    );
    assert_eq!(
        run.what(),
        ["server/discover"],
        "the password is missing for every request"
    );
}
