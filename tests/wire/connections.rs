//! Connections that have ended, and requests that a server did not process: nothing is lost, and nothing is sent twice.

use std::process::Command;
use std::sync::Arc;

use ananke::agents::Ended;
use ananke::agents::http::HttpTransport;
use ananke::context::SystemClock;

use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::http2_agent::{Http2Agent, Response, roots};
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};
use crate::support::summary::Summary;

/// A complete response on a connection that HTTP allows to be used again.
fn whole_response() -> Step {
    let run = concat!(
        "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
        "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
    );
    let length = run.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n"
    );
    Step::Send(format!("{head}{run}").into_bytes())
}

#[tokio::test]
async fn a_connection_carries_one_request() {
    // The server keeps each connection and reads no second request from it.
    let script = vec![Step::Expect, whole_response(), Step::Hold];
    let agent = RawAgent::start(vec![script; 3]).await;
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let mut session = session(settings(&agent.url()), transport, 1).await;
    for turn in 1..=3 {
        let ended = session
            .exchange(user(turn, "hi"), &limits(), &mut Summary::default())
            .await;
        assert_eq!(ended, Ok(Ended::Terminal), "turn {turn}");
    }
    assert_eq!(agent.requests().await.len(), 3);
}

/// Runs a test of one turn against an agent that responds like this: whether it passed, the output, and how many
/// requests were received.
fn run(responses: Vec<Response>) -> (bool, String, usize) {
    let agent = Http2Agent::start(responses);
    let config = format!(
        "version: \"1.0\"\ntarget: {{ type: agui, endpoint: \"https://{}/\", agentId: shop }}\n",
        agent.address
    );
    let test = "version: \"1.0\"\nname: hello\nturns: [{ user: hi }]\n";
    let roots = roots();
    let files = [
        ("ananke.config.yaml", &*config),
        ("a.test.yaml", test),
        ("roots.pem", &roots),
    ];
    let project = Project::new(&files);
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .current_dir(project.folder())
        .env_clear()
        .env("SSL_CERT_FILE", project.folder().join("roots.pem"))
        .arg("run")
        .output()
        .expect("the program runs");
    let printed =
        String::from_utf8_lossy(&output.stdout).replace(&agent.address.to_string(), "AGENT");
    (output.status.success(), printed, agent.requests())
}

#[cfg(target_os = "linux")]
#[test]
fn what_http_2_says_was_not_processed_is_sent_again() {
    for response in [Response::Refused, Response::GoneBefore] {
        let (passed, output, requests) = run(vec![response, Response::Run]);
        assert!(passed, "{response:?}: {output}");
        assert_eq!(requests, 2, "{response:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_http_2_may_have_processed_is_not_sent_again() {
    let (passed, output, requests) = run(vec![Response::GoneAfter, Response::Run]);
    assert!(!passed, "{output}");
    assert!(
        output.contains("the connection to https://AGENT/ ended before an answer came"),
        "{output}"
    );
    assert_eq!(requests, 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_refuses_every_request_is_not_asked_for_ever() {
    let (passed, output, requests) = run(vec![Response::Refused; 9]);
    assert!(!passed, "{output}");
    assert!(
        output.contains("the connection to https://AGENT/ ended before an answer came"),
        "{output}"
    );
    assert_eq!(requests, 3);
}
