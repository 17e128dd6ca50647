//! The reports of shards, merged into that of one run.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::{PASSES, ananke, project, report, stderr, stdout};
use crate::support::normalise::{normalised, without_times};
use crate::support::project::Project;

/// A project of 1,000 tests with every verdict: failed, flaky, in quarantine, skipped, not shown, several runs, snapshots. Its
/// config has every report written.
fn with_every_verdict() -> Project {
    const CONFIG: &str = r#"version: "1.4"
targets:
  agent:
    type: scripted
    agentId: shop
    rules:
      - when: { user: "bad|attempt 1$" }
        do: [{ call: { tool: pay, args: { amount: 5 }, result: { ok: false }, delay_ms: 40 } }, { say: "No.\nSorry" }]
      - when: { user: "breaks" }
        do: [{ error: { message: "model unavailable", code: E42 } }]
      - do: [{ call: { tool: pay, args: { amount: 5, to: [a, b] }, result: "{\"ok\": true}", delay_ms: 3 } }, { say: "Done" }]
  vague: { type: command, cmd: [/bin/sh, vague.sh], agentId: vague }
target: agent
quarantine: [{ test: "f3.test.yaml::*", owner: shop, expires: 2999-12-31, reason: "known" }]
run: { retries: 1 }
reports: [out.xml, out.html, out.json, out.jsonl, out.md, out.tap]
"#;
    const VAGUE: &str = r#"read -r _
echo '{"type":"RUN_STARTED","threadId":"t","runId":"r"}'
echo '{"type":"TOOL_CALL_LIKE_THIS","toolCallName":"delete","args":{"user":1}}'
echo '{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
"#;
    const COUNT: &str = "count=$(cat \"$1\" 2>/dev/null || echo 0)\ncount=$((count + 1))\necho $count >\"$1\"\necho \"{ \\\"ATTEMPT\\\": $count }\"\n";
    let mut files = vec![
        ("ananke.config.yaml".to_owned(), CONFIG.to_owned()),
        ("vague.sh".to_owned(), VAGUE.to_owned()),
        ("count.sh".to_owned(), COUNT.to_owned()),
    ];
    for file in 0..10 {
        let mut text = "version: \"1.4\"\ntests:\n".to_owned();
        for test in 0..100 {
            let more = match (file * 100 + test) % 50 {
                0 => "turns: [{ user: bad }], assert: { text: { must_match: Done } }",
                1 => "skip: \"not now\", turns: [{ user: hi }]",
                2 => "turns: [{ user: breaks }]",
                3 if test < 50 => {
                    "target: vague, turns: [{ user: hi }], assert: { tools: { forbid: [delete] } }"
                }
                4 => "runs: 3, turns: [{ user: hi }], assert: { tools: { require: [pay] } }",
                5 => "turns: [{ user: hi }], assert: { snapshot: true }",
                6 => {
                    "turns: [{ user: bad }, { user: hi }], assert: { tools: { require: [{ name: pay, args: { amount: 6 } }] } }"
                }
                _ => "turns: [{ user: hi }], assert: { text: { must_match: Done } }",
            };
            let flaky = format!(
                "hooks: [{{ cmd: [/bin/sh, count.sh, \"{file}-{test}.count\"] }}], turns: [{{ user: \"hi, attempt ${{ATTEMPT}}\" }}], assert: {{ text: {{ must_match: Done }} }}"
            );
            let more = if test == 97 { &flaky } else { more };
            let _written = writeln!(text, "  - {{ name: \"test {test}\", {more} }}");
        }
        files.push((format!("f{file}.test.yaml"), text));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    Project::new(&files)
}

/// The reports of a project, without what differs from run to run.
fn reports(project: &Project) -> Vec<(&'static str, String)> {
    let read = |file| {
        let text = fs::read_to_string(project.folder().join(file)).unwrap();
        let text = without_times(&normalised(&text, project.folder()));
        (file, without_slowest(text))
    };
    let files = [
        "out.xml",
        "out.html",
        "out.json",
        "out.jsonl",
        "out.md",
        "out.tap",
    ];
    files.map(read).to_vec()
}

/// The Markdown without its list of the slowest tests: two runs do not have the same.
fn without_slowest(mut text: String) -> String {
    if let Some(begin) = text.find("<details><summary>slowest") {
        let end = text[begin..]
            .find("</details>")
            .expect("the end of the list");
        text.replace_range(begin..begin + end, "");
    }
    text
}

#[test]
fn seven_shards_of_a_thousand_tests_are_one_run() {
    let whole = with_every_verdict();
    let output = ananke(&whole, &["run", "-q"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let project = with_every_verdict();
    for index in 1..=7 {
        let shard = format!("--shard={index}/7");
        let part = format!("part-{index}.json");
        ananke(&project, &["run", "-q", &shard, "-o", &part]);
        // Each machine has a directory of its own.
        fs::remove_dir_all(project.folder().join(".ananke")).unwrap();
    }
    let parts: Vec<String> = (1..=7).map(|index| format!("part-{index}.json")).collect();
    let outputs = [
        "out.xml",
        "out.html",
        "out.json",
        "out.jsonl",
        "out.md",
        "out.tap",
    ];
    let mut arguments = vec!["report", "-q", "--force"];
    arguments.extend(parts.iter().map(String::as_str));
    arguments.extend(outputs.iter().flat_map(|file| ["-o", file]));
    let merged = ananke(&project, &arguments);
    assert_eq!(merged.status.code(), Some(1), "{}", stderr(&merged));
    // A run of one machine is kept there.
    let printed = [&output, &merged].map(|output| {
        let text = without_times(&normalised(&stdout(output), whole.folder()));
        text.replace(" · in full: ananke show 1", "")
    });
    assert!(
        printed[0] == printed[1],
        "{}",
        first_difference(&printed[0], &printed[1])
    );
    for ((file, one), (_, other)) in reports(&whole).iter().zip(reports(&project)) {
        assert!(*one == other, "{file}: {}", first_difference(one, &other));
    }
    let summary = &report(&project, "out.json")["summary"];
    for key in [
        "failed",
        "error",
        "skipped",
        "flaky",
        "quarantined",
        "not_shown",
    ] {
        assert!(summary[key].as_u64() > Some(0), "{key}: {summary}");
    }
    assert_eq!(summary["total"], 1000);
    // It is the same whatever part is named first.
    let mut turned = vec!["report", "-q"];
    turned.extend(parts.iter().rev().map(String::as_str));
    turned.extend(["-o", "turned.json"]);
    ananke(&project, &turned);
    let [one, other] = ["out.json", "turned.json"].map(|file| report(&project, file));
    assert_eq!(one, other);
    // The merged report is one that can be rendered again, to the same bytes; it says which version made it.
    let path = project.folder().join("out.json");
    let text = fs::read_to_string(&path).unwrap();
    let of = |version: &str| format!("\"ananke\":\"{version}\"");
    let older = text.replacen(&of(env!("CARGO_PKG_VERSION")), &of("0.0.7"), 1);
    fs::write(project.folder().join("older.json"), older).unwrap();
    ananke(&project, &["report", "-q", "older.json", "-o", "older.md"]);
    let older = fs::read_to_string(project.folder().join("older.md")).unwrap();
    assert!(older.contains("ananke `0.0.7`"), "{older}");
    let again = ananke(
        &project,
        &[
            "report",
            "-q",
            "out.json",
            "-o",
            "again.jsonl",
            "-o",
            "again.html",
        ],
    );
    assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
    for (one, other) in [("out.jsonl", "again.jsonl"), ("out.html", "again.html")] {
        let [one, other] =
            [one, other].map(|file| fs::read_to_string(project.folder().join(file)).unwrap());
        assert!(one == other, "{}", first_difference(&one, &other));
    }
}

/// The first lines that differ.
fn first_difference(one: &str, other: &str) -> String {
    let at = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(left, right)| left == right)
        .count();
    let around = |text: &str| {
        let (from, to) = (
            text.floor_char_boundary(at.saturating_sub(150)),
            text.floor_char_boundary(at + 150),
        );
        text[from..to].to_owned()
    };
    format!("{}\n----\n{}", around(one), around(other))
}

#[test]
fn parts_that_are_not_one_run_are_refused_with_what_is_wrong() {
    let project = project(PASSES);
    let part = |index: usize, total: usize| {
        let (shard, file) = (
            format!("--shard={index}/{total}"),
            format!("{index}-of-{total}.json"),
        );
        let output = ananke(&project, &["run", "-q", &shard, "-o", &file]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    };
    (1..=3).for_each(|index| part(index, 3));
    part(1, 2);
    ananke(&project, &["run", "-q", "-o", "whole.json"]);
    let text = fs::read_to_string(project.folder().join("2-of-3.json")).unwrap();
    let write = |file: &str, text: &str| fs::write(project.folder().join(file), text).unwrap();
    write("copy.json", &text);
    write("cut.json", &text[..text.len() / 2]);
    let mut other: Value = serde_json::from_str(&text).unwrap();
    other["run"]["files"]["a.test.yaml"] = "0".into();
    write("other.json", &other.to_string());
    // A test that no machine ran, since they knew other durations.
    let mut without = other.clone();
    without["run"]["files"] = serde_json::from_str::<Value>(&text).unwrap()["run"]["files"].clone();
    without["results"].as_array_mut().unwrap().pop();
    without["run"]["shard"]["places"]
        .as_array_mut()
        .unwrap()
        .pop();
    without["summary"]["total"] = without["results"].as_array().unwrap().len().into();
    write("without.json", &without.to_string());
    let mut fewer: Value = serde_json::from_str(&text).unwrap();
    fewer["results"].as_array_mut().unwrap().pop();
    let total = fewer["results"].as_array().unwrap().len();
    fewer["summary"]["total"] = total.into();
    write("fewer.json", &fewer.to_string());
    let all = ["1-of-3.json", "2-of-3.json", "3-of-3.json"];
    assert_eq!(
        ananke(&project, &[&["report"], &all[..]].concat())
            .status
            .code(),
        Some(0)
    );
    let refused = |files: &[&str], expected: &str| {
        let output = ananke(&project, &[&["report"], files, &["-o", "m.xml"]].concat());
        assert_eq!(output.status.code(), Some(1), "{files:?}");
        let message = stderr(&output);
        assert!(message.contains(expected), "{files:?}: {message}");
        assert!(!project.folder().join("m.xml").exists(), "{files:?}");
    };
    refused(&all[..2], "error[bad-report]: shard 3/3 is missing");
    refused(
        &all[..1],
        "error[bad-report]: shards 2/3 and 3/3 are missing",
    );
    refused(
        &[all[0], all[1], all[2], "copy.json"],
        "`2-of-3.json` and `copy.json` are both shard 2/3",
    );
    refused(
        &[all[0], "other.json", all[2]],
        "`a.test.yaml` is another file in `other.json` than in `1-of-3.json`",
    );
    refused(
        &[all[0], "1-of-2.json"],
        "`1-of-3.json` is shard 1/3 and `1-of-2.json` is shard 1/2",
    );
    refused(
        &[all[0], "whole.json"],
        "`whole.json` is not the report of a shard",
    );
    refused(
        &[all[0], "cut.json"],
        "the report ends in the middle of a value",
    );
    refused(&["absent.json", "cut.json"], "2 errors");
    refused(&[all[0], "fewer.json", all[2]], "tests of shard 2/3");
    refused(
        &[all[0], "without.json", all[2]],
        "these shards do not have each of the 14 tests once",
    );
}
