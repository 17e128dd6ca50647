//! What blocks or computes forever: `--timeout` ends the test, the first interrupt ends the run, the second ends the
//! program at once, with every process that it started.
#![cfg(unix)]

mod interrupts;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::project::Project;

/// How long a test waits for a condition that must become true.
const PATIENCE: Duration = Duration::from_mins(2);

/// A program that is killed when its test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _is_over = self.0.kill();
        let _is_reaped = self.0.wait();
    }
}

impl Running {
    fn start(project: &Project, arguments: &[&str], stdout: Stdio) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
        command
            .current_dir(project.folder())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .args(arguments);
        Self(
            command
                .stdin(Stdio::null())
                .stdout(stdout)
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    /// The exit code.
    fn ends(&mut self) -> i32 {
        let mut code = None;
        wait_until("the program ends", || {
            code = self.0.try_wait().unwrap();
            code.is_some()
        });
        code.unwrap().code().unwrap()
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    const PAUSE: Duration = Duration::from_millis(10);
    let mut left = PATIENCE;
    while !is_so() {
        left = left
            .checked_sub(PAUSE)
            .unwrap_or_else(|| panic!("waited in vain until {what}"));
        thread::sleep(PAUSE);
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The next connection.
fn accept(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let mut accepted = None;
    wait_until("a request comes", || {
        accepted = listener.accept().ok();
        accepted.is_some()
    });
    let (stream, _) = accepted.unwrap();
    stream.set_nonblocking(false).unwrap();
    stream
}

/// A run of a test whose rule computes forever.
fn computing(rule: &str, says: String) -> (Project, Running) {
    let (endpoint, answering) = agent(says);
    let project = project(rule, &endpoint);
    let running = Running::start(&project, &["run", "-o", "report.json"], Stdio::null());
    answering.join().unwrap();
    wait_until_it_computes(&running);
    (project, running)
}

/// Waits until the program has computed for a second: it will not end by itself.
fn wait_until_it_computes(running: &Running) {
    // The times of a process are fields 14 and 15, in hundredths of a second.
    let path = format!("/proc/{}/stat", running.0.id());
    if Path::new(&path).exists() {
        wait_until("it computes", || {
            let text = read(Path::new(&path));
            text.split(' ')
                .skip(13)
                .take(2)
                .filter_map(|word| word.parse::<u64>().ok())
                .sum::<u64>()
                > 100
        });
    }
}

/// An agent that answers one request with `text`: its URL and its thread.
fn agent(text: String) -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answering = thread::spawn(move || {
        let stream = accept(&listener);
        let mut reader = BufReader::new(&stream);
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line).unwrap() > 2 {
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            line.clear();
        }
        reader.take(length).read_to_end(&mut Vec::new()).unwrap();
        let mut response =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
                .to_owned();
        for event in [
            serde_json::json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
            serde_json::json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}),
            serde_json::json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text}),
            serde_json::json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
            serde_json::json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
        ] {
            write!(response, "data: {event}\n\n").unwrap();
        }
        let _is_gone = (&stream).write_all(response.as_bytes());
    });
    (format!("http://{address}/"), answering)
}

/// Two tests: the first has this rule about the text of its agent, and a teardown.
fn project(rule: &str, endpoint: &str) -> Project {
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"{endpoint}\", agentId: a }}\n"
    );
    let test = format!(
        "version: \"1.3\"\nname: computes\nteardown: [{{ cmd: [sh, -c, 'echo down >> down.txt'] }}]\nturns: [{{ user: hi, assert: {rule} }}]\n"
    );
    let next = "version: \"1.3\"\nname: next\ntarget: other\nturns: [{ user: hi }]\n";
    let config = format!(
        "{config}targets: {{ other: {{ type: scripted, rules: [{{ do: [{{ say: hello }}] }}] }} }}\n"
    );
    Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &test),
        ("b.test.yaml", next),
    ])
}

/// A rule and an answer for which it is evaluated for hours: a regular expression that remembers 9,000 characters, and a
/// schema that doubles with each level.
fn endless() -> [(&'static str, String); 2] {
    let mut seed: u32 = 1;
    let letters = (0..800_000).map(|_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed >> 31 == 0 { 'a' } else { 'b' }
    });
    let pattern = "{ text: { must_match: 'a[ab]{9000}[c-d]' } }";
    let schema = "{ output: [{ path: $, schema: { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } } }] }";
    let nested = "{\"a\":".repeat(60) + "1" + &"}".repeat(60);
    [(pattern, letters.collect()), (schema, nested)]
}

#[test]
fn a_rule_that_computes_for_ever_times_out_and_the_run_goes_on() {
    for (rule, says) in endless() {
        let (endpoint, answering) = agent(says);
        let project = project(rule, &endpoint);
        let (code, printed) = run(&project, &["run", "--timeout", "1s"]);
        assert_eq!(code, 1, "{rule}");
        answering.join().unwrap();
        assert!(
            printed.contains("timeout after 1 s for the whole test: turn 1 had not ended"),
            "{printed}"
        );
        assert!(
            printed.contains("2 tests: 1 passed, 1 timeout"),
            "{printed}"
        );
        assert_eq!(
            read(&project.folder().join("down.txt")),
            "down\n",
            "it is cleaned up"
        );
    }
}

/// A project whose tests print more than fits into a pipe.
fn talkative() -> Project {
    let long = "many words ".repeat(700);
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: scripted, rules: [{{ do: [{{ say: \"{long}\" }}] }}] }}\n"
    );
    let tests = (0..40)
        .map(|number| format!("  - {{ name: t{number}, turns: [{{ user: hi }}] }}\n"))
        .collect::<Vec<_>>()
        .concat();
    let tests = format!("version: \"1.3\"\ntests:\n{tests}");
    Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &tests)])
}

#[test]
fn standard_output_that_nobody_reads_stops_no_test_and_no_report() {
    let project = talkative();
    let report = project.folder().join("report.xml");
    let arguments = ["run", "-v", "--timeout", "1m", "--junit", "report.xml"];
    let mut running = Running::start(&project, &arguments, Stdio::piped());
    wait_until("the report is whole", || {
        read(&report).ends_with("</testsuites>\n")
    });
    assert!(
        read(&report).contains("tests=\"40\" failures=\"0\""),
        "{}",
        read(&report)
    );
    // A reader that reads late receives everything.
    let mut printed = String::new();
    running
        .0
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut printed)
        .unwrap();
    assert_eq!(running.ends(), 0);
    assert!(printed.contains("40 tests: 40 passed"), "{printed}");
}

#[test]
fn standard_output_that_nobody_reads_holds_up_no_interrupt() {
    for signals in [&[Signal::INT][..], &[Signal::INT, Signal::TERM]] {
        let project = talkative();
        let report = project.folder().join("report.xml");
        let arguments = ["run", "-v", "--junit", "report.xml"];
        let mut running = Running::start(&project, &arguments, Stdio::piped());
        wait_until("the report is whole", || {
            read(&report).ends_with("</testsuites>\n")
        });
        for signal in signals {
            running.signal(*signal);
        }
        assert_eq!(running.ends(), 130);
    }
}

#[test]
fn a_name_that_does_not_resolve_ends_its_test_at_once_or_by_the_timeout() {
    // No name ends with `.invalid`; how long a system asks for one differs.
    let project = project("{ text: { must_match: hello } }", "http://agent.invalid/");
    let (code, printed) = run(&project, &["run", "--timeout", "1s"]);
    assert_eq!(code, 1, "{printed}");
    let is_at_once = printed.contains("could not connect to http://agent.invalid/");
    assert!(is_at_once || printed.contains("timeout after"), "{printed}");
}

#[test]
fn a_pipe_as_a_recording_is_an_error() {
    let project = project("{}", "http://127.0.0.1:1/");
    let recording = project.folder().join("rec/a.test.yaml/computes.jsonl");
    run(&project, &["run", "--record", "rec"]);
    let names = |folder: &Path| -> Vec<_> {
        std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect()
    };
    let recording = if recording.exists() {
        recording
    } else {
        names(&project.folder().join("rec")).remove(0)
    };
    let recording = if recording.is_dir() {
        names(&recording).remove(0)
    } else {
        recording
    };
    std::fs::remove_file(&recording).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&recording)
            .status()
            .unwrap()
            .success()
    );
    let (code, printed) = run(&project, &["run", "--replay", "rec"]);
    assert_eq!(code, 1);
    assert!(printed.contains("is not a file"), "{printed}");
}

/// What a run with these arguments prints, and its exit code.
fn run(project: &Project, arguments: &[&str]) -> (i32, String) {
    let mut running = Running::start(project, arguments, Stdio::piped());
    let mut stdout = running.0.stdout.take().unwrap();
    let reading = thread::spawn(move || {
        let mut printed = String::new();
        stdout.read_to_string(&mut printed).unwrap();
        printed
    });
    (running.ends(), reading.join().unwrap())
}

#[test]
fn the_time_of_a_test_counts_its_hooks_and_the_scripts_of_its_mocks() {
    let rules = "rules: [{ do: [{ call: { tool: slow, args: {} } }, { say: done }] }]";
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: scripted, {rules}, client_tools: [{{ name: slow, mock: {{ script: slow }} }}] }}\nscripts: {{ slow: {{ cmd: [sleep, '1000'], timeout_ms: 600000 }} }}\n"
    );
    let hook = "version: \"1.3\"\nname: a\nhooks: [{ cmd: [sleep, '1000'], timeout_ms: 600000 }]\nturns: [{ user: hi }]\n";
    let mock = "version: \"1.3\"\nname: a\nturns: [{ user: hi }]\n";
    let turn = "version: \"1.3\"\nname: a\nturns: [{ user: hi, timeout_ms: 500 }]\n";
    let whole = &["run", "--timeout", "1s", "--record", "rec"][..];
    for (test, arguments, why) in [
        (
            hook,
            whole,
            "timeout after 1 s for the whole test: hook 1 had not ended",
        ),
        (
            mock,
            whole,
            "timeout after 1 s for the whole test: turn 1 had not ended",
        ),
        (
            turn,
            &["run", "--record", "rec"][..],
            "the scripts that execute tools took longer than the turn may",
        ),
    ] {
        let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)]);
        let (code, printed) = run(&project, arguments);
        assert_eq!(code, 1);
        assert!(
            printed.contains(why) && printed.contains("1 test: 1 timeout"),
            "{printed}"
        );
        let (code, printed) = run(&project, &["run", "--replay", "rec"]);
        assert_eq!(code, 1);
        assert!(
            printed.contains(why) && printed.contains("1 test: 1 timeout"),
            "a recording keeps it: {printed}"
        );
    }
}

#[test]
fn a_teardown_runs_without_the_variables_that_no_program_can_get() {
    let config =
        "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: hello }] }] }\n";
    let give = r#"printf '{"NUL": "a\\u0000b", "FINE": "fine", "LARGE": "'; head -c 200000 /dev/zero | tr '\0' x; echo '"}'"#;
    let shown =
        "echo $ANANKE_VAR_FINE $(printenv ANANKE_VAR_NUL) $(printenv ANANKE_VAR_LARGE) > down.txt";
    let test = format!(
        "version: \"1.3\"\nname: a\nhooks: [{{ cmd: [sh, give.sh] }}]\nteardown: [{{ cmd: [sh, -c, '{shown}'] }}]\nturns: [{{ user: hi }}]\n"
    );
    let project = Project::new(&[
        ("ananke.config.yaml", config),
        ("a.test.yaml", &test),
        ("give.sh", give),
    ]);
    let (code, printed) = run(&project, &["run"]);
    assert_eq!(code, 0, "{printed}");
    assert_eq!(read(&project.folder().join("down.txt")).trim(), "fine");
    for warning in [
        "`ANANKE_VAR_NUL` is not in the environment of teardown 1: it contains a NUL character",
        "`ANANKE_VAR_LARGE` is not in the environment of teardown 1: it has 200000 bytes",
    ] {
        assert!(printed.contains(warning), "{printed}");
    }
}

#[test]
fn judging_has_a_limit_of_its_own_and_the_next_test_runs() {
    for ((rule, says), slow) in endless()
        .into_iter()
        .zip(["", ": the turn rule `output` (a.test.yaml:4)"])
    {
        let (endpoint, answering) = agent(says);
        let project = project(rule, &endpoint);
        let config = project.folder().join("ananke.config.yaml");
        let limits =
            read(&config).replace("\"1.3\"", "\"1.4\"") + "limits: { evaluation_ms: 700 }\n";
        std::fs::write(&config, limits).unwrap();
        let (code, printed) = run(&project, &["run", "-o", "report.json"]);
        answering.join().unwrap();
        assert_eq!(code, 1, "{rule}");
        let message = format!("judging took longer than 700 ms{slow}\n");
        assert!(printed.contains(&message), "{printed}");
        assert!(printed.contains("2 tests: 1 passed, 1 error"), "{printed}");
        let report = read(&project.folder().join("report.json"));
        assert!(
            report.contains(r#""kind": "judging""#) || report.contains(r#""kind":"judging""#),
            "{report}"
        );
        assert_eq!(
            read(&project.folder().join("down.txt")),
            "down\n",
            "it is cleaned up"
        );
    }
}

/// A server of MCP whose tool has a schema that means more than any machine checks.
fn endless_server() -> Project {
    let mut definitions = "\"n0\":{\"type\":\"integer\"}".to_owned();
    for number in 1..=40 {
        let below = format!("{{\"$ref\":\"#/$defs/n{}\"}}", number - 1);
        let _ = write!(
            definitions,
            ",\"n{number}\":{{\"anyOf\":[{below},{below}]}}"
        );
    }
    let tools = format!(
        "{{\"tools\":[{{\"name\":\"order\",\"description\":\"d\",\"inputSchema\":{{\"type\":\"object\",\
         \"properties\":{{\"n\":{{\"$ref\":\"#/$defs/n40\"}}}},\"$defs\":{{{definitions}}}}}}}]}}"
    );
    let server = r#"
id_of() { id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) id_of; answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}' ;;
    *'"method":"notifications/'*) ;;
    *'"method":"tools/list"'*) id_of; answer "$(cat tools.json)" ;;
    *) id_of; answer '{"content":[]}' ;;
  esac
done
"#;
    let config = "version: \"1.4\"\ntarget: { type: mcp, transport: stdio, protocol: legacy, command: [sh, server.sh] }\n";
    Project::new(&[
        ("ananke.config.yaml", config),
        ("server.sh", server),
        ("tools.json", &tools),
    ])
}

#[test]
fn a_schema_without_end_ends_no_audit() {
    let project = endless_server();
    let mut running = Running::start(
        &project,
        &[
            "audit",
            "--destructive",
            "--whole-timeout",
            "2s",
            "-o",
            "audit.json",
        ],
        Stdio::null(),
    );
    assert_eq!(running.ends(), 0);
    let report = read(&project.folder().join("audit.json"));
    assert!(
        report.contains("its arguments could not be made in time")
            && report.contains("\"cut_short\":true"),
        "{report}"
    );
    // The report of an earlier audit is replaced, and the first interrupt ends what computes.
    let mut running = Running::start(
        &project,
        &["audit", "--destructive", "-o", "audit.json"],
        Stdio::null(),
    );
    wait_until_it_computes(&running);
    running.signal(Signal::INT);
    assert_eq!(running.ends(), 130);
    let mut running = Running::start(
        &project,
        &[
            "audit",
            "--destructive",
            "--whole-timeout",
            "1s",
            "-o",
            "audit.json",
        ],
        Stdio::null(),
    );
    assert_eq!(running.ends(), 0, "its own report is replaced");
}
