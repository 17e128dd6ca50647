//! The real program while its tests run: a failure is printed when it happens, and an agent that answers no test is noticed
//! once.
#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::project::Project;

fn command(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .current_dir(project.folder())
        .env_clear()
        .arg("run")
        .args(arguments)
        .stdin(Stdio::null());
    command
}

/// A target whose agent is at `address`.
fn target(address: &str) -> String {
    format!("{{ type: agui, endpoint: \"http://{address}/\", agentId: a, timeout_ms: 100 }}")
}

/// The address of an agent that nobody runs.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// `count` tests of one file, each with these keys.
fn tests(count: usize, more: &str) -> String {
    let mut text = "version: \"1.4\"\ntests:\n".to_owned();
    for number in 1..=count {
        let _ = writeln!(
            text,
            "  - {{ name: t{number}, {more}turns: [{{ user: hi, assert: {{ text: {{ contains: hello }} }} }}] }}"
        );
    }
    text
}

/// A project with one target and 30 tests.
fn thirty(address: &str) -> Project {
    let config = format!("version: \"1.4\"\ntarget: {}\n", target(address));
    Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &tests(15, "")),
        ("b.test.yaml", &tests(15, "")),
    ])
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// How many tests of the report have this status.
fn count(project: &Project, status: &str) -> usize {
    let json = fs::read(project.folder().join("report.json")).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let results = json["results"].as_array().unwrap();
    results
        .iter()
        .filter(|result| result["status"] == status)
        .count()
}

#[test]
fn a_failure_is_explained_while_the_first_test_still_runs() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = format!(
        "version: \"1.4\"\ntargets:\n  held: {{ type: agui, endpoint: \"http://{}/\", agentId: held }}\n\
         target: {{ type: scripted, rules: [{{ when: {{ user: hi }}, do: [{{ say: bad }}] }}] }}\n",
        listener.local_addr().unwrap()
    );
    let held = tests(1, "target: held, ");
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &held),
        ("b.test.yaml", &tests(3, "")),
    ]);
    let mut child = command(&project, &["-j", "20"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    // The first failure is printed whole, and those like it have a line; the first test of the plan got no answer so far.
    while text.matches("  as in t").count() < 2 {
        assert_ne!(lines.read_line(&mut text).unwrap(), 0, "{text}");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    lines.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(text.matches("agent:   bad").count(), 1, "{text}");
    assert_eq!(text.matches("\n✗ b.test.yaml:").count(), 2, "{text}");
    let end = text.rfind("  t1\n").unwrap();
    assert!(end < text.rfind("  t3\n").unwrap(), "{text}");
}

#[test]
fn an_agent_that_does_not_run_is_noticed_once() {
    for (parallel, errors) in [("1", 3), ("2", 3), ("5", 5)] {
        let project = thirty(&nobody());
        let output = command(&project, &["-j", parallel, "-o", "report.json"])
            .output()
            .unwrap();
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        let notice = format!("the agent answered none of the first {errors} tests");
        assert_eq!(text.matches(&notice).count(), 1, "{text}");
        assert!(
            text.contains("  ananke.config.yaml:2:33  target: { type: agui")
                && text.contains("`--keep-going` sends all tests nevertheless"),
            "{text}"
        );
        assert_eq!(text.matches("       user:    hi").count(), 1, "{text}");
        let (failed, skipped) = (count(&project, "error"), count(&project, "skipped"));
        // A test that began meanwhile is aborted, or has its own error.
        assert_eq!(failed + skipped, 30);
        assert!(
            failed >= errors && (parallel != "1" || failed == errors),
            "{failed}: {text}"
        );
        let json = fs::read_to_string(project.folder().join("report.json")).unwrap();
        assert!(json.contains("not run: no earlier test got a complete answer"));
    }
}

#[test]
fn with_keep_going_every_test_is_sent() {
    let project = thirty(&nobody());
    let output = command(&project, &["--keep-going", "-o", "report.json"])
        .output()
        .unwrap();
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(
        text.matches("the agent answered none of the first 3 tests\n")
            .count(),
        1,
        "{text}"
    );
    assert_eq!(count(&project, "error"), 30);
    assert_eq!(text.matches("       user:    hi").count(), 1, "{text}");
}

/// A project of `count` tests, each in a file of its own, of an agent at `address`.
fn files(count: usize, address: &str) -> Project {
    let config = format!("version: \"1.4\"\ntarget: {}\n", target(address));
    let file = |number: usize| {
        let text = tests(1, "").replace("name: t1", &format!("name: of-{number}"));
        (format!("f{number}.test.yaml"), text)
    };
    let files: Vec<(String, String)> = (1..=count).map(file).collect();
    let mut all = vec![("ananke.config.yaml", config.as_str())];
    all.extend(
        files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    Project::new(&all)
}

/// An agent that answers each request with this, until the test ends.
fn answering(head: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut read = [0; 4096];
            let _request = stream.read(&mut read);
            let length = body.len();
            let text = format!(
                "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            let _is_gone = stream.write_all(text.as_bytes());
        }
    });
    address
}

#[test]
fn each_test_without_an_answer_is_named() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let agents = [
        nobody(),
        silent.local_addr().unwrap().to_string(),
        answering("200 OK\r\ncontent-type: text/html", "<html>Sign in"),
        answering("502 Bad Gateway\r\ncontent-type: text/html", "<html>nginx"),
    ];
    for address in &agents {
        for (count, arguments) in [(1, &[][..]), (2, &[]), (3, &[]), (4, &["--keep-going"])] {
            let project = files(count, address);
            let output = command(&project, arguments).output().unwrap();
            let shown = Command::new(env!("CARGO_BIN_EXE_ananke"))
                .current_dir(project.folder())
                .env_clear()
                .arg("show")
                .output()
                .unwrap();
            for text in [stdout(&output), stdout(&shown)] {
                for number in 1..=count {
                    let line = format!("f{number}.test.yaml:3  of-{number}  ");
                    let listed = format!("{number}  f{number}.test.yaml:3  of-{number}\n");
                    let is_listed = usize::from(count > 1);
                    assert_eq!(text.matches(&line).count(), 1, "{line} of {count}: {text}");
                    assert_eq!(text.matches(&listed).count(), is_listed, "{text}");
                }
                assert_eq!(text.matches("  as in of-1").count(), count - 1, "{text}");
            }
        }
    }
}

#[test]
fn an_agent_that_hangs_is_asked_three_times() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let project = thirty(&listener.local_addr().unwrap().to_string());
    let output = command(&project, &["-o", "report.json"]).output().unwrap();
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("the agent answered none of the first 3 tests"),
        "{text}"
    );
    assert_eq!(
        (count(&project, "timeout"), count(&project, "skipped")),
        (3, 27)
    );
    // Nothing was sent but the tests themselves.
    listener.set_nonblocking(true).unwrap();
    assert_eq!(std::iter::from_fn(|| listener.accept().ok()).count(), 3);
    // What was not run is run by the next `--last-failed`.
    let output = command(&project, &["--last-failed", "--dry-run"])
        .output()
        .unwrap();
    assert_eq!(stdout(&output).lines().count(), 30);
    let note = "note: 27 tests were not run to their end last time: they are run, too";
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains(note), "{told}");
}

#[test]
fn a_page_of_a_proxy_has_help_and_its_status_once() {
    for (head, help) in [
        ("502 Bad Gateway", "is it running?"),
        ("503 Unavailable", "is it running?"),
        ("500 Oops", "the logs of the agent or the server say why"),
        ("501 Oops", "the logs of the agent or the server say why"),
    ] {
        let project = files(1, &answering(head, "<html>nginx"));
        let text = stdout(&command(&project, &[]).output().unwrap());
        let status = format!("HTTP {}", &head[..3]);
        assert_eq!(text.matches(&status).count(), 1, "{text}");
        assert!(
            text.contains(&format!("{status}; received: no content type, 11 bytes")),
            "{text}"
        );
        assert!(text.contains(help), "{text}");
    }
}

/// Answers one request of AG-UI.
fn answer(mut stream: &TcpStream) {
    let mut request = [0; 4096];
    let _read = stream.read(&mut request).unwrap();
    let events = [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#,
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
    ]
    .map(|event| format!("data: {event}\n\n"));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream
        .write_all(format!("{head}{}", events.concat()).as_bytes())
        .unwrap();
}

#[test]
fn an_agent_that_answered_once_is_asked_again_and_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = target(&listener.local_addr().unwrap().to_string());
    let config = format!("version: \"1.4\"\ntarget: {target}\n");
    let first = "version: \"1.4\"\nname: first\n\
        turns: [{ user: hi, timeout_ms: 60000, assert: { text: { contains: hello } } }]\n";
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", first),
        ("b.test.yaml", &tests(6, "")),
    ]);
    let agent = thread::spawn(move || {
        let (first, _) = listener.accept().unwrap();
        answer(&first);
        drop(first);
        // All others are accepted by the system and never answered.
        listener
    });
    let output = command(&project, &["-o", "report.json"]).output().unwrap();
    let text = stdout(&output);
    assert!(!text.contains("the agent answered none"), "{text}");
    assert_eq!(
        (count(&project, "failed"), count(&project, "timeout")),
        (1, 6),
        "{text}"
    );
    drop(agent.join().unwrap());
}

#[test]
fn a_target_that_answers_nothing_stops_no_test_of_another() {
    let config = format!(
        "version: \"1.4\"\ntargets:\n  dead: {}\n\
         target: {{ type: scripted, rules: [{{ do: [{{ say: hello }}] }}] }}\n",
        target(&nobody())
    );
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &tests(6, "target: dead, ")),
        ("b.test.yaml", &tests(5, "")),
    ]);
    let output = command(&project, &["-o", "report.json"]).output().unwrap();
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("  ananke.config.yaml:3:33  dead: "), "{text}");
    let counts = ["error", "skipped", "passed"].map(|status| count(&project, status));
    assert_eq!(counts, [3, 3, 5], "{text}");
    assert!(
        text.contains("3 tests were not run: no earlier test got a complete answer\n"),
        "{text}"
    );
}

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
const KINDS: [Kind; 7] = [
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
