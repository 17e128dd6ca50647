//! Tests that a command names by places, ids and names, and the order in which files run.

use std::collections::BTreeSet;
use std::process::{Command, Output};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::support::project::Project;

const CONFIG: &str = "version: \"1.4\"\n\
    target: { type: scripted, rules: [{ do: [{ say: Hello }] }] }\n";

const MANY: &str = r#"version: "1.4"
# Tests about greetings.
tests:
  - name: greets
    tags: [smoke]
    turns:
      - user: |
          # Hi

          there
        assert: { text: { contains: Bye } }

  # A test about the end.
  - name: says bye
    turns:
      - user: Bye
        assert: { text: { contains: Hello } }
  - name: counts
    cases:
      - { id: one, n: 1 }
      # The second row.
      - id: two
        n: 2
    turns:
      - user: "${n}"
        assert: { text: { contains: Bye } }

# The end.
"#;

const ROWS: &str = r#"version: "1.4"
name: greets
id: orders/cancel
cases: cities.csv
turns:
  - user: "${city}"
    assert: { text: { contains: "${city}" } }
"#;

const CASES: &str = "// Cases.\n\
    {\"id\": \"T1\", \"input\": \"a\", \"assert\": {\"type\": \"contains\", \"value\": \"Bye\"}}\n\
    \n\
    {\"id\": \"T2\",\n \"input\": \"a\", \"assert\": {\"type\": \"contains\", \"value\": \"Hello\"}}\n";

fn numbered(number: u32) -> String {
    format!(
        "version: \"1.4\"\nname: number {number}\n\
         turns: [{{ user: hi, assert: {{ text: {{ contains: Hello }} }} }}]\n"
    )
}

fn project() -> Project {
    let [one, two, ten] = [1, 2, 10].map(numbered);
    Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("specs/many.test.yaml", MANY),
        ("specs/rows.test.yaml", ROWS),
        (
            "specs/cities.csv",
            "id,city\nberlin,Berlin\nrome,\"Ro\nme\"\n",
        ),
        ("specs/cases.jsonl", CASES),
        ("specs/t1.test.yaml", &one),
        ("specs/t2.test.yaml", &two),
        ("specs/t10.test.yaml", &ten),
    ])
}

fn ananke(project: &Project, directory: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ananke"))
        .current_dir(project.folder().join(directory))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .args(arguments)
        .output()
        .unwrap()
}

/// The ids of the tests that `list` prints for these arguments, and what is wrong.
fn listed(project: &Project, directory: &str, arguments: &[&str]) -> (Vec<String>, String) {
    let Output { stdout, stderr, .. } = ananke(
        project,
        directory,
        &[&["list", "--json"], arguments].concat(),
    );
    let tests: Value = serde_json::from_slice(&stdout).unwrap_or_default();
    let tests = tests.as_array().into_iter().flatten();
    let ids = tests.map(|test| test["id"].as_str().unwrap().to_owned());
    (ids.collect(), String::from_utf8(stderr).unwrap())
}

const MANY_GREETS: &str = "specs/many.test.yaml::greets";
const SAYS_BYE: &str = "specs/many.test.yaml::says bye";
const ONE: &str = "specs/many.test.yaml::counts[one]";
const TWO: &str = "specs/many.test.yaml::counts[two]";
const BERLIN: &str = "orders/cancel[berlin]";
const ROME: &str = "orders/cancel[rome]";

#[test]
fn places_ids_and_names_select_tests() {
    let project = project();
    for (what, expected) in [
        (&["specs/many.test.yaml:4"][..], &[MANY_GREETS][..]),
        (&["specs/many.test.yaml:8:13"], &[MANY_GREETS]),
        (&["./specs/many.test.yaml:9"], &[MANY_GREETS]),
        (&["specs/many.test.yaml:11"], &[MANY_GREETS]),
        (&["specs/many.test.yaml:14:1"], &[SAYS_BYE]),
        (&["specs/many.test.yaml:18"], &[ONE, TWO]),
        (&["specs/many.test.yaml:20"], &[ONE]),
        (&["specs/many.test.yaml:21"], &[ONE, TWO]),
        (&["specs/many.test.yaml:23"], &[TWO]),
        (&["specs/many.test.yaml:25:9"], &[ONE, TWO]),
        (&["specs/rows.test.yaml:1"], &[BERLIN, ROME]),
        (&["specs/cities.csv:2"], &[BERLIN]),
        (&["specs/cities.csv:4"], &[ROME]),
        (&["specs/cases.jsonl:2"], &["T1"]),
        (&["specs/cases.jsonl:5:3"], &["T2"]),
        (&["orders/cancel"], &[BERLIN, ROME]),
        (&["orders/cancel[rome]"], &[ROME]),
        (&["specs/many.test.yaml::counts[two]"], &[TWO]),
        (&["counts"], &[ONE, TWO]),
        (&["counts[one]"], &[ONE]),
        (&["says bye"], &[SAYS_BYE]),
        // A union in the order of the plan, each test once.
        (
            &[
                "specs/cities.csv:4",
                "counts[two]",
                "specs/many.test.yaml:20",
                "counts",
                SAYS_BYE,
            ],
            &[SAYS_BYE, ONE, TWO, ROME],
        ),
        (
            &["specs/t1.test.yaml", "number 10", "specs/t1.test.yaml:2"],
            &[
                "specs/t1.test.yaml::number 1",
                "specs/t10.test.yaml::number 10",
            ],
        ),
        // Arguments and options together.
        (
            &["specs/many.test.yaml:4", "counts", "--tag", "smoke"],
            &[MANY_GREETS],
        ),
        (
            &["specs/many.test.yaml:4", "counts", "--filter", "counts"],
            &[ONE, TWO],
        ),
        (&["specs/many.test.yaml:18", "--id", TWO], &[TWO]),
    ] {
        let (ids, problems) = listed(&project, ".", what);
        assert_eq!(ids, expected, "{what:?}: {problems}");
    }
    let (ids, problems) = listed(
        &project,
        "specs",
        &["many.test.yaml:14", "specs/many.test.yaml:4"],
    );
    assert_eq!(ids, [MANY_GREETS, SAYS_BYE], "{problems}");
}

#[test]
fn what_names_no_test_is_an_error_that_says_what_to_write() {
    let project = project();
    for (what, message, help) in [
        (
            "specs/many.test.yaml:12",
            "`specs/many.test.yaml:12` is between two tests, expected a line of a test",
            "name a line of `specs/many.test.yaml::greets` (lines 4 to 11) before it, \
             or of `specs/many.test.yaml::says bye` (lines 14 to 17) after it",
        ),
        (
            "specs/many.test.yaml:2",
            "`specs/many.test.yaml:2` is before the first test, expected a line of a test",
            "name a line of `specs/many.test.yaml::greets` (lines 4 to 11)",
        ),
        (
            "specs/many.test.yaml:28",
            "`specs/many.test.yaml:28` is after the last test, expected a line of a test",
            "name a line of `specs/many.test.yaml::counts` (lines 18 to 26)",
        ),
        (
            "specs/many.test.yaml:29",
            "`specs/many.test.yaml:29` is after the end of the file, which has 28 lines",
            "name a line of a test, or the file alone to run all its tests: `specs/many.test.yaml`",
        ),
        (
            "specs/many.test.yaml:99999999999999999999:1",
            "is after the end of the file, which has 28 lines",
            "name a line of a test",
        ),
        (
            "specs/many.test.yaml:0",
            "`specs/many.test.yaml:0` is not a line: the first line of a file is line 1",
            "name the file alone to run all its tests: `specs/many.test.yaml`",
        ),
        (
            "specs/cases.jsonl:3",
            "`specs/cases.jsonl:3` is between two tests, expected a line of a test",
            "name a line of `T1` (line 2) before it, or of `T2` (lines 4 to 5) after it",
        ),
        (
            "specs/cities.csv:1",
            "`specs/cities.csv:1` is before the first row, expected a line of a row",
            "name a line of `orders/cancel[berlin]` (line 2)",
        ),
        (
            "specs/cities.csv:5",
            "`specs/cities.csv:5` is after the end of the file, which has 4 lines",
            "name a line of a row",
        ),
        (
            "specs:3",
            "`specs:3` names a line of a directory, expected a line of a file",
            "name the directory alone: `specs`",
        ),
        (
            "ananke.config.yaml:2",
            "`ananke.config.yaml:2` is a line of the project config, expected a line of a test file",
            "name a line of a test; `ananke list` prints the tests with their lines",
        ),
        (
            "specs/mny.test.yaml:4:1",
            "`specs/mny.test.yaml:4:1` cannot be read: there is no such file",
            "did you mean `specs/many.test.yaml:4:1`?",
        ),
        (
            "specs/mny.test.yaml",
            "`specs/mny.test.yaml` cannot be read: there is no such file",
            "did you mean `specs/many.test.yaml`?",
        ),
        (
            "specs/zzz.test.yaml",
            "`specs/zzz.test.yaml` cannot be read: there is no such file",
            "check its name; `ananke list` prints the tests with their files",
        ),
        (
            "greets",
            "2 tests have the name `greets`, expected a name that one test has",
            "name one of them by its id: `specs/many.test.yaml::greets` or `orders/cancel`",
        ),
        (
            "say bye",
            "there is no file, no directory and no test `say bye`",
            "did you mean `says bye`?",
        ),
        (
            "orders/cancl",
            "there is no file, no directory and no test `orders/cancl`",
            "did you mean `orders/cancel`?",
        ),
        (
            "many",
            "there is no file, no directory and no test `many`",
            "did you mean `specs/many.test.yaml`?",
        ),
        (
            "specs/many",
            "there is no file, no directory and no test `specs/many`",
            "did you mean `specs/many.test.yaml`?",
        ),
        (
            "order",
            "there is no file, no directory and no test `order`",
            "`-k order` runs the tests whose ids contain it",
        ),
        (
            "C:\\specs\\many.test.yaml",
            "`C:\\specs\\many.test.yaml` cannot be read: there is no such file",
            "check its name",
        ),
    ] {
        let (ids, problems) = listed(&project, ".", &[what]);
        assert!(ids.is_empty(), "{what}: {ids:?}");
        assert_eq!(problems.matches("error[").count(), 1, "{what}: {problems}");
        for expected in [message, help] {
            assert!(problems.contains(expected), "{what}: {problems}");
        }
    }
}

#[test]
fn nothing_runs_if_one_argument_is_wrong_and_all_wrong_ones_are_reported() {
    let project = project();
    let what = [
        "specs/t1.test.yaml",
        "specs/many.test.yaml:12",
        "nothing",
        "specs/none.yaml:3",
        "greets",
    ];
    for command in ["run", "check", "list"] {
        let Output {
            status,
            stdout,
            stderr,
        } = ananke(&project, ".", &[&[command], &what[..]].concat());
        let stderr = String::from_utf8(stderr).unwrap();
        assert_eq!(
            (status.code(), stdout.len()),
            (Some(1), 0),
            "{command}: {stderr}"
        );
        assert_eq!(stderr.matches("error[").count(), 4, "{command}: {stderr}");
        assert!(
            what[1..]
                .iter()
                .all(|what| stderr.contains(&format!("`{what}`"))),
            "{command}: {stderr}"
        );
    }
    let checked = ananke(&project, ".", &["check", "specs/many.test.yaml:20"]);
    assert_eq!(
        String::from_utf8(checked.stdout).unwrap(),
        "1 test in 1 file: no errors\n"
    );
}

#[test]
fn a_path_that_exists_takes_precedence_over_a_name() {
    let [one, two] = [1, 2].map(numbered);
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("number 2/one.test.yaml", &one),
        ("two.test.yaml", &two),
        (
            "two.test.yaml:2",
            &one.replace("number 1", "of a strange file"),
        ),
    ]);
    for (what, expected) in [
        ("number 2", "number 2/one.test.yaml::number 1"),
        ("number 1", "number 2/one.test.yaml::number 1"),
        ("two.test.yaml:2", "two.test.yaml:2::of a strange file"),
        ("two.test.yaml:1", "two.test.yaml::number 2"),
        ("two.test.yaml:2:1", "two.test.yaml:2::of a strange file"),
    ] {
        let (ids, problems) = listed(&project, ".", &[what]);
        assert_eq!(ids, [expected], "{what}: {problems}");
    }
}

#[test]
fn a_line_of_a_broken_file_is_not_reported_in_addition() {
    let broken = MANY.replace("name: says bye", "nam: says bye");
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.test.yaml", &broken)]);
    let (_, problems) = listed(&project, ".", &["a.test.yaml:12"]);
    assert!(problems.contains("a.test.yaml:14:5"), "{problems}");
    assert!(!problems.contains("a.test.yaml:12"), "{problems}");
}

/// Places as messages and reports print them.
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\w./-]+\.(?:yaml|jsonl|csv):[0-9]+(?::[0-9]+)?").unwrap());

#[test]
fn every_place_that_a_run_prints_selects_its_test() {
    let project = project();
    let warned = "version: \"1.4\"\nname: asserts nothing\nturns: [{ user: hi }]\n";
    std::fs::write(project.folder().join("specs/warned.test.yaml"), warned).unwrap();
    let what = [
        "run",
        "specs",
        "specs/cases.jsonl",
        "-o",
        "out/r.xml",
        "-o",
        "out/r.md",
        "-o",
        "out/r.tap",
    ];
    let run = ananke(&project, ".", &what);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let mut printed = vec![run.stdout, run.stderr];
    let reports = ["r.xml", "r.md", "r.tap"].map(|name| project.folder().join("out").join(name));
    printed.extend(reports.map(|path| std::fs::read(path).unwrap()));
    printed.push(ananke(&project, ".", &["list", "specs", "specs/cases.jsonl"]).stdout);
    let texts: Vec<String> = printed
        .into_iter()
        .map(|text| String::from_utf8(text).unwrap())
        .collect();
    let places: BTreeSet<&str> = texts
        .iter()
        .flat_map(|text| PLACE.find_iter(text))
        .map(|place| place.as_str())
        .collect();
    for expected in [
        "specs/warned.test.yaml:2:7",
        "specs/many.test.yaml:11",
        "specs/many.test.yaml:26",
        "specs/rows.test.yaml:7",
        "specs/cases.jsonl:2",
    ] {
        assert!(
            places.contains(expected),
            "{expected}: {places:?} {texts:?}"
        );
    }
    for place in places {
        let (file, _) = place.split_once(':').unwrap();
        let Output { stdout, stderr, .. } = ananke(&project, ".", &["run", place, "--json"]);
        let lines = String::from_utf8(stdout).unwrap();
        let results: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|line: &Value| line["type"] == "result")
            .collect();
        let is_of_file = |test: &Value| test.to_string().contains(file);
        assert!(
            !results.is_empty() && results.iter().all(is_of_file),
            "{place}: {lines} {stderr:?}"
        );
    }
}

#[test]
fn numbers_in_the_names_of_files_are_sorted_by_their_value() {
    let project = project();
    let expected = [
        "t1.test.yaml::number 1",
        "t2.test.yaml::number 2",
        "t10.test.yaml::number 10",
    ];
    let expected = expected.map(|id| format!("specs/{id}"));
    let (ids, _) = listed(&project, ".", &["specs", "--filter", "number"]);
    assert_eq!(ids, expected);
    // The order in which files are named makes no difference.
    let (ids, _) = listed(
        &project,
        ".",
        &["number 10", "specs/t2.test.yaml", "specs/t1.test.yaml:2"],
    );
    assert_eq!(ids, expected);
    let run = ananke(
        &project,
        ".",
        &[
            "run",
            "--filter",
            "number",
            "--parallel",
            "3",
            "-o",
            "r.tap",
        ],
    );
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    let report = std::fs::read_to_string(project.folder().join("r.tap")).unwrap();
    let at = expected.map(|id| report.find(&id).unwrap());
    assert!(at.is_sorted(), "{report}");
    let broken = [2, 10].map(|number| format!("specs/t{number}.test.yaml"));
    for file in &broken {
        std::fs::write(project.folder().join(file), "version: \"1.4\"\nnam: x\n").unwrap();
    }
    let (_, problems) = listed(&project, ".", &[]);
    let at = broken.map(|file| problems.find(&file).unwrap());
    assert!(at.is_sorted(), "{problems}");
}
