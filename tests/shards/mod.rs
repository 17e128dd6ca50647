//! Shards: the tests of one project, run by several machines.

mod merged;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Output};

use ananke::report::history::LastVerdicts;
use serde_json::Value;

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
    let results = written.lines().filter(|line| line.contains("\"id\":"));
    assert_eq!(results.count(), 2 * TESTS - 2);
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
        let known = LastVerdicts::known(project.folder());
        known.failed_without(|_| false).len()
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
