//! Conditional turns, from outside: what is decided anew when nothing is sent, and what walks over their turns.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::project::Project;

const CONFIG: &str = "version: \"1.4\"\ntarget: { type: command, command: [/bin/sh, agent.sh] }\n";

/// An agent that asks in its first turn, and says that it is done in every other.
const AGENT: &str = r#"said="Express or standard?"
while read -r line; do
  echo '{"type":"RUN_STARTED"}'
  echo '{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}'
  echo "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"$said\"}"
  echo '{"type":"TEXT_MESSAGE_END","messageId":"m"}'
  echo '{"type":"RUN_FINISHED"}'
  said="Done."
done
"#;

/// A test whose second turn is sent if the agent has said something that matches `says`.
fn test(says: &str) -> String {
    format!(
        "version: \"1.4\"\nname: a\nturns:\n  - user: checkout\n  - user: Express\n    if: {{ says: \"{says}\" }}\n\
         assert: {{ text: {{ must_match: Express }} }}\n"
    )
}

fn project(test: &str) -> Project {
    Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("agent.sh", AGENT),
        ("a.test.yaml", test),
    ])
}

fn ananke(project: &Project, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ananke"))
        .current_dir(project.folder())
        .env_clear()
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn rewrite(project: &Project, test: &str) {
    fs::write(project.folder().join("a.test.yaml"), test).unwrap();
}

/// A project that was recorded and run once, and then has another condition.
fn changed(then: &str, now: &str) -> Project {
    let project = project(&test(then));
    for arguments in [&["run", "--record", "kept"][..], &["run"]] {
        let output = ananke(&project, arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    }
    rewrite(&project, &test(now));
    project
}

#[test]
fn a_turn_that_is_not_needed_any_more_is_no_error() {
    let project = changed("Express", "size");
    for arguments in [
        &["run", "--replay", "kept", "-v"][..],
        &["run", "--again", "-v"],
    ] {
        let output = ananke(&project, arguments);
        let printed = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{printed}");
        assert!(
            printed.contains(
                "turn 2 of 2  not needed\n        because  turn 1 has no message matching `size`\n"
            ),
            "{printed}"
        );
        assert!(!printed.contains("warning"), "{printed}");
    }
}

#[test]
fn a_turn_that_is_needed_now_was_never_asked() {
    let project = changed("size", "Express");
    let replayed = ananke(&project, &["run", "--replay", "kept"]);
    let printed = stdout(&replayed);
    assert_eq!(replayed.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("holds no further line to the program in turn 2"),
        "{printed}"
    );
    let again = ananke(&project, &["run", "--again"]);
    let printed = stdout(&again);
    assert_eq!(again.status.code(), Some(4), "{printed}");
    assert!(
        printed.contains("turn 2 sends what the agent was not asked"),
        "{printed}"
    );
}

/// A change that makes the agent ask nothing, or something else, changes which turns are sent.
#[test]
fn mutants_that_change_a_decision_are_counted_apart() {
    let project = project(&test("Express"));
    ananke(&project, &["run", "--record", "kept"]);
    let output = ananke(&project, &["mutate", "kept", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let summary = &report["summary"];
    let count = |name: &str| summary[name].as_u64().unwrap_or_default();
    assert!(count("changes_decision") > 0, "{summary}");
    let counted = [
        "killed",
        "killed_otherwise",
        "survived",
        "killed_by_protocol",
        "not_shown",
        "harmless",
        "changes_decision",
    ];
    assert_eq!(
        counted.map(count).iter().sum::<u64>(),
        count("total"),
        "{summary}"
    );
    // Without the condition, the same changes are noticed or survive.
    rewrite(
        &project,
        &test("Express").replace("    if: { says: \"Express\" }\n", ""),
    );
    let output = ananke(&project, &["mutate", "kept", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(report["summary"]["changes_decision"], 0);
}

#[test]
fn a_variable_of_a_turn_that_was_not_needed_is_undefined() {
    let with = |user: &str| {
        test("size").replace(
            "assert:",
            &format!(
                "    capture: {{ WORD: {{ text: \"(.*)\" }} }}\n  - user: \"{user}\"\nassert:"
            ),
        )
    };
    let project = project(&with("Say ${WORD}"));
    let output = ananke(&project, &["run"]);
    let printed = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("the variable `WORD` is not defined")
            && printed.contains("turn 2 captures `WORD`, and was not needed"),
        "{printed}"
    );
    rewrite(&project, &with("Say ${WORD:-nothing}"));
    let output = ananke(&project, &["run", "-v"]);
    let printed = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(
        printed.contains("turn 3 of 3  passed") && printed.contains("Say nothing"),
        "{printed}"
    );
}

/// What is frozen or explained has the turns that were sent, and a trace has no conditions.
#[test]
fn others_that_walk_over_turns_know_them() {
    let project = project(&test("Express").replace(
        "assert:",
        "  - { user: Again, if: { says: size } }\nassert:",
    ));
    ananke(&project, &["run", "--record", "kept"]);
    let explained = stdout(&ananke(&project, &["explain", "a.test.yaml"]));
    assert!(
        explained.contains("  sent only if the previous turn has a message matching `Express`\n"),
        "{explained}"
    );
    let frozen = ananke(&project, &["freeze", "kept/a/a.jsonl", "-o", "frozen"]);
    assert_eq!(frozen.status.code(), Some(0), "{}", stdout(&frozen));
    let text = fs::read_to_string(project.folder().join("frozen/a.test.yaml"))
        .or_else(|_| fs::read_to_string(project.folder().join("frozen")))
        .expect("a test");
    assert!(
        text.contains("Express") && !text.contains("Again") && !text.contains("if:"),
        "{text}"
    );
    let verified = ananke(
        &project,
        &["verify", "kept/a/a.jsonl", "--from", "recording"],
    );
    let printed = stdout(&verified);
    assert_eq!(verified.status.code(), Some(1), "{printed}");
    assert!(printed.contains("turn 2 has an `if`"), "{printed}");
}
