//! Conversations: turns, tools, mocks, models, states, several sessions at once.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Rpc, calls, error, events, is_after_tools, last, says};

/// A config with an agent that is scripted.
const CONFIG: &str = r#"
version: "1.4"
target:
  type: scripted
  client_tools:
    - { name: seat, description: Takes a seat, parameters: { type: object }, mock: { result: none } }
  rules:
    - when: { user: seat }
      do:
        - call: { tool: seat, args: { row: 3 } }
        - say: You have a seat.
    - when: { user: approve }
      do:
        - interrupt: { id: i1, reason: confirmation, message: Really? }
        - say: Approved.
    - do: [{ state: { visits: 2 } }, { say: Hello. }]
"#;

fn desk() -> (TempDir, Rpc, String) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("ananke.config.yaml"), CONFIG).unwrap();
    let mut rpc = Rpc::start_in(folder.path());
    let opened = rpc
        .call("session/open", json!({ "target": "default" }))
        .unwrap();
    let session = opened["session"].as_str().unwrap().to_owned();
    (folder, rpc, session)
}

#[test]
fn calls_of_one_round_are_executed_at_once_and_end_in_the_order_of_their_answers() {
    let mut rpc = Rpc::start();
    let session = rpc.open(&["slow", "fast"]);
    let id = rpc.request("session/run", json!({ "session": session, "input": "Go" }));
    let asked = rpc.next();
    assert_eq!(asked["params"]["messages"][0]["role"], "system");
    assert_eq!(asked["params"]["purpose"], "agent");
    let both = calls(&[
        ("a", "slow", json!({ "n": 1 })),
        ("b", "fast", json!({ "n": 2 })),
    ]);
    rpc.answer(&asked, both);
    // Both are asked before one of them is answered.
    let (slow, fast) = (rpc.next(), rpc.next());
    assert_eq!(
        (&slow["params"]["name"], &fast["params"]["name"]),
        (&json!("slow"), &json!("fast"))
    );
    assert_eq!(slow["params"]["tool_call_id"], "a");
    rpc.answer(&fast, json!({ "result": { "output": "first" } }));
    rpc.answer(&slow, json!({ "result": { "output": null } }));
    let asked = rpc.next();
    let said: Vec<&Value> = asked["params"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .take(2)
        .collect();
    assert_eq!(
        (&said[1]["tool_call_id"], &said[1]["content"]),
        (&json!("b"), &json!("first"))
    );
    assert_eq!(
        (&said[0]["tool_call_id"], &said[0]["content"]),
        (&json!("a"), &json!("null"))
    );
    rpc.answer(&asked, says("Done"));
    let mut notified = Vec::new();
    let result = loop {
        let line = rpc.next();
        if line["method"] == "event" {
            assert_eq!(line["params"]["session"], session.as_str());
            notified.push(line["params"]["event"].clone());
            continue;
        }
        assert_eq!(line["id"], id);
        break line["result"].clone();
    };
    let expected = [
        "slow({\"n\":1})",
        "fast({\"n\":2})",
        "fast: \"first\"",
        "slow: null",
        "assistant: Done",
    ];
    assert_eq!(events(&result), expected);
    assert_eq!(json!(notified), result["events"]);
}

#[test]
fn sessions_wait_for_each_others_calls() {
    let mut rpc = Rpc::start();
    let (one, other) = (rpc.open(&["wait"]), rpc.open(&[]));
    let id = rpc.request("session/run", json!({ "session": one, "input": "Go" }));
    let asked = rpc.next();
    rpc.answer(&asked, calls(&[("c", "wait", json!({}))]));
    let waiting = rpc.next();
    assert_eq!(waiting["method"], "tool/call");
    // The other one makes its turn meanwhile, and the first one gets what it said.
    let run = rpc
        .run(&other, "Hi", &|_, _| says("from the other"))
        .unwrap();
    assert_eq!(events(&run), ["assistant: from the other"]);
    rpc.answer(
        &waiting,
        json!({ "result": { "output": run["events"][0]["content"] } }),
    );
    let run = rpc.answer_of(id, &|_, params| says(last(params))).unwrap();
    assert_eq!(
        events(&run)[1..],
        ["wait: \"from the other\"", "assistant: from the other"]
    );
}

#[test]
fn runs_of_one_session_follow_each_other() {
    let mut rpc = Rpc::start();
    let session = rpc.open(&[]);
    let ids: Vec<u64> = ["one", "two", "three"]
        .into_iter()
        .map(|input| rpc.request("session/run", json!({ "session": session, "input": input })))
        .collect();
    // Every question has the conversation so far.
    for (turn, id) in ids.into_iter().enumerate() {
        let run = rpc.answer_of(id, &|_, params| {
            let count = params["messages"].as_array().unwrap().len();
            says(&format!("{} after {count}", last(params)))
        });
        let input = ["one", "two", "three"][turn];
        let expected = format!("assistant: {input} after {}", 2 * turn + 2);
        assert_eq!(events(&run.unwrap()), [expected]);
    }
    let history = rpc
        .call("session/history", json!({ "session": session }))
        .unwrap();
    assert_eq!(
        events(&history)[..3],
        ["user: one", "assistant: one after 2", "user: two"]
    );
}

#[test]
fn a_call_that_fails_is_an_output_and_the_turn_goes_on() {
    let mut rpc = Rpc::start();
    let session = rpc.open(&["broken", "mute"]);
    let run = rpc.run(&session, "Go", &|method, params| match method {
        "tool/call" if params["name"] == "broken" => {
            json!({ "error": { "code": 1, "message": "no seats" } })
        }
        "tool/call" => json!({ "result": { "outputs": 3 } }),
        _ if is_after_tools(params) => says("Sorry"),
        _ => calls(&[
            ("a", "broken", json!({})),
            ("b", "mute", json!({})),
            ("c", "unknown", json!({})),
            ("d", "broken", json!("[1]")),
        ]),
    });
    let mut events = events(&run.unwrap());
    assert_eq!(events.pop().unwrap(), "assistant: Sorry");
    let mut outputs = events.split_off(4);
    outputs.sort();
    let expected = [
        "broken failed: {\"error\":\"no seats\"}",
        "broken failed: {\"error\":\"the arguments of `broken` are not a JSON object\"}",
        "mute failed: {\"error\":\"the answer to `tool/call` is wrong: unknown field `outputs`, expected `output`\"}",
        "unknown failed: {\"error\":\"there is no tool `unknown`; the tools are: broken, mute\"}",
    ];
    assert_eq!(outputs, expected);
}

#[test]
fn a_call_that_is_not_answered_in_time_fails_and_a_late_answer_is_ignored() {
    let mut rpc = Rpc::start();
    let opened = rpc.call(
        "session/open",
        json!({ "agent": "caller", "tools": [{ "name": "late" }], "callback_timeout_ms": 300 }),
    );
    let session = opened.unwrap()["session"].clone();
    let id = rpc.request("session/run", json!({ "session": session, "input": "Go" }));
    let asked = rpc.next();
    rpc.answer(&asked, calls(&[("a", "late", json!({}))]));
    let late = rpc.next();
    let cancelled = rpc.next();
    assert_eq!(cancelled["method"], "request/cancelled");
    assert_eq!(cancelled["params"]["id"], late["id"]);
    rpc.answer(&late, json!({ "result": { "output": 1 } }));
    let run = rpc.answer_of(id, &|_, params| says(last(params))).unwrap();
    let message = "{\"error\":\"no answer to `tool/call` within 300 ms\"}";
    assert_eq!(
        events(&run)[1..],
        [
            format!("late failed: {message}"),
            format!("assistant: {message}")
        ]
    );
}

#[test]
fn the_error_of_a_model_is_that_of_the_run_and_ends_the_session() {
    let mut rpc = Rpc::start();
    for (reply, expected) in [
        (
            json!({ "error": { "code": 7, "message": "out of tokens" } }),
            "out of tokens",
        ),
        (
            json!({ "result": { "message": null } }),
            "expected `content` (a text), `tool_calls`, or both",
        ),
        (
            json!({ "result": { "message": {} } }),
            "neither `content` nor `tool_calls`",
        ),
        (json!({ "result": {} }), "missing field `message`"),
    ] {
        let session = rpc.open(&[]);
        let run = rpc.run(&session, "Hi", &|_, _| reply.clone());
        let (code, message) = error(run);
        assert_eq!(code, -32000, "{message}");
        assert!(message.contains(expected), "{message}");
        let (code, message) =
            rpc.error("session/run", json!({ "session": session, "input": "Hi" }));
        assert_eq!(code, -32003, "{message}");
        assert_eq!(
            rpc.call("session/close", json!({ "session": session }))
                .unwrap(),
            json!({})
        );
    }
}

#[test]
fn a_model_that_never_stops_calling_ends_its_turn() {
    let mut rpc = Rpc::start();
    let session = rpc.open(&["again"]);
    let run = rpc.run(&session, "Go", &|method, _| match method {
        "tool/call" => json!({ "result": { "output": 1 } }),
        _ => calls(&[("a", "again", json!({}))]),
    });
    let (code, message) = error(run);
    assert_eq!(code, -32000);
    assert!(
        message.contains("still calls `again` after 25 rounds"),
        "{message}"
    );
}

#[test]
fn mocks_nest_and_their_names_are_checked_before_anything_is_swapped() {
    let (_folder, mut rpc, session) = desk();
    let mock = |rpc: &mut Rpc, tools: Value| {
        rpc.call(
            "session/mock",
            json!({ "session": session, "tools": tools }),
        )
    };
    let (code, message) = error(mock(&mut rpc, json!(["seat", "window"])));
    assert_eq!(
        (code, &*message),
        (
            -32602,
            "there is no tool `window` to mock; the tools are: seat"
        )
    );
    let outer = mock(&mut rpc, json!(["seat"])).unwrap()["mock"].clone();
    let inner = mock(&mut rpc, json!(["seat"])).unwrap()["mock"].clone();
    for expected in [&inner, &outer] {
        let run = rpc.run(&session, "A seat", &|method, params| {
            assert_eq!((method, &params["mock"]), ("tool/call", expected));
            json!({ "result": { "output": "3A" } })
        });
        let expected_events = [
            "seat({\"row\":3})",
            "seat: \"3A\"",
            "assistant: You have a seat.",
        ];
        assert_eq!(events(&run.unwrap()), expected_events);
        let ended = rpc.call(
            "session/unmock",
            json!({ "session": session, "mock": expected }),
        );
        assert_eq!(ended.unwrap(), json!({}));
    }
    let (code, message) = rpc.error(
        "session/unmock",
        json!({ "session": session, "mock": outer }),
    );
    assert_eq!(code, -32602);
    assert!(message.contains("there is no mock"), "{message}");
}

#[test]
fn what_the_agent_waits_for_is_answered_and_its_state_is_read() {
    let (_folder, mut rpc, session) = desk();
    let named = json!({ "session": session });
    assert_eq!(
        rpc.call("session/state", named.clone()).unwrap(),
        json!({ "state": null })
    );
    rpc.call(
        "session/run",
        json!({ "session": session, "input": "Hello" }),
    )
    .unwrap();
    let state = rpc.call("session/state", named).unwrap();
    assert_eq!(state, json!({ "state": { "visits": 2 } }));
    let run = rpc
        .call(
            "session/run",
            json!({ "session": session, "input": "approve" }),
        )
        .unwrap();
    let open = json!([{ "id": "i1", "reason": "confirmation", "message": "Really?" }]);
    assert_eq!(run["interrupts"], open);
    let (code, message) = rpc.error(
        "session/run",
        json!({ "session": session, "input": "Hello" }),
    );
    assert_eq!(code, -32602);
    assert!(
        message.contains("the agent waits for an answer to its interrupt `i1`"),
        "{message}"
    );
    let both = json!([{ "id": "i1", "tool": "seat" }]);
    let (_, message) = rpc.error(
        "session/resume",
        json!({ "session": session, "answers": both }),
    );
    assert!(message.contains("not both"), "{message}");
    let answers = json!([{ "id": "i1", "payload": { "approved": true } }]);
    let run = rpc
        .call(
            "session/resume",
            json!({ "session": session, "answers": answers }),
        )
        .unwrap();
    assert_eq!(events(&run), ["assistant: Approved."]);
    assert_eq!(run["interrupts"], json!([]));
}

#[test]
fn a_run_that_is_cancelled_says_so_and_its_session_can_be_closed_at_once() {
    let mut rpc = Rpc::start();
    let (session, other) = (rpc.open(&["wait"]), rpc.open(&[]));
    let running = rpc.request("session/run", json!({ "session": session, "input": "Go" }));
    let asked = rpc.next();
    rpc.answer(&asked, calls(&[("a", "wait", json!({}))]));
    let waiting = rpc.next();
    let follows = rpc.request(
        "session/run",
        json!({ "session": session, "input": "And then" }),
    );
    let cancel = rpc.request("session/cancel", json!({ "session": session }));
    let close = rpc.request("session/close", json!({ "session": session }));
    let mut answered = Vec::new();
    while answered.len() < 4 {
        let line = rpc.next();
        if line["method"] == "request/cancelled" {
            assert_eq!(line["params"]["id"], waiting["id"]);
            continue;
        }
        let id = line["id"].as_u64().unwrap();
        answered.push((id, line["error"]["code"].as_i64()));
    }
    answered.sort_unstable();
    let expected = [
        (running, Some(-32800)),
        (follows, Some(-32800)),
        (cancel, None),
        (close, None),
    ];
    assert_eq!(answered, expected);
    let (code, _) = rpc.error("session/run", json!({ "session": session, "input": "Hi" }));
    assert_eq!(code, -32602);
    let run = rpc.run(&other, "Hi", &|_, _| says("Hello")).unwrap();
    assert_eq!(events(&run), ["assistant: Hello"]);
}
