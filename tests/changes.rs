//! Tests that are new, known or fixed: in a run after another one, and against a baseline.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::project::Project;

const CONFIG: &str = "version: \"1.3\"\ntarget: { type: scripted, rules: [{ when: { user: hi }, do: [{ say: hello }] }] }\n";

fn write(project: &Project, name: &str, passes: bool) {
    let says = if passes { "hello" } else { "good bye" };
    let test = format!(
        "version: \"1.0\"\nname: {name}\nturns: [{{ user: hi, assert: {{ text: {{ must_match: {says} }} }} }}]\n"
    );
    fs::write(project.folder().join(format!("{name}.test.yaml")), test).unwrap();
}

/// The changes of all tests by their names in a run with these arguments, those in its summary, and what it printed.
fn run(project: &Project, arguments: &[&str]) -> (Value, Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    let command = command.current_dir(project.folder()).env_clear();
    let ran = command
        .arg("run")
        .args(["-o", "report.json"])
        .args(arguments);
    let text = String::from_utf8(ran.output().unwrap().stdout).unwrap();
    let report = fs::read(project.folder().join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    let results = report["results"].as_array().unwrap().iter();
    let changed = results.filter_map(|result| {
        let name = result["name"].as_str().unwrap().to_owned();
        Some((name, result.get("change")?.clone()))
    });
    let changed = Value::Object(changed.collect());
    (changed, report["summary"]["changes"].clone(), text)
}

/// A project that was run once: `a` passed, `b` and `c` failed.
fn project() -> Project {
    let project = Project::new(&[("ananke.config.yaml", CONFIG)]);
    for (name, passes) in [("a", true), ("b", false), ("c", false)] {
        write(&project, name, passes);
    }
    let (changed, counts, text) = run(&project, &["-o", "first.json"]);
    assert_eq!((changed, counts), (json!({}), Value::Null), "{text}");
    assert!(!text.contains("new"), "nothing is known: {text}");
    project
}

#[test]
fn a_run_marks_what_changed_since_the_one_before() {
    let project = project();
    write(&project, "a", false);
    write(&project, "b", true);
    write(&project, "d", false);
    let (changed, counts, text) = run(&project, &[]);
    assert_eq!(
        changed,
        json!({ "a": "new", "b": "fixed", "c": "known", "d": "new" })
    );
    assert_eq!(counts, json!({ "new": 2, "known": 1, "fixed": 1 }));
    assert!(
        text.contains("\nchanges: 2 new, 1 known, 1 fixed\n"),
        "{text}"
    );
    assert!(text.contains("✓ b  fixed"), "{text}");

    // A run of some tests says nothing of the others.
    write(&project, "c", true);
    assert_eq!(run(&project, &["a"]).0, json!({ "a": "known" }));
    assert_eq!(
        run(&project, &[]).0,
        json!({ "a": "known", "c": "fixed", "d": "known" })
    );
}

#[test]
fn a_baseline_takes_the_place_of_the_history() {
    let project = project();
    write(&project, "a", false);
    write(&project, "b", true);
    run(&project, &[]);
    assert_eq!(run(&project, &[]).0, json!({ "a": "known", "c": "known" }));
    let (changed, ..) = run(&project, &["--baseline", "first.json"]);
    assert_eq!(changed, json!({ "a": "new", "b": "fixed", "c": "known" }));
}

#[test]
fn a_replay_has_no_history_and_a_baseline_all_the_same() {
    let project = project();
    run(&project, &["--record", "kept"]);
    assert_eq!(run(&project, &["--replay", "kept"]).0, json!({}));
    let (changed, ..) = run(&project, &["--replay", "kept", "--baseline", "first.json"]);
    assert_eq!(changed, json!({ "b": "known", "c": "known" }));
}
