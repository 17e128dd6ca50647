//! Many tests at once, and a limit of open files that is too low for them.
#![cfg(unix)]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Output};
use std::sync::{Arc, Barrier};

use crate::support::project::Project;

const RESPONSE: &str = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
);

/// An agent that responds when so many requests have arrived.
fn agent(at_once: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let all_are_there = Arc::new(Barrier::new(at_once));
    // It ends with the process of the tests.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let all_are_there = Arc::clone(&all_are_there);
            std::thread::spawn(move || {
                let (mut request, mut bytes) = (Vec::new(), [0; 4096]);
                while !request.ends_with(b"}") {
                    match stream.read(&mut bytes) {
                        Ok(read @ 1..) => request.extend_from_slice(&bytes[..read]),
                        _ => return,
                    }
                }
                all_are_there.wait();
                let _client_may_be_gone = stream.write_all(RESPONSE.as_bytes());
            });
        }
    });
    address
}

/// Runs so many tests at once, with limits that `ulimit` sets.
fn run(tests: usize, address: SocketAddr, limits: &str, timeout_ms: u32) -> Output {
    let config = format!(
        "version: \"1.0\"\ntarget: {{ type: agui, endpoint: \"http://{address}/\", agentId: shop, timeout_ms: {timeout_ms} }}\n"
    );
    let rows: String = (0..tests).fold(String::new(), |rows, row| {
        rows + &format!("  - {{ row: {row} }}\n")
    });
    let test = format!("version: \"1.3\"\nname: hello\ncases:\n{rows}turns: [{{ user: hi }}]\n");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let script = format!("ulimit {limits} && exec \"$0\" run --parallel {tests}");
    Command::new("/bin/sh")
        .current_dir(project.folder())
        .env_clear()
        .args(["-c", &script, env!("CARGO_BIN_EXE_ananke")])
        .output()
        .expect("a shell")
}

#[test]
fn more_tests_run_at_once_than_the_soft_limit_has_files() {
    let output = run(300, agent(300), "-Sn 128", 60_000);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("300 passed"), "{printed}");
}

#[test]
fn a_shortage_of_files_lowers_the_number_of_tests_at_once() {
    let output = run(100, agent(1), "-n 64", 60_000);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("100 passed"),
        "{printed}"
    );
    let notes = String::from_utf8_lossy(&output.stderr);
    let note = "note: 5 tests run at once, not 100: this process may have only 64 files open";
    assert!(notes.contains(note), "{notes}");
    let all = notes.lines().filter(|line| line.starts_with("note: "));
    assert_eq!(all.count(), 1, "{notes}");
}

#[test]
fn a_shortage_of_files_says_what_it_is_and_what_to_do() {
    let output = run(2, agent(usize::MAX), "-n 17", 500);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("this process has too many files open"),
        "{printed}"
    );
    assert!(
        printed.contains("run fewer tests at once with `--parallel`"),
        "{printed}"
    );
}
