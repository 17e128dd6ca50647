//! The real program with its terminal and its shell: signals, closed pipes.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use ananke::report::history::LastVerdicts;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::project::Project;

const TEST: &str = "version: \"1.0\"\nname: held\nturns: [{ user: hi }]\n";

fn program(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .current_dir(project.folder())
        .env_clear()
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// A project whose agent accepts the request and never responds.
fn held() -> (Project, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = format!(
        "version: \"1.0\"\ntarget: {{ type: agui, endpoint: \"http://{}/\", agentId: held }}\n",
        listener.local_addr().unwrap()
    );
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", TEST),
        ("b.test.yaml", TEST),
    ]);
    (project, listener)
}

#[test]
fn an_interrupted_run_writes_its_reports_and_says_130() {
    for signal in [Signal::INT, Signal::TERM] {
        let (project, listener) = held();
        let arguments = ["run", "--junit", "report.xml", "-o", "report.json"];
        let mut child = program(&project, &arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut connection, _) = listener.accept().unwrap();
        let mut request = [0; 16];
        connection.read_exact(&mut request).unwrap();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let mut printed = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut printed)
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{printed}");
        let lines: Vec<&str> = printed.lines().collect();
        let [skipped, "", last] = lines.as_slice() else {
            panic!("one line for what was not run, and the last one: {printed}");
        };
        assert_eq!(*skipped, "2 tests were not run: the run was interrupted");
        assert!(
            last.starts_with("interrupted: 2 tests: 2 skipped in "),
            "{printed}"
        );
        let junit = std::fs::read_to_string(project.folder().join("report.xml")).unwrap();
        assert!(
            junit.contains("not run to its end: the run was interrupted"),
            "{junit}"
        );
        assert!(
            junit.contains("not run: the run was interrupted")
                && junit.ends_with("</testsuites>\n"),
            "{junit}"
        );
        let json = std::fs::read(project.folder().join("report.json")).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json["summary"]["exit_code"], 130);
        assert_eq!(json["summary"]["reason"], "the run was interrupted");
        let known = LastVerdicts::read(project.folder()).expect("also such a run is remembered");
        assert!(
            known.is_unfinished("a.test.yaml::held") && known.is_unfinished("b.test.yaml::held")
        );
    }
}

#[test]
fn a_run_that_is_killed_is_remembered_with_what_it_did_not_run() {
    let (project, listener) = held();
    let mut child = program(&project, &["run"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (_connection, _) = listener.accept().unwrap();
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    let output = program(&project, &["run", "--last-failed", "--dry-run"])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let note = "\nnote: 2 tests were not run to their end last time: they are run, too\n";
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.ends_with(note), "{told}");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "a.test.yaml::held\nb.test.yaml::held\n"
    );
}

#[test]
fn what_was_set_up_is_taken_down_where_the_run_is_interrupted() {
    let (project, listener) = held();
    let test = "version: \"1.3\"\nname: held\nturns: [{ user: hi }]\nteardown: [{ cmd: [\"sh\", \"-c\", \"echo down > down.txt\"] }]\n";
    std::fs::write(project.folder().join("a.test.yaml"), test).unwrap();
    let mut child = program(&project, &["run"])
        .env("PATH", "/usr/bin:/bin")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (mut connection, _) = listener.accept().unwrap();
    let mut request = [0; 16];
    connection.read_exact(&mut request).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let down = std::fs::read_to_string(project.folder().join("down.txt")).unwrap();
    assert_eq!(down, "down\n");
}

#[test]
fn a_second_signal_leaves_at_once() {
    let (project, listener) = held();
    let mut child = program(&project, &["run"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (_connection, _) = listener.accept().unwrap();
    let pid = Pid::from_child(&child);
    // The second signal may come before the first is handled; the program exits with 130 in both cases.
    kill_process(pid, Signal::INT).unwrap();
    let _gone_already = kill_process(pid, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_reader_that_goes_away_ends_the_printing_and_not_the_run() {
    let config =
        "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: hello }] }] }\n";
    let broken = "version: \"1.0\"\nname: broken\nturns: [{ user: hi, assert: { text: { must_match: bye } } }]\n";
    let fine = "version: \"1.0\"\nname: fine\nturns: [{ user: hi }]\n";
    for (last, code) in [(fine, 0), (broken, 1)] {
        let tests: Vec<String> = (0..200)
            .map(|number| format!("{number:03}.test.yaml"))
            .collect();
        let mut files = vec![("ananke.config.yaml", config), ("z.test.yaml", last)];
        files.extend(tests.iter().map(|name| (name.as_str(), fine)));
        let project = Project::new(&files);
        let mut child = program(&project, &["run", "-v", "--junit", "report.xml"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut first)
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let junit = std::fs::read_to_string(project.folder().join("report.xml")).unwrap();
        assert!(junit.contains("tests=\"201\""), "the report is whole");
    }
}

/// A server of MCP that writes its process id when it starts, and `hangs` when a tool of that name is called.
const SHARED_SERVER: &str = r#"echo $$ > pid.new && mv pid.new pid
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-11-25"}' ;;
    *'"method":"notifications/'*) continue ;;
    *'"name":"hangs"'*) echo > hangs; continue ;;
    *) result='{"content":[{"type":"text","text":"done"}]}' ;;
  esac
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
"#;

const SHARED_CONFIG: &str = r#"version: "1.4"
target: { type: mcp, transport: stdio, process: shared, protocol: legacy, command: [/bin/sh, server.sh] }
"#;

#[test]
fn no_run_leaves_a_process_that_its_tests_shared() {
    for (tool, signals, code) in [("works", 0, 0), ("hangs", 1, 130), ("hangs", 2, 130)] {
        let test = |name: &str, tool: &str| {
            format!(
                "  - {{ name: {name}, turns: [{{ type: mcp:call, tool: {tool}, assert: {{ text: {{ contains: done }} }} }}] }}\n"
            )
        };
        let tests = format!(
            "version: \"1.4\"\ntests:\n{}{}",
            test("one", "works"),
            test("two", tool)
        );
        let project = Project::new(&[
            ("ananke.config.yaml", SHARED_CONFIG),
            ("server.sh", SHARED_SERVER),
            ("shop.test.yaml", &tests),
        ]);
        let mut child = program(&project, &["run"])
            .env("PATH", "/usr/bin:/bin")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        while signals > 0 && !project.folder().join("hangs").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        for _ in 0..signals {
            let _gone_already = kill_process(pid, Signal::INT);
        }
        assert_eq!(child.wait().unwrap().code(), Some(code), "{tool}");
        let server = std::fs::read_to_string(project.folder().join("pid")).unwrap();
        let server = Pid::from_raw(server.trim().parse().unwrap()).unwrap();
        // A killed process is gone a moment after its killer.
        let is_gone = (0..400).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            rustix::process::test_kill_process(server).is_err()
        });
        assert!(is_gone, "{tool}, {signals} signals");
    }
}
