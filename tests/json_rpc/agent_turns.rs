//! Agents of the client: turns that it makes, with the times and the words of its own.

use serde_json::{Value, json};

use super::{Rpc, error, events};

/// A session with an agent of this program, whose turns may take `timeout` milliseconds.
fn open(rpc: &mut Rpc, timeout: u64) -> String {
    let agent = json!({ "agent": "external", "name": "shop", "callback_timeout_ms": timeout });
    let opened = rpc.call("session/open", agent).unwrap();
    opened["session"].as_str().unwrap().to_owned()
}

/// A session whose turns are never too slow.
fn shop(rpc: &mut Rpc) -> String {
    open(rpc, 600_000)
}

/// A request for a turn, which has come.
struct Turn {
    run: u64,
    asked: Value,
}

impl Turn {
    /// Asks for a turn in which the user says `input`.
    fn run(rpc: &mut Rpc, session: &str, input: &str) -> Self {
        let run = rpc.request("session/run", json!({ "session": session, "input": input }));
        let asked = rpc.next();
        assert_eq!(asked["method"], "agent/turn", "{asked}");
        Self { run, asked }
    }

    /// The agent does something in the turn.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "each event is made where it is sent"
    )]
    fn event(&self, rpc: &mut Rpc, event: Value) {
        let turn = self.asked["params"]["turn"].as_u64().unwrap();
        self.event_of(rpc, turn, &event);
    }

    /// The agent does something in the turn with this number.
    fn event_of(&self, rpc: &mut Rpc, turn: u64, event: &Value) {
        let params = json!({
            "session": self.asked["params"]["session"], "turn": turn, "event": event,
        });
        notify(rpc, params);
    }

    /// A call with its result.
    fn call(&self, rpc: &mut Rpc, id: &str, name: &str, times: [f64; 2]) {
        let call =
            json!({ "type": "call", "at_ms": times[0], "id": id, "name": name, "arguments": {} });
        self.event(rpc, call);
        let result = json!({ "type": "result", "at_ms": times[1], "id": id, "output": "ok", "is_error": false });
        self.event(rpc, result);
    }

    /// The agent says something.
    fn say(&self, rpc: &mut Rpc, text: &str) {
        self.event(
            rpc,
            json!({ "type": "text", "at_ms": 1.0, "content": text }),
        );
    }

    /// The answer of the agent, and that of the session.
    fn end(self, rpc: &mut Rpc, answer: Value) -> Result<Value, Value> {
        rpc.answer(&self.asked, answer);
        rpc.answer_of(self.run, &super::nothing)
    }

    /// The agent is done.
    fn finish(self, rpc: &mut Rpc) -> Value {
        let end = json!({ "result": { "outcome": "finished" } });
        self.end(rpc, end).unwrap()
    }
}

fn notify(rpc: &mut Rpc, params: Value) {
    let mut message = json!({ "jsonrpc": "2.0", "method": "agent/event" });
    message["params"] = params;
    rpc.write(message.to_string().as_bytes());
}

/// The findings of rules in the last run, each with its status.
fn findings(rpc: &mut Rpc, session: &str, yaml: &str) -> Vec<String> {
    let params = json!({ "session": session, "yaml": yaml });
    let checked = rpc.call("session/check", params).unwrap();
    let mut found = Vec::new();
    for finding in checked["findings"].as_array().unwrap() {
        let (kind, status) = (&finding["type"], &finding["status"]);
        found.push(format!(
            "{} {}",
            kind.as_str().unwrap(),
            status.as_str().unwrap()
        ));
    }
    found
}

#[test]
fn rules_of_a_turn_look_back_to_the_turns_before() {
    let mut rpc = Rpc::start();
    let session = shop(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Log in");
    assert_eq!(
        turn.asked["params"],
        json!({ "session": session, "turn": 1, "input": "Log in" })
    );
    turn.call(&mut rpc, "c1", "login", [1.0, 2.0]);
    turn.say(&mut rpc, "Hello");
    let run = turn.finish(&mut rpc);
    assert_eq!(
        events(&run),
        ["login({})", "login: \"ok\"", "assistant: Hello"]
    );
    let turn = Turn::run(&mut rpc, &session, "Pay");
    turn.call(&mut rpc, "c2", "pay", [1.0, 2.0]);
    turn.finish(&mut rpc);

    let after = "tools: { require: [{ name: pay, after: login }] }";
    assert_eq!(findings(&mut rpc, &session, after), Vec::<String>::new());
    let never = "whenever: [{ call: pay, not_preceded_by: { call: login } }]";
    assert_eq!(findings(&mut rpc, &session, never), ["whenever failed"]);
}

#[test]
fn times_and_tokens_are_those_of_the_client() {
    let mut rpc = Rpc::start();
    let session = shop(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Hi");
    // No event is later than its arrival, so the turn takes at least as long as it says.
    std::thread::sleep(std::time::Duration::from_millis(80));
    turn.call(&mut rpc, "c1", "look", [10.0, 30.0]);
    turn.event(
        &mut rpc,
        json!({ "type": "text", "at_ms": 50, "message_id": "m", "delta": "Hel" }),
    );
    turn.event(
        &mut rpc,
        json!({ "type": "usage", "at_ms": 52, "input_tokens": 7, "output_tokens": 2 }),
    );
    turn.event(
        &mut rpc,
        json!({ "type": "text", "at_ms": 55, "message_id": "m", "delta": "lo" }),
    );
    let end = json!({ "outcome": "finished", "at_ms": 60, "state": { "seats": 2 }, "usage": { "input_tokens": 3, "output_tokens": 1 } });
    let run = turn.end(&mut rpc, json!({ "result": end })).unwrap();
    assert_eq!(run["events"][1]["execution_time_ms"], 20.0);
    assert_eq!(events(&run)[2], "assistant: Hello");
    let state = rpc
        .call("session/state", json!({ "session": session }))
        .unwrap();
    assert_eq!(state["state"], json!({ "seats": 2 }));

    let passing = "{ timing: { max_duration_ms: 79, max_tool_ms: 21, max_first_token_ms: 79 }, usage: { max_input_tokens: 10, max_output_tokens: 3 } }";
    assert_eq!(findings(&mut rpc, &session, passing), Vec::<String>::new());
    let failing = "{ timing: { max_duration_ms: 59, max_tool_ms: 19, max_first_token_ms: 49 }, usage: { max_input_tokens: 9, max_output_tokens: 2 } }";
    assert_eq!(
        findings(&mut rpc, &session, failing),
        [
            "timing.max_duration_ms failed",
            "timing.max_first_token_ms failed",
            "timing.max_tool_ms failed",
            "usage.max_input_tokens failed",
            "usage.max_output_tokens failed"
        ]
    );
}

#[test]
fn an_event_is_never_later_than_its_arrival_or_before_the_one_before() {
    let mut rpc = Rpc::start();
    let session = shop(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Hi");
    turn.call(&mut rpc, "c1", "look", [3.0, 1.0]);
    turn.call(&mut rpc, "c2", "wait", [1e12, 1e300]);
    let run = turn.finish(&mut rpc);
    assert_eq!(run["events"][1]["execution_time_ms"], 0.0);
    let long = "timing: { max_duration_ms: 60000 }";
    assert_eq!(findings(&mut rpc, &session, long), Vec::<String>::new());
}

#[test]
fn what_is_not_reported_is_not_shown() {
    let mut rpc = Rpc::start();
    let session = shop(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Hi");
    let unread = json!({
        "type": "unread", "at_ms": 1, "name": "tool:web_search", "facts": ["calls"],
        "reason": "the provider runs it",
    });
    turn.event(&mut rpc, unread);
    turn.say(&mut rpc, "Hello");
    turn.finish(&mut rpc);
    let rules = "{ tools: { forbid: [pay] }, timing: { max_first_token_ms: 60000 }, usage: { max_total_tokens: 9 } }";
    assert_eq!(
        findings(&mut rpc, &session, rules),
        [
            "tools.forbid not_shown",
            "timing.max_first_token_ms not_shown",
            "usage.max_total_tokens not_shown"
        ]
    );
}

#[test]
fn calls_inside_a_call_are_those_of_a_subagent() {
    let mut rpc = Rpc::start();
    let session = shop(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Hi");
    let outer =
        json!({ "type": "call", "at_ms": 1, "id": "c1", "name": "research", "arguments": {} });
    turn.event(&mut rpc, outer);
    let inner = json!({ "type": "call", "at_ms": 2, "id": "c2", "name": "search", "arguments": {}, "parent": "c1" });
    turn.event(&mut rpc, inner);
    turn.finish(&mut rpc);
    let own = "tools: { subagents: exclude, forbid: [search] }";
    assert_eq!(findings(&mut rpc, &session, own), Vec::<String>::new());
    let all = "tools: { forbid: [search] }";
    assert_eq!(findings(&mut rpc, &session, all), ["tools.forbid failed"]);
}

#[test]
fn an_interrupt_is_answered_by_the_next_turn() {
    let mut rpc = Rpc::start();
    let session = shop(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Pay");
    let call =
        json!({ "type": "call", "at_ms": 1, "id": "c1", "name": "pay", "arguments": { "sum": 7 } });
    turn.event(&mut rpc, call.clone());
    let interrupt = json!({ "id": "i1", "reason": "approval", "tool_call_id": "c1" });
    let end = json!({ "result": { "outcome": "interrupted", "interrupts": [interrupt] } });
    let run = turn.end(&mut rpc, end).unwrap();
    assert_eq!(run["interrupts"], json!([interrupt]));
    assert_eq!(
        findings(&mut rpc, &session, "outcome: interrupted"),
        Vec::<String>::new()
    );

    let answers = json!({ "session": session, "answers": [{ "payload": { "approved": true } }] });
    let run = rpc.request("session/resume", answers);
    let asked = rpc.next();
    let answers = json!([{ "id": "i1", "payload": { "approved": true } }]);
    assert_eq!(
        asked["params"],
        json!({ "session": session, "turn": 2, "answers": answers })
    );
    let turn = Turn { run, asked };
    // Frameworks announce the call again that has waited.
    turn.event(&mut rpc, call);
    turn.event(
        &mut rpc,
        json!({ "type": "result", "at_ms": 2, "id": "c1", "output": { "paid": 7 } }),
    );
    turn.say(&mut rpc, "Paid");
    let run = turn.finish(&mut rpc);
    assert_eq!(events(&run), ["pay: {\"paid\":7}", "assistant: Paid"]);
}

#[test]
fn two_sessions_at_once_share_nothing() {
    let mut rpc = Rpc::start();
    let (one, two) = (shop(&mut rpc), shop(&mut rpc));
    let first = Turn::run(&mut rpc, &one, "1");
    let second = Turn::run(&mut rpc, &two, "2");
    second.call(&mut rpc, "c1", "two", [1.0, 2.0]);
    first.call(&mut rpc, "c1", "one", [1.0, 2.0]);
    let run = second.finish(&mut rpc);
    assert_eq!(events(&run), ["two({})", "two: \"ok\""]);
    let run = first.finish(&mut rpc);
    assert_eq!(events(&run), ["one({})", "one: \"ok\""]);
}

#[test]
fn an_error_of_the_agent_ends_the_session_and_keeps_what_was_done() {
    let mut rpc = Rpc::start();
    let session = shop(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Hi");
    turn.call(&mut rpc, "c1", "look", [1.0, 2.0]);
    let failed = turn.end(
        &mut rpc,
        json!({ "error": { "code": 1, "message": "no seats" } }),
    );
    assert_eq!(error(failed), (-32000, "agent error: no seats".to_owned()));
    let history = rpc
        .call("session/history", json!({ "session": session }))
        .unwrap();
    assert_eq!(events(&history), ["user: Hi", "look({})", "look: \"ok\""]);
    let (code, _) = rpc.error("session/run", json!({ "session": session, "input": "Hi" }));
    assert_eq!(code, -32003);
}

#[test]
fn a_turn_that_takes_too_long_is_cancelled_and_ends_the_session() {
    let mut rpc = Rpc::start();
    let session = open(&mut rpc, 50);
    let turn = Turn::run(&mut rpc, &session, "Hi");
    let cancelled = rpc.next();
    assert_eq!(cancelled["method"], "request/cancelled");
    assert_eq!(cancelled["params"]["id"], turn.asked["id"]);
    let (code, message) = error(rpc.answer_of(turn.run, &super::nothing));
    assert_eq!(code, -32000);
    assert!(message.starts_with("timeout after 50 ms"), "{message}");
    // The program is not done, and nothing waits for its answer any more.
    rpc.answer(&turn.asked, json!({ "result": { "outcome": "finished" } }));
    let (code, _) = rpc.error("session/run", json!({ "session": session, "input": "Hi" }));
    assert_eq!(code, -32003);
}

#[test]
fn what_comes_after_the_end_of_its_turn_is_a_warning_and_part_of_no_turn() {
    let mut rpc = Rpc::start();
    let session = shop(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Hi");
    turn.finish(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Again");
    let late =
        json!({ "type": "call", "at_ms": 9, "id": "c9", "name": "pay\u{1b}[2J", "arguments": {} });
    turn.event_of(&mut rpc, 1, &late);
    turn.say(&mut rpc, "Hello");
    let run = turn.finish(&mut rpc);
    assert_eq!(events(&run), ["assistant: Hello"]);
    let warning = run["warnings"][0].as_str().unwrap();
    assert!(
        warning.starts_with("the call `pay") && warning.contains("of turn 1 came after the end"),
        "{warning}"
    );
    assert!(!warning.contains('\u{1b}'), "{warning}");

    for _ in 0..30 {
        let event = json!({ "type": "text", "at_ms": 1, "content": "late" });
        notify(
            &mut rpc,
            json!({ "session": session, "turn": 2, "event": event }),
        );
    }
    let closed = rpc
        .call("session/close", json!({ "session": session }))
        .unwrap();
    let warnings = closed["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 21);
    assert_eq!(
        warnings[20],
        "10 further events came after the end of their turn"
    );
}

#[test]
fn an_event_that_is_not_understood_fails_its_turn() {
    for (wrong, why) in [
        (
            json!({ "type": "text", "at_ms": 1, "text": "Hi" }),
            "unknown field `text`",
        ),
        (
            json!({ "type": "shout", "at_ms": 1 }),
            "unknown variant `shout`",
        ),
        (
            json!({ "type": "text", "content": "Hi" }),
            "missing field `at_ms`",
        ),
        (
            json!({ "type": "text", "at_ms": -1, "content": "Hi" }),
            "negative `at_ms`",
        ),
        (
            json!({ "type": "text", "at_ms": 1, "delta": "Hi" }),
            "without its `message_id`",
        ),
        (
            json!({ "type": "text", "at_ms": 1 }),
            "either `delta` or `content`",
        ),
        (
            json!({ "type": "call", "at_ms": 1, "id": "c", "name": "t", "arguments": {}, "parent": "x" }),
            "no call of this conversation",
        ),
        (
            json!({ "type": "unread", "at_ms": 1, "name": "x", "facts": ["moods"], "reason": "r" }),
            "unknown variant `moods`",
        ),
        (json!("text"), "cannot be read"),
    ] {
        let mut rpc = Rpc::start();
        let session = shop(&mut rpc);
        let turn = Turn::run(&mut rpc, &session, "Hi");
        turn.event(&mut rpc, wrong.clone());
        let cancelled = rpc.next();
        assert_eq!(
            cancelled["method"], "request/cancelled",
            "{wrong}: {cancelled}"
        );
        let (code, message) = error(rpc.answer_of(turn.run, &super::nothing));
        assert_eq!(code, -32000, "{wrong}: {message}");
        assert!(message.contains(why), "{wrong}: {message}");
        assert!(
            !message.contains("HTTP"),
            "no server has responded: {message}"
        );
    }
}

#[test]
fn a_notification_or_an_answer_with_a_mistake_fails_its_turn() {
    let mut rpc = Rpc::start();
    let session = shop(&mut rpc);
    let turn = Turn::run(&mut rpc, &session, "Hi");
    notify(
        &mut rpc,
        json!({ "session": session, "turns": 1, "event": {} }),
    );
    let _cancelled = rpc.next();
    let (_, message) = error(rpc.answer_of(turn.run, &super::nothing));
    assert!(message.contains("turns"), "{message}");

    let open = json!([{ "id": "i" }]);
    for (answer, why) in [
        (json!({ "outcome": "done" }), "unknown variant `done`"),
        (json!({ "outcome": "interrupted" }), "without `interrupts`"),
        (
            json!({ "outcome": "finished", "interrupts": open }),
            "has `interrupts`",
        ),
        (
            json!({ "outcome": "finished", "tokens": 3 }),
            "unknown field `tokens`",
        ),
        (json!(null), "cannot be read"),
    ] {
        let session = shop(&mut rpc);
        let turn = Turn::run(&mut rpc, &session, "Hi");
        let (code, message) = error(turn.end(&mut rpc, json!({ "result": answer })));
        assert_eq!(code, -32000, "{answer}: {message}");
        assert!(message.contains(why), "{answer}: {message}");
    }
}

#[test]
fn what_an_agent_of_the_client_cannot_have_is_refused() {
    let mut rpc = Rpc::start();
    let tool = json!([{ "name": "t" }]);
    for (params, why) in [
        (
            json!({ "agent": "external", "tools": tool }),
            "has its own instructions and tools",
        ),
        (
            json!({ "agent": "external", "instructions": "Be kind" }),
            "has its own instructions",
        ),
        (
            json!({ "agent": "caller", "name": "shop" }),
            "`name` goes with `agent: external`",
        ),
        (json!({ "agent": "outside" }), "outside"),
    ] {
        let (code, message) = rpc.error("session/open", params);
        assert_eq!(code, -32602, "{message}");
        assert!(message.contains(why), "{message}");
    }
    let session = shop(&mut rpc);
    let params = json!({ "session": session, "tools": ["t"] });
    let (_, message) = rpc.error("session/mock", params);
    assert!(
        message.contains("there is no tool `t` to mock"),
        "{message}"
    );
}

#[test]
fn a_config_that_names_such_an_agent_says_where_it_runs() {
    let folder = tempfile::TempDir::new().unwrap();
    let config = "version: \"1.4\"\ntarget: { type: external, agent: shop }\n";
    std::fs::write(folder.path().join("ananke.config.yaml"), config).unwrap();
    let test = "version: \"1.4\"\nname: t\nturns: [{ user: Hi }]\n";
    std::fs::write(folder.path().join("t.test.yaml"), test).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["run", "--color", "never"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        printed.contains("an object in the process of a test"),
        "{printed}"
    );
    assert!(printed.contains("register_agent(\"shop\", …)"), "{printed}");
}
