//! The tests of a project, listed and run for a client.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Rpc, error};

const CONFIG: &str =
    "version: \"1.4\"\ntarget: { type: scripted, rules: [{ do: [{ say: Hello }] }] }\n";

fn test_that(expects: &str) -> String {
    format!(
        "version: \"1.4\"\nname: greets\ntags: [smoke]\nturns:\n  - user: Hi\n    assert: {{ text: {{ must_match: {expects} }} }}\n"
    )
}

fn project(files: &[(&str, &str)]) -> (TempDir, Rpc) {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let rpc = Rpc::start_in(folder.path());
    (folder, rpc)
}

/// The results of `tests/run`, and its answer.
fn run(rpc: &mut Rpc, params: Value) -> (Vec<Value>, Result<Value, Value>) {
    let id = rpc.request("tests/run", params);
    let mut results = Vec::new();
    loop {
        let mut line = rpc.next();
        if line["method"] == "test/result" {
            assert_eq!(line["params"]["request"], id);
            results.push(line["params"].take());
            continue;
        }
        assert_eq!(line["id"], id);
        let answer = match line.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(line["result"].take()),
        };
        return (results, answer);
    }
}

#[test]
fn tests_are_listed_with_their_places_and_run_with_their_reports() {
    let (folder, mut rpc) = project(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &test_that("Hello")),
        ("b.test.yaml", &test_that("Goodbye")),
    ]);
    let listed = rpc.call("tests/list", json!({})).unwrap();
    assert_eq!(listed["problems"], json!([]));
    let ids: Vec<&Value> = listed["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| &test["id"])
        .collect();
    assert_eq!(ids, ["a.test.yaml::greets", "b.test.yaml::greets"]);
    let first = &listed["tests"][0];
    assert_eq!(
        (&first["file"], &first["line"], &first["tags"]),
        (&json!("a.test.yaml"), &json!(2), &json!(["smoke"]))
    );
    let path = fs::canonicalize(first["path"].as_str().unwrap()).unwrap();
    assert_eq!(
        path,
        fs::canonicalize(folder.path().join("a.test.yaml")).unwrap()
    );
    let of_file = rpc
        .call(
            "tests/list",
            json!({ "tests": ["b.test.yaml"], "tags": ["smoke"] }),
        )
        .unwrap();
    assert_eq!(of_file["tests"].as_array().unwrap().len(), 1);

    let (results, answer) = run(&mut rpc, json!({}));
    let statuses: Vec<&Value> = results
        .iter()
        .map(|result| &result["result"]["status"])
        .collect();
    assert_eq!(statuses, ["passed", "failed"]);
    let summary = &answer.unwrap()["summary"];
    assert_eq!(
        (
            &summary["passed"],
            &summary["failed"],
            &summary["exit_code"]
        ),
        (&json!(1), &json!(1), &json!(1))
    );
    let text = results[1]["text"].as_str().unwrap();
    assert!(
        text.contains("b.test.yaml") && text.contains("Goodbye") && text.contains("Hello"),
        "{text}"
    );
    let finding = &results[1]["result"]["turns"][0]["assertions"][0];
    assert_eq!(
        (&finding["type"], &finding["line"]),
        (&json!("text.must_match"), &json!(6))
    );

    let (results, answer) = run(&mut rpc, json!({ "ids": ["a.test.yaml::greets"] }));
    assert_eq!(results.len(), 1);
    assert_eq!(answer.unwrap()["summary"]["exit_code"], 0);
}

/// The ids of the tests that are listed.
fn ids(listed: &Value) -> Vec<&str> {
    let tests = listed["tests"].as_array().unwrap().iter();
    tests.map(|test| test["id"].as_str().unwrap()).collect()
}

#[test]
fn a_mistake_is_listed_with_its_place_and_nothing_runs() {
    let (_folder, mut rpc) = project(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &test_that("Hello")),
        (
            "b.test.yaml",
            "version: \"1.4\"\nname: b\nturns:\n  - user: Hi\n    asert: {}\n",
        ),
    ]);
    let listed = rpc.call("tests/list", json!({})).unwrap();
    assert_eq!(ids(&listed), ["a.test.yaml::greets"]);
    let problem = &listed["problems"][0];
    assert_eq!(
        (
            &problem["severity"],
            &problem["code"],
            &problem["file"],
            &problem["line"],
            &problem["column"]
        ),
        (
            &json!("error"),
            &json!("unknown-key"),
            &json!("b.test.yaml"),
            &json!(5),
            &json!(5)
        )
    );
    let text = problem["text"].as_str().unwrap();
    assert!(
        text.contains("--> b.test.yaml:5:5") && text.contains("did you mean `assert`?"),
        "{text}"
    );
    let (results, answer) = run(&mut rpc, json!({}));
    assert_eq!(results.len(), 0);
    let (code, message) = error(answer);
    assert_eq!(code, -32602);
    assert!(message.contains("--> b.test.yaml:5:5"), "{message}");
    // Another file is not touched by it.
    let (results, _) = run(&mut rpc, json!({ "tests": ["a.test.yaml"] }));
    assert_eq!(results.len(), 1);
}

#[test]
fn keys_that_do_not_go_together_are_errors() {
    let (_folder, mut rpc) = project(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &test_that("Hello")),
    ]);
    for (params, expected) in [
        (
            json!({ "record": "a", "replay": "b" }),
            "`record` and `replay` do not go together",
        ),
        (
            json!({ "replay": "nowhere" }),
            "`replay`: there is no directory `nowhere`",
        ),
        (json!({ "parallel": 0 }), "`parallel` must be at least 1"),
        (json!({ "filter": "tag(" }), "`filter`: "),
        (json!({ "target": "nobody" }), "nobody"),
        (
            json!({ "tests": ["zz.test.yaml"] }),
            "`zz.test.yaml` cannot be read: there is no such file",
        ),
        (json!({ "config": "other.yaml" }), "other.yaml"),
    ] {
        let (results, answer) = run(&mut rpc, params.clone());
        let (code, message) = error(answer);
        assert_eq!((code, results.len()), (-32602, 0), "{params}: {message}");
        assert!(message.contains(expected), "{params}: {message}");
    }
}

#[test]
fn tests_are_recorded_and_replayed() {
    let (folder, mut rpc) = project(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &test_that("Hello")),
    ]);
    let (results, _) = run(&mut rpc, json!({ "record": "kept" }));
    assert_eq!(results[0]["result"]["status"], "passed");
    assert!(folder.path().join("kept").is_dir());
    let (results, _) = run(&mut rpc, json!({ "replay": "kept" }));
    assert_eq!(results[0]["result"]["status"], "passed");
}

/// A config whose `setup` and `teardown` note that they ran.
#[cfg(unix)]
fn with_setup(folder: &Path) -> String {
    let note = folder.join("notes");
    let hook = |word: &str| {
        format!(
            "[{{ cmd: [/bin/sh, -c, 'echo {word} >> {}'] }}]",
            note.display()
        )
    };
    format!(
        "{CONFIG}setup: {}\nteardown: {}\n",
        hook("up"),
        hook("down")
    )
}

#[cfg(unix)]
#[test]
fn setup_runs_once_and_teardown_at_the_end() {
    let (folder, mut rpc) = project(&[("a.test.yaml", &test_that("Hello"))]);
    fs::write(
        folder.path().join("ananke.config.yaml"),
        with_setup(folder.path()),
    )
    .unwrap();
    let notes = || fs::read_to_string(folder.path().join("notes")).unwrap_or_default();
    rpc.call("tests/list", json!({})).unwrap();
    assert_eq!(notes(), "", "listing starts nothing");
    for _ in 0..2 {
        let (_, answer) = run(&mut rpc, json!({}));
        assert_eq!(answer.unwrap()["summary"]["exit_code"], 0);
    }
    assert_eq!(notes(), "up\n");
    assert_eq!(rpc.call("tests/end", json!({})).unwrap(), json!({}));
    assert_eq!(notes(), "up\ndown\n");
    let (_, answer) = run(&mut rpc, json!({}));
    assert!(answer.is_ok());
    assert_eq!(rpc.end().code(), Some(0));
    assert_eq!(notes(), "up\ndown\nup\ndown\n");
}

#[cfg(unix)]
#[test]
fn a_setup_that_fails_is_the_error_of_the_run() {
    let config = format!("{CONFIG}setup: [{{ cmd: [/bin/sh, -c, 'echo broken >&2; exit 3'] }}]\n");
    let (_folder, mut rpc) = project(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &test_that("Hello")),
    ]);
    let (results, answer) = run(&mut rpc, json!({}));
    let (code, message) = error(answer);
    assert_eq!((code, results.len()), (-32005, 0));
    assert!(
        message.contains("ananke.config.yaml:3:") && message.ends_with("broken"),
        "{message}"
    );
}

#[test]
fn tests_that_run_are_cancelled() {
    let config = "version: \"1.4\"\ntarget: { type: command, cmd: [sleep, '1000'] }\n";
    let (_folder, mut rpc) = project(&[
        ("ananke.config.yaml", config),
        ("a.test.yaml", &test_that("Hello")),
    ]);
    let id = rpc.request("tests/run", json!({}));
    // The request is taken in the order of the lines.
    let cancel = loop {
        let cancel = rpc.request("tests/cancel", json!({}));
        let line = rpc.next();
        if line["id"] == id || line["method"] == "test/result" {
            break cancel;
        }
        assert_eq!(line["id"], cancel);
    };
    let _ = cancel;
    let mut code = None;
    while code.is_none() {
        let line = rpc.next();
        code = line["error"]["code"].as_i64();
    }
    assert_eq!(code, Some(-32800));
}
