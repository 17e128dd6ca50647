//! The servers of ananke itself, `mock` and `record --proxy`: whom they answer, and what they survive.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::project::Project;

const CONFIG: &str =
    "version: \"1.4\"\ntarget: { type: scripted, agentId: a, rules: [{ do: [{ say: hi }] }] }\n";

/// A question in AG-UI.
const BODY: &str = r#"{"threadId":"t","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[{"id":"1","role":"user","content":"x"}]}"#;

/// A server that is ended when its test is over.
struct Serving {
    child: Child,
    address: SocketAddr,
    _stdout: BufReader<ChildStdout>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _is_over = self.child.kill();
        let _is_reaped = self.child.wait();
    }
}

impl Serving {
    fn start(project: &Project, arguments: &[&str], most_files: Option<u32>) -> Self {
        let limit = most_files.map_or(String::new(), |most| format!("ulimit -n {most}; "));
        let script = format!("{limit}exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command
            .args(["-c", &script, env!("CARGO_BIN_EXE_ananke")])
            .args(arguments)
            .current_dir(project.folder())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program");
        let mut stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("an address");
        let address = line.trim().strip_prefix("http://").map(str::parse);
        Self {
            child,
            address: address.expect("an address").expect("an address"),
            _stdout: stdout,
        }
    }

    /// The status of the response to a request with these lines in its head.
    fn status(&self, target: &str, head: &str) -> u16 {
        self.posted(target, head, BODY)
    }

    /// The same with this body.
    fn posted(&self, target: &str, head: &str, body: &str) -> u16 {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        let request = format!(
            "POST {target} HTTP/1.1\r\n{head}content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        let status = response.split(' ').nth(1).expect("a status");
        status.parse().expect("a status")
    }

    /// Ends it by a signal: its exit code, and what it printed to standard error.
    fn end(mut self, signal: Signal) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), signal).expect("a signal");
        let mut printed = String::new();
        let mut stderr = self.child.stderr.take().expect("its errors");
        stderr.read_to_string(&mut printed).expect("UTF-8");
        (self.child.wait().expect("its end").code(), printed)
    }
}

fn project() -> Project {
    Project::new(&[("ananke.config.yaml", CONFIG)])
}

/// A question of this thread.
fn asked(thread: &str) -> String {
    BODY.replace("\"t\"", &format!("\"{thread}\""))
        .replace("\"x\"", &format!("\"I am {thread}\""))
}

/// A proxy in front of a mock.
fn proxy(mock: &Serving, arguments: &[&str]) -> (Project, Serving) {
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: agui, endpoint: \"http://{}/\", agentId: a }}\n",
        mock.address
    );
    let project = Project::new(&[("ananke.config.yaml", &config)]);
    let all = [
        &["record", "--proxy", "0", "-o", "shop.test.yaml"],
        arguments,
    ]
    .concat();
    let serving = Serving::start(&project, &all, None);
    (project, serving)
}

#[test]
fn requests_of_other_sites_are_refused() {
    let project = project();
    let mock = Serving::start(&project, &["mock"], None);
    let (_kept, passing) = proxy(&mock, &[]);
    for (head, status) in [
        ("host: localhost\r\n", 200),
        (
            "host: 127.0.0.1:8766\r\norigin: http://localhost:3000\r\n",
            200,
        ),
        ("host: [::1]\r\norigin: https://127.0.0.1\r\n", 200),
        ("host: localhost\r\norigin: http://page.example\r\n", 403),
        ("host: localhost\r\norigin: null\r\n", 403),
        ("host: page.example:8766\r\n", 421),
        ("host: localhost.page.example\r\n", 421),
        ("host: localhost\r\nsec-fetch-site: cross-site\r\n", 403),
        ("host: localhost\r\nSec-Fetch-Site: Same-Site\r\n", 403),
        ("host: localhost\r\nsec-fetch-site: same-origin\r\n", 200),
        ("host: localhost\r\nsec-fetch-site: none\r\n", 200),
        (
            "host: localhost\r\norigin: http://localhost:3000\r\nsec-fetch-site: cross-site\r\n",
            200,
        ),
        (
            "host: localhost\r\norigin: http://page.example\r\nsec-fetch-site: same-origin\r\n",
            403,
        ),
    ] {
        assert_eq!(mock.status("/", head), status, "{head}");
        assert_eq!(passing.status("/", head), status, "{head}");
    }
    let allowed = [
        "--allow-host",
        "agent.test",
        "--allow-origin",
        "https://app.example",
    ];
    let open = Serving::start(&project, &[&["mock"][..], &allowed].concat(), None);
    for (head, status) in [
        ("host: agent.test:1\r\norigin: https://app.example\r\n", 200),
        ("host: other.test\r\n", 421),
        ("host: agent.test\r\norigin: http://app.example\r\n", 403),
    ] {
        assert_eq!(open.status("/", head), status, "{head}");
    }
    let (_code, printed) = mock.end(Signal::TERM);
    assert!(
        printed.contains("`--allow-host` takes it")
            && printed.contains("`--allow-origin` takes it"),
        "{printed}"
    );
    let anywhere = Serving::start(&project, &["mock", "--host", "0.0.0.0"], None);
    assert_eq!(anywhere.status("/", "host: agent.example\r\n"), 200);
    let (_code, printed) = anywhere.end(Signal::TERM);
    assert!(
        printed.starts_with("warning: other machines can reach this port, and pages of any site\n"),
        "{printed}"
    );
}

#[test]
fn a_log_that_nobody_reads_holds_up_no_request_and_no_signal() {
    let project = project();
    let mock = Serving::start(&project, &["mock", "--speed", "max"], None);
    let target = format!("/{}", "x".repeat(4000));
    for _ in 0..400 {
        assert_eq!(mock.status(&target, "host: localhost\r\n"), 200);
    }
    let mut mock = mock;
    kill_process(Pid::from_child(&mock.child), Signal::TERM).expect("a signal");
    assert_eq!(mock.child.wait().expect("its end").code(), Some(0));
}

#[test]
fn a_shortage_of_files_ends_no_server() {
    let project = project();
    let mock = Serving::start(&project, &["mock"], Some(40));
    let idle: Vec<TcpStream> = (0..60)
        .map(|_| TcpStream::connect(mock.address).expect("a connection"))
        .collect();
    thread::sleep(Duration::from_millis(600));
    drop(idle);
    assert_eq!(mock.status("/", "host: localhost\r\n"), 200);
    let (code, printed) = mock.end(Signal::INT);
    assert_eq!(code, Some(0));
    assert_eq!(
        printed
            .matches("the system gives no more connections")
            .count(),
        1,
        "{printed}"
    );
}

#[test]
fn secrets_in_queries_are_in_no_log() {
    let project = project();
    let mock = Serving::start(&project, &["mock", "--log", "log.jsonl"], None);
    mock.status(
        "/agent?page=3&session_token=query-5ecret-0001",
        "host: localhost\r\n",
    );
    mock.status(
        "/agent?x-api-key=query-5ecret-0001",
        "host: localhost\r\nauthorization: Bearer query-5ecret-0001\r\n",
    );
    let (_code, printed) = mock.end(Signal::TERM);
    let log = fs::read_to_string(project.folder().join("log.jsonl")).expect("the log");
    assert!(
        log.contains("page=3") && log.contains("session_token=***"),
        "{log}"
    );
    assert!(
        !log.contains("5ecret") && !printed.contains("5ecret"),
        "{log}{printed}"
    );
}

#[test]
fn what_passed_is_written_whatever_was_changed_meanwhile() {
    let mock_project = project();
    let mock = Serving::start(&mock_project, &["mock", "--speed", "max"], None);
    let (project, passing) = proxy(&mock, &[]);
    let secret = "head-5ecret-0001";
    let head = format!("host: localhost\r\nauthorization: Bearer {secret}\r\n");
    for number in 0..120 {
        let body = asked(&format!("thread {number}, and my token is {secret}"));
        assert_eq!(passing.posted("/", &head, &body), 200);
    }
    let path = |name: &str| project.folder().join(name);
    fs::write(path("ananke.config.yaml"), "target: [").expect("a file");
    fs::write(path("shop.test.yaml"), "made meanwhile").expect("a file");
    let (code, printed) = passing.end(Signal::INT);
    assert_eq!(code, Some(0), "{printed}");
    assert!(
        printed.contains("warning: the config was changed meanwhile"),
        "{printed}"
    );
    assert!(printed.contains("writing `shop-2.test.yaml`"), "{printed}");
    assert_eq!(
        fs::read_to_string(path("shop.test.yaml")).expect("the file"),
        "made meanwhile"
    );
    let written = fs::read_to_string(path("shop-2.test.yaml")).expect("the tests");
    assert_eq!(written.matches("- user: ").count(), 120, "{written}");
    let recordings: Vec<String> = fs::read_dir(path("recordings/shop-2"))
        .expect("the recordings")
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("a recording"))
        .collect();
    assert_eq!(recordings.len(), 120);
    let all = recordings.concat() + &written + &printed;
    assert!(
        !all.contains(secret),
        "a secret of the front end is nowhere"
    );
}

#[test]
fn what_is_in_no_test_of_an_api_is_named() {
    let mock_project = project();
    let mock = Serving::start(&mock_project, &["mock", "--speed", "max"], None);
    // An agent of AG-UI, described as an API of its own.
    let config = format!(
        "version: \"1.4\"\ntarget:\n  type: http\n  endpoint: \"http://{}/agent\"\n  body: {{ threadId: \"${{THREAD_ID}}\", runId: r, messages: [{{ id: m, role: user, content: \"${{INPUT}}\" }}] }}\n  response: {{ stream: sse, text: \"[?type=TEXT_MESSAGE_CONTENT].delta\", done: \"[?type=RUN_FINISHED]\" }}\n",
        mock.address
    );
    let project = Project::new(&[("ananke.config.yaml", &config)]);
    let arguments = ["record", "--proxy", "0", "-o", "api.test.yaml"];
    let passing = Serving::start(&project, &arguments, None);
    let head = "host: localhost\r\n";
    assert_eq!(passing.posted("/agent", head, &asked("t-1")), 200);
    passing.posted("/metrics?token=query-5ecret-0001", head, "{}");
    passing.posted("/metrics", head, "{}");
    passing.posted("/agent", head, "no JSON");
    let (code, printed) = passing.end(Signal::INT);
    // A turn is missing, and the rest is written.
    assert_eq!(code, Some(1), "{printed}");
    for line in [
        "HTTP: \"I am t-1\": 200",
        "note: `POST /metrics` (2 times) is in no test: the target has no request of this method and path",
        "error: `POST /agent` is in no test: its body is not JSON",
    ] {
        assert!(printed.contains(line), "{line} in\n{printed}");
    }
    assert!(!printed.contains("5ecret"), "{printed}");
    let written = fs::read_to_string(project.folder().join("api.test.yaml")).expect("the tests");
    assert!(written.contains("- user: I am t-1"), "{written}");
}

#[test]
fn what_cannot_be_written_is_kept_elsewhere() {
    let mock_project = project();
    let mock = Serving::start(&mock_project, &["mock", "--speed", "max"], None);
    let (project, passing) = proxy(&mock, &[]);
    assert_eq!(passing.posted("/", "host: localhost\r\n", &asked("t")), 200);
    fs::write(project.folder().join("recordings"), "no directory").expect("a file");
    let (code, printed) = passing.end(Signal::INT);
    assert_eq!(code, Some(1), "{printed}");
    let (_, folder) = printed
        .split_once("): what passed is in `")
        .expect("a directory");
    let folder = std::path::Path::new(folder.split('`').next().expect("its name"));
    let kept = fs::read_to_string(folder.join("shop.test.yaml")).expect("the test");
    assert!(kept.contains("I am t"), "{kept}");
    fs::remove_dir_all(folder).expect("it is ours");
    let (_, spool) = printed
        .rsplit_once("\nnote: what passed is in `")
        .expect("the spool");
    let spool = std::path::Path::new(spool.split('`').next().expect("its name"));
    let entry = fs::read_to_string(spool).expect("the spool");
    assert!(
        entry.contains("I am t") && entry.lines().count() == 1,
        "{entry}"
    );
    let mode = fs::metadata(spool).expect("the spool").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::remove_file(spool).expect("it is ours");
}
