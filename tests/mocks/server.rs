//! A server of an agent in this process, and its clients.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use ananke::http_server::{Access, HttpListener, RequestHandler};
use ananke::mock::{
    EmbeddedAgent, MockAgent, MockOptions, MockServer, RequestEntry, RequestListener, Speed,
};
use ananke::plan::Selection;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::support::project::Project;

/// Keeps a line of each request.
#[derive(Default)]
pub(crate) struct Lines {
    lines: Mutex<Vec<String>>,
    changed: Notify,
}

impl Lines {
    pub(crate) fn push(&self, line: String) {
        self.lines.lock().unwrap().push(line);
        self.changed.notify_one();
    }
}

impl RequestListener for Lines {
    fn request(&self, entry: &RequestEntry) {
        let took = format!(", {} ms", entry.took_ms);
        self.push(entry.line().replacen(&took, "", 1));
    }
}

/// A server that runs.
pub(crate) struct Serving {
    pub(crate) port: u16,
    pub(crate) lines: Arc<Lines>,
    running: JoinHandle<()>,
}

/// What a client received.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    /// The body; of chunks, what they contain.
    pub(crate) body: String,
    /// Whether the end of the body came.
    pub(crate) is_complete: bool,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Serving {
    pub(crate) async fn start(agent: impl MockAgent + 'static) -> Self {
        Self::with(agent, Vec::new(), None).await
    }

    pub(crate) async fn with(
        agent: impl MockAgent + 'static,
        faults: Vec<&str>,
        most: Option<u64>,
    ) -> Self {
        let options = MockOptions {
            speed: "max".parse::<Speed>().unwrap(),
            faults: faults
                .into_iter()
                .map(|fault| fault.parse().unwrap())
                .collect(),
            fault_requests: most,
        };
        let lines = Arc::new(Lines::default());
        let server = MockServer::new(Box::new(agent), options, lines.clone());
        Self::of(Arc::new(server), lines).await
    }

    pub(crate) async fn of(handler: Arc<dyn RequestHandler>, lines: Arc<Lines>) -> Self {
        let listener = HttpListener::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)
            .await
            .unwrap();
        let port = listener.address().port();
        let running = tokio::spawn(async move {
            listener
                .serve(handler, Access::default(), Arc::new(|_: &str| {}))
                .await;
        });
        Self {
            port,
            lines,
            running,
        }
    }

    pub(crate) async fn post(&self, body: &Value) -> Response {
        self.send("POST", "/", &[], body.to_string().as_bytes())
            .await
    }

    /// Sends one request on a connection of its own and reads everything that comes.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &[u8],
    ) -> Response {
        let mut stream = self.connect(method, path, headers, body).await;
        let mut bytes = Vec::new();
        // A broken connection ends what there is.
        let _ended = stream.read_to_end(&mut bytes).await;
        read_response(&bytes)
    }

    /// Sends one request.
    pub(crate) async fn connect(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &[u8],
    ) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let headers = headers
            .iter()
            .fold(String::new(), |all, header| all + header + "\r\n");
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body).await.unwrap();
        stream
    }

    /// The lines of the log, once there are so many.
    pub(crate) async fn log(&self, count: usize) -> Vec<String> {
        loop {
            let changed = self.lines.changed.notified();
            let lines = self.lines.lines.lock().unwrap().clone();
            if lines.len() >= count {
                return lines;
            }
            changed.await;
        }
    }
}

fn read_response(bytes: &[u8]) -> Response {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1)?.parse().ok())
        .unwrap_or_default();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    if headers
        .get("transfer-encoding")
        .is_none_or(|encoding| encoding != "chunked")
    {
        return Response {
            status,
            headers,
            body: body.to_owned(),
            is_complete: true,
        };
    }
    let (mut rest, mut whole, mut is_complete) = (body, String::new(), false);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or_default();
        is_complete = size == 0;
        let Some(chunk) = after.get(..size).filter(|_| size > 0) else {
            break;
        };
        whole.push_str(chunk);
        rest = after[size..].trim_start_matches("\r\n");
    }
    Response {
        status,
        headers,
        body: whole,
        is_complete,
    }
}

impl Response {
    /// The events, as JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| json!(data)))
            .collect()
    }

    /// The types of the events.
    pub(crate) fn types(&self) -> Vec<String> {
        self.events()
            .iter()
            .map(|event| event["type"].as_str().unwrap_or("-").to_owned())
            .collect()
    }
}

/// The agent of a project.
pub(crate) fn embedded(project: &Project) -> EmbeddedAgent {
    EmbeddedAgent::of_project(&project.context(), &Selection::default()).unwrap()
}

/// A project whose agent has these rules.
pub(crate) fn project(rules: &str) -> Project {
    let config = format!("version: \"1.3\"\ntarget:\n  type: scripted\n  rules:\n{rules}");
    Project::new(&[("ananke.config.yaml", &config)])
}

/// The request of a run in which the user says the last of these.
pub(crate) fn run(thread: &str, said: &[&str]) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    for text in said {
        if !messages.is_empty() {
            messages.push(json!({ "id": "a", "role": "assistant", "content": "ok" }));
        }
        messages.push(json!({ "id": "u", "role": "user", "content": text }));
    }
    json!({ "threadId": thread, "runId": "r-1", "protocolVersion": "1.0", "messages": messages, "tools": [], "context": [] })
}

const COUNTS: &str = "    - { when: { turn: 1 }, do: [{ say: first }] }
    - { when: { turn: 2 }, do: [{ say: second }] }
    - { do: [{ say: \"${THREAD_ID} later\" }] }
";

fn said(response: &Response) -> String {
    let events = response.events();
    events
        .iter()
        .filter_map(|event| event["delta"].as_str())
        .collect()
}

#[tokio::test]
async fn a_thread_goes_on_and_another_one_begins() {
    let project = project(COUNTS);
    let serving = Serving::start(embedded(&project)).await;
    assert_eq!(said(&serving.post(&run("a", &["1"])).await), "first");
    assert_eq!(said(&serving.post(&run("b", &["1"])).await), "first");
    assert_eq!(said(&serving.post(&run("a", &["1", "2"])).await), "second");
    assert_eq!(
        said(&serving.post(&run("a", &["1", "2", "3"])).await),
        "a later"
    );
    assert_eq!(
        said(&serving.post(&run("a", &["again"])).await),
        "first",
        "a first message begins it again"
    );
    let connect = json!({ "threadId": "b", "runId": "r-9", "messages": [] });
    let types = [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ];
    assert_eq!(serving.post(&connect).await.types(), types);
    let connect = json!({ "threadId": "c", "runId": "r-9", "messages": [] });
    assert_eq!(
        serving.post(&connect).await.types(),
        ["RUN_STARTED", "RUN_FINISHED"],
        "nothing is known of it"
    );
}

#[tokio::test]
async fn clients_at_the_same_time_do_not_disturb_each_other() {
    let project = project(COUNTS);
    let serving = Serving::start(embedded(&project)).await;
    let texts: Vec<String> = (0..40).map(|number| format!("thread-{number}")).collect();
    let conversations = texts.iter().map(async |thread| {
        let mut all = Vec::new();
        for said_so_far in [&["1"][..], &["1", "2"], &["1", "2", "3"]] {
            all.push(said(&serving.post(&run(thread, said_so_far)).await));
        }
        (thread, all)
    });
    for (thread, all) in futures_util::future::join_all(conversations).await {
        assert_eq!(
            all,
            [
                "first".to_owned(),
                "second".to_owned(),
                format!("{thread} later")
            ]
        );
    }
}

#[tokio::test]
async fn a_chat_has_its_whole_conversation_in_each_request() {
    let rules = "    - do:
        - call: { tool: look_up, args: { id: 7 }, result: { price: 3 } }
        - call: { tool: internal, result: 1 }
        - usage: { input_tokens: 5, output_tokens: 2 }
        - say: \"It costs 3.\"
";
    let project = project(rules);
    let serving = Serving::start(embedded(&project)).await;
    let tools = json!([{ "type": "function", "function": { "name": "look_up" } }]);
    let user = json!({ "role": "user", "content": "price?" });
    let asked = json!({ "model": "m", "messages": [user], "tools": tools });
    let answer: Value = serde_json::from_str(&serving.post(&asked).await.body).unwrap();
    let choice = &answer["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    let call = &choice["message"]["tool_calls"][0];
    assert_eq!(
        call["function"],
        json!({ "name": "look_up", "arguments": "{\"id\":7}" })
    );
    let result = json!({ "role": "tool", "tool_call_id": call["id"], "content": "3" });
    let messages = json!([user, choice["message"], result]);
    let asked = json!({ "model": "m", "messages": messages, "tools": tools });
    let answer: Value = serde_json::from_str(&serving.post(&asked).await.body).unwrap();
    assert_eq!(answer["choices"][0]["message"]["content"], "It costs 3.");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_eq!(
        answer["usage"],
        json!({ "prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7 })
    );
    let streamed = json!({ "model": "m", "messages": messages, "tools": tools, "stream": true });
    let events = serving.post(&streamed).await.events();
    assert_eq!(events.last().unwrap(), "[DONE]");
    let text: String = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(text, "It costs 3.");
    let without_tools = json!({ "model": "m", "messages": [user] });
    let answer: Value = serde_json::from_str(&serving.post(&without_tools).await.body).unwrap();
    assert_eq!(
        answer["choices"][0]["message"]["content"], "It costs 3.",
        "its own calls are not seen"
    );
}

#[tokio::test]
async fn what_is_no_request_is_answered_with_the_reason() {
    let project = project(COUNTS);
    let serving = Serving::start(embedded(&project)).await;
    let answered = serving.post(&json!({ "messages": [] })).await;
    assert_eq!(answered.status, 400);
    let reason = "no request of AG-UI: missing field `threadId` at line 1 column 15; no request of AI SDK: missing field `id` at line 1 column 15; no request of OpenAI chat completions: \
                  missing field `model` at line 1 column 15; no request of the Responses API: missing field `model` at line 1 \
                  column 15; no request of the Messages API: missing field `model` at line 1 column 15; POST requests of AG-UI, \
                  AI SDK, OpenAI chat completions, the Responses API or the Messages API are answered by the target `default`, and an \
                  API of its own from a recording\n";
    assert_eq!(answered.body, reason);
    let no_json = serving.send("POST", "/", &[], b"\xff{").await;
    assert_eq!(no_json.status, 400);
    let page = serving.send("GET", "/", &[], b"").await;
    assert_eq!(
        (page.status, page.body.contains("the target `default`")),
        (200, true)
    );
    assert_eq!(serving.send("DELETE", "/x?a=1", &[], b"").await.status, 404);
    let log = serving.log(4).await;
    assert_eq!(log[2], "#3 GET /: 200");
    let nothing = "#4 DELETE /x?a=1: 404: there is nothing at DELETE /x";
    assert!(log[3].starts_with(nothing), "{}", log[3]);
}

#[tokio::test]
async fn pages_of_other_ports_may_read_it_and_those_of_other_sites_not() {
    let project = project(COUNTS);
    let serving = Serving::start(embedded(&project)).await;
    let asks = [
        "origin: http://localhost:5173",
        "access-control-request-headers: content-type, x-a",
    ];
    let preflight = serving.send("OPTIONS", "/", &asks, b"").await;
    assert_eq!(preflight.status, 204);
    assert_eq!(
        preflight.headers["access-control-allow-origin"],
        "http://localhost:5173"
    );
    assert_eq!(
        preflight.headers["access-control-allow-headers"],
        "content-type, x-a"
    );
    let body = run("a", &["1"]).to_string();
    let answered = serving.send("POST", "/", &asks[..1], body.as_bytes()).await;
    assert_eq!(
        answered.headers["access-control-allow-origin"],
        "http://localhost:5173"
    );
    assert_eq!(answered.headers["content-type"], "text/event-stream");
    let other = ["origin: http://shop.example"];
    let refused = serving.send("POST", "/", &other, body.as_bytes()).await;
    assert_eq!(refused.status, 403);
}

#[tokio::test]
async fn a_client_that_goes_away_ends_its_response_alone() {
    let project = project(
        "    - { when: { user: wait }, do: [{ say: a }, { delay_ms: 1 }, { say: b }] }\n    - { do: [{ say: ok }] }\n",
    );
    let serving = Serving::with(embedded(&project), vec!["delay=600000@5"], Some(1)).await;
    let body = run("a", &["wait"]).to_string();
    let mut stream = serving.connect("POST", "/", &[], body.as_bytes()).await;
    let mut some = [0; 16];
    stream.read_exact(&mut some).await.unwrap();
    drop(stream);
    let expected = "#1 AG-UI: \"wait\": 200, 4 events, fault delay=600000@5, the client left";
    assert_eq!(serving.log(1).await, [expected]);
    assert_eq!(said(&serving.post(&run("b", &["hi"])).await), "ok");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let project = project(COUNTS);
    let serving = Serving::start(embedded(&project)).await;
    let body = vec![b' '; (64 << 20) + 1];
    let mut stream = serving.connect("POST", "/", &[], &[]).await;
    stream.shutdown().await.unwrap();
    drop(stream);
    let mut stream = TcpStream::connect(("127.0.0.1", serving.port))
        .await
        .unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reading, mut writing) = stream.split();
    let writes = async { writing.write_all(&body).await };
    let mut answer = Vec::new();
    let reads = async { reading.read_to_end(&mut answer).await };
    // The server may close the connection before everything is sent.
    let (_sent, _read) = tokio::join!(writes, reads);
    assert!(serving.log(2).await[1].contains("413: the body has more than 67108864 bytes"));
}
