//! What a project keeps about its last runs, tested from outside.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use ananke::report::history::{LastVerdicts, Unknown};

use crate::support::project::Project;

const CONFIG: &str = "version: \"1.3\"\ntarget: { type: scripted, rules: [{ when: { user: hi }, do: [{ say: hello }] }] }\n";

/// A test that passes or fails.
fn test(name: &str, passes: bool) -> String {
    let text = if passes { "hello" } else { "good bye" };
    format!(
        "version: \"1.0\"\nname: {name}\nturns: [{{ user: hi, assert: {{ text: {{ must_match: {text} }} }} }}]\n"
    )
}

/// Two tests that fail and one that passes.
fn project() -> Project {
    let [a, b, c] =
        [("a", false), ("b", true), ("c", false)].map(|(name, passes)| test(name, passes));
    Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &a),
        ("b.test.yaml", &b),
        ("c.test.yaml", &c),
    ])
}

fn write(project: &Project, name: &str, passes: bool) {
    fs::write(
        project.folder().join(format!("{name}.test.yaml")),
        test(name, passes),
    )
    .unwrap();
}

fn run(project: &Project, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .current_dir(project.folder())
        .env_clear()
        .arg("run")
        .args(arguments)
        .output()
        .unwrap()
}

/// The ids of the tests that did not pass, as the project keeps them.
fn failed(project: &Project) -> Vec<String> {
    LastVerdicts::known(project.folder()).failed_without(|_| false)
}

/// The ids that `--last-failed` would run, with further arguments.
fn would_run(project: &Project, arguments: &[&str]) -> Vec<String> {
    let output = run(
        project,
        &[&["--last-failed", "--dry-run"], arguments].concat(),
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_failed_is_remembered_until_it_passes() {
    let project = project();
    assert_eq!(run(&project, &[]).status.code(), Some(1));
    assert_eq!(failed(&project), ["a.test.yaml::a", "c.test.yaml::c"]);
    assert_eq!(
        would_run(&project, &[]),
        ["a.test.yaml::a", "c.test.yaml::c"]
    );
    assert_eq!(would_run(&project, &["c.test.yaml"]), ["c.test.yaml::c"]);

    write(&project, "a", true);
    assert_eq!(run(&project, &["--last-failed"]).status.code(), Some(1));
    assert_eq!(failed(&project), ["c.test.yaml::c"]);

    write(&project, "c", true);
    write(&project, "b", false);
    assert_eq!(run(&project, &["--last-failed"]).status.code(), Some(0));
    assert!(
        failed(&project).is_empty(),
        "b did not run, and passed when it ran"
    );
    let nothing = run(&project, &["--last-failed"]);
    assert_eq!(nothing.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&nothing.stderr),
        "note: no test failed last time: nothing to run\n"
    );
}

#[test]
fn a_failed_test_that_is_gone_fails_one_run_of_what_failed() {
    let project = project();
    run(&project, &[]);
    fs::remove_file(project.folder().join("c.test.yaml")).unwrap();
    write(&project, "a", true);
    let gone =
        "error: `c.test.yaml::c` failed last time and is in no file of the config any more\n";

    // A dry run names it, and runs nothing that could end its naming.
    let output = run(&project, &["--last-failed", "--dry-run"]);
    assert!(String::from_utf8_lossy(&output.stderr).starts_with(gone));
    assert_eq!(output.status.code(), Some(0));

    let output = run(&project, &["--last-failed", "--json", "b.test.yaml"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.starts_with(gone) && !stderr.contains("no test failed"),
        "{stderr}"
    );
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["gone"], serde_json::json!(["c.test.yaml::c"]));
    assert_eq!(json["exit_code"], 1);
    assert_eq!(json["reason"], "1 test that failed is in no file any more");

    assert_eq!(failed(&project), ["a.test.yaml::a"], "it was named");
    let output = run(&project, &["--last-failed"]);
    assert!(output.stderr.is_empty());
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_failed_test_in_a_file_that_is_not_selected_or_cannot_be_loaded_is_not_gone() {
    let project = project();
    run(&project, &[]);
    let output = run(&project, &["--last-failed", "a.test.yaml"]);
    assert!(output.stderr.is_empty());
    fs::write(project.folder().join("c.test.yaml"), "version: [").unwrap();
    let output = run(&project, &["--last-failed", "a.test.yaml"]);
    assert!(output.stderr.is_empty());
    assert_eq!(failed(&project), ["a.test.yaml::a", "c.test.yaml::c"]);
    // A message is in no file from the beginning.
    run(&project, &["-i", "good bye"]);
    assert_eq!(failed(&project), ["a.test.yaml::a", "c.test.yaml::c"]);
}

#[test]
fn an_entry_that_is_no_id_is_named() {
    let project = project();
    run(&project, &["b.test.yaml"]);
    let history = project.folder().join(".ananke/history.jsonl");
    let entry = |id: &str| format!("{{\"run\":\"1\",\"id\":{id},\"status\":\"failed\"}}\n");
    let kept = fs::read_to_string(&history).unwrap() + &entry("[\"a\"]") + &entry("5");
    fs::write(history, kept).unwrap();
    let output = run(&project, &["--last-failed"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.starts_with("error: `5` failed last time")
            && stderr.contains("\nerror: `[\"a\"]` failed last time"),
        "{stderr}"
    );
    assert_eq!(output.status.code(), Some(1));
    let output = run(&project, &["--last-failed"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_test_that_did_not_run_keeps_its_last_verdict() {
    let project = project();
    run(&project, &[]);
    write(&project, "b", false);
    // The run stops at `a`, so that `b` and `c` are skipped.
    run(&project, &["--fail-fast"]);
    assert_eq!(failed(&project), ["a.test.yaml::a", "c.test.yaml::c"]);
    run(&project, &["b.test.yaml"]);
    assert_eq!(
        failed(&project),
        ["a.test.yaml::a", "b.test.yaml::b", "c.test.yaml::c"]
    );
}

#[test]
fn a_test_that_is_gone_is_forgotten_by_a_run_of_everything() {
    let project = project();
    run(&project, &[]);
    fs::remove_file(project.folder().join("c.test.yaml")).unwrap();
    run(&project, &["b.test.yaml"]);
    assert_eq!(
        failed(&project),
        ["a.test.yaml::a", "c.test.yaml::c"],
        "of a part of the tests nobody knows"
    );
    run(&project, &["--filter", "a"]);
    assert_eq!(failed(&project), ["a.test.yaml::a", "c.test.yaml::c"]);
    run(&project, &[]);
    assert_eq!(failed(&project), ["a.test.yaml::a"]);
}

#[test]
fn a_memory_that_cannot_be_kept_is_a_warning_and_no_more() {
    let project = project();
    let place = project.folder().join(".ananke");
    fs::write(&place, "somebody else's").unwrap();
    let output = run(&project, &["b.test.yaml"]);
    let warning = "warning: `.ananke` is not a directory: nothing of this run is kept, and the next `--last-failed` runs every test\n\
                   help: remove or rename it: ananke creates a directory with this name\n";
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), printed.as_str()), (Some(0), warning));
    assert_eq!(fs::read_to_string(&place).unwrap(), "somebody else's");
    let output = run(&project, &["--last-failed", "b.test.yaml"]);
    let note = "note: no earlier run is on record: every selected test runs\n";
    assert_eq!(
        (
            output.status.code(),
            &*String::from_utf8_lossy(&output.stderr)
        ),
        (Some(0), format!("{note}{warning}").as_str())
    );
}

#[cfg(unix)]
#[test]
fn what_could_not_be_remembered_is_unknown_and_every_test_runs() {
    let project = project();
    write(&project, "a", true);
    write(&project, "c", true);
    run(&project, &[]);
    write(&project, "c", false);
    // A file may have no byte: a disk that is full.
    let program = env!("CARGO_BIN_EXE_ananke");
    let script = format!("trap '' XFSZ; ulimit -f 0; exec {program} run 2>&1");
    let full = Command::new("sh")
        .current_dir(project.folder())
        .args(["-c", &script])
        .output()
        .unwrap();
    assert_eq!(full.status.code(), Some(1), "{full:?}");
    let printed = String::from_utf8_lossy(&full.stdout);
    assert!(
        printed.contains("warning: `.ananke/history.jsonl` cannot be written"),
        "{printed}"
    );
    let lost = "warning: an earlier run could not write what came of its tests: every selected test runs\n";
    // A run of some tests leaves the others unknown.
    for (arguments, code) in [
        (&["--last-failed", "a.test.yaml"][..], 0),
        (&["--last-failed"], 1),
    ] {
        let output = run(&project, arguments);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), &*printed),
            (Some(code), lost),
            "{arguments:?}"
        );
    }
    let output = run(&project, &[]);
    assert_eq!(
        (output.status.code(), failed(&project)),
        (Some(1), vec!["c.test.yaml::c".to_owned()])
    );
    let output = run(&project, &["--last-failed"]);
    assert_eq!(
        (output.status.code(), &*output.stderr),
        (Some(1), &b""[..]),
        "it is known again"
    );
}

#[test]
fn what_an_earlier_build_left_is_ignored_with_one_note() {
    let project = project();
    let own = project.folder().join(".ananke");
    fs::create_dir(&own).unwrap();
    let left = r#"{"version":"1.0","failed":[]}"#;
    fs::write(own.join("last-run.json"), left).unwrap();
    assert_eq!(
        LastVerdicts::read(project.folder()),
        Err(Unknown::EarlierBuild)
    );
    let output = run(&project, &["--last-failed"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "note: only an earlier build of ananke ran these tests, and what it remembered is not read: every selected test runs\n"
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(run(&project, &["--last-failed"]).stderr.is_empty());
    let after = fs::read_to_string(own.join("last-run.json")).unwrap();
    assert_eq!(after, left, "it is not touched");
}

#[test]
fn a_replay_is_remembered_for_what_failed_and_not_for_what_changed() {
    let project = project();
    let history = || fs::read_to_string(project.folder().join(".ananke/history.jsonl")).unwrap();
    run(&project, &["--record", "kept", "b.test.yaml"]);
    write(&project, "b", false);
    let replayed = run(&project, &["--replay", "kept", "b.test.yaml"]);
    assert_eq!(replayed.status.code(), Some(1));
    assert_eq!(would_run(&project, &[]), ["b.test.yaml::b"]);
    let marked = history().matches("\"kind\":\"replay\"").count();
    assert_eq!(marked, 2, "the beginning and the test: {}", history());
    // Against the last run of the agent, which passed.
    let live = run(&project, &["b.test.yaml"]);
    let text = String::from_utf8_lossy(&live.stdout).into_owned();
    assert!(text.contains("\nchanges: 1 new\n"), "{text}");
}

#[test]
fn a_file_that_grows_is_cut_when_a_run_begins_and_forgets_no_failed_test() {
    let project = project();
    run(&project, &["a.test.yaml"]);
    let path = project.folder().join(".ananke/history.jsonl");
    let mut history = fs::read_to_string(&path).unwrap();
    for run in 0..80 {
        let id = "b.test.yaml::b";
        let _ = writeln!(
            history,
            "{{\"began\":\"{run}\",\"selected\":[\"{id}\"]}}\n\
             {{\"run\":\"{run}\",\"id\":\"{id}\",\"status\":\"passed\"}}\n{{\"ended\":\"{run}\"}}"
        );
    }
    fs::write(&path, history).unwrap();
    run(&project, &["b.test.yaml"]);
    let history = fs::read_to_string(&path).unwrap();
    assert_eq!(history.matches("{\"began\":").count(), 50 + 1);
    assert_eq!(would_run(&project, &[]), ["a.test.yaml::a"]);
}

#[test]
fn the_folder_ignores_itself_and_is_no_place_for_tests() {
    let project = project();
    run(&project, &[]);
    let folder = project.folder().join(".ananke");
    let ignored = fs::read_to_string(folder.join(".gitignore")).unwrap();
    assert!(ignored.lines().any(|line| line == "*"), "{ignored}");
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [".gitignore", "history.jsonl", "history.lock"],
        "nothing in the making is left"
    );
    fs::write(folder.join("d.test.yaml"), test("d", true)).unwrap();
    let output = run(&project, &["--dry-run"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 3);
}
