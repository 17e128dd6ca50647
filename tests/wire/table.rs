//! Every row of what can arrive from an agent, on a real socket; and what no row can express.

use std::fmt::Write as _;
use std::sync::Arc;

use ananke::agents::http::HttpTransport;
use ananke::agents::{Ended, TargetError};
use ananke::context::SystemClock;
use tokio::sync::Notify;

use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::raw_agent::{RawAgent, Step};
use crate::support::summary::Summary;
use crate::support::wire_rows::{Row, is_message, rows};

async fn carried_out(row: &Row) -> (Result<Ended, TargetError>, String, Summary) {
    let agent = RawAgent::start(vec![[&[Step::Expect], &row.steps[..]].concat()]).await;
    let address = agent.address.to_string();
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let mut session = session(settings(&agent.url()), transport, 1).await;
    let mut summary = Summary::default();
    let ended = session
        .exchange(user(1, "hi"), &row.limits, &mut summary)
        .await;
    if !row.limits.cancel.is_cancelled() {
        // Every connection is closed, also those that the agent would keep open.
        assert_eq!(
            agent.requests().await.len(),
            1,
            "{}: nothing is sent twice",
            row.name
        );
    }
    (ended, address, summary)
}

#[tokio::test]
async fn every_row_ends_as_it_says() {
    let mut wrong = String::new();
    for row in rows() {
        let (ended, address, summary) = carried_out(&row).await;
        let ended = ended.map_err(|failure| failure.to_string().replace(&address, "AGENT"));
        let is_expected = match (&ended, row.ends) {
            (Err(message), Err(expected)) => is_message(message, expected),
            (ended, expected) => *ended == expected.map_err(str::to_owned),
        };
        if !is_expected {
            writeln!(
                wrong,
                "{}\n  expected {:?}\n  got      {ended:?}",
                row.name, row.ends
            )
            .expect("a string takes everything");
        }
        if !row.limits.cancel.is_cancelled() {
            assert_eq!(
                summary.wire.last().map(String::as_str),
                Some("closed"),
                "{}",
                row.name
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Rows whose message says everything: a reason that the agent itself gives, and events that their author has to check.
const WITHOUT_HELP: [&str; 8] = [
    "an end of nothing",
    "an event that is no object",
    "an event without a type",
    "an event whose type is no string",
    "malformed JSON",
    "a field that is missing",
    "a refusal says why",
    "a redirect to nowhere",
];

#[tokio::test]
async fn errors_say_what_to_do() {
    let mut without = Vec::new();
    for row in rows().iter().filter(|row| row.ends.is_err()) {
        let (ended, ..) = carried_out(row).await;
        if ended.expect_err(row.name).help.is_none() {
            without.push(row.name);
        }
    }
    assert_eq!(without, WITHOUT_HELP);
}

#[tokio::test]
async fn a_refused_connection_says_where_and_why() {
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let endpoint = "http://user:secret@127.0.0.1:1/?token=secret";
    let mut session = session(settings(endpoint), transport, 1).await;
    let failure = session
        .exchange(user(1, "hi"), &limits(), &mut Summary::default())
        .await
        .expect_err("nobody there");
    let message = failure.to_string();
    assert!(
        is_message(
            &message,
            "could not connect to http://127.0.0.1:1/: [CAUSE]"
        ),
        "{message}"
    );
    assert_eq!(
        failure.help.as_deref(),
        Some(
            "is the agent running, and is `endpoint` correct? `server` in the config can start it before the tests"
        )
    );
}

#[tokio::test]
async fn a_server_without_tls_is_not_mistaken_for_one_that_is_not_there() {
    let plain = Step::Send(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    let agent = RawAgent::start(vec![vec![plain, Step::HalfClose]]).await;
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let mut session = session(
        settings(&agent.url().replace("http:", "https:")),
        transport,
        1,
    )
    .await;
    let failure = session
        .exchange(user(1, "hi"), &limits(), &mut Summary::default())
        .await
        .expect_err("no TLS");
    let message = failure
        .to_string()
        .replace(&agent.address.to_string(), "AGENT");
    assert!(
        is_message(
            &message,
            "could not connect to https://AGENT/agent: [CAUSE]"
        ),
        "{message}"
    );
    let help = "the server does not seem to speak TLS: is it `http://` instead of `https://`?";
    assert_eq!(failure.help.as_deref(), Some(help));
}

#[tokio::test]
async fn headers_that_cannot_be_sent_are_named_without_their_value() {
    for (name, value, message) in [
        ("x y", "secret", "`x y` is not a name for an HTTP header"),
        (
            "x-key",
            "secret\n",
            "the value of the header `x-key` cannot be sent: it holds control characters",
        ),
    ] {
        let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
        let mut settings = settings("http://127.0.0.1:1/");
        settings.headers = vec![(name.to_owned(), value.to_owned())];
        let mut session = session(settings, transport, 1).await;
        let failure = session
            .exchange(user(1, "hi"), &limits(), &mut Summary::default())
            .await;
        assert_eq!(failure.expect_err("no such header").to_string(), message);
    }
}

const RUN: [&str; 2] = [
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\n\n",
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\n\n",
];

fn stream(body: &str) -> Step {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    Step::Send(format!("{head}{body}").into_bytes())
}

#[tokio::test]
async fn the_wire_is_told_in_order() {
    let late = "data: {\"type\":\"CUSTOM\",\"name\":\"late\"}\n\n";
    let steps = vec![
        stream(&format!(": ping\n\n{}{late}", RUN.concat())),
        Step::Hold,
    ];
    let row = Row {
        name: "in order",
        steps,
        limits: limits(),
        ends: Ok(Ended::Terminal),
    };
    let (ended, _, summary) = carried_out(&row).await;
    assert_eq!(ended, Ok(Ended::Terminal));
    let expected = [
        "sent",
        "head 200 text/event-stream",
        "frame",
        "frame",
        "frame",
        "closed",
    ];
    assert_eq!(summary.wire, expected);
    assert_eq!(
        summary.text(),
        "run\nfinished\n!! after-run-finished [3, 2]: event 3 (`CUSTOM`) comes after event 2 (`RUN_FINISHED`) has finished the run\ncustom late: null\n! left-open: the stream was still open 100 ms after the run had ended: what comes later is not read"
    );
}

#[tokio::test]
async fn a_run_cancelled_on_the_way_lets_go_of_its_connection() {
    let begun = Arc::new(Notify::new());
    let steps = vec![
        Step::Expect,
        stream(RUN[0]),
        Step::ChangeListener(Arc::clone(&begun)),
        Step::Hold,
    ];
    let agent = RawAgent::start(vec![steps]).await;
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let mut session = session(settings(&agent.url()), transport, 1).await;
    let limits = limits();
    let cancel = async {
        begun.notified().await;
        limits.cancel.cancel();
    };
    let mut summary = Summary::default();
    let (ended, ()) = tokio::join!(
        session.exchange(user(1, "hi"), &limits, &mut summary),
        cancel
    );
    assert_eq!(ended, Ok(Ended::Cancelled));
    assert_eq!(agent.requests().await.len(), 1);
}

#[tokio::test]
async fn a_sink_that_wants_no_more_ends_the_exchange() {
    let agent = RawAgent::start(vec![vec![Step::Expect, stream(&RUN.concat()), Step::Hold]]).await;
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let mut session = session(settings(&agent.url()), transport, 1).await;
    let mut summary = Summary::default();
    summary.wanted = Some(1);
    let ended = session
        .exchange(user(1, "hi"), &limits(), &mut summary)
        .await;
    assert_eq!(ended, Ok(Ended::Cancelled));
    assert_eq!(summary.text(), "run");
    assert_eq!(agent.requests().await.len(), 1, "the connection is let go");
}
