//! How far a request came whose response did not come in time, and through which proxy.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use ananke::outcome::{Outcome, Status};
use ananke::recording::RecordingMode;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::replay::{Nowhere, outcomes, outcomes_over_http, recordings};
use crate::support::project::Project;

const TEST: &str = "version: \"1.0\"\nname: a\nturns: [{ user: hi }]\n";

fn project(endpoint: &str) -> Project {
    let config = format!(
        "version: \"1.0\"\ntarget: {{ type: agui, endpoint: \"{endpoint}\", agentId: a, timeout_ms: 300 }}\n"
    );
    Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", TEST)])
}

/// The message of the timeout of a request to this endpoint, which is the same when it is replayed.
async fn timeout_of(endpoint: &str) -> String {
    let project = project(endpoint);
    let kept = project.folder().join("kept");
    let live = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record)).await;
    let replayed = outcomes(
        &project,
        Arc::new(Nowhere),
        &recordings(&kept, RecordingMode::Replay),
    )
    .await;
    let message = |outcomes: &[Outcome]| {
        assert_eq!(outcomes[0].status(), Status::Timeout);
        outcomes[0].transcript.turns[0]
            .problem()
            .map(|problem| problem.message.clone())
            .expect("a problem")
    };
    assert_eq!(message(&replayed), message(&live));
    message(&live)
}

#[tokio::test]
async fn a_timeout_says_what_was_missing() {
    // The system accepts connections that no program accepts.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = silent.local_addr().expect("an address");
    assert_eq!(
        timeout_of(&format!("http://{address}/agent")).await,
        "timeout after 300 ms: the request was sent, and no response came"
    );
    assert_eq!(
        timeout_of(&format!("https://{address}/agent")).await,
        "timeout after 300 ms: the connection was made, and TLS was not set up"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_timeout_says_that_there_was_no_connection() {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket
        .bind("127.0.0.1:0".parse().expect("an address"))
        .expect("a free port");
    let full = socket.listen(1).expect("a listener");
    let address = full.local_addr().expect("an address");
    // No program accepts connections, so that the queue is full after a few.
    let mut queued = Vec::new();
    while let Ok(connected) = timeout(Duration::from_millis(200), TcpStream::connect(address)).await
    {
        queued.push(connected.expect("a connection"));
        assert!(queued.len() < 100, "the queue never fills");
    }
    let message = timeout_of(&format!("http://{address}/agent")).await;
    assert_eq!(message, "timeout after 300 ms: no connection came about");
}

/// The console of a run through a proxy.
fn printed(proxy: &str) -> String {
    let project = project("http://agent.invalid/agent");
    let run = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .arg("run")
        .current_dir(project.folder())
        .env("HTTP_PROXY", format!("http://user:password@{proxy}"))
        .env("http_proxy", format!("http://user:password@{proxy}"))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .env_remove("REQUEST_METHOD")
        .output()
        .expect("the program runs");
    String::from_utf8(run.stdout).expect("text")
}

#[test]
fn the_proxy_is_named() {
    let refusing = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let proxy = refusing.local_addr().expect("an address").to_string();
    drop(refusing);
    let shown = printed(&proxy);
    let refused = format!(
        "could not connect to http://agent.invalid/agent through the proxy http://{proxy}:"
    );
    assert!(
        shown.contains(&refused) && !shown.contains("password"),
        "{shown}"
    );
    let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let proxy = silent.local_addr().expect("an address").to_string();
    let reader = std::thread::spawn(move || {
        let (mut stream, _) = silent.accept().expect("a connection");
        let mut bytes = [0; 1024];
        while matches!(stream.read(&mut bytes), Ok(1..)) {}
    });
    let shown = printed(&proxy);
    let missing = format!(
        "timeout after 300 ms: the request was sent, and no response came (through the proxy http://{proxy})"
    );
    assert!(
        shown.contains(&missing) && !shown.contains("password"),
        "{shown}"
    );
    reader.join().expect("the proxy");
    let refusing = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let proxy = refusing.local_addr().expect("an address").to_string();
    let proxy_thread = std::thread::spawn(move || {
        let (mut stream, _) = refusing.accept().expect("a connection");
        let mut bytes = [0; 4096];
        let _read = stream.read(&mut bytes);
        let answer = "HTTP/1.1 403 Forbidden\r\ncontent-type: text/html\r\ncontent-length: 11\r\nconnection: close\r\n\r\n<p>no</p>\r\n";
        stream.write_all(answer.as_bytes()).expect("it is sent");
    });
    let shown = printed(&proxy);
    let words = format!("the agent responded with HTTP 403 (through the proxy http://{proxy})");
    assert!(
        shown.contains(&words)
            && shown.contains("`HTTP_PROXY`")
            && shown.contains("<p>no</p>")
            && !shown.contains("password"),
        "{shown}"
    );
    proxy_thread.join().expect("the proxy");
}
