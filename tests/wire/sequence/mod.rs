//! The order of events: what violates each rule, what nearly does, and what real servers send.

mod rows;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ananke::agents::RuleDocs;
use ananke::diagnostic::Code;

use crate::support::agui::agui;
use crate::support::conformance::exchanged;
use crate::wire::captures::body;
use rows::{FINISH, LEGAL, MESSAGES, START, VERSIONS};

/// The violations that are reported for a response, one per line.
async fn violations(body: Vec<u8>) -> Vec<String> {
    // Whether it ends is another matter.
    let changes = exchanged(&agui(), 1, &body, usize::MAX).await.changes;
    changes
        .lines()
        .filter_map(|line| line.strip_prefix("!! ").map(str::to_owned))
        .collect()
}

async fn of_events(events: &[&str]) -> Vec<String> {
    violations(format!("data: {}\n\n", events.join("\n\ndata: ")).into_bytes()).await
}

fn rule_of(violation: &str) -> &str {
    violation.split(' ').next().unwrap_or_default()
}

#[tokio::test]
async fn every_rule_has_an_example_that_breaks_it_and_one_that_nearly_does() {
    ananke::install();
    for RuleDocs {
        name, wrong, right, ..
    } in RuleDocs::all()
    {
        let wrong = of_events(&wrong).await;
        assert_eq!(
            wrong.iter().map(|line| rule_of(line)).collect::<Vec<_>>(),
            [name],
            "{wrong:#?}"
        );
        assert_eq!(
            of_events(&right).await,
            [""; 0],
            "the right example of {name}"
        );
    }
}

#[test]
fn rules_are_explained_in_sentences_under_names_of_their_own() {
    ananke::install();
    for RuleDocs { name, about, .. } in RuleDocs::all() {
        assert!(
            about.ends_with('.') && !about.contains("  "),
            "{name}: {about}"
        );
        assert!(
            name.chars()
                .all(|character| character.is_ascii_lowercase() || character == '-'),
            "{name}"
        );
        assert_eq!(
            Code::named(name),
            None,
            "{name} is also the code of a problem"
        );
    }
}

#[tokio::test]
async fn violations_name_their_events_and_nothing_is_told_twice() {
    let mut wrong = String::new();
    for (name, events, expected) in [MESSAGES, LEGAL, VERSIONS].concat() {
        let found = of_events(events).await;
        if found != expected {
            let _ = writeln!(wrong, "{name}\nexpected {expected:#?}\ngot {found:#?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[tokio::test]
async fn an_answer_that_breaks_the_order_without_end_is_not_looked_at_without_end() {
    let mut body = format!("data: {START}\n\n");
    for number in 0..1000 {
        let _ = write!(
            body,
            "data: {{\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"{number}\"}}\n\n"
        );
    }
    let _ = write!(body, "data: {FINISH}\n\n");
    let exchanged = exchanged(&agui(), 1, body.as_bytes(), usize::MAX).await;
    exchanged.ended.expect("a run that finishes");
    let text = exchanged.changes;
    let told: Vec<_> = text.lines().filter(|line| line.starts_with('!')).collect();
    assert_eq!(told.len(), 101);
    assert!(
        told[99].starts_with("!! text-still-open [1002, 101]: "),
        "{}",
        told[99]
    );
    assert_eq!(
        told[100],
        "! the order of the events is no longer looked at: it was broken too often"
    );
}

/// The captures that violate a rule; all others violate none.
const CAPTURES: &[(&str, &str)] = &[
    (
        "node-args-no-start-bad",
        "call-not-open [2]: event 2 (`TOOL_CALL_ARGS`) goes on with the call `t1`, which never began",
    ),
    (
        "node-chunk-noid-bad",
        "chunk-without-id [2]: event 2 (`TEXT_MESSAGE_CHUNK`) names no `messageId`, but no message is under way",
    ),
    (
        "node-content-no-start-bad",
        "text-not-open [2]: event 2 (`TEXT_MESSAGE_CONTENT`) goes on with the message `m1`, which never began",
    ),
    (
        "node-double-start-bad",
        "run-already-started [2, 1]: event 2 (`RUN_STARTED`) comes while the run of event 1 (`RUN_STARTED`) is open",
    ),
    (
        "node-event-after-finish-bad",
        "after-run-finished [6, 5]: event 6 (`CUSTOM`) comes after event 5 (`RUN_FINISHED`) has finished the run",
    ),
    (
        "node-no-run-started-bad",
        "run-not-started [1]: event 1 (`TEXT_MESSAGE_START`) comes before a run has started",
    ),
    (
        "node-state-delta-fails",
        "delta-not-applied [3]: event 3 (`STATE_DELTA`) does not apply, the state stays as it was: `{\"op\":\"replace\",\"path\":\"/missing/x\",\"value\":1}`: path is invalid",
    ),
    (
        "node-tool-invalidargs",
        "arguments-not-object [6]: event 6 (`TOOL_CALL_END`) ends the call `t1`, whose arguments are not a JSON object: no rule finds an argument in them",
    ),
    (
        "node-tool-nonobjectargs",
        "arguments-not-object [6]: event 6 (`TOOL_CALL_END`) ends the call `t1`, whose arguments are not a JSON object: no rule finds an argument in them",
    ),
    (
        "node-open-message-bad",
        "text-still-open [4, 2]: event 4 (`RUN_FINISHED`) comes while the message `m1` is open, since event 2 (`TEXT_MESSAGE_START`)",
    ),
    (
        "node-open-step-bad",
        "step-still-open [3, 2]: event 3 (`RUN_FINISHED`) comes while the step `x` is open, since event 2 (`STEP_STARTED`)",
    ),
    (
        "node-open-tool-bad",
        "call-still-open [4, 2]: event 4 (`RUN_FINISHED`) comes while the call `t1` is open, since event 2 (`TOOL_CALL_START`)",
    ),
];

#[tokio::test]
async fn streams_of_real_servers_break_the_rules_that_they_are_known_to_break() {
    let expected: BTreeMap<_, _> = CAPTURES
        .iter()
        .map(|(name, told)| (*name, vec![(*told).to_owned()]))
        .collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/captures/agui");
    let files = std::fs::read_dir(folder).expect("the captures can be read");
    let mut names: Vec<_> = files
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    let (mut looked_at, mut wrong) = (0, String::new());
    for name in names.iter().filter_map(|name| name.strip_suffix(".sse")) {
        let found = violations(body(name)).await;
        looked_at += 1;
        if found != expected.get(name).cloned().unwrap_or_default() {
            let _ = writeln!(wrong, "{name}: {found:#?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(looked_at > 75, "only {looked_at} captures were looked at");
}
