//! The text of a snapshot: what two runs have in common, and that every other change is detected.

use ananke::context::At;
use ananke::golden::{ConversationPart, Format, GoldenText, MaskPath, States};
use ananke::redact::Redactor;
use ananke::trace::{Change, Input, Interrupt, MessageKind, ResultContent, RunEnd, Trace};
use serde_json::{Value, json};

use crate::support::project::Project;

/// What an agent does in one turn.
type Told = Vec<Change<'static>>;

/// A change of that, in words and as code.
type Changed<'c> = (&'c str, &'c dyn Fn(&mut Told));

fn opened(id: &str, name: &str) -> Change<'static> {
    Change::CallOpened {
        id: id.to_owned().into(),
        name: name.to_owned().into(),
        subagent: None,
    }
}

fn args(id: &str, args: &str) -> Change<'static> {
    Change::CallArgs {
        id: id.to_owned().into(),
        delta: args.to_owned().into(),
    }
}

fn answered(id: &str, result: &str, is_error: Option<bool>) -> Change<'static> {
    let result = ResultContent::Text(result.to_owned().into());
    Change::CallAnswered {
        id: id.to_owned().into(),
        result,
        is_error,
    }
}

fn says(id: &str, text: &str, subagent: Option<&str>) -> Told {
    let id = id.to_owned();
    let subagent = subagent.map(|id| id.to_owned().into());
    vec![
        Change::MessageOpened {
            id: id.clone().into(),
            role: MessageKind::Assistant,
            subagent,
        },
        Change::MessageText {
            id: id.clone().into(),
            delta: text.to_owned().into(),
        },
        Change::MessageClosed { id: id.into() },
    ]
}

fn started(run: &str, thread: &str) -> Change<'static> {
    let (run_id, thread_id) = (Some(run.to_owned().into()), Some(thread.to_owned().into()));
    Change::RunStarted {
        run_id,
        thread_id,
        is_replay: false,
    }
}

/// Turns as they were streamed, with their snapshot.
fn written(
    turns: Vec<(Input, Told)>,
    part: ConversationPart<'_>,
    volatile: &[&str],
    redactor: &Redactor,
) -> String {
    let volatile: Vec<MaskPath> = volatile
        .iter()
        .map(|path| MaskPath::parse(path).unwrap())
        .collect();
    let (mut trace, mut states) = (
        Trace::new(json!({})).on_thread("the-thread"),
        States::default(),
    );
    for (index, (input, told)) in turns.into_iter().enumerate() {
        trace.begin_turn(input);
        trace.begin_exchange(At(0));
        let mut touched = Vec::new();
        for change in told {
            trace.apply(At(1), change, &mut touched);
        }
        trace.end_exchange(At(2));
        trace.end_turn(&mut touched);
        states.note(index, trace.state.value(), &volatile);
    }
    GoldenText {
        trace: &trace,
        states: &states,
        part,
        volatile: &volatile,
        redactor,
    }
    .render(Format::Began)
}

/// A conversation whose message is opened before a call, and begins after it.
fn opened_early() -> Trace {
    let mut trace = Trace::default();
    trace.begin_turn(input("go"));
    trace.begin_exchange(At(0));
    let opened = Change::MessageOpened {
        id: "m".into(),
        role: MessageKind::Assistant,
        subagent: None,
    };
    let called = Change::CallOpened {
        id: "c".into(),
        name: "look".into(),
        subagent: None,
    };
    let said = Change::MessageText {
        id: "m".into(),
        delta: "There it is.".into(),
    };
    for change in [opened, called, said] {
        trace.event(At(1));
        trace.apply(At(1), change, &mut Vec::new());
    }
    trace.end_exchange(At(2));
    trace.end_turn(&mut Vec::new());
    trace
}

#[test]
fn a_snapshot_of_an_earlier_format_is_compared_in_its_order() {
    let trace = opened_early();
    let text = GoldenText {
        trace: &trace,
        states: &States::default(),
        part: ConversationPart::Turn(0),
        volatile: &[],
        redactor: &Redactor::default(),
    };
    let (call, said) = ("  call look\n    no result\n", "  says: There it is.\n");
    let of = |number: u32, first: &str, second: &str| {
        format!("ananke snapshot, format {number}\n\nturn\n  user: go\n{first}{second}  no end\n")
    };
    let (opened, began) = (of(1, said, call), of(2, call, said));
    assert_eq!(text.render(Format::of(&opened)), opened);
    assert_eq!(text.render(Format::of(&began)), began);
    assert_eq!(
        text.render(Format::of("ananke snapshot, format 9\n")),
        began
    );
}

fn input(text: &str) -> Input {
    Input {
        message_id: Some("sent-1".to_owned()),
        text: text.to_owned(),
        shown: text.to_owned(),
        is_replay: false,
        is_not_needed: false,
        answered: Vec::new(),
    }
}

fn whole(turns: Vec<(Input, Told)>) -> String {
    written(
        turns,
        ConversationPart::Test { left_out: &[] },
        &[],
        &Redactor::default(),
    )
}

/// A conversation whose ids all contain `salt`, with one turn for the calls and one for a late result.
fn conversation(salt: &str) -> Vec<(Input, Told)> {
    let id = |name: &str| format!("{salt}{name}{salt}");
    let (call, other, ask) = (id("call"), id("other"), id("ask"));
    let mut first = vec![
        started(&id("run"), "the-thread"),
        opened(&call, "search"),
        args(
            &call,
            &format!(
                r#"{{"q":"coats","by":"{}","in":"thread the-thread"}}"#,
                id("run")
            ),
        ),
        opened(&other, "pay"),
        args(&other, "{not json"),
        answered(&call, &format!(r#"{{"b":1,"a":["{other}"]}}"#), None),
        answered(&call, "try again", Some(true)),
        Change::Custom {
            name: "progress".into(),
            value: json!({"run": id("run")}),
        },
        Change::StateReplaced(json!({"last": id("run"), "step": 1})),
    ];
    first.extend(says(
        &id("message"),
        &format!("See {call}, {other}.\n\nAnd the-thread!"),
        None,
    ));
    first.extend(says(&id("more"), "I help.", Some(&id("helper"))));
    let interrupt = Interrupt {
        id: ask.clone(),
        reason: Some("confirmation".to_owned()),
        message: Some(format!("May I, {ask}?")),
        call: Some(other.clone()),
    };
    first.push(Change::RunEnded(RunEnd::Interrupted(vec![interrupt])));
    let second = vec![
        started(&id("next"), &id("thread")),
        answered(&other, "no", None),
        Change::CallFailed {
            id: other.into(),
            is_denied: true,
        },
        Change::StateReplaced(json!({"last": id("next")})),
        Change::RunEnded(RunEnd::Error {
            message: format!("over, {}", id("thread")),
            code: None,
        }),
    ];
    vec![
        (input("look"), first),
        (input(&format!("answers {ask}")), second),
    ]
}

const EXPECTED: &str = r#"ananke snapshot, format 2

turn 1
  user: look
  call search
    args: {"by": "<run-1>", "in": "thread <thread-1>", "q": "coats"}
    result: {"a": ["<call-1>"], "b": 1}
    result, failed: try again
  call pay
    args that are no JSON: {not json
    no result
  custom progress: {"run": "<run-1>"}
  says:
    See <call-2>, <call-1>.

    And <thread-1>!
  says by <subagent-1>: I help.
  state
    last: "<run-1>"
    step: 1
  interrupted
    waits for an answer to <interrupt-1> about pay
      reason: confirmation
      asks: May I, <interrupt-1>?

turn 2
  user: answers <interrupt-1>
  answer to pay, called in an earlier turn
    result, denied: no
  state
    last: "<run-2>"
    step is gone
  error: over, <thread-2>
"#;

#[test]
fn two_runs_have_one_text() {
    for salt in ["x7", "0f8fad5b-d9cb-469f-a165-70867728950e-", "ä/ö:7"] {
        assert_eq!(whole(conversation(salt)), EXPECTED, "ids with {salt}");
    }
}

#[test]
fn every_change_of_what_an_agent_does_is_seen() {
    let base = whole(conversation("x7"));
    let turns = |change: &dyn Fn(&mut Told)| {
        let mut turns = conversation("x7");
        change(&mut turns[0].1);
        whole(turns)
    };
    let changes: [Changed<'_>; 8] = [
        ("a call less", &|told| {
            told.retain(
                |change| !matches!(change, Change::CallOpened { name, .. } if name == "pay"),
            );
        }),
        ("another tool", &|told| {
            told[1] = opened("x7callx7", "look_up");
        }),
        ("another argument", &|told| {
            told[2] = args("x7callx7", r#"{"q":"coats"}"#);
        }),
        ("a result less", &|told| drop(told.remove(5))),
        ("another result", &|told| {
            told[5] = answered("x7callx7", r#"{"b":1.5,"a":[]}"#, None);
        }),
        ("a call in another order", &|told| told.swap(1, 3)),
        ("another end", &|told| {
            *told.last_mut().unwrap() = Change::RunEnded(RunEnd::Finished);
        }),
        ("another id in the place of one", &|told| {
            told[2] = args(
                "x7callx7",
                r#"{"q":"coats","by":"x7otherx7","in":"thread the-thread"}"#,
            );
        }),
    ];
    let mut seen = vec![base];
    for (what, change) in changes {
        let text = turns(change);
        assert!(!seen.contains(&text), "{what} is not seen:\n{text}");
        seen.push(text);
    }
}

#[test]
fn times_thoughts_and_tokens_are_left_out() {
    let mut turns = conversation("x7");
    turns[0].1.insert(
        1,
        Change::Reasoning {
            id: "t".into(),
            delta: "Hm.".into(),
            subagent: None,
        },
    );
    turns[0].1.insert(1, Change::Stamped(1_700_000_000_000_000));
    turns[0].1.insert(1, Change::Warning("odd".into()));
    turns[0].1.insert(
        1,
        Change::Usage {
            usage: ananke::trace::Usage::reported(Some(1), None, None),
            model: None,
        },
    );
    assert_eq!(whole(turns), EXPECTED);
}

#[test]
fn what_is_volatile_is_masked_and_still_there() {
    let volatile = [
        "search.args.*",
        "*.result",
        "custom.*.run",
        "state.last",
        "text",
    ];
    let text = written(
        conversation("x7"),
        ConversationPart::Turn(0),
        &volatile,
        &Redactor::default(),
    );
    for line in [
        r#"    args: {"by": "<volatile>", "in": "<volatile>", "q": "<volatile>"}"#,
        r#"    result: "<volatile>""#,
        r#"    result, failed: "<volatile>""#,
        r#"  custom progress: {"run": "<volatile>"}"#,
        "  says: <volatile>",
        r#"    last: "<volatile>""#,
        "    step: 1",
    ] {
        assert!(
            text.lines().any(|other| other == line),
            "no line `{line}` in\n{text}"
        );
    }
    assert!(!text.contains("coats") && !text.contains("the-thread"));
}

#[test]
fn what_a_turn_was_told_again_is_its_own_business() {
    let told = || says("m-1", "Welcome back.", None);
    let connects = || Input {
        shown: "(connects)".to_owned(),
        is_replay: true,
        is_not_needed: false,
        ..Input::default()
    };
    let turns = || {
        vec![
            (connects(), told()),
            (input("hi"), says("m-2", "Hello.", None)),
        ]
    };
    let whole = whole(turns());
    assert!(
        whole.contains("turn 1\n  user: (connects)\n\nturn 2") && whole.contains("says: Hello."),
        "{whole}"
    );
    let own = written(
        turns(),
        ConversationPart::Turn(0),
        &[],
        &Redactor::default(),
    );
    assert!(
        own.contains("turn\n  user: (connects)\n  says: Welcome back."),
        "{own}"
    );
    let without = written(
        turns(),
        ConversationPart::Test { left_out: &[1] },
        &[],
        &Redactor::default(),
    );
    assert!(without.ends_with("\nturn 2, omitted\n"), "{without}");
}

#[test]
fn secrets_are_masked_before_anything_is_laid_out() {
    let redactor = Redactor::default();
    redactor.add(["first line\nsecond line", "hunter22"]);
    let mut told = says(
        "m-1",
        "The key:\nfirst line\nsecond line\nDo not tell.",
        None,
    );
    told.extend([
        opened("c-1", "login"),
        args("c-1", r#"{"key":"first line\nsecond line","hunter22":"x"}"#),
    ]);
    told.push(Change::StateReplaced(
        json!({"hunter22": {"token": "hunter22"}}),
    ));
    let text = written(
        vec![(input("hunter22?"), told)],
        ConversationPart::Turn(0),
        &[],
        &redactor,
    );
    for word in ["first", "second", "hunter22"] {
        assert!(!text.contains(word), "{text}");
    }
    assert!(
        text.contains(r#"args: {"***": "x", "key": "***"}"#) && text.contains("user: ***?"),
        "{text}"
    );
}

#[test]
fn hostile_words_make_no_lines_of_their_own() {
    let mut told = vec![
        opened("c-1", "x\n  finished\u{1b}[2J"),
        answered("c-1", "a\u{202e}b \n", None),
    ];
    told.push(Change::Custom {
        name: "\nturn 9".into(),
        value: Value::Null,
    });
    told.push(Change::StateReplaced(
        json!({"a: 1\n": {"\u{e0041}": "\u{7f}"}, "": 2}),
    ));
    let text = written(
        vec![(input("go"), told)],
        ConversationPart::Turn(0),
        &[],
        &Redactor::default(),
    );
    let expected = "ananke snapshot, format 2\n\nturn\n  user: go\n  call x\\u{a}  finished\\u{1b}[2J\n    result:\n      \
                    a\\u{202e}b\\u{20}\n\n  custom \\u{a}turn 9: null\n  state\n    \"\": 2\n    \
                    \"a: 1\\n\": {\"\\udb40\\udc41\": \"\\u007f\"}\n  no end\n";
    assert_eq!(text, expected);
}

#[tokio::test]
async fn a_run_through_the_library_writes_nothing_it_was_not_told_to() {
    let config = "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: hi }] }] }\n";
    let test = "version: \"1.3\"\nname: a\nturns: [{ user: hello }]\nassert: { snapshot: true }\n";
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", test)]);
    let outcomes = project.run().await;
    assert_eq!(outcomes[0].verdict.failures().count(), 1, "{outcomes:?}");
    assert!(
        outcomes[0].verdict.snapshots.is_empty() && !project.folder().join("snapshots").exists()
    );
}
