//! `ananke init` for an HTTP API of its own, by its URL or by a request of curl: the target that it proposes passes at once, and has
//! no secrets.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::init::{ananke, files};
use crate::support::answering_server::AnsweringServer;
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, Step};

/// The description of an API with a POST at `/chat`.
fn description() -> Value {
    let fields = json!({
        "message": { "type": "string" },
        "session_id": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
        "lang": { "type": "string", "enum": ["en", "de"] },
    });
    let schema = json!({ "type": "object", "required": ["message", "lang"], "properties": fields });
    json!({
        "paths": { "/chat": { "post": { "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Chat" } } } } } } },
        "components": { "schemas": { "Chat": schema } },
    })
}

fn refusal(fields: &[&str]) -> Answer {
    let missing = fields
        .iter()
        .map(|field| json!({ "type": "missing", "loc": ["body", field] }));
    let detail: Value = missing.collect();
    Answer::json(422, &json!({ "detail": detail }))
}

/// A response of the API.
struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
}

impl Answer {
    fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            kind: "application/json",
            body: body.to_string(),
        }
    }

    fn of(kind: &'static str, body: &str) -> Self {
        Self {
            status: 200,
            kind,
            body: body.to_owned(),
        }
    }
}

/// The path of a request, and its body as JSON.
fn asked(captured: &Captured) -> (String, Value) {
    let address = captured.head.split(' ').nth(1).unwrap_or_default();
    let path = address.split('?').next().unwrap_or_default();
    let body = serde_json::from_slice(&captured.body).unwrap_or_default();
    (path.to_owned(), body)
}

fn answer(captured: &Captured) -> Answer {
    let (path, body) = asked(captured);
    let is_get = captured.head.starts_with("GET ");
    let said = body["message"].as_str();
    match (path.as_str(), said) {
        ("/openapi.json", _) => Answer::json(200, &description()),
        _ if is_get => Answer::json(404, &json!({ "detail": "Not Found" })),
        ("/chat", Some(said)) if body["lang"] == "en" => {
            let call =
                json!({ "tool": "find_order", "input": { "order": "O-7" }, "output": "sent" });
            let calls = if said.contains("order") {
                vec![call]
            } else {
                Vec::new()
            };
            Answer::json(
                200,
                &json!({ "reply": format!("You said {said}."), "tool_calls": calls }),
            )
        }
        ("/chat", _) => refusal(&["message", "lang"]),
        ("/json", _) => match body["question"].as_str() {
            Some(_) => Answer::json(200, &json!({ "answer": "Good day." })),
            None => refusal(&["question", "user_id"]),
        },
        ("/nothing", Some(_)) => {
            Answer::json(200, &json!({ "status": "queued", "job": { "id": 7 } }))
        }
        ("/sse", Some(_)) => {
            let next = if body["chat_id"] == "c-7" {
                "again"
            } else {
                "day"
            };
            let body = format!(
                "data: {{\"type\":\"token\",\"content\":\"Good \"}}\n\ndata: {{\"type\":\"token\",\"content\":\"{next}\"}}\n\ndata: {{\"type\":\"done\",\"answer\":\"Good {next}\",\"chat_id\":\"c-7\"}}\n\n"
            );
            Answer::of("text/event-stream", &body)
        }
        ("/lines", Some(said)) => {
            let lines = format!(
                "{{\"role\":\"user\",\"content\":\"{said}\"}}\n{{\"role\":\"model\",\"content\":\"Good\"}}\n{{\"role\":\"model\",\"content\":\"Good day.\"}}\n"
            );
            Answer::of("text/plain", &lines)
        }
        ("/text", Some(_)) => Answer::of("text/plain", "Good day."),
        ("/form", _) if captured.body.starts_with(b"message=") => {
            Answer::json(200, &json!({ "content": "Good day." }))
        }
        ("/sse" | "/lines" | "/text" | "/nothing" | "/form", _) => refusal(&["message"]),
        _ => Answer::json(404, &json!({ "detail": "Not Found" })),
    }
}

/// The same API without its description.
fn undescribed(captured: &Captured) -> Answer {
    if captured.head.starts_with("GET ") {
        return Answer::json(404, &json!({ "detail": "Not Found" }));
    }
    answer(captured)
}

async fn api(answer: fn(&Captured) -> Answer) -> AnsweringServer {
    AnsweringServer::start(move |captured| {
        let Answer { status, kind, body } = answer(captured);
        let text = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        vec![Step::Send(text.into())]
    })
    .await
}

/// What `ananke` does in a new project: the project, its exit code, and what it prints.
async fn run(arguments: Vec<String>) -> (Project, Option<i32>, String, String) {
    let project = Project::new(&[]);
    let folder = project.folder().to_owned();
    let ran = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        ananke(&folder, &arguments)
    });
    let (code, stdout, stderr) = ran.await.expect("the program ran");
    (project, code, stdout, stderr)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_described_api_is_proposed_with_the_calls_of_a_second_turn() {
    let server = api(answer).await;
    let url = format!("http://{}/chat", server.address);
    let (project, code, stdout, stderr) =
        run(words(&["init", &url, "--call", "Where is order O-7?"])).await;
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    for expected in [
        "an HTTP API of its own: GET http://",
        "/chat with {\"message\":\"Hello\",\"session_id\":\"${THREAD_ID}\",\"lang\":\"en\"}",
        "  call:  find_order {\"order\":\"O-7\"}",
        "  text:  You said Hello.",
    ] {
        assert!(stderr.contains(expected), "{expected}: {stderr}");
    }
    assert!(stdout.contains("1 test: 1 passed"), "{stdout}");
    let written = files(project.folder());
    let config = &written["ananke.config.yaml"];
    for expected in [
        "type: http",
        "message: \"${INPUT}\"",
        "session_id: \"${THREAD_ID}\"",
        "text: reply",
        "at: \"tool_calls[*]\"",
        // An error was not seen, so that it is no key.
        "    # error: error",
    ] {
        assert!(config.contains(expected), "{expected}: {config}");
    }
    let test = &written["hello.test.yaml"];
    assert!(
        test.contains("- user: \"Where is order O-7?\"")
            && test.contains("tools: { require: [{\"name\":\"find_order\"}] }"),
        "{test}"
    );
    // Each message was sent once to find out, and once by the test, in one conversation each.
    let requests = server.requests();
    let chats: Vec<Value> = requests
        .iter()
        .map(|captured| asked(captured).1)
        .filter(|body| body["lang"] == "en")
        .collect();
    let said: Vec<_> = chats.iter().map(|body| body["message"].as_str()).collect();
    let turns = [Some("Hello"), Some("Where is order O-7?")];
    assert_eq!(said, [turns, turns].concat());
    assert_eq!(chats[0]["session_id"], chats[1]["session_id"]);
    assert_ne!(chats[0]["session_id"], chats[2]["session_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_of_every_form_are_proposed() {
    let server = api(undescribed).await;
    for (path, expected) in [
        (
            "/json",
            &[
                "question: \"${INPUT}\"",
                "user_id: \"${THREAD_ID}\"",
                "text: answer",
                "    # calls: ",
            ][..],
        ),
        (
            "/sse",
            &[
                "stream: sse",
                "text: \"[?type=token].content\"",
                "done: \"[?type=done]\"",
                "CHAT_ID: chat_id",
                "    # error: \"[?type=error].message\"",
            ],
        ),
        (
            "/lines",
            &[
                "stream: ndjson",
                "path: \"[?role=model].content\"",
                "mode: cumulative",
            ],
        ),
        ("/text", &["stream: text"]),
        (
            "/form",
            &["form:\n    message: \"${INPUT}\"", "text: content"],
        ),
    ] {
        let url = format!("http://{}{path}", server.address);
        let (project, code, stdout, stderr) = run(words(&["init", &url])).await;
        assert_eq!(code, Some(0), "{path}: {stdout}{stderr}");
        assert!(
            stdout.contains("agent:   Good day") && stdout.contains("1 test: 1 passed"),
            "{path}: {stdout}"
        );
        let config = &files(project.folder())["ananke.config.yaml"];
        for expected in expected {
            assert!(config.contains(expected), "{path}: {expected}: {config}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_turn_sends_what_the_agent_chose() {
    let server = api(undescribed).await;
    let url = format!("http://{}/sse", server.address);
    let (_project, code, stdout, stderr) = run(words(&["init", &url, "--call", "More"])).await;
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(
        stderr.contains("text:  Good again") && stdout.contains("agent:   Good again"),
        "{stdout}{stderr}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_proposed_writes_nothing() {
    let server = api(answer).await;
    for (path, body, expected) in [
        (
            "/nothing",
            Some("{\"message\": \"${INPUT}\"}"),
            "can be read as the text of the agent. It has: status, job.id",
        ),
        ("/", None, "help: name the URL of one of these paths: /chat"),
        (
            "/chat",
            Some("{\"message\": \"Hi\"}"),
            "write `${INPUT}` in its place",
        ),
        ("/chat", Some("{message}"), "`--body` is not JSON"),
    ] {
        let url = format!("http://{}{path}", server.address);
        let mut arguments = words(&["init", &url]);
        if let Some(body) = body {
            arguments.extend(words(&["--body", body]));
        }
        let (project, code, stdout, stderr) = run(arguments).await;
        assert_eq!(code, Some(1), "{path}: {stdout}{stderr}");
        assert!(stderr.contains(expected), "{path}: {stderr}");
        assert!(stderr.contains("nothing was written"), "{path}: {stderr}");
        assert!(files(project.folder()).is_empty(), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_curl_is_sent_without_curl() {
    let server = api(undescribed).await;
    let url = format!("http://{}/chat?access_token=in-the-address", server.address);
    let line = [
        "init",
        "--",
        "curl",
        "-sS",
        "-X",
        "POST",
        &url,
        "-H",
        "Authorization: Bearer of-the-header",
        "-b",
        "sid=of-the-cookie",
        "-H",
        "sec-fetch-mode: cors",
        "--max-time",
        "3",
        "--data-raw",
        "{\"message\": \"Where is my order?\", \"lang\": \"en\", \"session_id\": \"abc\", \"api_key\": \"of-the-body\"}",
    ];
    let (project, code, stdout, stderr) = run(words(&line)).await;
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    for expected in [
        "Omitted: -s, -S, -H sec-fetch-mode, --max-time\n",
        "  call:  find_order {\"order\":\"O-7\"}",
        "  export AGENT_AUTHORIZATION=''",
        "  export AGENT_API_KEY=''",
    ] {
        assert!(stderr.contains(expected), "{expected}: {stderr}");
    }
    let written = files(project.folder());
    let config = &written["ananke.config.yaml"];
    for expected in [
        "authorization: \"${ENV.AGENT_AUTHORIZATION}\"",
        "cookie: \"${ENV.AGENT_COOKIE}\"",
        "access_token: \"${ENV.AGENT_ACCESS_TOKEN}\"",
        "session_id: \"${THREAD_ID}\"",
        "redact: [ENV.AGENT_",
    ] {
        assert!(config.contains(expected), "{expected}: {config}");
    }
    assert!(
        written["hello.test.yaml"].contains("- user: Where is my order?\n")
            || written["hello.test.yaml"].contains("- user: \"Where is my order?\"\n"),
        "{}",
        written["hello.test.yaml"]
    );

    // The secrets were sent, and are in nothing that was printed or written.
    let requests = server.requests();
    let sent = requests.first().expect("a request");
    assert!(
        sent.head.contains("of-the-header")
            && sent.head.contains("of-the-cookie")
            && sent.head.contains("in-the-address"),
        "{}",
        sent.head
    );
    assert_eq!(requests.len(), 2, "once to find out, once in the test");
    let mut all = format!("{stdout}{stderr}");
    for text in all_files(project.folder()) {
        all.push_str(&text);
    }
    for secret in [
        "of-the-header",
        "of-the-cookie",
        "in-the-address",
        "of-the-body",
    ] {
        assert!(!all.contains(secret), "{secret}: {all}");
    }

    // The next run reads them from the environment.
    let folder = project.folder().to_owned();
    let ran = tokio::task::spawn_blocking(move || {
        Command::new(env!("CARGO_BIN_EXE_ananke"))
            .current_dir(folder)
            .env_clear()
            .env("AGENT_AUTHORIZATION", "Bearer another-header")
            .env("AGENT_COOKIE", "sid=another-cookie")
            .env("AGENT_API_KEY", "another-key")
            .env("AGENT_ACCESS_TOKEN", "another-token")
            .arg("run")
            .stdin(Stdio::null())
            .output()
    });
    let output = ran.await.expect("the thread ended").expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let requests = server.requests();
    assert!(
        requests[2].head.contains("another-header"),
        "{:?}",
        requests[2]
    );
}

/// The texts of all files of a directory, also of those that a run keeps.
fn all_files(folder: &std::path::Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(all_files(&path));
        } else {
            texts.push(String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned());
        }
    }
    texts
}
