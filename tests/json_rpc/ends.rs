//! The end: of standard input, by a signal, of the reader. Nothing that was started is left.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;
use tempfile::TempDir;

use super::{PATIENCE, Rpc};

/// An agent that is a program, which notes its number and never answers; it ignores what asks it to end.
fn stubborn(folder: &Path) -> serde_json::Value {
    let note = folder.join("pid");
    let script = format!(
        "trap '' TERM; echo $$ > {0}.part; mv {0}.part {0}; while :; do sleep 1; done",
        note.display()
    );
    json!({ "type": "command", "cmd": ["/bin/sh", "-c", script] })
}

/// A program with a session whose agent is busy; the agent's number.
fn busy(folder: &Path) -> (Rpc, Pid) {
    let mut rpc = Rpc::start_in(folder);
    let opened = rpc.call("session/open", json!({ "target": stubborn(folder) }));
    let session = opened.unwrap()["session"].clone();
    rpc.request("session/run", json!({ "session": session, "input": "Hi" }));
    let note = folder.join("pid");
    let tick = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    while !note.exists() {
        assert!(waited < PATIENCE, "the agent was not started");
        thread::sleep(tick);
        waited += tick;
    }
    let number = fs::read_to_string(note).unwrap();
    let pid = Pid::from_raw(number.trim().parse().unwrap()).unwrap();
    assert!(test_kill_process(pid).is_ok());
    (rpc, pid)
}

#[test]
fn the_end_of_standard_input_ends_what_was_started() {
    let folder = TempDir::new().unwrap();
    let (rpc, pid) = busy(folder.path());
    assert_eq!(rpc.end().code(), Some(0));
    assert!(test_kill_process(pid).is_err(), "the agent is left");
}

#[test]
fn the_end_in_the_middle_of_a_line_is_an_end() {
    let mut rpc = Rpc::start();
    let stdin = rpc.stdin.as_mut().unwrap();
    stdin
        .write_all(b"{\"jsonrpc\": \"2.0\", \"id\": 5, \"meth")
        .unwrap();
    drop(rpc.stdin.take());
    assert!(
        rpc.lines.recv_timeout(PATIENCE).is_err(),
        "nothing is answered"
    );
    assert_eq!(rpc.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_signal_ends_what_was_started() {
    for signal in [Signal::INT, Signal::TERM] {
        let folder = TempDir::new().unwrap();
        let (mut rpc, pid) = busy(folder.path());
        kill_process(Pid::from_child(&rpc.child), signal).unwrap();
        assert_eq!(rpc.child.wait().unwrap().code(), Some(130));
        assert!(test_kill_process(pid).is_err(), "the agent is left");
    }
}

#[test]
fn what_was_answered_before_the_end_is_written() {
    let folder = TempDir::new().unwrap();
    let mut rpc = Rpc::raw(folder.path());
    rpc.request("initialize", json!({ "client": { "name": "test" } }));
    let id = rpc.request("session/open", json!({ "agent": "caller" }));
    rpc.request("session/run", json!({ "session": "s1", "input": "Hi" }));
    drop(rpc.stdin.take());
    let lines: Vec<String> = rpc.lines.iter().collect();
    assert_eq!(rpc.child.wait().unwrap().code(), Some(0));
    assert!(
        lines
            .iter()
            .any(|line| line.contains(&format!("\"id\":{id},\"result\""))),
        "{lines:?}"
    );
    // The run had no chance.
    assert!(lines.last().unwrap().contains("-32800"), "{lines:?}");
}

#[test]
fn a_reader_that_goes_away_ends_the_program() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["session", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{}\n").unwrap();
    // Its input is still open.
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_client_that_reads_nothing_is_given_up() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["session", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = b"[]\n".repeat(10_000);
    // Until it is gone.
    while stdin.write_all(&lines).is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("the client reads no answers"), "{message}");
}
