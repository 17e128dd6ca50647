//! Calls that share an id: each is counted, keeps its name, arguments and result, and is reported.

mod history;

use std::sync::{Arc, Mutex};

use ananke::outcome::{Outcome, RunEvent, Status, TranscriptLine};
use ananke::recording::RecordingMode;
use ananke::run::{Options, event_channel, run};
use ananke::settings::RunSettings;
use serde_json::{Value, json};

use crate::replay::{Nowhere, outcomes, recordings};
use crate::support::canned::Canned;
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// The outcome of a test of an agent with these responses, and the requests it sent.
pub(super) struct Ran {
    outcome: Outcome,
    bodies: Vec<Value>,
}

impl Ran {
    async fn of(responses: &[Vec<Value>], test: &str, settings: RunSettings) -> Self {
        let response = |events: &Vec<Value>| {
            let (start, finish) = (
                json!({"type": "RUN_STARTED"}),
                json!({"type": "RUN_FINISHED"}),
            );
            let is_whole = events
                .last()
                .is_some_and(|event| event["type"] == "RUN_FINISHED");
            let events = [&start]
                .into_iter()
                .chain(events)
                .chain((!is_whole).then_some(&finish));
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let body = events.fold(head.to_owned(), |body, event| {
                body + &format!("data: {event}\n\n")
            });
            vec![Step::Expect, Step::Send(body.into_bytes())]
        };
        let agent = RawAgent::start(responses.iter().map(response).collect()).await;
        let config = format!(
            "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"{}\", agentId: a, threadId: t }}\n",
            agent.url()
        );
        let test = format!("version: \"1.3\"\nname: a\n{test}");
        let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
        let (sender, mut receiver) = event_channel(1000);
        run(
            project.shared(Options::from(settings), sender),
            project.plan().plan.expect("a plan"),
        )
        .await;
        let mut outcome = None;
        while let Some(event) = receiver.recv().await {
            if let RunEvent::CaseFinished(finished) = &*event {
                outcome = Some((**finished).clone());
            }
        }
        let requests = agent.requests().await;
        let bodies = requests
            .iter()
            .map(|request| serde_json::from_slice(&request.body).unwrap())
            .collect();
        Self {
            outcome: outcome.expect("an outcome"),
            bodies,
        }
    }

    pub(super) async fn counted(responses: &[Vec<Value>], turns: &str) -> Self {
        Self::of(responses, turns, RunSettings::default()).await
    }

    /// Every call of each turn with its arguments and result.
    fn calls(&self) -> Vec<Vec<String>> {
        let call = |line: &TranscriptLine| match line {
            TranscriptLine::Calls(call) => {
                let result = call
                    .result
                    .as_ref()
                    .map_or("-".to_owned(), ToString::to_string);
                Some(format!("{}({}) {result}", call.name, call.args))
            }
            _ => None,
        };
        self.outcome
            .transcript
            .turns
            .iter()
            .map(|turn| turn.lines.iter().filter_map(call).collect())
            .collect()
    }

    /// How many calls were reported to share an id, turn by turn.
    fn reported(&self) -> Vec<usize> {
        let is_shared = |warning: &&String| warning.contains("call-id-shared");
        self.outcome
            .transcript
            .turns
            .iter()
            .map(|turn| turn.warnings.iter().filter(is_shared).count())
            .collect()
    }

    /// The messages of the last request, in short.
    pub(super) fn history(&self) -> Vec<String> {
        outline(&self.bodies.last().unwrap()["messages"])
    }
}

/// The messages of a request in short: the ids of calls, and of the calls that are answered.
pub(super) fn outline(messages: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let call = |call: &Value| {
        let function = &call["function"];
        format!(
            "{}:{}{}",
            text(&call["id"]),
            text(&function["name"]),
            text(&function["arguments"])
        )
    };
    let message = |message: &Value| {
        let calls = message["toolCalls"].as_array().into_iter().flatten();
        let calls: Vec<String> = calls.map(call).collect();
        match message["toolCallId"].as_str() {
            Some(call) => format!("{call}={}", text(&message["content"])),
            None if calls.is_empty() => text(&message["content"]),
            None => calls.join(" "),
        }
    };
    messages.as_array().unwrap().iter().map(message).collect()
}

pub(super) fn start(id: &str, name: &str) -> Value {
    json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name})
}

pub(super) fn args(id: &str, args: &str) -> Value {
    json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args})
}

pub(super) fn end(id: &str) -> Value {
    json!({"type": "TOOL_CALL_END", "toolCallId": id})
}

pub(super) fn result(id: &str, content: &str) -> Value {
    json!({"type": "TOOL_CALL_RESULT", "messageId": format!("r-{content}"), "toolCallId": id, "content": content})
}

pub(super) fn call(id: &str, name: &str, arguments: &str) -> Vec<Value> {
    vec![start(id, name), args(id, arguments), end(id)]
}

pub(super) fn answered(id: &str, name: &str, arguments: &str, content: &str) -> Vec<Value> {
    [call(id, name, arguments), vec![result(id, content)]].concat()
}

fn chunk(id: &str, name: Option<&str>, delta: &str) -> Value {
    let mut chunk = json!({"type": "TOOL_CALL_CHUNK", "delta": delta});
    chunk["toolCallId"] = json!(id);
    if let Some(name) = name {
        chunk["toolCallName"] = json!(name);
    }
    chunk
}

/// A snapshot of messages: `user` texts, and calls with their results.
pub(super) fn snapshot(messages: &[Value]) -> Value {
    json!({"type": "MESSAGES_SNAPSHOT", "messages": messages})
}

pub(super) fn user(text: &str) -> Value {
    json!({"id": format!("user-{text}"), "role": "user", "content": text})
}

pub(super) fn assistant(message: &str, id: &str, name: &str, arguments: &str) -> Value {
    let call =
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    json!({"id": message, "role": "assistant", "toolCalls": [call]})
}

const TURNS: &str = "turns: [{ user: one }, { user: two }]\n";

#[tokio::test]
async fn an_agent_that_numbers_its_calls_in_each_run_makes_as_many_as_it_starts() {
    for (has_results, reported) in [(true, [0, 1]), (false, [0, 1])] {
        let turn = |name: &str, arguments: &str| {
            if has_results {
                answered("call_0", name, arguments, "ok")
            } else {
                call("call_0", name, arguments)
            }
        };
        let responses = [
            turn("charge", "{\"n\":1}"),
            turn("charge", "{\"n\":2}"),
            vec![],
        ];
        let ran = Ran::counted(
            &responses,
            "turns: [{ user: one }, { user: two }, { user: three }]\n",
        )
        .await;
        let result = if has_results { "ok" } else { "-" };
        let expected = [
            format!("charge({{\"n\":1}}) {result}"),
            format!("charge({{\"n\":2}}) {result}"),
        ];
        assert_eq!(ran.calls()[..2], expected.map(|call| vec![call]));
        assert_eq!(ran.reported()[..2], reported);
    }
}

#[tokio::test]
async fn rules_see_every_call_of_an_id() {
    for (responses, rules, passes) in [
        (
            [
                call("call_0", "charge", "{}"),
                call("call_0", "charge", "{}"),
            ],
            "require: [{ name: charge, count: { exact: 1 } }]",
            false,
        ),
        (
            [call("call_0", "find", "{}"), call("call_0", "delete", "{}")],
            "forbid: [delete]",
            false,
        ),
        (
            [call("", "find", "{}"), call("", "delete", "{}")],
            "forbid: [delete]",
            false,
        ),
        (
            [call("c", "pay", "{\"n\":1}"), call("c", "pay", "{\"n\":2}")],
            "forbid_calls: [{ name: pay, args_match: { n: '^2$' } }]",
            false,
        ),
        (
            [call("call_0", "find", "{}"), call("call_0", "pay", "{}")],
            "forbid: [delete]",
            true,
        ),
    ] {
        let test = format!("{TURNS}assert: {{ tools: {{ {rules} }} }}\n");
        let ran = Ran::counted(&responses, &test).await;
        assert_eq!(!ran.outcome.status().fails_the_run(), passes, "{rules}");
        assert_eq!(ran.reported(), [0, 1], "{rules}");
    }
}

#[tokio::test]
async fn results_of_a_shared_id_belong_to_calls_only_where_that_is_known() {
    let forbidden = "forbid_calls: [{ name: pay, result_match: refused }]";
    let required = "require: [{ name: pay, result_match: refused }]";
    let sequential = [call("k", "book", "{}"), call("k", "pay", "{}")].concat();
    let overlapping = vec![
        start("k", "book"),
        args("k", "{}"),
        start("k", "pay"),
        args("k", "{}"),
        end("k"),
    ];
    for (calls, results, rules, status) in [
        (&sequential, 1, forbidden, Status::Failed),
        (&sequential, 1, required, Status::Passed),
        (&sequential, 2, forbidden, Status::Failed),
        (&overlapping, 1, forbidden, Status::NotShown),
        (&overlapping, 1, required, Status::NotShown),
        (&overlapping, 1, "require: [{ name: pay }]", Status::Passed),
        (&overlapping, 1, "forbid: [pay]", Status::Failed),
        (&overlapping, 2, required, Status::Passed),
    ] {
        let results = (0..results).map(|_| result("k", "refused"));
        let events: Vec<Value> = calls.iter().cloned().chain(results).collect();
        let test = format!("turns: [{{ user: hi }}]\nassert: {{ tools: {{ {rules} }} }}\n");
        let ran = Ran::counted(&[events], &test).await;
        assert_eq!(ran.outcome.status(), status, "{rules}: {:?}", ran.calls());
    }
}

#[tokio::test]
async fn a_shared_id_fails_a_strict_turn() {
    let responses = [call("call_0", "find", "{}"), call("call_0", "pay", "{}")];
    let strict = RunSettings {
        strict_protocol: true,
        ..RunSettings::default()
    };
    let ran = Ran::of(&responses, TURNS, strict).await;
    let problem = ran.outcome.transcript.turns[1]
        .problem()
        .expect("a problem");
    assert_eq!(
        problem.message,
        "violation of the protocol: call-id-shared: event 2 (`TOOL_CALL_START`) begins another call with the id `call_0`: it is counted as a call of its own"
    );
}

#[tokio::test]
async fn calls_of_one_run_that_share_an_id_keep_names_arguments_and_results() {
    let one = |events: Vec<Value>| vec![events];
    for (events, calls, reported) in [
        // Two at once, with two results.
        (
            [
                call("c", "a", "1"),
                call("c", "b", "2"),
                vec![result("c", "x"), result("c", "y")],
            ]
            .concat(),
            vec!["a(1) x", "b(2) y"],
            1,
        ),
        // The other name begins before the first one has ended.
        (
            vec![
                start("c", "a"),
                args("c", "1"),
                start("c", "b"),
                args("c", "2"),
                end("c"),
            ],
            vec!["a(1) -", "b(2) -"],
            1,
        ),
        // The same name begins again when the arguments are there.
        (
            vec![
                start("c", "a"),
                args("c", "{\"n\":1}"),
                start("c", "a"),
                args("c", "{\"n\":2}"),
                end("c"),
            ],
            vec!["a({\"n\":1}) -", "a({\"n\":2}) -"],
            1,
        ),
        // The same name begins again in the middle.
        (
            vec![start("c", "a"), start("c", "a"), args("c", "{}"), end("c")],
            vec!["a({}) -"],
            0,
        ),
        // An empty id names no call.
        (
            vec![start("", "a"), start("", "a"), end("")],
            vec!["a() -", "a() -"],
            1,
        ),
        // A second result of the only call.
        (
            [answered("c", "a", "1", "x"), vec![result("c", "y")]].concat(),
            vec!["a(1) y"],
            0,
        ),
        // Chunks.
        (
            vec![
                chunk("c", Some("a"), "{\"n\":"),
                chunk("c", None, "1}"),
                chunk("c", Some("b"), "{}"),
            ],
            vec!["a({\"n\":1}) -", "b({}) -"],
            1,
        ),
        // A chunk with another name ends the call before it: the only result is the last one's.
        (
            vec![
                chunk("c", Some("a"), "{}"),
                chunk("c", Some("b"), "{}"),
                result("c", "x"),
            ],
            vec!["a({}) -", "b({}) x"],
            1,
        ),
        (
            vec![
                chunk("c", Some("a"), "{}"),
                chunk("c", Some("b"), "{}"),
                chunk("c", Some("a"), "{\"n\":1}"),
                result("c", "x"),
                result("c", "y"),
            ],
            vec!["a({}) -", "b({}) y", "a({\"n\":1}) x"],
            2,
        ),
        (
            vec![chunk("", Some("a"), "{}"), chunk("", Some("a"), "{}")],
            vec!["a({}) -", "a({}) -"],
            1,
        ),
        (
            vec![
                chunk("c", Some("a"), "{\"n\":"),
                chunk("c", Some("a"), "1}"),
                chunk("c", Some("a"), ""),
            ],
            vec!["a({\"n\":1}) -"],
            0,
        ),
    ] {
        let ran = Ran::counted(&one(events), "turns: [{ user: one }]\n").await;
        assert_eq!(ran.calls()[0], calls);
        assert_eq!(ran.reported(), [reported], "{calls:?}");
    }
}

#[tokio::test]
async fn a_snapshot_hides_no_call_behind_the_id_of_an_earlier_one() {
    let first = answered("call_0", "find", "{}", "ok");
    let earlier = [user("one"), assistant("m1", "call_0", "find", "{}")];
    for (messages, turn, reported) in [
        // The whole conversation, and the turn alone: the call is new.
        (
            [
                &earlier[..],
                &[user("two"), assistant("m2", "call_0", "delete", "{}")],
            ]
            .concat(),
            vec!["delete({}) -"],
            1,
        ),
        (
            [
                &earlier[..],
                &[user("two"), assistant("m2", "call_0", "find", "{}")],
            ]
            .concat(),
            vec!["find({}) -"],
            1,
        ),
        (
            vec![user("two"), assistant("m2", "call_0", "find", "{}")],
            vec!["find({}) -"],
            1,
        ),
        // Without the user's message: a call that differs is new.
        (
            vec![assistant("m2", "call_0", "delete", "{}")],
            vec!["delete({}) -"],
            1,
        ),
        (
            vec![assistant("m2", "call_0", "find", "{\"n\":2}")],
            vec!["find({\"n\":2}) -"],
            1,
        ),
        (vec![assistant("m1", "call_0", "find", "{ }")], vec![], 0),
        // Nothing new.
        (earlier.to_vec(), vec![], 0),
    ] {
        let responses = [first.clone(), vec![snapshot(&messages)]];
        let ran = Ran::counted(&responses, TURNS).await;
        assert_eq!(ran.calls()[1], turn, "{messages:?}");
        assert_eq!(ran.reported(), [0, reported], "{messages:?}");
    }
    // What is streamed and listed is counted once.
    let messages = [
        &earlier[..],
        &[user("two"), assistant("m2", "call_0", "find", "{}")],
    ]
    .concat();
    let second = [
        call("call_0", "find", "{}"),
        vec![snapshot(&messages), snapshot(&messages)],
    ]
    .concat();
    let ran = Ran::counted(&[first, second], TURNS).await;
    assert_eq!((ran.calls()[1].len(), ran.reported()), (1, vec![0, 1]));
}

#[tokio::test]
async fn a_recording_comes_to_the_same_calls() {
    let body = |name: &str| {
        let start = vec![json!({"type": "RUN_STARTED"})];
        let events = [
            start,
            answered("", name, "{}", name),
            vec![json!({"type": "RUN_FINISHED"})],
        ]
        .concat();
        events
            .iter()
            .fold(String::new(), |body, event| {
                body + &format!("data: {event}\n\n")
            })
            .into_bytes()
    };
    let config =
        "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }\n";
    let rules =
        "assert: { tools: { require: [{ name: find, count: { exact: 1 } }], forbid: [delete] } }\n";
    let test = format!("version: \"1.0\"\nname: a\n{TURNS}{rules}");
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", &test)]);
    let folder = project.folder().join("kept");
    let canned = Arc::new(Canned {
        bodies: Mutex::new(vec![body("find"), body("delete")]),
        chunk: usize::MAX,
    });
    let live = outcomes(
        &project,
        canned,
        &recordings(&folder, RecordingMode::Record),
    )
    .await;
    let replayed = outcomes(
        &project,
        Arc::new(Nowhere),
        &recordings(&folder, RecordingMode::Replay),
    )
    .await;
    assert!(live[0].status().fails_the_run());
    assert_eq!(replayed, live);
}
