//! The config's `setup` and `teardown`: when they run, and when they do not.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::project::Project;

const TEST: &str = "version: \"1.3\"\nname: a\nturns: [{ user: hi, assert: { text: { must_match: \"^hello t-1$\" } } }]\n";

/// A project whose commands append to the file `log`; `setup` ends with `more`.
fn project(more: &str) -> Project {
    let config = format!(
        "version: \"1.3\"\n\
         setup:\n  - cmd: [sh, -c, 'echo setup >> log; echo \"{{\\\"TENANT\\\": \\\"t-1\\\"}}\"']\n{more}\
         teardown: [{{ cmd: [sh, -c, 'echo teardown ${{TENANT:-none}} >> log'] }}]\n\
         target: {{ type: scripted, rules: [{{ do: [{{ say: \"hello ${{TENANT}}\" }}] }}] }}\n"
    );
    Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", TEST)])
}

fn program(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .current_dir(project.folder())
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    command.args(arguments).stdin(Stdio::null());
    command
}

fn ananke(project: &Project, arguments: &[&str]) -> Output {
    program(project, arguments)
        .output()
        .expect("the program can be started")
}

fn log(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("log")).unwrap_or_default()
}

#[test]
fn they_run_once_each_and_only_when_tests_do() {
    let project = project("");
    for arguments in [
        &["check"][..],
        &["list"],
        &["run", "--dry-run"],
        &["explain", "a.test.yaml"],
    ] {
        let output = ananke(&project, arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        assert_eq!(log(project.folder()), "", "{arguments:?}");
    }
    let output = ananke(
        &project,
        &[
            "run",
            "--record",
            "recordings",
            "a.test.yaml",
            "--retries",
            "1",
        ],
    );
    assert!(output.status.success(), "{output:?}");
    assert_eq!(log(project.folder()), "setup\nteardown t-1\n");
    let output = ananke(&project, &["run", "--replay", "recordings"]);
    assert!(
        output.status.success(),
        "a recording contains what setup gave: {output:?}"
    );
    assert_eq!(log(project.folder()), "setup\nteardown t-1\n");
    let output = ananke(&project, &["run", "--no-hooks", "--var", "TENANT=t-1"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(log(project.folder()), "setup\nteardown t-1\n");
    let output = ananke(&project, &["run", "--var", "TENANT=t-2"]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "the command line wins over setup"
    );
    assert!(
        log(project.folder()).ends_with("setup\nteardown t-2\n"),
        "{}",
        log(project.folder())
    );
}

#[test]
fn a_run_that_is_interrupted_during_setup_is_torn_down() {
    let project = project("  - cmd: [sh, -c, 'mkfifo ready; echo > ready; sleep 60']\n");
    let child = program(&project, &["run"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command waits until its pipe is read: it runs now.
    let fifo = project.folder().join("ready");
    while !fifo.exists() {
        std::thread::yield_now();
    }
    let mut line = String::new();
    BufReader::new(std::fs::File::open(&fifo).unwrap())
        .read_line(&mut line)
        .unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(log(project.folder()), "setup\nteardown t-1\n");
}
