//! Agents that never end, send too much, or nest it too deeply: a clear verdict in bounded time and memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ananke::agents::{
    Chunks, ClientEvent, Ended, HttpRequest, Limits, Next, Reply, ResponseHead, TargetError,
    Transport,
};
use ananke::context::{At, Clock};
use ananke::outcome::Status;
use ananke::redact::Redactor;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::bodies::answer;
use crate::support::agui::{agui, session, settings};
use crate::support::canned::{limits, user};
use crate::support::conformance::exchanged;
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};
use crate::support::summary::Summary;
use crate::support::tokio_clock::TokioClock;

/// Says one thing, then another repeatedly, with a pause before each.
struct Endless {
    first: String,
    again: Bytes,
    pause: Duration,
    sent: Arc<AtomicUsize>,
    clock: Arc<TokioClock>,
}

impl Transport for Endless {
    fn moment(&self, _event: ClientEvent) -> At {
        self.clock.now()
    }

    fn send(
        &self,
        _request: HttpRequest,
        _until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let (sender, body) = mpsc::channel(1);
        let (first, again) = (Bytes::from(self.first.clone()), self.again.clone());
        let (pause, sent, clock) = (self.pause, Arc::clone(&self.sent), Arc::clone(&self.clock));
        tokio::spawn(async move {
            let mut next = first;
            loop {
                sent.fetch_add(next.len(), Ordering::SeqCst);
                if sender.send(Next::Bytes(clock.now(), next)).await.is_err() {
                    return;
                }
                tokio::time::sleep(pause).await;
                next = again.clone();
            }
        });
        let head = ResponseHead {
            status: 200,
            content_type: "text/event-stream".to_owned(),
            ..ResponseHead::default()
        };
        let at = self.clock.now();
        let body = Box::new(Chunks::new(body, Arc::clone(&self.clock) as Arc<dyn Clock>));
        Box::pin(async move { Ok(Some(Reply { at, head, body })) })
    }
}

fn event(event: &Value) -> String {
    format!("data: {event}\n\n")
}

fn started() -> Value {
    json!({"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"})
}

fn finished() -> Value {
    json!({"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"})
}

fn text(delta: &str) -> Value {
    json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta})
}

/// How a response that continues like this ends, how long that takes, and how much of it was sent.
async fn end_of(again: String, pause: Duration) -> (Result<Ended, TargetError>, Duration, usize) {
    let first =
        event(&started()) + &event(&json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}));
    let sent = Arc::new(AtomicUsize::new(0));
    let transport = Endless {
        first,
        again: Bytes::from(again),
        pause,
        sent: Arc::clone(&sent),
        clock: Arc::new(TokioClock::start()),
    };
    let mut session = session(settings("http://127.0.0.1:1/"), Arc::new(transport), 1).await;
    let begun = Instant::now();
    let ended = session
        .exchange(user(1, "hi"), &limits(), &mut Summary::default())
        .await;
    (ended, begun.elapsed(), sent.load(Ordering::SeqCst))
}

#[tokio::test(start_paused = true)]
async fn one_event_a_second_for_ever_ends_exactly_with_the_time() {
    for again in [
        event(&text("x")),
        ": ping\n".to_owned(),
        "data: x\n".to_owned(),
        "x".to_owned(),
    ] {
        let (ended, took, _) = end_of(again, Duration::from_secs(1)).await;
        assert_eq!((ended, took), (Ok(Ended::Timeout), limits().timeout));
    }
}

#[tokio::test(start_paused = true)]
async fn what_has_no_end_is_read_to_a_limit_and_no_further() {
    const MIB: usize = 1 << 20;
    let answer = (
        "the response is larger than 64 MiB (`max_response_bytes`)",
        "come to an end",
        Limits::MAX_RESPONSE_BYTES,
    );
    let line = (
        "an event is larger than 16 MiB (`max_event_bytes`)",
        "ends with an empty line",
        Limits::MAX_EVENT_BYTES,
    );
    let pad = "x".repeat(MIB - 100);
    for (again, (message, help, limit)) in [
        (event(&text(&pad)), answer),
        (format!(": {pad}\n"), answer),
        (event(&json!({"type": "RAW", "event": pad})), answer),
        (format!("data: {pad}\n"), line),
        // A line of data without a beginning is not data.
        (pad.clone(), answer),
    ] {
        let (ended, _, sent) = end_of(again, Duration::ZERO).await;
        let failure = ended.expect_err("it never ends");
        assert_eq!(failure.message, message);
        assert!(
            failure.help.is_some_and(|said| said.contains(help)),
            "{message}"
        );
        assert!(sent < limit + 4 * MIB, "{sent} bytes were read");
    }
}

/// What one event means between the start and the end of a run, or why it cannot be understood.
async fn means(middle: &str) -> String {
    let body = event(&started()) + &format!("data: {middle}\n\n") + &event(&finished());
    let exchanged = exchanged(&agui(), 1, body.as_bytes(), usize::MAX).await;
    match exchanged.ended {
        Ok(_) => exchanged.changes,
        Err(failure) => Redactor::default().text(&failure.message).into_owned(),
    }
}

#[tokio::test]
async fn deep_json_is_refused_where_it_is_needed_and_passed_over_where_not() {
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    for (fields, expected) in [
        (
            r#""type":"STATE_SNAPSHOT","snapshot":"#,
            Some("`snapshot` in its `STATE_SNAPSHOT`"),
        ),
        (
            r#""type":"STATE_DELTA","delta":"#,
            Some("`delta` in its `STATE_DELTA`"),
        ),
        (
            r#""type":"MESSAGES_SNAPSHOT","messages":"#,
            Some("`messages` in its `MESSAGES_SNAPSHOT`"),
        ),
        (
            r#""type":"TOOL_CALL_RESULT","toolCallId":"c","content":"#,
            Some("`content` in its `TOOL_CALL_RESULT`"),
        ),
        (
            r#""type":"RUN_FINISHED","outcome":"#,
            Some("`outcome` in its `RUN_FINISHED`"),
        ),
        (r#""type":"RAW","event":"#, None),
        (r#""type":"RAW","new":"#, None),
        (
            r#""type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"x","metadata":"#,
            None,
        ),
    ] {
        let means = means(&format!("{{{fields}{deep}}}")).await;
        match expected {
            Some(place) => {
                let words = format!(
                    "event 2 of the response has a {place} that cannot be read (nested deeper than 512 levels) (`{{"
                );
                assert!(means.starts_with(&words), "{means}");
                assert!(means.len() < 500, "the value is not printed");
            }
            None => assert_eq!(means, "run\nfinished", "{fields}"),
        }
    }
    let custom = means(&format!(r#"{{"type":"CUSTOM","name":"n","value":{deep}}}"#)).await;
    let warning = "! a `CUSTOM` has a `value` in its `CUSTOM` that cannot be read (nested deeper than 512 levels)";
    assert_eq!(custom, format!("run\ncustom n: null\n{warning}\nfinished"));
}

/// Runs the turns against an agent that responds with these events.
async fn verdict(turns: &str, answers: &[Vec<Value>]) -> (Vec<Value>, Status, Vec<String>) {
    let scripts = answers.iter().map(|events| {
        vec![
            Step::Expect,
            Step::Send(answer(&[&[started()], &events[..], &[finished()]].concat())),
        ]
    });
    let agent = RawAgent::start(scripts.collect()).await;
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"{}\", agentId: x }}\n",
        agent.url()
    );
    let test = format!("version: \"1.3\"\nname: hostile\n{turns}");
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("hostile.test.yaml", &test),
    ]);
    let outcome = project.run().await.remove(0);
    let failures = outcome
        .all_failures()
        .map(|(turn, failure)| format!("{turn}: {}", failure.message));
    let problem = outcome
        .first_problem()
        .map(|(turn, problem)| format!("{turn}: {}", problem.message));
    let said = failures.chain(problem).collect();
    let requests = agent.requests().await;
    let bodies = requests
        .iter()
        .map(|request| serde_json::from_slice(&request.body).expect("JSON"));
    (bodies.collect(), outcome.status(), said)
}

fn call(id: &str, args: &str, result: Option<&str>) -> Vec<Value> {
    let mut events = vec![
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "look"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
    ];
    events.extend(result.map(|result| {
        json!({"type": "TOOL_CALL_RESULT", "messageId": format!("{id}-answer"), "toolCallId": id, "content": result})
    }));
    events
}

#[tokio::test]
async fn deep_arguments_and_results_are_text_that_is_no_json() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let rules = r#"turns:
  - user: hi
    assert: { tools: { require: [{ name: look, count: { exact: 1 } }, { name: look, result_match: "^\\[\\[" }, { name: look, args_match: { q: x } }] } }
"#;
    let (_, status, said) = verdict(rules, &[call("c", &deep, Some(&deep))]).await;
    // Nothing can be known about the arguments: the last rule neither passes nor fails.
    assert_eq!((status, said), (Status::NotShown, Vec::<String>::new()));
}

#[tokio::test]
async fn very_many_calls_are_counted() {
    let calls: Vec<Value> = (0..20_000)
        .flat_map(|number| call(&format!("c{number}"), "{}", Some("ok")))
        .collect();
    let rules = "turns:\n  - user: hi\n    assert: { tools: { require: [{ name: look, count: { exact: 20000 } }] } }\n";
    let (_, status, said) = verdict(rules, &[calls]).await;
    assert_eq!((status, said), (Status::Passed, Vec::new()));
}

#[tokio::test]
async fn what_an_error_says_is_told_up_to_a_limit() {
    let error = json!({"type": "RUN_ERROR", "message": "x".repeat(1 << 20)});
    let (_, status, said) = verdict("turns: [{ user: hi }]\n", &[vec![error]]).await;
    assert_eq!(status, Status::Error);
    let said = &said[0];
    assert!(
        said.starts_with("1: agent error: xxx") && said.ends_with(" more bytes)"),
        "{}",
        said.len()
    );
    assert!(said.len() < 17 << 10, "{}", said.len());
}

/// An agent without a memory of the ids it gave: each turn has the message and the call of the turn before.
#[tokio::test]
async fn ids_used_again_in_every_turn_are_what_each_turn_says() {
    let turn = |word: &str| {
        let message = [
            json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}),
            text(word),
            json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
        ];
        [
            call("c", &format!("{{\"q\":\"{word}\"}}"), Some(word)),
            message.to_vec(),
        ]
        .concat()
    };
    let rules = |word: &str| {
        format!(
            "  - user: hi\n    assert:\n      tools: {{ require: [{{ name: look, count: {{ exact: 1 }}, args_match: {{ q: \"^{word}$\" }}, result_match: \"^{word}$\" }}] }}\n      text: {{ must_match: \"^{word}$\" }}\n"
        )
    };
    let words = ["one", "two", "three"];
    let all = "assert: { tools: { require: [{ name: look, count: { exact: 3 } }] } }\n";
    let turns = format!("turns:\n{}{all}", words.map(rules).concat());
    let (bodies, status, said) = verdict(&turns, &words.map(turn)).await;
    assert_eq!((status, said), (Status::Passed, Vec::new()));
    // As in the reference client, text with the id of an earlier message continues it; a call does not.
    let messages = bodies[2]["messages"].as_array().expect("a list");
    let content = |role: &str| {
        let of_role = messages
            .iter()
            .filter(move |message| message["role"] == role);
        of_role
            .map(|message| message["content"].as_str().unwrap_or("none"))
            .collect::<Vec<_>>()
    };
    assert_eq!(content("user"), ["hi", "hi", "hi"]);
    assert_eq!(content("assistant"), ["none", "onetwo", "none"]);
    assert_eq!(
        content("tool"),
        ["one", "two"],
        "each call has its own answer"
    );
}
