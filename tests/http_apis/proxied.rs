//! Requests of other clients to such an agent that pass a proxy become tests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use ananke::agents::http::Forwarder;
use ananke::context::Context;
use ananke::plan::Selection;
use ananke::project::Variables;
use ananke::proxy::{
    OtherRequests, ProxiedAgent, ProxyCapture, ProxyServer, hold_again, proxied_agent,
};
use ananke::record::{RecordRequest, RecordedFile, record};
use ananke::redact::Redactor;
use serde_json::{Value, json};

use super::wrong::response;
use crate::mocks::server::{Lines, Serving};
use crate::support::answering_server::AnsweringServer;
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, Step};

const JSON: &str = "application/json";

/// A project whose agent is behind a proxy.
struct Proxied {
    project: Project,
    request: RecordRequest,
    capture: ProxyCapture,
    serving: Serving,
    server: AnsweringServer,
}

/// The tests that were written of what passed.
struct Written {
    file: RecordedFile,
    /// The reasons why conversations end early.
    ends: Vec<String>,
    /// Everything that is in no test: place and reason.
    others: Vec<String>,
}

impl Proxied {
    /// A proxy in front of a server that answers like this. `endpoint` is its path, and `target` the other keys.
    async fn new(
        endpoint: &str,
        target: &str,
        answer: impl Fn(&Captured) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        ananke::install();
        let server = AnsweringServer::start(move |request| {
            vec![Step::Send(answer(request)), Step::HalfClose]
        })
        .await;
        let config = format!(
            "version: \"1.4\"\ntarget:\n  type: http\n  endpoint: \"http://{}{endpoint}\"\n{target}",
            server.address
        );
        let project = Project::new(&[("ananke.config.yaml", &config)]);
        let request = RecordRequest {
            selection: Selection::default(),
            file: project.folder().join("front.test.yaml"),
            folder: project.folder().join("recordings"),
            origin: "Recorded with `ananke record`",
        };
        let (plan, context) = request
            .blank_test(&project.context(), "front", &[])
            .unwrap_or_else(|error| panic!("{error}"));
        let context = Context {
            environment: Arc::clone(&plan.environment),
            ..context
        };
        let ProxiedAgent { endpoint, target } =
            proxied_agent(&context, &plan).unwrap_or_else(|error| panic!("{error}"));
        let capture = ProxyCapture::new(Redactor::default());
        capture.read_with(target);
        let lines = Arc::new(Lines::default());
        let kept = Arc::clone(&lines);
        let notice = Arc::new(move |line: &str| kept.push(line.to_owned()));
        let forwarder = Forwarder::new(endpoint).unwrap();
        let handler = ProxyServer::new(forwarder, capture.clone(), notice);
        let serving = Serving::of(Arc::new(handler), lines).await;
        Self {
            project,
            request,
            capture,
            serving,
            server,
        }
    }

    /// Sends a JSON request through the proxy, and returns the body of its response.
    async fn post(&self, path: &str, body: &Value) -> String {
        let body = body.to_string();
        let headers = ["content-type: application/json", "user-agent: front/1"];
        let response = self
            .serving
            .send("POST", path, &headers, body.as_bytes())
            .await;
        response.body
    }

    /// The same, where the response is JSON.
    async fn ask(&self, path: &str, body: &Value) -> Value {
        serde_json::from_str(&self.post(path, body).await).unwrap()
    }

    /// The tests of what passed.
    async fn written(&self) -> Written {
        let context = self.project.context();
        let mut held = Vec::new();
        let mut ends = Vec::new();
        for (number, conversation) in (1..).zip(self.capture.take()) {
            let name = format!("front {number}");
            let secrets = self.capture.secrets();
            let variables = Variables::default();
            let request = &self.request;
            let again = hold_again(&context, request, &name, &variables, &secrets, conversation)
                .await
                .unwrap_or_else(|error| panic!("{error}"));
            let problem = again.held.problem.as_ref();
            ends.extend(problem.map(|problem| problem.message.clone()));
            ends.extend(again.ends);
            if !again.held.inputs.is_empty() {
                held.push((name, again.held));
            }
        }
        let others = self.capture.take_others();
        Written {
            file: record(&context, &self.request, held).await.unwrap(),
            ends,
            others: others.iter().map(in_words).collect(),
        }
    }

    /// Asserts that the tests have these texts, that each passed when it was replayed, and that all pass against the server as well.
    async fn assert_written(&self, written: &Written, turns: &[usize], texts: &[&str]) {
        let file = &written.file;
        let found: Vec<_> = file
            .tests
            .iter()
            .map(|test| (test.turns, test.failure.clone()))
            .collect();
        let expected: Vec<_> = turns.iter().map(|turns| (*turns, None)).collect();
        assert_eq!(found, expected, "{:?}\n{}", written.ends, file.text);
        assert!(written.ends.is_empty(), "{:?}", written.ends);
        for text in texts {
            assert!(file.text.contains(text), "{text} in\n{}", file.text);
        }
        file.write().unwrap();
        let outcomes = self.project.run().await;
        assert_eq!(outcomes.len(), turns.len());
        for outcome in outcomes {
            assert_eq!(
                outcome.status().as_str(),
                "passed",
                "{:?}\n{}",
                outcome.first_problem(),
                file.text
            );
        }
    }
}

fn in_words(other: &OtherRequests) -> String {
    format!(
        "{} × {}: {}",
        other.count, other.place, other.request.reason
    )
}

fn body(request: &Captured) -> Value {
    serde_json::from_slice(&request.body).unwrap_or_default()
}

/// The method and path of a request.
fn place(request: &Captured) -> String {
    let line = request.head.lines().next().unwrap_or_default();
    let mut words = line.split(' ');
    let method = words.next().unwrap_or_default().to_uppercase();
    format!("{method} {}", words.next().unwrap_or_default())
}

fn json_response(body: &Value) -> Vec<u8> {
    response("200 OK", JSON, &body.to_string())
}

/// A server that gives each conversation a session, and counts its turns.
fn with_sessions() -> impl Fn(&Captured) -> Vec<u8> + Send + Sync + 'static {
    let sessions: Mutex<HashMap<String, u64>> = Mutex::default();
    move |request| {
        let body = body(request);
        let mut sessions = sessions.lock().unwrap();
        let session = match body["session"].as_str() {
            Some(session) => session.to_owned(),
            None => format!("session-{}", sessions.len() + 1),
        };
        let turn = sessions.entry(session.clone()).or_default();
        *turn += 1;
        let calls = json!([{ "tool": "look_up", "args": { "turn": *turn } }]);
        json_response(
            &json!({ "reply": format!("turn {turn}"), "session": session, "calls": calls }),
        )
    }
}

const WITH_SESSIONS: &str = "  body: { message: \"${INPUT}\", session: \"${SID}\", lang: en }
  capture: { SID: session }
  response: { text: reply, calls: { at: \"calls[*]\", name: tool, args: args } }
";

#[tokio::test]
async fn conversations_are_told_apart_by_the_session_of_a_response() {
    let proxied = Proxied::new("/chat", WITH_SESSIONS, with_sessions()).await;
    let say = async |text: &str, session: &Value| {
        let mut body = json!({ "message": text, "lang": "en" });
        if !session.is_null() {
            body["session"] = session.clone();
        }
        proxied.ask("/chat", &body).await["session"].clone()
    };
    let one = say("Hello", &Value::Null).await;
    let two = say("Hello", &Value::Null).await;
    say("Find my order", &one).await;
    say("And mine", &two).await;
    say("Thanks", &one).await;
    // An address without a path means the endpoint.
    let body = json!({ "message": "Alone", "lang": "en" });
    proxied.ask("/", &body).await;
    assert_ne!(one, two);
    let written = proxied.written().await;
    let texts = [
        "- user: Find my order",
        "- user: And mine",
        "turn: 3",
        "name: look_up",
    ];
    proxied.assert_written(&written, &[3, 2, 1], &texts).await;
    assert!(
        !written.file.text.contains("session"),
        "{}",
        written.file.text
    );
    assert!(written.others.is_empty(), "{:?}", written.others);
}

#[tokio::test]
async fn differences_of_a_request_are_those_of_its_turn() {
    let proxied = Proxied::new("/chat?v=1", WITH_SESSIONS, with_sessions()).await;
    let body = json!({ "message": "Hi", "lang": "de", "user": { "plan": "pro ${X}" } }).to_string();
    let headers = [
        "x-tenant: acme",
        "x-api-key: key-5ecret-0001",
        "accept: */*",
    ];
    let path = "/chat?v=1&debug=true&token=query-5ecret-0001";
    proxied
        .serving
        .send("POST", path, &headers, body.as_bytes())
        .await;
    let written = proxied.written().await;
    let texts = [
        "x-tenant: acme",
        "debug: \"true\"",
        "lang: de",
        "plan: \"pro $${X}\"",
    ];
    proxied.assert_written(&written, &[1], &texts).await;
    assert!(
        !written.file.text.contains("5ecret"),
        "{}",
        written.file.text
    );
    let notes = written.file.tests[0].notes.join("\n");
    for left_out in ["the header `x-api-key`", "the parameter `token`"] {
        assert!(notes.contains(left_out), "{notes}");
    }
    // The test sends the same as the client.
    let requests = proxied.server.requests();
    assert_eq!(requests.len(), 2);
    let sent: Value = serde_json::from_slice(&requests[1].body).unwrap();
    assert_eq!(sent, serde_json::from_str::<Value>(&body).unwrap());
    assert!(place(&requests[1]).contains("debug=true"));
}

#[tokio::test]
async fn a_stream_gives_its_session_and_a_text_has_the_message_inside() {
    let target = "  body: { q: \"Question: ${INPUT} (short)\", chat: \"${CHAT:-new}\" }
  capture: { CHAT: \"[?@event=begin].chat\" }
  response: { stream: sse, text: \"[?@event=token].t\", done: \"[?@event=end]\" }
";
    let count = Mutex::new(0);
    let proxied = Proxied::new("/ask", target, move |request| {
        let body = body(request);
        let chat = match body["chat"].as_str() {
            Some("new") | None => {
                let mut count = count.lock().unwrap();
                *count += 1;
                format!("chat-{count}")
            }
            Some(chat) => chat.to_owned(),
        };
        let stream = format!(
            "event: begin\ndata: {{\"chat\":\"{chat}\"}}\n\nevent: token\ndata: {{\"t\":\"Of \"}}\n\nevent: token\ndata: {{\"t\":\"course\"}}\n\nevent: end\n\n"
        );
        response("200 OK", "text/event-stream", &stream)
    })
    .await;
    let say = async |text: &str, chat: &str| {
        let body = json!({ "q": format!("Question: {text} (short)"), "chat": chat });
        proxied.post("/ask", &body).await
    };
    say("why?", "new").await;
    say("other", "new").await;
    say("(so) what?", "chat-1").await;
    proxied
        .post("/ask", &json!({ "q": "No question", "chat": "chat-1" }))
        .await;
    let written = proxied.written().await;
    let texts = [
        "- user: \"why?\"",
        "- user: \"(so) what?\"",
        "# agent: Of course",
    ];
    proxied.assert_written(&written, &[2, 1], &texts).await;
    assert_eq!(
        written.others,
        ["1 × POST /ask: it has no message where the target has one"]
    );
}

#[tokio::test]
async fn conversations_are_told_apart_by_their_messages() {
    let target = "  body: { text: \"${INPUT}\", history: \"${HISTORY}\" }
  message: { from: \"${ROLE}\", text: \"${TEXT}\" }
  roles: { user: human, assistant: bot }
  response: { text: said }
";
    let proxied = Proxied::new("/chat", target, |request| {
        let body = body(request);
        let turns = body["history"].as_array().map_or(0, Vec::len) / 2 + 1;
        json_response(
            &json!({ "said": format!("{} {turns}", body["text"].as_str().unwrap_or_default()) }),
        )
    })
    .await;
    let say = async |history: &mut Vec<Value>, text: &str| {
        let body = json!({ "text": text, "history": history });
        let said = proxied.ask("/chat", &body).await["said"].clone();
        history.push(json!({ "from": "human", "text": text }));
        history.push(json!({ "from": "bot", "text": said }));
    };
    let mut one = Vec::new();
    let mut two = Vec::new();
    say(&mut one, "Hello").await;
    say(&mut two, "Good day").await;
    say(&mut one, "Where is it?").await;
    say(&mut two, "Bye").await;
    say(&mut one, "Thanks").await;
    let written = proxied.written().await;
    let texts = ["- user: \"Where is it?\"", "# agent: Thanks 3"];
    proxied.assert_written(&written, &[3, 2], &texts).await;
    // All messages in one list.
    let target = "  body: { messages: \"${MESSAGES}\" }\n  response: { text: said }\n";
    let proxied = Proxied::new("/chat", target, |request| {
        let body = body(request);
        let count = body["messages"].as_array().map_or(0, Vec::len);
        json_response(&json!({ "said": format!("{count} messages") }))
    })
    .await;
    let user = |text: &str| json!({ "role": "user", "content": text });
    let said = |text: &str| json!({ "role": "assistant", "content": text });
    for messages in [
        json!([user("a")]),
        json!([user("b")]),
        json!([user("a"), said("1 messages"), user("c")]),
        // The client has shortened what the agent said.
        json!([user("b"), said("1 …"), user("d")]),
        json!([{ "role": "user", "content": [{ "type": "image" }] }]),
    ] {
        proxied.ask("/chat", &json!({ "messages": messages })).await;
    }
    let written = proxied.written().await;
    proxied
        .assert_written(&written, &[2, 2], &["- user: c", "- user: d"])
        .await;
    assert_eq!(
        written.others,
        ["1 × POST /chat: its message is not a text"]
    );
}

#[tokio::test]
async fn requests_before_and_after_the_main_one_are_no_turns() {
    let target = "  start: { endpoint: /threads, body: {}, capture: { TID: id } }
  body: { input: \"${INPUT}\" }
  capture: { RUN: run }
  then: { endpoint: \"/runs/${RUN}\", until: \"[?status=done]\", every_ms: 1 }
  response: { text: answer }
";
    let asked: Mutex<HashMap<String, (String, u64)>> = Mutex::default();
    let count = Mutex::new(0);
    let proxied = Proxied::new("/threads/${TID}/messages", target, move |request| {
        let place = place(request);
        let mut count = count.lock().unwrap();
        let mut asked = asked.lock().unwrap();
        if place == "POST /threads" {
            *count += 1;
            return json_response(&json!({ "id": format!("thread {count}/x") }));
        }
        if let Some(run) = place.strip_prefix("GET /runs/") {
            let Some((said, polls)) = asked.get_mut(run) else {
                return response("404 Not Found", JSON, "{}");
            };
            *polls += 1;
            if *polls < 3 {
                return json_response(&json!({ "status": "busy" }));
            }
            return json_response(&json!({ "status": "done", "answer": format!("Re: {said}") }));
        }
        *count += 1;
        let run = format!("run-{count}");
        let said = body(request)["input"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        asked.insert(run.clone(), (said, 0));
        json_response(&json!({ "run": run }))
    })
    .await;
    let get = async |path: &str| proxied.serving.send("GET", path, &[], b"").await.body;
    let begin = async || {
        let id = proxied.ask("/threads", &json!({})).await["id"].clone();
        id.as_str().unwrap().replace(' ', "%20").replace('/', "%2F")
    };
    let say = async |thread: &str, text: &str| {
        let path = format!("/threads/{thread}/messages");
        let run = proxied.ask(&path, &json!({ "input": text })).await["run"].clone();
        format!("/runs/{}", run.as_str().unwrap())
    };
    let one = begin().await;
    let two = begin().await;
    let first = say(&two, "first of two").await;
    let second = say(&one, "first of one").await;
    for _ in 0..3 {
        get(&first).await;
        get(&second).await;
    }
    // A client may ask once more than it must.
    get(&first).await;
    let third = say(&two, "second of two").await;
    for _ in 0..3 {
        get(&third).await;
    }
    begin().await;
    get("/health").await;
    get("/health?deep=1").await;
    say("thread%209", "unknown").await;
    let written = proxied.written().await;
    let texts = ["- user: first of one", "# agent: Re: second of two"];
    proxied.assert_written(&written, &[1, 2], &texts).await;
    let mut others = written.others;
    others.sort();
    assert_eq!(
        others,
        [
            "1 × POST /threads/thread%209/messages: the requests of `start` before it did not pass, or are those of another conversation",
            "1 × POST /threads: no turn follows it",
            "2 × GET /health: the target has no request of this method and path",
        ]
    );
}

#[tokio::test]
async fn threads_of_a_client_are_those_of_tests_afterwards() {
    let target = "  headers: { x-session: \"${THREAD_ID}\" }
  body: { prompt: \"${INPUT}\" }
  response: { text: text, calls: { at: call, name: name, args: args }, error: error }
";
    let proxied = Proxied::new("/run", target, |request| {
        let session = request
            .head
            .lines()
            .find_map(|line| line.strip_prefix("x-session: "));
        let prompt = body(request)["prompt"].clone();
        if prompt == "break" {
            return json_response(&json!({ "error": "the kitchen is closed" }));
        }
        let call = json!({ "name": "open", "args": { "session": session } });
        json_response(
            &json!({ "text": format!("in {}", session.unwrap_or("nothing")), "call": call }),
        )
    })
    .await;
    let say = async |session: &str, prompt: &str| {
        let body = json!({ "prompt": prompt }).to_string();
        let headers = [format!("x-session: {session}")];
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let sent = proxied
            .serving
            .send("POST", "/run", &headers, body.as_bytes());
        sent.await.body
    };
    let one = "11111111-2222-4333-8444-555555555555";
    let two = "66666666-7777-4888-9999-000000000000";
    say(one, "a").await;
    say(two, "b").await;
    say(one, "c").await;
    say(two, "break").await;
    let written = proxied.written().await;
    assert_eq!(written.ends, ["agent error: the kitchen is closed"]);
    let written = Written {
        ends: Vec::new(),
        ..written
    };
    proxied
        .assert_written(&written, &[2, 1], &["- user: c", "name: open"])
        .await;
    for session in [one, two] {
        assert!(
            !written.file.text.contains(session),
            "{}",
            written.file.text
        );
        for test in &written.file.tests {
            assert!(!test.recording.contains(session), "{}", test.recording);
        }
    }
}

#[tokio::test]
async fn conversations_are_told_apart_by_cookies_and_nothing_else() {
    let count = Mutex::new(0);
    let target = "  form: { message: \"${INPUT}\" }\n  response: { text: reply }\n";
    let proxied = Proxied::new("/chat", target, move |request| {
        let cookie = request
            .head
            .lines()
            .find_map(|line| line.strip_prefix("cookie: "));
        let cookie = cookie.and_then(|cookies| cookies.split("; ").find(|one| one.starts_with("sid=")));
        let session = if let Some(cookie) = cookie {
            cookie.to_owned()
        } else {
            let mut count = count.lock().unwrap();
            *count += 1;
            format!("sid=cookie-5ecret-{count}")
        };
        let reply = json!({ "reply": "ok" }).to_string();
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nset-cookie: theme=dark\r\nset-cookie: {session}; Path=/\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{reply}",
            reply.len()
        )
        .into_bytes()
    })
    .await;
    let say = async |text: &str, cookie: &str| {
        let headers = [
            "content-type: application/x-www-form-urlencoded".to_owned(),
            format!("cookie: theme=dark; {cookie}"),
        ];
        let sent: Vec<&str> = headers[..if cookie.is_empty() { 1 } else { 2 }]
            .iter()
            .map(String::as_str)
            .collect();
        let body = format!("message={text}&lang=en");
        proxied
            .serving
            .send("POST", "/chat", &sent, body.as_bytes())
            .await
    };
    say("one", "").await;
    say("two", "").await;
    say("one+more", "sid=cookie-5ecret-1").await;
    say("two+more", "sid=cookie-5ecret-2").await;
    let response = say("again", "sid=cookie-5ecret-1").await;
    assert_eq!(response.status, 200);
    let written = proxied.written().await;
    let texts = ["- user: one more", "- user: two more", "lang: en"];
    proxied.assert_written(&written, &[3, 2], &texts).await;
    assert!(
        !written.file.text.contains("5ecret"),
        "{}",
        written.file.text
    );
}
