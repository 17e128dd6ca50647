//! Rules and judges over runs: of sessions, after their end, and of events that the client made.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Rpc, calls, error, is_after_tools, says};

fn ran(rpc: &mut Rpc) -> (String, Value) {
    let session = rpc.open(&["pay"]);
    let run = rpc.run(&session, "Pay 5", &|method, params| match method {
        "tool/call" => json!({ "result": { "output": { "ok": true } } }),
        _ if is_after_tools(params) => says("Paid."),
        _ => calls(&[("a", "pay", json!({ "amount": 5 }))]),
    });
    (session, run.unwrap()["run"].clone())
}

/// The rules and messages of findings.
fn found(result: &Value) -> Vec<String> {
    let findings = result["findings"].as_array().unwrap();
    let in_words = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        format!("{} {}: {}", text("status"), text("type"), text("message"))
    };
    findings.iter().map(in_words).collect()
}

#[test]
fn rules_are_applied_to_the_last_run_to_any_run_and_after_the_end() {
    let mut rpc = Rpc::start();
    let (session, run) = ran(&mut rpc);
    let forbids = "tools:\n  forbid: [pay]\n";
    let expected = ["failed tools.forbid: `pay` was called, which is forbidden"];
    let result = rpc
        .call(
            "session/check",
            json!({ "session": session, "yaml": forbids }),
        )
        .unwrap();
    assert_eq!(found(&result), expected);
    assert_eq!(
        (
            &result["findings"][0]["file"],
            &result["findings"][0]["line"]
        ),
        (&json!("assert"), &json!(2))
    );
    let holds = json!({ "tools": { "require": ["pay"] } });
    let result = rpc
        .call(
            "session/check",
            json!({ "session": session, "assert": holds }),
        )
        .unwrap();
    assert_eq!(result, json!({ "findings": [] }));
    rpc.call("session/close", json!({ "session": session }))
        .unwrap();
    let result = rpc
        .call("session/check", json!({ "run": run, "yaml": forbids }))
        .unwrap();
    assert_eq!(found(&result), expected);
    assert_eq!(
        rpc.call("run/release", json!({ "run": run })).unwrap(),
        json!({})
    );
    let (code, message) = rpc.error("session/check", json!({ "run": run, "yaml": forbids }));
    assert_eq!(code, -32602);
    assert!(message.contains("there is no run `r"), "{message}");
}

#[test]
fn a_mistake_in_rules_has_its_place_in_what_was_sent() {
    let mut rpc = Rpc::start();
    let (session, _) = ran(&mut rpc);
    for (yaml, expected) in [
        (
            "tools:\n  forbd: [pay]",
            "assert:2:3: error[unknown-key]: unknown key `forbd`\nhelp: did you mean `forbid`?",
        ),
        ("tools: [", "assert:1:"),
        ("", "assert:1:1: error[empty-value]"),
    ] {
        let (code, message) =
            rpc.error("session/check", json!({ "session": session, "yaml": yaml }));
        assert_eq!(code, -32602, "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn rules_are_applied_to_events_that_the_client_made() {
    let mut rpc = Rpc::start();
    let events = json!([
        { "type": "function_call", "name": "pay", "arguments": { "amount": 5 } },
        { "type": "function_call_output", "name": "pay", "output": "declined", "is_error": true },
        { "type": "message", "content": "Sorry." },
    ]);
    let mut check = |block: Value, input: Value| {
        let mut params = json!({ "events": events, "assert": block });
        if !input.is_null() {
            params["input"] = input;
        }
        found(&rpc.call("session/check", params).unwrap())
    };
    let none: [&str; 0] = [];
    assert_eq!(
        check(json!({ "text": { "must_match": "Sorry" } }), json!("Pay")),
        none
    );
    assert_eq!(
        check(json!({ "tools": { "forbid": ["pay"] } }), json!(null)),
        ["failed tools.forbid: `pay` was called, which is forbidden"]
    );
    // How long it took is not in the events: no verdict is guessed.
    let shown = check(json!({ "timing": { "max_duration_ms": 1 } }), json!(null));
    assert!(
        shown.len() == 1 && shown[0].starts_with("not_shown timing"),
        "{shown:?}"
    );
}

#[test]
fn a_run_is_named_in_one_way() {
    let mut rpc = Rpc::start();
    let (session, run) = ran(&mut rpc);
    let yaml = "tools: { forbid: [pay] }";
    for (params, expected) in [
        (
            json!({ "yaml": yaml }),
            "name a `session` or a `run`, or give `events`",
        ),
        (
            json!({ "session": session, "run": run, "yaml": yaml }),
            "not both",
        ),
        (
            json!({ "run": run, "events": [], "yaml": yaml }),
            "not both",
        ),
        (
            json!({ "run": run, "input": "x", "yaml": yaml }),
            "`input` goes with `events`",
        ),
        (json!({ "run": run }), "`yaml` or as `assert`"),
        (
            json!({ "run": run, "yaml": yaml, "assert": {} }),
            "`yaml` or as `assert`",
        ),
        (
            json!({ "run": run, "yam": yaml }),
            "unknown key `yam`; did you mean `yaml`?",
        ),
    ] {
        let (code, message) = rpc.error("session/check", params.clone());
        assert_eq!(code, -32602, "{params}");
        assert!(message.contains(expected), "{params}: {message}");
    }
    let fresh = rpc.open(&[]);
    let (code, message) = rpc.error("session/check", json!({ "session": fresh, "yaml": yaml }));
    assert_eq!(code, -32602);
    assert!(message.contains("has no run yet"), "{message}");
}

#[test]
fn the_client_is_the_judge() {
    let mut rpc = Rpc::start();
    let (session, run) = ran(&mut rpc);
    let mut judge = |reply: &str| {
        let params = json!({ "run": run, "agent": "caller", "intent": "says that it paid" });
        rpc.call_with("session/judge", params, &|method, params| {
            assert_eq!(
                (method, &params["purpose"]),
                ("model/call", &json!("judge"))
            );
            says(reply)
        })
    };
    assert_eq!(
        judge("PASS: it does").unwrap(),
        json!({ "passed": true, "reason": "it does" })
    );
    let verdict = judge("{\"verdict\": \"fail\", \"reason\": \"it does not\"}").unwrap();
    assert_eq!(verdict, json!({ "passed": false, "reason": "it does not" }));
    let (code, message) = error(judge("Perhaps."));
    assert_eq!(code, -32001, "{message}");
    assert!(
        message.contains("no verdict: Perhaps.") && !message.contains(".yaml"),
        "{message}"
    );
    let (code, message) = error(judge("PASS: yes\nFAIL: no"));
    assert_eq!(code, -32001, "{message}");
    let empty = json!({ "session": session, "agent": "caller", "intent": " " });
    let (code, message) = rpc.error("session/judge", empty);
    assert_eq!(code, -32602, "{message}");
    let silent = json!({ "events": [], "agent": "caller", "intent": "greets" });
    let (code, message) = rpc.error("session/judge", silent);
    assert_eq!(code, -32602);
    assert!(message.contains("a judge needs a message"), "{message}");
}

#[test]
fn a_target_of_the_config_is_the_judge() {
    let folder = TempDir::new().unwrap();
    let config = r#"
version: "1.4"
target: { type: scripted, rules: [{ do: [{ say: Hello. }] }] }
targets:
  strict: { type: scripted, rules: [{ do: [{ say: "FAIL: it is rude" }] }] }
"#;
    fs::write(folder.path().join("ananke.config.yaml"), config).unwrap();
    let mut rpc = Rpc::start_in(folder.path());
    let session = rpc.call("session/open", json!({})).unwrap()["session"].clone();
    rpc.call("session/run", json!({ "session": session, "input": "Hi" }))
        .unwrap();
    let rude = json!({ "passed": false, "reason": "it is rude" });
    let params = json!({ "session": session, "judge": "strict", "intent": "greets" });
    assert_eq!(rpc.call("session/judge", params).unwrap(), rude);
    // So it is for a session with an agent in place.
    let target = json!({ "type": "scripted", "rules": [{ "do": [{ "say": "Hey" }] }] });
    let session = rpc
        .call("session/open", json!({ "target": target }))
        .unwrap()["session"]
        .clone();
    rpc.call("session/run", json!({ "session": session, "input": "Hi" }))
        .unwrap();
    let params = json!({ "session": session, "judge": "strict", "intent": "greets" });
    assert_eq!(rpc.call("session/judge", params).unwrap(), rude);
    let params = json!({ "session": session, "judge": "strikt", "intent": "greets" });
    let (code, message) = rpc.error("session/judge", params);
    assert_eq!(code, -32602);
    assert!(message.contains("strict"), "{message}");
    let itself = json!({ "session": session, "judge": target, "intent": "greets" });
    let (_, message) = rpc.error("session/judge", itself);
    assert!(message.contains("cannot judge itself"), "{message}");
}

/// A call, or with `output` its result.
fn event(name: &str, id: Option<&str>, output: Option<Value>) -> Value {
    let mut event = match output {
        Some(output) => json!({ "type": "function_call_output", "name": name, "output": output }),
        None => json!({ "type": "function_call", "name": name }),
    };
    if let Some(id) = id {
        event["tool_call_id"] = json!(id);
    }
    event
}

#[test]
fn rules_look_back_to_the_turns_before_events() {
    let mut rpc = Rpc::start();
    let turn = |input: &str, events: Vec<Value>| json!({ "input": input, "events": events });
    // The first call never got a result, and the second one has its id.
    let login = vec![
        event("login", Some("1"), None),
        event("login", Some("1"), Some(json!("in"))),
        event("pay", Some("2"), None),
    ];
    let before = json!([turn("Log me in", login), turn("", vec![])]);
    let pays = json!([
        event("pay", Some("2"), None),
        event("pay", Some("2"), Some(json!("paid")))
    ]);
    let mut check = |block: Value| {
        let params = json!({ "events": pays, "input": "Pay", "before": before, "assert": block });
        found(&rpc.call("session/check", params).unwrap())
    };
    let step = |key: &str, step: Value| json!({ "whenever": [{ "call": "pay", key: step }] });
    let said = |text: &str| json!({ "says": text, "role": "user" });
    for passes in [
        json!({ "tools": { "require": [{ "name": "pay", "after": "login", "count": 1 }] } }),
        json!({ "tools": { "require": [{ "name": "pay", "after_result": "login", "result": "paid" }] } }),
        json!({ "tools": { "forbid": ["login"] } }),
        step("preceded_by", json!({ "result": "login" })),
        step("preceded_by", said("Log me in")),
        step("preceded_by", said("^Pay$")),
        step("not_preceded_by", json!({ "result": "pay" })),
        step("followed_by", json!({ "result": "pay" })),
    ] {
        assert_eq!(check(passes.clone()), [""; 0], "{passes}");
    }
    for fails in [
        json!({ "tools": { "require": ["login"] } }),
        json!({ "tools": { "forbid": ["pay"] } }),
        step("not_preceded_by", json!({ "call": "login" })),
        step("not_preceded_by", json!({ "call": "pay" })),
        step("not_preceded_by", said("Log me in")),
        step("not_followed_by", json!({ "result": "pay" })),
    ] {
        let found = check(fails.clone());
        assert!(found[0].starts_with("failed "), "{fails}: {found:?}");
    }
}

#[test]
fn a_user_text_that_is_missing_in_a_turn_is_not_shown() {
    let mut rpc = Rpc::start();
    let block = json!({ "whenever": [{ "call": "pay", "not_preceded_by": { "says": "stop", "role": "user" } }] });
    let pays = json!([event("pay", None, None)]);
    for (params, is_shown) in [
        (json!({ "events": pays, "input": "Pay" }), true),
        (json!({ "events": pays }), false),
        (
            json!({ "events": pays, "input": "Pay", "before": [{ "events": [] }] }),
            false,
        ),
    ] {
        let mut params = params;
        params["assert"] = block.clone();
        let result = rpc.call("session/check", params.clone()).unwrap();
        let expected: &[&str] = if is_shown { &[] } else { &["not_shown"] };
        let statuses = result["findings"].as_array().unwrap();
        let statuses: Vec<_> = statuses.iter().map(|finding| &finding["status"]).collect();
        assert_eq!(statuses, expected, "{params}");
    }
}

#[test]
fn turns_before_a_run_of_a_session_are_its_own() {
    let mut rpc = Rpc::start();
    let (session, _) = ran(&mut rpc);
    let params = json!({ "session": session, "before": [], "yaml": "text: a" });
    let (code, message) = rpc.error("session/check", params);
    let expected = "`before` goes with `events`: a run of a session has its own turns before it";
    assert_eq!((code, message.as_str()), (-32602, expected));
    for (before, message) in [
        (json!([{ "input": "Hi" }]), "missing field `events`"),
        (json!([{ "events": [], "said": 1 }]), "unknown field `said`"),
        (json!("Hi"), "`before`: "),
    ] {
        let params = json!({ "events": [], "before": before, "yaml": "text: a" });
        let (code, found) = rpc.error("session/check", params);
        assert_eq!(code, -32602);
        assert!(found.contains(message), "{found}");
    }
}
