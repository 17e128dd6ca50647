//! Signals: the first ends the run, the second ends the program with every process that it started.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use super::{Running, accept, agent, computing, endless, project, read, run, wait_until};
use crate::support::ignores_hangups;

#[test]
fn a_rule_that_computes_for_ever_is_left_behind_by_the_first_interrupt() {
    for (rule, says) in endless() {
        let (project, mut running) = computing(rule, says);
        running.signal(Signal::INT);
        assert_eq!(running.ends(), 130, "{rule}");
        let report = read(&project.folder().join("report.json"));
        assert!(
            report.contains("not run to its end: the run was interrupted"),
            "{report}"
        );
        assert_eq!(
            read(&project.folder().join("down.txt")),
            "down\n",
            "it is cleaned up"
        );
    }
}

#[test]
fn a_rule_that_computes_for_ever_is_ended_at_once_by_the_second_interrupt() {
    for (rule, says) in endless() {
        let (_project, mut running) = computing(rule, says);
        // One of two equal signals can get lost.
        running.signal(Signal::INT);
        running.signal(Signal::TERM);
        assert_eq!(running.ends(), 130, "{rule}");
    }
}

#[test]
fn the_second_interrupt_kills_every_process_that_was_started() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/", listener.local_addr().unwrap());
    let project = project("{}", &endpoint);
    let pipe = project.folder().join("alive");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    // The process and its child keep the pipe open as long as they run.
    let test = "version: \"1.3\"\nname: held\nteardown: [{ cmd: [sh, -c, 'sleep 1000 > alive & echo up > alive; wait'], timeout_ms: 600000 }]\nturns: [{ user: hi }]\n";
    std::fs::write(project.folder().join("a.test.yaml"), test).unwrap();
    let mut running = Running::start(&project, &["run"], Stdio::null());
    let _connection = accept(&listener);
    running.signal(Signal::INT);
    let mut alive = BufReader::new(File::open(&pipe).unwrap());
    let mut line = String::new();
    alive.read_line(&mut line).unwrap();
    assert_eq!(line, "up\n", "the first interrupt runs the teardown");
    running.signal(Signal::INT);
    assert_eq!(running.ends(), 130);
    assert_eq!(
        alive.read_to_string(&mut line).unwrap(),
        0,
        "no process is left that could write"
    );
}

#[test]
fn a_hangup_ends_the_run_unless_it_was_ignored_before() {
    let response = |text: &str| agent(text.to_owned());
    let (endpoint, answering) = response("hello");
    let ignoring = project("{}", &endpoint);
    let mut command = Command::new("/bin/sh");
    let script = "trap '' HUP; exec \"$0\" run";
    command
        .current_dir(ignoring.folder())
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_ananke")])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    // The signal comes before the program starts or while it runs, and is ignored in both cases.
    let test = "version: \"1.3\"\nname: signalled\nhooks: [{ cmd: [sh, -c, 'kill -HUP $PPID'] }]\nturns: [{ user: hi }]\n";
    std::fs::write(ignoring.folder().join("a.test.yaml"), test).unwrap();
    let mut running = Running(command.spawn().unwrap());
    assert_eq!(running.ends(), 0, "as by nohup");
    answering.join().unwrap();

    if ignores_hangups() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let held = project("{}", &format!("http://{}/", listener.local_addr().unwrap()));
    let mut running = Running::start(&held, &["run", "-o", "report.json"], Stdio::piped());
    let _connection = accept(&listener);
    running.signal(Signal::HUP);
    assert_eq!(running.ends(), 130);
    let report = read(&held.folder().join("report.json"));
    assert!(
        report.contains("not run to its end: the run was interrupted"),
        "{report}"
    );
}

#[test]
fn what_did_not_end_in_a_run_that_was_stopped_is_run_by_last_failed() {
    for signal in [Signal::KILL, Signal::INT] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let project = project("{}", &format!("http://{}/", listener.local_addr().unwrap()));
        let fine = "version: \"1.3\"\nname: fine\ntarget: other\nturns: [{ user: hi }]\n";
        std::fs::write(project.folder().join("0.test.yaml"), fine).unwrap();
        let mut running = Running::start(&project, &["run"], Stdio::null());
        let _connection = accept(&listener);
        let memory = project.folder().join(".ananke");
        wait_until("the first test is noted", || {
            let names = std::fs::read_dir(&memory)
                .unwrap()
                .map(|entry| read(&entry.unwrap().path()));
            names.collect::<String>().contains("passed")
        });
        running.signal(signal);
        let _status = running.0.wait().unwrap();
        let (code, printed) = run(&project, &["run", "--last-failed", "--dry-run"]);
        assert_eq!(
            (code, &*printed),
            (0, "a.test.yaml::computes\nb.test.yaml::next\n"),
            "{signal:?}"
        );
        // The next run continues from there.
        let (code, _) = run(&project, &["run", "--last-failed", "b.test.yaml"]);
        assert_eq!(code, 0);
        let (_, printed) = run(&project, &["run", "--last-failed", "--dry-run"]);
        assert_eq!(printed, "a.test.yaml::computes\n");
    }
}
