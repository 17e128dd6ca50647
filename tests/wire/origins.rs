//! `provenance` over the streams of real servers: no false alarm, and it is not blind either.

use std::sync::{Arc, Mutex};

use ananke::recording::RecordingMode;
use regex::Regex;

use super::captures::{body, names};
use crate::replay::{outcomes, recordings};
use crate::support::canned::Canned;
use crate::support::project::Project;

const CONFIG: &str =
    "version: \"1.4\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }\n";

/// Streams whose arguments are no JSON object, or with arguments of no call: nothing is known about them.
const UNREAD: [&str; 3] = [
    "node-tool-invalidargs",
    "node-tool-nonobjectargs",
    "node-args-no-start-bad",
];

/// Streams with a result whose call is not in them.
const UNREAD_RESULTS: [&str; 5] = [
    "maf-approval-run2",
    "node-tool-result-orphan",
    "pydantic-interrupt-run2-approve",
    "pydantic-interrupt-run2-cancel",
    "pydantic-interrupt-run2-deny",
];

/// What the rule found in every stream: the stream, the identifier and its argument. And how many values were looked at. `unread`
/// are the streams in which it cannot be evaluated.
async fn alarms(from: &str, unread: &[&str]) -> (Vec<String>, u64) {
    let test = format!(
        "version: \"1.4\"\nname: captured\nturns: [{{ user: go on }}]\nassert: {{ provenance: [{{ of: {{ call: {{ name_match: \".\" }} }}, from: {from} }}] }}\n"
    );
    let called = Regex::new("was called with `([^`]*)` as `([^`]*)`").unwrap();
    let (mut alarms, mut looked_at) = (Vec::new(), 0);
    let mut not_shown = Vec::new();
    for name in names() {
        let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.test.yaml", &test)]);
        let canned = Arc::new(Canned {
            bodies: Mutex::new(vec![body(name)]),
            chunk: usize::MAX,
        });
        let kept = recordings(&project.folder().join("kept"), RecordingMode::Record);
        let outcome = outcomes(&project, canned, &kept).await.remove(0);
        if outcome.verdict.not_shown().next().is_some() {
            not_shown.push(name);
        }
        let held = outcome.passed_rules().filter_map(|rule| rule.counts);
        let failed = outcome
            .all_failures()
            .filter_map(|(_, failure)| failure.counts);
        looked_at += held
            .chain(failed)
            .map(|counts| counts.triggered)
            .max()
            .unwrap_or_default();
        for (_, failure) in outcome.all_failures() {
            let found = called
                .captures(&failure.message)
                .unwrap_or_else(|| panic!("{}", failure.message));
            // An identifier has a digit, and is one word.
            if found[1].contains(|sign: char| sign.is_ascii_digit()) && !found[1].contains(' ') {
                alarms.push(format!("{name}: {} = {}", &found[2], &found[1]));
            }
        }
    }
    not_shown.sort_unstable();
    let mut unread = unread.to_vec();
    unread.sort_unstable();
    assert_eq!(not_shown, unread);
    (alarms, looked_at)
}

#[tokio::test]
async fn identifiers_of_real_streams_have_an_origin() {
    let (found, looked_at) =
        alarms("[user, results]", &[&UNREAD[..], &UNREAD_RESULTS].concat()).await;
    assert_eq!((found, looked_at), (Vec::<String>::new(), 48));
}

#[tokio::test]
async fn without_their_results_the_identifiers_are_invented() {
    let (found, _) = alarms("[user]", &UNREAD).await;
    let expected = [
        "pydantic-trip: flight_no = AF100",
        "agno-trip: flight_no = AF100",
        "maf-approval-run1: function_call_id = mafcall_0009",
    ];
    assert_eq!(found, expected);
}
