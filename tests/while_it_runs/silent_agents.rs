//! Agents that begin an answer and hang, or that answer nothing, in every protocol.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;
use std::{fs, thread};

use serde_json::Value;

use super::{command, count, nobody, stdout};
use crate::support::project::Project;

/// The beginning of a response with server-sent events.
const EVENT_STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// A server that sends these events to every request, each after this time, and keeps its connections open after the last. It
/// answers the requests after the first `held` with what `then` contains, and closes.
fn hanging(
    events: Vec<(u64, String)>,
    held: usize,
    then: &'static [&'static str],
) -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = thread::spawn(move || {
        let mut connections = Vec::new();
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap_or_default();
            if request[..length].starts_with(b"STOP") {
                break;
            }
            let _sent = stream.write_all(EVENT_STREAM.as_bytes());
            if number < held {
                for (after, event) in &events {
                    thread::sleep(Duration::from_millis(*after));
                    let event = format!("data: {event}\n\n");
                    if stream.write_all(event.as_bytes()).is_err() {
                        break;
                    }
                }
                connections.push(stream);
            } else {
                for event in then {
                    let _sent = stream.write_all(format!("data: {event}\n\n").as_bytes());
                }
            }
        }
    });
    (address, server)
}

/// Stops a server of [`hanging`].
fn stop(address: &str, server: thread::JoinHandle<()>) {
    TcpStream::connect(address)
        .unwrap()
        .write_all(b"STOP")
        .unwrap();
    server.join().unwrap();
}

const STARTED: &str = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
const CREATED: &str =
    r#"{"type":"response.created","response":{"id":"resp_1","status":"in_progress"}}"#;
const MESSAGE: &str = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[]}}"#;
const CHUNK: &str = r#"{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"He"}}]}"#;

#[test]
fn an_agent_that_hangs_after_its_first_event_is_asked_three_times() {
    for (keys, event) in [
        (
            "type: agui, agentId: a, endpoint: \"http://ADDRESS/\"",
            STARTED,
        ),
        (
            "type: openai, model: m, endpoint: \"http://ADDRESS/v1\"",
            CHUNK,
        ),
        (
            "type: responses, model: m, endpoint: \"http://ADDRESS/v1\"",
            CREATED,
        ),
        (
            "type: anthropic, model: m, endpoint: \"http://ADDRESS/v1\"",
            MESSAGE,
        ),
    ] {
        let (address, server) = hanging(vec![(0, event.to_owned())], usize::MAX, &[]);
        let project = ten(&keys.replace("ADDRESS", &address), "user: hi");
        let (counts, text) = given_up(&project);
        stop(&address, server);
        assert_eq!(counts, [3, 7], "{keys}: {text}");
        for (part, times) in [
            (
                "the agent completed no answer to the first 3 tests, and no further test is sent\n",
                1,
            ),
            ("restart it if it hangs, or raise `timeout_ms`", 1),
            (
                "7 tests were not run: no earlier test got a complete answer\n",
                1,
            ),
        ] {
            assert_eq!(text.matches(part).count(), times, "{part}\n{text}");
        }
        assert!(
            text.contains(" after the request, then nothing\n"),
            "{text}"
        );
        assert_eq!(count(&project, "passed"), 0, "{text}");
        let json = fs::read_to_string(project.folder().join("report.json")).unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        let causes = json["summary"]["causes"].as_array().unwrap();
        assert_eq!(causes.len(), 1, "{causes:?}");
        assert_eq!(causes[0]["tests"], 3, "{causes:?}");
    }
}

#[test]
fn an_agent_that_completes_one_answer_or_still_streams_is_asked_by_every_test() {
    let keys = "type: agui, agentId: a, endpoint: \"http://ADDRESS/\"";
    let call = r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"slow"}"#;
    let text = r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"a"}"#;
    let whole = [
        STARTED,
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
    ];
    let whole: &[&str] = Box::leak(Box::new(whole));
    for (name, events, held, then, expected) in [
        (
            "answers the third test",
            vec![(0, STARTED)],
            2,
            whole,
            [2, 0],
        ),
        ("streams", vec![(40, text); 40], usize::MAX, whole, [10, 0]),
        (
            "sends comments",
            [vec![(0, STARTED)], vec![(40, "\n: ping"); 40]].concat(),
            usize::MAX,
            whole,
            [10, 0],
        ),
        (
            "runs a tool",
            vec![(0, STARTED), (0, call)],
            usize::MAX,
            whole,
            [10, 0],
        ),
    ] {
        let events = events
            .into_iter()
            .map(|(after, event)| (after, event.to_owned()));
        let (address, server) = hanging(events.collect(), held, then);
        let (counts, text) = given_up(&ten(&keys.replace("ADDRESS", &address), "user: hi"));
        stop(&address, server);
        assert_eq!(counts, expected, "{name}: {text}");
        assert!(
            !text.contains("the agent completed no answer"),
            "{name}: {text}"
        );
    }
}

#[test]
fn a_retry_that_completes_its_answer_counts_as_an_answer() {
    let whole: &[&str] = &[
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"hello"}"#,
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
    ];
    let (address, server) = hanging(vec![(0, STARTED.to_owned())], 3, whole);
    let keys = format!("type: agui, agentId: a, endpoint: \"http://{address}/\"");
    let project = ten(&keys, "user: hi");
    let output = command(&project, &["--retries", "3", "-o", "report.json"])
        .output()
        .unwrap();
    stop(&address, server);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(count(&project, "passed"), 10, "{text}");
}

#[test]
fn a_test_with_less_time_than_its_target_gives_up_no_agent() {
    let (address, server) = hanging(vec![(0, STARTED.to_owned())], usize::MAX, &[]);
    let keys = format!("type: agui, agentId: a, endpoint: \"http://{address}/\"");
    let (counts, text) = given_up(&ten(&keys, "timeout_ms: 100, user: hi"));
    stop(&address, server);
    assert_eq!(counts, [10, 0], "{text}");
}

#[test]
fn tests_in_quarantine_give_up_no_agent() {
    let whole: &[&str] = &[
        STARTED,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"hello"}"#,
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
    ];
    let (address, server) = hanging(vec![(0, STARTED.to_owned())], 3, whole);
    let keys = format!("type: agui, agentId: a, endpoint: \"http://{address}/\"");
    let project = ten(&keys, "user: hi");
    let path = project.folder().join("ananke.config.yaml");
    let mut config = fs::read_to_string(&path).unwrap() + "quarantine:\n";
    for number in 1..=3 {
        let _ = writeln!(
            config,
            "  - {{ test: \"a.test.yaml::t{number}\", owner: a, expires: \"9999-12-31\" }}"
        );
    }
    fs::write(&path, config).unwrap();
    let output = command(&project, &["-o", "report.json"]).output().unwrap();
    stop(&address, server);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(count(&project, "passed"), 7, "{text}");
}

/// An agent of this protocol: the keys of its target, and a turn.
type Kind = (&'static str, fn(&str) -> String, &'static str);

/// Every protocol, and every way in which a session of it is opened.
const KINDS: [Kind; 9] = [
    (
        "a2a",
        |address| format!("type: a2a, endpoint: \"http://{address}/\""),
        "user: hi",
    ),
    (
        "a2a with a card",
        |address| format!("type: a2a, agentCardUrl: \"http://{address}/\""),
        "user: hi",
    ),
    (
        "openai",
        |address| format!("type: openai, endpoint: \"http://{address}/v1\", model: m"),
        "user: hi",
    ),
    (
        "responses",
        |address| format!("type: responses, endpoint: \"http://{address}/v1\", model: m"),
        "user: hi",
    ),
    (
        "anthropic",
        |address| format!("type: anthropic, endpoint: \"http://{address}/v1\", model: m"),
        "user: hi",
    ),
    (
        "mcp",
        |address| format!("type: mcp, transport: http, endpoint: \"http://{address}/\""),
        "type: \"mcp:call\", tool: f",
    ),
    (
        "mcp without a handshake",
        |address| {
            format!("type: mcp, transport: http, protocol: modern, endpoint: \"http://{address}/\"")
        },
        "type: \"mcp:call\", tool: f",
    ),
    (
        "mcp over sse",
        |address| format!("type: mcp, transport: sse, endpoint: \"http://{address}/\""),
        "type: \"mcp:call\", tool: f",
    ),
    (
        "agui",
        |address| format!("type: agui, agentId: a, endpoint: \"http://{address}/\""),
        "user: hi",
    ),
];

/// A project with one target, which has `keys`, and ten tests with this turn.
fn ten(keys: &str, turn: &str) -> Project {
    let config = format!("version: \"1.4\"\ntarget: {{ {keys}, timeout_ms: 400 }}\n");
    let mut text = "version: \"1.4\"\ntests:\n".to_owned();
    for number in 1..=10 {
        let _ = writeln!(
            text,
            "  - {{ name: t{number}, turns: [{{ {turn}, assert: {{ text: {{ contains: hello }} }} }}] }}"
        );
    }
    Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &text)])
}

/// How many tests failed and how many were not run, with what was printed.
fn given_up(project: &Project) -> ([usize; 2], String) {
    let output = command(project, &["-o", "report.json"]).output().unwrap();
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let failed = count(project, "error") + count(project, "timeout");
    ([failed, count(project, "skipped")], text)
}

#[test]
fn a_silent_agent_is_noticed_whatever_its_protocol() {
    // Connections are accepted by the system, and never read.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = silent
        .local_addr()
        .map(|address| (silent, address))
        .unwrap();
    for (name, keys, turn) in KINDS {
        for address in [silent.1.to_string(), nobody()] {
            let (counts, text) = given_up(&ten(&keys(&address), turn));
            assert_eq!(counts, [3, 7], "{name}: {text}");
            let notice =
                "the agent answered none of the first 3 tests, and no further test is sent";
            assert_eq!(text.matches(notice).count(), 1, "{name}: {text}");
        }
    }
}

#[test]
fn a_program_that_ends_or_is_silent_is_noticed() {
    let kinds = [
        ("type: mcp, transport: stdio", "type: \"mcp:call\", tool: f"),
        ("type: command, agentId: a", "user: hi"),
    ];
    for (keys, turn) in kinds {
        for program in ["[sh, -c, \"exit 3\"]", "[sh, -c, \"exec sleep 100\"]"] {
            let (counts, text) = given_up(&ten(&format!("{keys}, cmd: {program}"), turn));
            assert_eq!(counts, [3, 7], "{keys}, {program}: {text}");
            assert!(
                text.contains("the config starts this program for each test"),
                "{text}"
            );
        }
    }
}

#[test]
fn an_agent_that_refuses_answers() {
    // What answers is there: every test has its own error.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let _server = thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut request = [0; 4096];
            let _read = stream.read(&mut request);
            let refusal = b"HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _lost = stream.write_all(refusal);
        }
    });
    for (name, keys, turn) in KINDS {
        let (counts, text) = given_up(&ten(&keys(&address), turn));
        assert_eq!(counts, [10, 0], "{name}: {text}");
    }
}
