//! Many tests against servers that misbehave, over AG-UI and over an HTTP API of its own: a server's log of what it sent says what
//! each verdict must be, live and replayed. `ANANKE_SOAK=20000` runs as many tests.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::support::project::Project;

/// What the server does with a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// The connection ends in the middle of the body.
    Cut,
    /// The stream ends without the end of its run.
    NoEnd,
    Status500,
    NotJson,
    RunError,
    Empty,
    WebPage,
    /// Half an event follows the end of the run.
    HalfEvent,
    /// Nothing follows the end of the run, and the connection stays open.
    StaysOpen,
    /// A few bytes at a time.
    Pieces,
    /// A snapshot lists another call under the id of a streamed one.
    HiddenCall,
    /// Arguments that are not JSON.
    Arguments,
    /// Events of an unknown type.
    UnknownEvents,
}

const FAULTS: [Fault; 14] = [
    Fault::Nothing,
    Fault::Cut,
    Fault::NoEnd,
    Fault::Status500,
    Fault::NotJson,
    Fault::RunError,
    Fault::Empty,
    Fault::WebPage,
    Fault::HalfEvent,
    Fault::StaysOpen,
    Fault::Pieces,
    Fault::HiddenCall,
    Fault::Arguments,
    Fault::UnknownEvents,
];

/// How a server tells its conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Telling {
    Agui,
    /// Server-sent events of its own.
    Http,
}

/// How the responses of [`Telling::Http`] are read.
const HTTP: &str = "{ type: http, endpoint: \"ENDPOINT\", body: { message: \"${INPUT}\" }, response: { stream: sse, text: \"[?type=text].text\", \
    calls: { at: \"[?type=call]\", id: id, name: tool, args: input }, results: { at: \"[?type=result]\", id: id, result: output }, \
    error: \"[?type=error].message\", done: \"[?type=end]\" } }";

impl Telling {
    fn target(self, endpoint: &str) -> String {
        match self {
            Self::Agui => format!("{{ type: agui, endpoint: \"{endpoint}\", agentId: a }}"),
            Self::Http => HTTP.replace("ENDPOINT", endpoint),
        }
    }

    /// What the user says in a request.
    fn said(self, body: &Value) -> &Value {
        match self {
            Self::Agui => &body["messages"][0]["content"],
            Self::Http => &body["message"],
        }
    }

    fn beginning(self) -> Value {
        match self {
            Self::Agui => json!({"type": "RUN_STARTED"}),
            Self::Http => json!({"type": "text", "text": "Hi"}),
        }
    }

    fn end(self) -> Value {
        match self {
            Self::Agui => json!({"type": "RUN_FINISHED"}),
            Self::Http => json!({"type": "end"}),
        }
    }

    fn failure(self) -> Value {
        match self {
            Self::Agui => json!({"type": "RUN_ERROR", "message": "no model"}),
            Self::Http => json!({"type": "error", "message": "no model"}),
        }
    }

    fn call(self, id: &str, name: &str, args: &str) -> Vec<Value> {
        match self {
            Self::Agui => vec![
                json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name}),
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args}),
                json!({"type": "TOOL_CALL_END", "toolCallId": id}),
            ],
            Self::Http => vec![json!({"type": "call", "id": id, "tool": name, "input": args})],
        }
    }

    fn result(self, id: &str, number: usize) -> Value {
        match self {
            Self::Agui => {
                json!({"type": "TOOL_CALL_RESULT", "messageId": format!("m{number}"), "toolCallId": id, "content": "ok"})
            }
            Self::Http => json!({"type": "result", "id": id, "output": "ok"}),
        }
    }

    /// The ids of calls: those of one id are one call where a mapping says what an id is.
    fn id(self, kind: u64, number: usize) -> String {
        let kinds = match self {
            Self::Agui => ["call-N", "call_0", ""],
            Self::Http => ["call-N", "N", ""],
        };
        kinds[usize::try_from(kind).unwrap_or_default()].replace('N', &number.to_string())
    }
}

/// What the server sent in one response.
#[derive(Default)]
struct Sent {
    charges: usize,
    deletions: usize,
    /// Whether the response has no proper end, or reports that the run failed.
    is_broken: bool,
    /// Whether an event that is not known names `delete_order`.
    hints_at_deletion: bool,
    /// Whether that event has all of a call, so that a rule about any call rests on it.
    has_hidden_call: bool,
}

impl Sent {
    /// The verdict of `charge_card` exactly once and no `delete_order`.
    fn status(&self) -> &'static str {
        match self {
            Self {
                is_broken: true, ..
            } => "error",
            Self {
                charges: 0,
                deletions: 0,
                has_hidden_call: true,
                ..
            } => "not_shown",
            Self {
                charges: 1,
                deletions: 0,
                hints_at_deletion,
                ..
            } => {
                if *hints_at_deletion {
                    "not_shown"
                } else {
                    "passed"
                }
            }
            _ => "failed",
        }
    }
}

/// The response to the request of a test, and what it contains.
fn response(telling: Telling, test: u64) -> (Fault, String, Sent) {
    // Neighbours differ, and every run is the same.
    let mixed = test.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31);
    let fault = FAULTS[usize::try_from((mixed >> 40) % 14).unwrap_or_default()];
    let (charges, deletions, ids) = ((mixed >> 8) % 4, (mixed >> 16) % 5 / 4, (mixed >> 24) % 3);
    let (charges, ids) = (
        if charges == 3 { 1 } else { charges },
        if fault == Fault::HiddenCall { 0 } else { ids },
    );
    let mut sent = Sent::default();
    let mut events = vec![telling.beginning()];
    let names = (0..charges)
        .map(|_| "charge_card")
        .chain((0..deletions).map(|_| "delete_order"));
    let mut calls = Vec::new();
    for (number, name) in names.enumerate() {
        *(if name == "charge_card" {
            &mut sent.charges
        } else {
            &mut sent.deletions
        }) += 1;
        let id = telling.id(ids, number);
        let args = if fault == Fault::Arguments {
            "{\"amount\":"
        } else {
            "{\"amount\":5}"
        };
        events.extend(telling.call(&id, name, args));
        if mixed >> 32 & 1 == 0 {
            events.push(telling.result(&id, number));
        }
        calls.push(
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}}),
        );
    }
    if fault == Fault::HiddenCall && telling == Telling::Http {
        // No path leads to it.
        sent.hints_at_deletion = true;
        sent.has_hidden_call = true;
        let call = json!({"name": "delete_order", "arguments": {"order": 7}});
        events.push(json!({"type": "step", "steps": [{"call": call}]}));
    } else if fault == Fault::HiddenCall && !calls.is_empty() {
        sent.deletions += 1;
        let function = json!({"name": "delete_order", "arguments": "{\"order\":7}"});
        calls.push(json!({"id": "call-0", "type": "function", "function": function}));
        let message = json!({"id": "m", "role": "assistant", "toolCalls": calls});
        events.push(json!({"type": "MESSAGES_SNAPSHOT", "messages": [message]}));
    }
    if fault == Fault::UnknownEvents {
        sent.hints_at_deletion = true;
        sent.has_hidden_call = telling == Telling::Http;
        let event = match telling {
            Telling::Agui => json!({"type": "TOOL_CALL_BEGUN", "toolCallName": "delete_order"}),
            // A mapping passes over events that it does not know, unless they have all of a call.
            Telling::Http => json!({"type": "begun", "toolName": "delete_order", "args": {}}),
        };
        events.push(event);
    }
    match fault {
        Fault::NoEnd | Fault::Cut => {}
        Fault::NotJson => events.push(json!("an event")),
        Fault::RunError => events.push(telling.failure()),
        _ => events.push(telling.end()),
    }
    let mut body = events.iter().fold(String::new(), |body, event| {
        body + &format!("data: {event}\n\n")
    });
    match fault {
        Fault::Empty => body.clear(),
        Fault::WebPage => "<!doctype html><p>Sign in".clone_into(&mut body),
        // A text is no event of AG-UI, and may be one of an API of its own.
        Fault::NotJson if telling == Telling::Http => body += "data: {\"type\": end}\n\n",
        Fault::HalfEvent => body += "data: {\"type\":",
        Fault::Cut => body += "data: {\"type\":\"RUN_FIN",
        _ => {}
    }
    sent.is_broken = matches!(
        fault,
        Fault::NoEnd
            | Fault::Cut
            | Fault::NotJson
            | Fault::RunError
            | Fault::Status500
            | Fault::Empty
            | Fault::WebPage
    );
    let status = if fault == Fault::Status500 {
        "500 Internal Server Error"
    } else {
        "200 OK"
    };
    let kind = if fault == Fault::WebPage {
        "text/html"
    } else {
        "text/event-stream"
    };
    // A body that is cut is shorter than its head says.
    let length = if fault == Fault::Cut {
        format!("content-length: {}\r\n", body.len() + 100)
    } else {
        String::new()
    };
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{length}connection: close\r\n\r\n");
    (fault, head + &body, sent)
}

/// The number of the test that a request belongs to.
fn requested(telling: Telling, stream: &mut TcpStream) -> Option<u64> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if length.is_some_and(|length: usize| body.len() >= length) {
                let body: Value = serde_json::from_str(body).ok()?;
                let said = telling.said(&body).as_str()?;
                return said.strip_prefix("test ")?.parse().ok();
            }
        }
        match stream.read(&mut chunk) {
            Ok(count @ 1..) => bytes.extend_from_slice(&chunk[..count]),
            _ => return None,
        }
    }
}

/// Responds to a request, and writes down what it must come to.
fn respond(telling: Telling, mut stream: TcpStream, log: &Mutex<HashMap<u64, Vec<&'static str>>>) {
    let Some(test) = requested(telling, &mut stream) else {
        return;
    };
    let (fault, response, sent) = response(telling, test);
    log.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .entry(test)
        .or_default()
        .push(sent.status());
    let pieces = if fault == Fault::Pieces {
        7
    } else {
        response.len()
    };
    for piece in response.as_bytes().chunks(pieces) {
        if stream.write_all(piece).is_err() {
            return;
        }
    }
    if fault == Fault::StaysOpen {
        let mut chunk = [0; 64];
        while matches!(stream.read(&mut chunk), Ok(1..)) {}
    }
}

/// The results of a run, by the number of their test.
fn results(project: &Project, arguments: &[&str]) -> HashMap<u64, Value> {
    let run = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["run", "--json", "--parallel", "16"])
        .args(arguments)
        .current_dir(project.folder())
        .output()
        .expect("the program runs");
    let lines = String::from_utf8(run.stdout).expect("text");
    assert!(
        !lines.is_empty(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let results = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let results = results.filter(|line| line["type"] == "result");
    let number = |result: &Value| {
        result["turns"][0]["input"]
            .as_str()?
            .strip_prefix("test ")?
            .parse()
            .ok()
    };
    let without_headers = |mut result: Value| {
        // A recording keeps few headers of a response.
        let turns = result["turns"].as_array_mut().into_iter().flatten();
        let exchanges = turns.filter_map(|turn| turn.get_mut("exchanges")?.as_array_mut());
        for exchange in exchanges.flatten() {
            exchange["response_headers"].take();
        }
        result
    };
    results
        .map(without_headers)
        .map(|result| (number(&result).expect("the number of a test"), result))
        .collect()
}

#[test]
fn every_verdict_is_the_one_that_the_log_of_the_server_demands() {
    judged_by_the_log(Telling::Agui);
}

#[test]
fn so_is_every_verdict_over_an_http_api_of_its_own() {
    judged_by_the_log(Telling::Http);
}

#[expect(
    clippy::disallowed_methods,
    reason = "a person says how many tests there are"
)]
fn judged_by_the_log(telling: Telling) {
    let count: u64 = std::env::var("ANANKE_SOAK")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(300);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let log: Arc<Mutex<HashMap<u64, Vec<&str>>>> = Arc::default();
    let shared = Arc::clone(&log);
    // It ends with the process: it only waits for connections.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let log = Arc::clone(&shared);
            std::thread::spawn(move || respond(telling, stream, &log));
        }
    });
    let target = telling.target(&format!("http://{address}/"));
    let config = format!("version: \"1.4\"\ntarget: {target}\n");
    let test = "version: \"1.4\"\nname: soak\ncases: rows.jsonl\nturns: [{ user: \"test ${NUMBER}\" }]\nassert:\n  tools: { forbid: [delete_order], require: [{ name: charge_card, count: { exact: 1 } }] }\n";
    let rows = (0..count).fold(String::new(), |mut rows, number| {
        let _ = writeln!(rows, "{{\"NUMBER\": {number}}}");
        rows
    });
    let files = [
        ("ananke.config.yaml", config.as_str()),
        ("a.test.yaml", test),
        ("rows.jsonl", rows.as_str()),
    ];
    let project = Project::new(&files);
    let live = results(&project, &["--record", "kept"]);
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    let mut wrong = Vec::new();
    for number in 0..count {
        let expected = log.get(&number).map(Vec::as_slice);
        let found = live
            .get(&number)
            .and_then(|result| result["status"].as_str())
            .unwrap_or("nothing");
        if expected != Some(&[found]) {
            wrong.push(format!(
                "test {number}, {:?}: {found}, the log says {expected:?}",
                response(telling, number).0
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong verdicts of {count}: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(10)]
    );
    let requests: usize = log.values().map(Vec::len).sum();
    let replayed = results(&project, &["--replay", "kept"]);
    let differ = (0..count)
        .filter(|number| live.get(number) != replayed.get(number))
        .collect::<Vec<_>>();
    let first = differ
        .first()
        .map(|number| (&live[number], replayed.get(number)));
    assert!(
        differ.is_empty(),
        "{} of {count} differ when they are replayed: {first:#?}",
        differ.len()
    );
    assert_eq!(
        requests as u64, count,
        "each test sends one request, and a replay none"
    );
}
