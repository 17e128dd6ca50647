//! The trace: identity of calls, results, snapshots, texts (SPEC 6).

use ananke::context::At;
use ananke::trace::{
    Args, CallPhase, Callers, Change, Input, MessageKind, Origin, ResultContent, RunEnd,
    SnapshotCall, SnapshotItem, Trace, Usage,
};

fn turn(trace: &mut Trace, id: &str, text: &str, changes: Vec<Change<'_>>) {
    trace.begin_turn(Input {
        message_id: Some(id.to_owned()),
        text: text.to_owned(),
        ..Input::default()
    });
    trace.begin_exchange(At(0));
    let mut touched = Vec::new();
    for change in changes {
        trace.apply(At(1), change, &mut touched);
    }
    trace.end_exchange(At(2));
    trace.end_turn(&mut touched);
}

fn opened<'a>(id: &'a str, name: &'a str) -> Change<'a> {
    Change::CallOpened {
        id: id.into(),
        name: name.into(),
        subagent: None,
    }
}

fn answered<'a>(id: &'a str, result: &'a str) -> Change<'a> {
    Change::CallAnswered {
        id: id.into(),
        result: ResultContent::Text(result.into()),
        is_error: None,
    }
}

fn says<'a>(id: &'a str, text: &'a str) -> Vec<Change<'a>> {
    vec![
        Change::MessageOpened {
            id: id.into(),
            role: MessageKind::Assistant,
            subagent: None,
        },
        Change::MessageText {
            id: id.into(),
            delta: text.into(),
        },
        Change::MessageClosed { id: id.into() },
    ]
}

fn message(id: &str, role: MessageKind, text: &str) -> SnapshotItem {
    SnapshotItem::Message {
        id: id.to_owned(),
        role,
        text: text.to_owned(),
        calls: Vec::new(),
    }
}

fn calling(id: &str, call: &str, name: &str) -> SnapshotItem {
    let call = SnapshotCall {
        id: call.to_owned(),
        name: name.to_owned(),
        args: "{}".to_owned(),
    };
    SnapshotItem::Message {
        id: id.to_owned(),
        role: MessageKind::Assistant,
        text: String::new(),
        calls: vec![call],
    }
}

fn result(call: &str, text: &str) -> SnapshotItem {
    let result = ResultContent::Text(text.to_owned().into());
    SnapshotItem::Answer {
        call: call.to_owned(),
        tool: None,
        result,
        is_error: None,
    }
}

/// `name→result origin`, one for each call.
fn calls(trace: &Trace) -> Vec<String> {
    let result = |call: &ananke::trace::ToolCall| {
        call.result()
            .map_or("-".to_owned(), |result| result.text.to_string())
    };
    trace
        .calls
        .iter()
        .map(|call| format!("{}→{} {:?}", call.name, result(call), call.origin))
        .collect()
}

#[test]
fn an_id_is_one_call_until_it_has_a_result() {
    let mut trace = Trace::default();
    turn(
        &mut trace,
        "u1",
        "hi",
        vec![
            opened("c", "a"),
            opened("c", "a"),
            answered("c", "1"),
            opened("c", "a"),
        ],
    );
    assert_eq!(calls(&trace), ["a→1 Streamed", "a→- Streamed"]);
    assert_eq!(
        trace.turns[0].warnings,
        ["the call id `c` is used again for another call: counted as a new call"]
    );
}

#[test]
fn a_call_announced_again_without_arguments_keeps_them_and_another_name_is_another_call() {
    let mut trace = Trace::default();
    let args = Change::CallArgs {
        id: "c".into(),
        delta: "{\"x\":1}".into(),
    };
    let done = || Change::CallArgsDone { id: "c".into() };
    turn(
        &mut trace,
        "u1",
        "hi",
        vec![opened("c", "a"), args, done(), opened("c", "a"), done()],
    );
    assert_eq!(trace.calls[0].args_text, "{\"x\":1}");
    turn(&mut trace, "u2", "hi", vec![opened("c", "b")]);
    assert_eq!(calls(&trace), ["a→- Streamed", "b→- Streamed"]);
}

#[test]
fn a_call_that_is_announced_again_in_a_later_turn_counts_where_it_started() {
    let mut trace = Trace::default();
    turn(&mut trace, "u1", "hi", vec![opened("c", "a")]);
    let args = Change::CallArgs {
        id: "c".into(),
        delta: "{\"x\":1}".into(),
    };
    turn(
        &mut trace,
        "u2",
        "yes",
        vec![opened("c", "a"), args, answered("c", "done")],
    );
    assert_eq!(calls(&trace), ["a→done Streamed"]);
    assert_eq!(
        (trace.calls[0].counted_in, trace.calls[0].answered_in),
        (0, Some(1))
    );
    assert_eq!(trace.turns[1].late_results, [0].into());
    assert_eq!(
        trace.calls[0].args(),
        &Args::Json(serde_json::json!({"x": 1}))
    );
}

#[test]
fn the_last_result_is_the_result_and_one_without_a_call_is_unread() {
    let mut trace = Trace::default();
    turn(
        &mut trace,
        "u1",
        "hi",
        vec![
            opened("c", "a"),
            answered("c", "1"),
            answered("c", "2"),
            answered("x", "3"),
        ],
    );
    assert_eq!(calls(&trace), ["a→2 Streamed"]);
    assert_eq!(trace.calls[0].results.len(), 2);
    assert_eq!(
        trace.turns[0].warnings,
        ["`result:x` was not read: the call never started"]
    );
}

#[test]
fn results_are_seen_as_text_and_as_json() {
    for (content, text, is_json) in [
        ("ok", "ok", false),
        ("\"ok\"", "ok", true),
        ("{ \"b\": 1,\n \"a\": [2] }", "{\"b\":1,\"a\":[2]}", true),
        ("{ broken", "{ broken", false),
        ("042", "042", false),
        ("17.0", "17.0", true),
        ("", "", false),
    ] {
        let mut trace = Trace::default();
        turn(
            &mut trace,
            "u1",
            "hi",
            vec![opened("c", "a"), answered("c", content)],
        );
        let result = trace.calls[0].result().unwrap();
        assert_eq!(
            (result.text.as_str(), result.structured().is_some()),
            (text, is_json),
            "{content}"
        );
    }
}

#[test]
fn what_was_parsed_of_a_call_is_parsed_again_where_it_is_needed() {
    let json = serde_json::json!({ "x": 1, "big": [12_345] });
    let texts = [
        ("{\"x\":1,\"big\":[12345]}", json),
        ("\"17\"", "17".into()),
        ("no JSON", "no JSON".into()),
    ];
    for (text, value) in texts {
        let mut trace = Trace::default();
        let args = Change::CallArgs {
            id: "c".into(),
            delta: text.into(),
        };
        turn(
            &mut trace,
            "u1",
            "hi",
            vec![opened("c", "a"), args, answered("c", text)],
        );
        let before = (
            trace.calls[0].args_value(),
            trace.calls[0].result().unwrap().value(),
        );
        assert_eq!(before, (value.clone(), value));
        trace.calls[0].forget_parsed();
        assert_eq!(
            (
                trace.calls[0].args_value(),
                trace.calls[0].result().unwrap().value()
            ),
            before
        );
    }
}

#[test]
fn arguments_that_are_no_json_stay_text() {
    let mut trace = Trace::default();
    let args = |delta: &'static str| Change::CallArgs {
        id: "c".into(),
        delta: delta.into(),
    };
    turn(
        &mut trace,
        "u1",
        "hi",
        vec![opened("c", "a"), args("{\"x\":"), args("oops")],
    );
    assert_eq!(trace.calls[0].args_text, "{\"x\":oops");
    assert!(matches!(trace.calls[0].args(), Args::Malformed(_)));
    let mut trace = Trace::default();
    turn(&mut trace, "u1", "hi", vec![opened("c", "a")]);
    assert_eq!(
        trace.calls[0].args(),
        &Args::Json(serde_json::json!({})),
        "no arguments are an empty object"
    );
}

#[test]
fn the_text_of_a_turn_is_what_the_agent_says_in_order() {
    let mut trace = Trace::default();
    let mut changes = says("m1", "one");
    changes.extend(says("m2", ""));
    changes.push(Change::MessageOpened {
        id: "s".into(),
        role: MessageKind::System,
        subagent: None,
    });
    changes.push(Change::MessageText {
        id: "s".into(),
        delta: "not said".into(),
    });
    changes.extend(says("m3", "two"));
    turn(&mut trace, "u1", "hi", changes);
    assert_eq!(trace.turn_text(&trace.turns[0]), "one\ntwo");
    turn(&mut trace, "u2", "again", says("m1", "three"));
    assert_eq!(
        trace.text(),
        "one\ntwo\nthree",
        "an id that comes again in another turn is another message"
    );
}

#[test]
fn a_snapshot_tells_nothing_twice() {
    let mut trace = Trace::default();
    let mut changes = vec![opened("c1", "a"), answered("c1", "ok")];
    changes.extend(says("m1", "hello"));
    changes.push(Change::Snapshot(vec![
        message("u1", MessageKind::User, "hi"),
        calling("x", "c1", "a"),
        result("c1", "ok"),
        message("other-id", MessageKind::Assistant, "hello"),
    ]));
    turn(&mut trace, "u1", "hi", changes);
    assert_eq!(calls(&trace), ["a→ok Streamed"]);
    assert_eq!(trace.turn_text(&trace.turns[0]), "hello");
}

#[test]
fn what_only_a_snapshot_tells_is_live_after_the_turns_own_message() {
    for own in ["u1", "minted-by-the-server"] {
        let mut trace = Trace::default();
        let snapshot = vec![
            message("u0", MessageKind::User, "long ago"),
            calling("x", "c0", "old"),
            result("c0", "old"),
            message("m0", MessageKind::Assistant, "old words"),
            message(own, MessageKind::User, "hi"),
            calling("y", "c1", "new"),
            result("c1", "ok"),
            message("m1", MessageKind::Assistant, "new words"),
        ];
        turn(&mut trace, "u1", "hi", vec![Change::Snapshot(snapshot)]);
        assert_eq!(
            calls(&trace),
            ["old→- History", "new→ok SnapshotOnly"],
            "{own}"
        );
        assert_eq!(trace.turn_text(&trace.turns[0]), "new words");
        assert!(!trace.is_live(0) && trace.is_live(1));
        assert_eq!(
            (
                trace.first("old", CallPhase::Called, Callers::All),
                trace.first("new", CallPhase::Called, Callers::All)
            ),
            (None, Some(trace.calls[1].order))
        );
    }
}

#[test]
fn a_snapshot_without_the_turns_own_message_adds_what_was_not_known() {
    let mut trace = Trace::default();
    turn(&mut trace, "u1", "hi", says("m1", "first"));
    let snapshot = vec![
        message("m1", MessageKind::Assistant, "first"),
        message("m2", MessageKind::Assistant, "second"),
    ];
    turn(&mut trace, "u2", "and", vec![Change::Snapshot(snapshot)]);
    assert_eq!(trace.turn_text(&trace.turns[1]), "second");
    assert_eq!(
        trace
            .messages
            .iter()
            .filter(|message| message.origin == Origin::SnapshotOnly)
            .count(),
        1
    );
}

#[test]
fn the_state_is_replaced_and_patched_all_or_nothing() {
    let mut trace = Trace::new(serde_json::json!({"a": 1}));
    let patch = |operations: serde_json::Value| Change::StatePatched(operations);
    let good = patch(serde_json::json!([{"op": "add", "path": "/b", "value": 2}]));
    let bad = patch(
        serde_json::json!([{"op": "add", "path": "/c", "value": 3}, {"op": "remove", "path": "/x"}]),
    );
    turn(&mut trace, "u1", "hi", vec![good, bad]);
    assert_eq!(trace.state.value(), &serde_json::json!({"a": 1, "b": 2}));
    assert_eq!(trace.turns[0].warnings.len(), 1);
    turn(
        &mut trace,
        "u2",
        "hi",
        vec![Change::StateReplaced(serde_json::json!([1]))],
    );
    assert_eq!(trace.state.value(), &serde_json::json!([1]));
}

#[test]
fn agent_time_leaves_out_what_lies_between_exchanges() {
    let mut trace = Trace::default();
    trace.begin_turn(Input::default());
    trace.begin_exchange(At(100));
    trace.end_exchange(At(150));
    trace.begin_exchange(At(1_000));
    trace.end_exchange(At(1_030));
    let turn = &trace.turns[0];
    assert_eq!(trace.turn_micros(turn), 80);
    assert_eq!(trace.agent_micros(turn, At(120)), 20);
    assert_eq!(trace.agent_micros(turn, At(500)), 50);
    assert_eq!(trace.agent_micros(turn, At(1_010)), 60);
}

fn thinks<'a>(id: &'a str, delta: &'a str) -> Change<'a> {
    Change::Reasoning {
        id: id.into(),
        delta: delta.into(),
        subagent: None,
    }
}

#[test]
fn thoughts_are_messages_of_their_own_and_no_text() {
    let mut trace = Trace::default();
    let mut changes = vec![thinks("m", "why")];
    changes.extend(says("m", "what"));
    changes.push(thinks("m", "?"));
    turn(&mut trace, "u1", "hi", changes);
    turn(&mut trace, "u2", "and", vec![thinks("m", "again")]);
    let said: Vec<_> = trace
        .messages
        .iter()
        .map(|message| (message.role, message.text.as_str()))
        .collect();
    let (user, thoughts) = (MessageKind::User, MessageKind::Reasoning);
    let expected = [
        (user, "hi"),
        (thoughts, "why?"),
        (MessageKind::Assistant, "what"),
        (user, "and"),
        (thoughts, "again"),
    ];
    assert_eq!(said, expected);
    assert_eq!(trace.text(), "what");
}

#[test]
fn what_is_told_beside_is_bounded() {
    let mut trace = Trace::default();
    let mebibyte = "x".repeat(1 << 20);
    let custom = |value| Change::Custom {
        name: "c".into(),
        value,
    };
    let mut changes: Vec<_> = (0..20).map(|_| thinks("r", &mebibyte)).collect();
    changes.extend((0..20).map(|_| custom(serde_json::json!(vec![0; 1 << 16]))));
    turn(&mut trace, "u1", "hi", changes);
    assert_eq!(trace.messages[1].text.len(), 8 << 20);
    assert!(
        (1..20).contains(&trace.custom.len()),
        "{}",
        trace.custom.len()
    );
    assert_eq!(trace.turns[0].custom, 0..trace.custom.len());
    assert_eq!(
        trace.turns[0].warnings,
        [
            "reasoning beyond 8388608 bytes is not kept",
            "custom events beyond 33554432 bytes are not kept"
        ]
    );
}

#[test]
fn a_run_that_ends_well_without_telling_its_tokens_makes_the_turn_unknown() {
    let started = || Change::RunStarted {
        run_id: None,
        thread_id: None,
        is_replay: false,
    };
    let told = || Change::Usage {
        usage: Usage::reported(Some(2), Some(3), None),
        model: None,
    };
    let error = || RunEnd::Error {
        message: "no".to_owned(),
        code: None,
    };
    let total = |changes: Vec<Change<'static>>| {
        let mut trace = Trace::default();
        turn(&mut trace, "u1", "hi", changes);
        trace
            .turn_usage(&trace.turns[0])
            .map(|usage| usage.total.whole())
    };
    let finished = || Change::RunEnded(RunEnd::Finished);
    assert_eq!(
        total(vec![started(), told(), told(), finished()]),
        Some(Some(10))
    );
    assert_eq!(
        total(vec![started(), told(), finished(), started(), finished()]),
        Some(None)
    );
    assert_eq!(total(vec![started(), Change::RunEnded(error())]), None);
    assert_eq!(
        total(vec![
            started(),
            told(),
            finished(),
            Change::RunEnded(error())
        ]),
        Some(Some(5))
    );
}

#[test]
fn a_call_that_failed_after_its_result_says_so() {
    let mut trace = Trace::default();
    let failed = |id: &'static str, is_denied| Change::CallFailed {
        id: id.into(),
        is_denied,
    };
    let changes = vec![
        opened("c", "a"),
        answered("c", "1"),
        failed("c", true),
        failed("x", false),
    ];
    turn(&mut trace, "u1", "hi", changes);
    let result = trace.calls[0].result().unwrap();
    assert_eq!((result.is_error, result.is_denied), (Some(true), true));
}
