//! Shards: the tests of one project, run by several machines.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::normalise::{normalised, without_times};
use crate::support::project::Project;

const CONFIG: &str = "version: \"1.3\"\ntarget: { type: scripted, agentId: shop, rules: [{ when: { user: hi }, do: [{ say: hello }] }] }\n";

/// The tests of every project here: two files, the second with rows.
const TESTS: usize = 14;

/// A project of so many tests, each with `rule`.
fn project(rule: &str) -> Project {
    let mut first = "version: \"1.3\"\ntests:\n".to_owned();
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let _written = writeln!(
            first,
            "  - {{ name: {name}, turns: [{{ user: hi }}], assert: {{ {rule} }} }}"
        );
    }
    let second = format!(
        "version: \"1.3\"\nname: rows\ncases: [{{ X: 1 }}, {{ X: 2 }}, {{ X: 3 }}, {{ X: 4 }}, {{ X: 5 }}, {{ X: 6 }}]\nturns: [{{ user: \"hi ${{X}}\" }}]\nassert: {{ {rule} }}\n"
    );
    Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &first),
        ("shop/rows.test.yaml", &second),
    ])
}

const PASSES: &str = "text: { must_match: hello }";

fn with(project: &Project, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ananke"))
        .current_dir(project.folder())
        .env_clear()
        .envs(environment.iter().copied())
        .args(arguments)
        .output()
        .unwrap()
}

fn ananke(project: &Project, arguments: &[&str]) -> Output {
    with(project, arguments, &[])
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn report(project: &Project, file: &str) -> Value {
    let text = fs::read(project.folder().join(file)).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// The ids that a command lists, one on each line.
fn listed(project: &Project, arguments: &[&str], environment: &[(&str, &str)]) -> Vec<String> {
    let arguments = [&["run", "--dry-run"], arguments].concat();
    let output = with(project, &arguments, environment);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).lines().map(str::to_owned).collect()
}

/// The ids of each of `total` shards, which have every test once.
fn shards(
    project: &Project,
    total: usize,
    more: &[&str],
    environment: &[(&str, &str)],
) -> Vec<Vec<String>> {
    let of = |index| {
        let shard = format!("--shard={index}/{total}");
        listed(project, &[&[&*shard], more].concat(), environment)
    };
    let shards: Vec<Vec<String>> = (1..=total).map(of).collect();
    let mut all = shards.concat();
    all.sort();
    let mut expected = listed(project, &[], &[]);
    expected.sort();
    assert_eq!(all, expected);
    shards
}

#[test]
fn three_processes_run_every_test_once() {
    let project = project(PASSES);
    let mut ran = Vec::new();
    let mut files = BTreeSet::new();
    for index in 1..=3 {
        let shard = format!("{index}/3");
        let (json, junit) = (format!("{index}.json"), format!("{index}.xml"));
        let arguments = ["run", "--shard", &shard, "-o", &json, "-o", &junit];
        let output = ananke(&project, &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let part = report(&project, &json);
        let results = part["results"].as_array().unwrap();
        let note = format!(
            "note: shard {shard} has {} of the {TESTS} selected tests\n",
            results.len()
        );
        assert_eq!(stderr(&output), note);
        let mut of = part["run"]["shard"].clone();
        let places = of.as_object_mut().unwrap().shift_remove("places").unwrap();
        assert_eq!(places.as_array().unwrap().len(), results.len());
        let expected =
            serde_json::json!({ "index": index, "total": 3, "by": "count", "tests": TESTS });
        assert_eq!(of, expected);
        files.insert(part["run"]["files"].to_string());
        let ids: Vec<String> = results
            .iter()
            .map(|result| result["id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(ids, listed(&project, &["--shard", &shard], &[]));
        let text = fs::read_to_string(project.folder().join(&junit)).unwrap();
        let property = format!("<property name=\"shard\" value=\"{shard}\"/>");
        assert!(ids.is_empty() || text.contains(&property), "{text}");
        let list = ananke(&project, &["list", "--json", "--shard", &shard]);
        let list: Vec<Value> = serde_json::from_slice(&list.stdout).unwrap();
        assert_eq!(list.len(), ids.len());
        ran.extend(ids);
    }
    ran.sort();
    let mut all = listed(&project, &[], &[]);
    all.sort();
    assert_eq!((ran.len(), ran), (TESTS, all));
    // Every part has the hash of every file with selected tests.
    assert_eq!(files.len(), 1, "{files:?}");
    let files: Value = serde_json::from_str(files.first().unwrap()).unwrap();
    let names: Vec<&String> = files.as_object().unwrap().keys().collect();
    assert_eq!(names, ["a.test.yaml", "shop/rows.test.yaml"]);
}

#[test]
fn a_test_stays_in_its_shard_when_others_are_added() {
    let project = project(PASSES);
    let before = shards(&project, 4, &[], &[]);
    let more = format!(
        "version: \"1.3\"\nname: more\ncases: [{{ X: 1 }}, {{ X: 2 }}, {{ X: 3 }}]\nturns: [{{ user: \"hi ${{X}}\" }}]\nassert: {{ {PASSES} }}\n"
    );
    fs::write(project.folder().join("0.test.yaml"), more).unwrap();
    let after = shards(&project, 4, &[], &[]);
    for (before, after) in before.iter().zip(&after) {
        assert!(before.iter().all(|id| after.contains(id)));
    }
}

/// A line of the history: a run of the test `id` that passed.
fn remembered(run: usize, commit: &str, id: &str, ms: u64) -> String {
    format!(
        "{{\"run\":\"{run:015}\",\"commit\":\"{commit}\",\"id\":\"{id}\",\"status\":\"passed\",\"duration_ms\":{ms}}}\n"
    )
}

#[test]
fn time_splits_by_the_history_of_other_commits() {
    let project = project(PASSES);
    let ids = listed(&project, &[], &[]);
    let mut history = String::new();
    // The last two tests never ran: they count as the median.
    for (at, id) in ids.iter().enumerate().take(TESTS - 2) {
        let ms = if at == 0 {
            9000
        } else {
            1000 + 100 * at as u64
        };
        history += &remembered(1, "before", id, ms);
    }
    fs::create_dir_all(project.folder().join(".ananke")).unwrap();
    fs::write(project.folder().join(".ananke/history.jsonl"), &history).unwrap();
    let job = [("GITHUB_ACTIONS", "true"), ("GITHUB_SHA", "now")];
    let by_time = ["--shard-by", "time"];
    let before = shards(&project, 3, &by_time, &job);
    let longest = before.iter().find(|shard| shard.contains(&ids[0])).unwrap();
    assert_eq!(longest.len(), 1 + (TESTS - 1 - 12), "{before:?}");
    // The shards run one after the other, and each writes the history.
    for index in 1..=3 {
        let shard = format!("--shard={index}/3");
        let file = format!("{index}.json");
        let arguments = ["run", &shard, "--shard-by=time", "-o", &file];
        let output = with(&project, &arguments, &job);
        let note = format!(
            "note: shard {index}/3 has {} of the {TESTS} selected tests; the history has the times of {}\n",
            before[index - 1].len(),
            TESTS - 2
        );
        assert_eq!(stderr(&output), note);
        assert_eq!(report(&project, &file)["run"]["shard"]["by"], "time");
    }
    let written = fs::read_to_string(project.folder().join(".ananke/history.jsonl")).unwrap();
    assert_eq!(written.lines().count(), 2 * TESTS - 2);
    assert_eq!(shards(&project, 3, &by_time, &job), before);
}

#[test]
fn a_wrong_shard_is_wrong_usage_that_says_what_to_write() {
    let project = project(PASSES);
    let value = |text: &str| format!("error: invalid value '{text}' for '--shard[=<K/N>]': ");
    let expected = "expected `K/N`, as in `2/5` for the second of five shards";
    let environment = "`--shard` has no value, and the environment names no shard\nhelp: write `--shard K/N`, as in `--shard 2/5`, or set `CI_NODE_INDEX` (from 1) and `CI_NODE_TOTAL`, or `JOB_COMPLETION_INDEX` (from 0) and `ANANKE_SHARDS`\n";
    for (arguments, variables, message) in [
        (&["--shard", "3"][..], &[][..], value("3") + expected),
        (&["--shard=a/b"], &[], value("a/b") + expected),
        (&["--shard="], &[], value("") + expected),
        (
            &["--shard", "0/5"],
            &[],
            value("0/5") + "expected a shard from `1/5` to `5/5`",
        ),
        (
            &["--shard", "6/5"],
            &[],
            value("6/5") + "expected a shard from `1/5` to `5/5`",
        ),
        (
            &["--shard", "1/0"],
            &[],
            value("1/0") + "expected at least one shard, as in `1/1`",
        ),
        (&["--shard"], &[], format!("error: {environment}")),
        (&["--shard", "a/b"], &[], format!("error: {environment}")),
        (
            &["--shard", "shop/"],
            &[("CI_NODE_INDEX", "2")],
            "error: `--shard` without a value needs `CI_NODE_INDEX` and `CI_NODE_TOTAL`: `CI_NODE_INDEX` is `2`, and `CI_NODE_TOTAL` is not set\nhelp: set `CI_NODE_TOTAL`, or ".to_owned(),
        ),
        (
            &["--shard"],
            &[("CI_NODE_INDEX", "two"), ("CI_NODE_TOTAL", "5")],
            "error: `CI_NODE_INDEX` is `two`: expected a whole number from 1 to 5".to_owned(),
        ),
        (
            &["--shard-by", "time"],
            &[],
            "error: the following required arguments were not provided:\n  --shard".to_owned(),
        ),
    ] {
        for command in ["run", "list"] {
            let arguments = [&[command], arguments].concat();
            let output = with(&project, &arguments, variables);
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
            assert!(text.starts_with(&message), "{arguments:?}: {text}");
        }
    }
    let output = ananke(&project, &["run", "-i", "agents:shop", "--shard", "1/2"]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text.contains("\nhelp: write its cases with `--dry-run -o FILE.jsonl`"),
        "{text}"
    );
}

#[test]
fn the_environment_names_the_shard() {
    let project = project(PASSES);
    let second = listed(&project, &["--shard", "2/3", "shop"], &[]);
    assert!(!second.is_empty());
    for environment in [
        [("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "3")],
        [("JOB_COMPLETION_INDEX", "1"), ("ANANKE_SHARDS", "3")],
    ] {
        // The path is not its value.
        let found = listed(&project, &["--shard", "shop/"], &environment);
        assert_eq!(found, second);
    }
    // What is written wins.
    let environment = [("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "3")];
    let found = listed(&project, &["--shard", "2/3", "shop"], &environment);
    assert_eq!(found, second);
}

#[test]
fn an_empty_shard_passes_and_an_empty_selection_does_not() {
    let project = project(PASSES);
    let only = ["--id", "a.test.yaml::a"];
    let mut exits = BTreeSet::new();
    for index in 1..=3 {
        let shard = format!("--shard={index}/3");
        let arguments = [&["run", "-o", "part.json", &shard][..], &only].concat();
        let output = ananke(&project, &arguments);
        let part = report(&project, "part.json");
        let count = part["results"].as_array().unwrap().len();
        exits.insert((
            count,
            output.status.code(),
            stderr(&output).replace(&format!("{index}/3"), "K/3"),
        ));
        assert_eq!(part["run"]["shard"]["tests"], 1);
    }
    let expected = [
        (
            0,
            Some(0),
            "note: shard K/3 has none of the 1 selected test\n".to_owned(),
        ),
        (
            1,
            Some(0),
            "note: shard K/3 has 1 of the 1 selected test\n".to_owned(),
        ),
    ];
    assert_eq!(exits, expected.into());
    let none = ananke(&project, &["run", "--shard", "1/3", "--tag", "nothing"]);
    assert_eq!(none.status.code(), Some(1));
    let allowed = ["run", "--shard", "1/3", "--tag", "nothing", "--allow-empty"];
    let allowed = ananke(&project, &allowed);
    assert_eq!(
        (allowed.status.code(), stderr(&allowed)),
        (Some(0), String::new())
    );
    let quiet = ["run", "-q", "--shard", "1/1"];
    assert_eq!(stderr(&ananke(&project, &quiet)), "");
}

#[test]
fn snapshots_of_other_shards_are_not_obsolete() {
    let project = project("snapshot: true");
    for index in 1..=3 {
        let shard = format!("--shard={index}/3");
        let output = ananke(&project, &["run", &shard]);
        assert!(!stdout(&output).contains("obsolete"), "{}", stdout(&output));
    }
    let count = || {
        let folders = ["snapshots/a", "shop/snapshots/rows"];
        let files = |folder| fs::read_dir(project.folder().join(folder)).unwrap().count();
        folders.map(files)
    };
    assert_eq!(count(), [8, 6]);
    // The snapshots of a test that is gone are obsolete in every shard, and no others are.
    let text = fs::read_to_string(project.folder().join("a.test.yaml")).unwrap();
    let without: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("name: h,"))
        .collect();
    fs::write(
        project.folder().join("a.test.yaml"),
        without.join("\n") + "\n",
    )
    .unwrap();
    for index in 1..=3 {
        let shard = format!("--shard={index}/3");
        let text = stdout(&ananke(&project, &["run", &shard]));
        assert!(text.contains("1 obsolete"), "{text}");
    }
    let update = ["run", "--update-snapshots", "--shard", "1/3"];
    assert_eq!(ananke(&project, &update).status.code(), Some(0));
    assert_eq!(count(), [7, 6]);
    assert_eq!(
        stdout(&ananke(&project, &["check"])),
        format!("{} tests in 2 files: no errors\n", TESTS - 1)
    );
}

#[test]
fn what_a_shard_does_not_run_is_neither_removed_nor_forgotten() {
    let project = project("text: { must_match: nothing }");
    assert_eq!(
        ananke(&project, &["run", "-o", "all.json"]).status.code(),
        Some(1)
    );
    let failed = |project: &Project| {
        let json = report(project, ".ananke/last-run.json");
        json["failed"].as_array().unwrap().len()
    };
    assert_eq!(failed(&project), TESTS);
    let passing = fs::read_to_string(project.folder().join("a.test.yaml")).unwrap();
    let passing = passing.replace("must_match: nothing", "must_match: hello");
    fs::write(project.folder().join("a.test.yaml"), passing).unwrap();
    let output = ananke(
        &project,
        &["run", "--shard", "2/3", "--baseline", "all.json"],
    );
    let text = stdout(&output);
    assert!(!text.contains("removed"), "{text}");
    let fixed = listed(&project, &["--shard", "2/3", "a.test.yaml"], &[]).len();
    assert!(fixed > 0);
    assert_eq!(failed(&project), TESTS - fixed);
    // Only what failed, of this shard.
    let again = listed(&project, &["--shard", "2/3", "--last-failed"], &[]);
    assert_eq!(again, listed(&project, &["--shard", "2/3", "shop"], &[]));
}

#[test]
fn a_quarantine_entry_of_another_shard_is_used() {
    let project = project(PASSES);
    let config = format!(
        "{CONFIG}quarantine: [{{ test: \"a.test.yaml::a\", owner: shop, expires: \"2999-12-31\" }}]\n"
    );
    fs::write(project.folder().join("ananke.config.yaml"), config).unwrap();
    for index in 1..=3 {
        let shard = format!("--shard={index}/3");
        let text = stderr(&ananke(&project, &["run", &shard]));
        assert!(!text.contains("warning"), "{text}");
    }
}

#[test]
fn a_shard_in_which_every_test_waits_for_input_passes_if_others_have_tests() {
    let config = "version: \"1.3\"\ntarget: { type: scripted, agentId: shop, rules: [{ when: { user: ask }, do: [{ ask: \"Which?\" }] }, { do: [{ say: hello }] }] }\n";
    let test = |name: &str, user: &str| {
        format!(
            "version: \"1.3\"\nname: {name}\nturns: [{{ user: {user} }}]\non_missing_input: skip\nassert: {{ {PASSES} }}\n"
        )
    };
    let mut files = vec![("ananke.config.yaml".to_owned(), config.to_owned())];
    files.push(("waits.test.yaml".to_owned(), test("waits", "ask")));
    for name in ["a", "b", "c", "d", "e", "f"] {
        files.push((format!("{name}.test.yaml"), test(name, "hi")));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let project = Project::new(&files);
    assert_eq!(
        ananke(&project, &["run", "waits.test.yaml"]).status.code(),
        Some(1)
    );
    // In one of so many shards it is alone.
    let alone = (1..=40).find(|index| {
        let shard = format!("--shard={index}/40");
        listed(&project, &[&shard, "waits.test.yaml"], &[]).len() == 1
    });
    let shard = format!("--shard={}/40", alone.unwrap());
    assert_eq!(listed(&project, &[&shard], &[]).len(), 1);
    let output = ananke(&project, &["run", &shard]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).contains("1 skipped"), "{}", stdout(&output));
    // No other shard has a test.
    let output = ananke(&project, &["run", &shard, "waits.test.yaml"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
}

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
