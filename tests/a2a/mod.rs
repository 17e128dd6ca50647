//! Agents of A2A from outside: how they are found, what is sent to them, and what they must not do.

mod cards;

use ananke::outcome::{Outcome, Status};
use serde_json::{Value, json};

use crate::support::project::Project;
use crate::support::raw_agent::{Captured, RawAgent, Step};

/// What came of a test, and the requests that it sent.
struct Ran {
    outcome: Outcome,
    requests: Vec<Captured>,
}

impl Ran {
    /// The status, and the first problem with its help.
    fn verdict(&self) -> String {
        let problem = self.outcome.first_problem().map(|(_, problem)| {
            let help = problem
                .help
                .as_ref()
                .map(|help| format!(" ({help})"))
                .unwrap_or_default();
            format!(": {}{help}", problem.message)
        });
        format!(
            "{}{}",
            self.outcome.status().as_str(),
            problem.unwrap_or_default()
        )
    }

    /// The first line of each request.
    fn lines(&self) -> Vec<&str> {
        let line = |request: &'_ Captured| request.head.lines().next().unwrap_or_default().len();
        self.requests
            .iter()
            .map(|request| &request.head[..line(request)])
            .collect()
    }

    fn body(&self, number: usize) -> Value {
        serde_json::from_slice(&self.requests[number].body).unwrap()
    }

    fn header(&self, number: usize, name: &str) -> Option<String> {
        let name = format!("{name}: ");
        let found = |line: &str| {
            line.to_ascii_lowercase()
                .starts_with(&name)
                .then(|| line[name.len()..].to_owned())
        };
        self.requests[number].head.lines().find_map(found)
    }
}

fn respond(status: &str, content_type: &str, more: &str, body: &str) -> Vec<Step> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    vec![
        Step::Expect,
        Step::Send([head.as_bytes(), body.as_bytes()].concat()),
    ]
}

fn ok(body: &Value) -> Vec<Step> {
    respond("200 OK", "application/json", "", &body.to_string())
}

fn not_found() -> Vec<Step> {
    respond("404 Not Found", "text/plain", "", "Not Found")
}

/// A card of 1.0 whose agent is at `url`.
fn card(url: &str, binding: &str) -> Value {
    let interface = json!({ "url": url, "protocolBinding": binding, "protocolVersion": "1.0" });
    json!({ "name": "a", "capabilities": { "streaming": false }, "supportedInterfaces": [interface],
        "securitySchemes": { "portal": { "type": "http" } } })
}

/// A response of JSON-RPC with a direct message.
fn message(id: u32) -> Value {
    let message = json!({ "messageId": "m", "contextId": "c", "role": "ROLE_AGENT", "parts": [{ "text": "hello" }] });
    json!({ "jsonrpc": "2.0", "id": id.to_string(), "result": { "message": message } })
}

/// Runs a test of the agent that answers so; `AGENT` in `target` is its address.
async fn ran(target: &str, turns: &str, answers: Vec<Vec<Step>>) -> Ran {
    let agent = RawAgent::start(answers).await;
    let address = agent.address.to_string();
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: a2a, {} }}\n",
        target.replace("AGENT", &address)
    );
    let test = format!("version: \"1.4\"\nname: one\nturns: {turns}\n");
    let project = Project::new(&[("ananke.config.yaml", &config), ("one.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    Ran {
        outcome,
        requests: agent.requests().await,
    }
}

const HELLO: &str = "[{ user: hi, assert: { text: { equals: hello } } }]";

#[tokio::test]
async fn http_and_json_without_an_envelope() {
    let task = |state: &str| {
        json!({ "id": "t", "contextId": "c", "status": { "state": state },
        "artifacts": [{ "artifactId": "a", "parts": [{ "text": "hello" }] }] })
    };
    let answers = vec![
        ok(&card("/rest", "HTTP+JSON")),
        ok(&json!({ "task": { "id": "t", "status": { "state": "TASK_STATE_SUBMITTED" } } })),
        ok(&task("TASK_STATE_COMPLETED")),
    ];
    let run = ran(
        "agentCardUrl: \"http://AGENT\", blocking: false",
        HELLO,
        answers,
    )
    .await;
    assert_eq!(run.verdict(), "passed");
    assert_eq!(
        run.lines()[1..],
        [
            "POST /rest/message:send HTTP/1.1",
            "GET /rest/tasks/t HTTP/1.1"
        ]
    );
    assert_eq!(
        run.body(1)["configuration"],
        json!({ "returnImmediately": true })
    );
}

#[tokio::test]
async fn parts_and_what_goes_with_them_are_sent() {
    let turns =
        "[{ type: \"a2a:send\", parts: [{ text: hi }, { data: { n: 3 } }], forwardedProps: { lang: uk },
        options: { connector: gpt }, assert: { text: { equals: hello } } }]";
    let target = "endpoint: \"http://AGENT\", acceptedOutputModes: [text/plain]";
    let run = ran(target, turns, vec![ok(&message(1))]).await;
    assert_eq!(run.verdict(), "passed");
    let params = &run.body(0)["params"];
    assert_eq!(
        params["message"]["parts"],
        json!([{ "text": "hi" }, { "data": { "n": 3 } }])
    );
    assert_eq!(
        params["message"]["metadata"],
        json!({ "lang": "uk", "options": { "connector": "gpt" } })
    );
    assert_eq!(
        params["configuration"],
        json!({ "acceptedOutputModes": ["text/plain"] })
    );
}

#[tokio::test]
async fn what_is_no_agent_is_named() {
    let page = respond("200 OK", "text/html", "", "<html></html>");
    for (target, answers, why) in [
        (
            "agentCardUrl: \"http://AGENT/c.json\"",
            vec![page.clone()],
            "error: what is at `agentCardUrl` itself is not an agent card: it is not JSON",
        ),
        (
            "agentCardUrl: \"http://AGENT/c.json\"",
            vec![ok(&json!({ "openapi": "3.1.0" }))],
            "error: what is at `agentCardUrl` itself is not an agent card: it has neither `supportedInterfaces` nor `url`",
        ),
        (
            "agentCardUrl: \"http://AGENT/c.json\"",
            vec![ok(&card("http://h/", "GRPC"))],
            "error: the agent card has no interface that is supported: `GRPC 1.0 at http://h/`",
        ),
        (
            "endpoint: \"http://AGENT\"",
            vec![page],
            "error: the response is a web page, not a stream of events",
        ),
        (
            "endpoint: \"http://AGENT\"",
            vec![ok(&message(7))],
            "error: the response answers the request `7`, but the request that waits is `1`",
        ),
        (
            "agentCard: { supportedInterfaces: [{ url: \"http://AGENT\", protocolVersion: \"1.0\" }] }",
            vec![ok(&error(1, -32601))],
            "error: the agent does not accept requests of A2A 1.0 over JSON-RPC: no such method (code `-32601`)",
        ),
        (
            "endpoint: \"http://AGENT\", max_response_bytes: 100",
            vec![ok(&json!("x".repeat(1000)))],
            "error: the response is larger than 100 bytes",
        ),
    ] {
        let verdict = ran(target, HELLO, answers).await.verdict();
        assert!(verdict.starts_with(why), "{verdict}");
    }
}

/// An error of JSON-RPC.
fn error(id: u32, code: i32) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.to_string(), "error": { "code": code, "message": "no such method" } })
}

#[tokio::test]
async fn agents_that_misbehave_are_errors() {
    let head = |length: usize| {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        Step::Send(head.into_bytes())
    };
    let silent = "endpoint: \"http://AGENT\", timeout_ms: 300";
    for (target, answer, why) in [
        (
            silent,
            vec![Step::Expect, Step::Hold],
            "timeout: timeout after 300 ms: the request was sent, and no response came",
        ),
        (
            "agentCardUrl: \"http://AGENT\", timeout_ms: 300",
            vec![Step::Expect, Step::Hold],
            "error: the agent card did not come in time: no answer from `/.well-known/agent-card.json` below `agentCardUrl`",
        ),
        (
            "endpoint: \"http://AGENT\"",
            vec![Step::Expect],
            "error: the connection to http://127.0.0.1:",
        ),
        (
            "endpoint: \"http://AGENT\"",
            vec![
                Step::Expect,
                head(500),
                Step::Send(b"{\"jsonrpc\":".to_vec()),
            ],
            "error: the connection broke inside the response",
        ),
        (
            "agentCardUrl: \"http://AGENT/c.json\"",
            vec![Step::Expect, head(500), Step::Send(b"{\"name\":".to_vec())],
            "error: the connection broke inside the response",
        ),
    ] {
        let verdict = ran(target, HELLO, vec![answer]).await.verdict();
        assert!(verdict.starts_with(why), "{verdict}");
    }
}

#[tokio::test]
async fn a_hundred_megabytes_are_an_error_long_before_their_end() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\""
        .to_vec();
    let flood = vec![
        Step::Expect,
        Step::Send(head),
        Step::Send(vec![b'x'; 100 << 20]),
    ];
    let run = ran("endpoint: \"http://AGENT\"", HELLO, vec![flood]).await;
    assert_eq!(run.outcome.status(), Status::Error);
    assert!(
        run.verdict()
            .starts_with("error: the response is larger than 64 MiB"),
        "{}",
        run.verdict()
    );
}

/// A direct message with this text, as a response to the request `id`.
fn says(id: u32, text: &str) -> Value {
    let message = json!({ "messageId": "m", "contextId": "c", "role": "ROLE_AGENT", "parts": [{ "text": text }] });
    json!({ "jsonrpc": "2.0", "id": id.to_string(), "result": { "message": message } })
}

/// Runs a test of an agent in the config that asks the helper `helper`, an agent of A2A that answers so.
async fn asked(test: &str, answers: Vec<Vec<Step>>) -> Ran {
    let agent = RawAgent::start(answers).await;
    let address = agent.address.to_string();
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: scripted, rules: [{{ do: [{{ say: Good day }}] }}] }}\n\
         targets: {{ helper: {{ type: a2a, endpoint: \"http://{address}\" }} }}\n"
    );
    let test = format!("version: \"1.4\"\nname: one\n{test}\n");
    let project = Project::new(&[("ananke.config.yaml", &config), ("one.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    Ran {
        outcome,
        requests: agent.requests().await,
    }
}

/// The question in the message of a request.
fn question(run: &Ran, number: usize) -> Value {
    let text = run.body(number)["params"]["message"]["parts"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn an_agent_judges() {
    let judge = |criteria: &str| {
        format!(
            "turns: [{{ user: hi, assert: {{ judge: [{{ agent: helper, criteria: {criteria} }}] }} }}]"
        )
    };
    let run = asked(
        &judge("polite"),
        vec![ok(&says(1, "{\"passed\": true, \"reason\": \"it is\"}"))],
    )
    .await;
    assert_eq!(run.verdict(), "passed");
    let asks = question(&run, 0);
    assert_eq!(
        (&asks["criteria"], &asks["output"]),
        (&json!("polite"), &json!("Good day"))
    );
    let message = &run.body(0)["params"]["message"];
    assert_eq!(
        (&message["contextId"], &message["taskId"]),
        (&Value::Null, &Value::Null)
    );
    let run = asked(&judge("rude"), vec![ok(&says(1, "FAIL: it is polite"))]).await;
    assert_eq!(run.outcome.status(), Status::Failed);
    // An answer that is data in an artifact, of a task that has to be polled.
    let task = |state: &str, artifacts: Value| json!({ "id": "t", "contextId": "c", "status": { "state": state }, "artifacts": artifacts });
    let verdict =
        json!([{ "artifactId": "a", "parts": [{ "data": { "passed": true, "score": 1.0 } }] }]);
    let answers = vec![
        ok(
            &json!({ "jsonrpc": "2.0", "id": "1", "result": { "task": task("TASK_STATE_WORKING", json!([])) } }),
        ),
        ok(
            &json!({ "jsonrpc": "2.0", "id": "2", "result": task("TASK_STATE_COMPLETED", verdict) }),
        ),
    ];
    assert_eq!(asked(&judge("polite"), answers).await.verdict(), "passed");
    // A judge is asked once more in a new context, and its failure is no verdict.
    let failed = |id: u32| {
        let status = json!({ "state": "TASK_STATE_FAILED", "message": { "messageId": "m", "parts": [{ "text": "out of tokens" }] } });
        ok(
            &json!({ "jsonrpc": "2.0", "id": id.to_string(), "result": { "task": { "id": "t", "contextId": "c", "status": status } } }),
        )
    };
    let run = asked(&judge("polite"), vec![failed(1), failed(1)]).await;
    assert!(
        run.verdict().starts_with("error: judge error") && run.verdict().contains("out of tokens"),
        "{}",
        run.verdict()
    );
    assert_eq!(run.body(1)["params"]["message"]["contextId"], Value::Null);
}

#[tokio::test]
async fn an_agent_plays_the_user() {
    let test =
        "simulate: { agent: helper, goal: a greeting }\nassert: { text: { contains: Good day } }";
    let answers = vec![
        ok(&says(1, "{\"input\": \"hello\"}")),
        ok(&says(1, "{\"input\": \"and now?\"}")),
        ok(&says(1, "{\"goal_achieved\": true}")),
    ];
    let run = asked(test, answers).await;
    assert_eq!(run.verdict(), "passed");
    let asks = [0, 1, 2].map(|number| question(&run, number)["turn_number"].clone());
    assert_eq!(asks, [json!(1), json!(2), json!(3)]);
    assert_eq!(question(&run, 1)["last_response"], "Good day");
}

#[tokio::test]
async fn the_traceability_extension_is_requested() {
    for (card, header) in [
        (card("/rpc", "JSONRPC"), "a2a-extensions"),
        (
            json!({ "url": "/rpc", "protocolVersion": "0.3" }),
            "x-a2a-extensions",
        ),
    ] {
        let target = "agentCardUrl: \"http://AGENT\", tool_calls: [traceability]";
        let run = ran(target, HELLO, vec![ok(&card), ok(&message(1))]).await;
        assert_eq!(run.verdict(), "passed");
        let uri = "https://github.com/a2aproject/a2a-samples/extensions/traceability/v1";
        assert_eq!(run.header(1, header).as_deref(), Some(uri));
        let run = ran(
            "agentCardUrl: \"http://AGENT\", tool_calls: [adk]",
            HELLO,
            vec![ok(&card), ok(&message(1))],
        )
        .await;
        assert_eq!(run.header(1, header), None);
    }
}
