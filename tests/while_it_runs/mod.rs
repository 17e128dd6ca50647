//! The real program while its tests run: a failure is printed when it happens, and an agent that answers no test is noticed
//! once.
#![cfg(unix)]

mod silent_agents;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::{fs, thread};

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
        let block = text.split("\nfailed\n").next().unwrap_or_default();
        assert_eq!(block.matches(&status).count(), 1, "{text}");
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
