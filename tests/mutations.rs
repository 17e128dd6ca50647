//! `ananke mutate`: the same answer however it is computed, its gates, and recordings that cannot be mutated.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use ananke::context::Context;
use ananke::mutation::{MutationRun, Suggestions};
use ananke::outcome::mutation::MutationReport;
use ananke::plan::Selection;
use ananke::recording::KeptRecording;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::project::Project;

const CONFIG: &str = r#"version: "1.4"
target:
  type: scripted
  rules:
    - do:
        - call: { tool: charge_card, args: { order: O-7 }, result: { ok: true } }
        - say: "Order O-7 is paid."
"#;

const TEST: &str = r#"version: "1.4"
name: pays once
turns:
  - user: "Pay my order"
    assert: { tools: { require: [{ name: charge_card, count: 1 }], max_identical_calls: 1 } }
"#;

fn ananke(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .args(arguments)
        .current_dir(folder.path())
        .env_clear()
        .output()
        .unwrap()
}

/// A project whose test was recorded.
fn recorded() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("ananke.config.yaml"), CONFIG).unwrap();
    fs::write(folder.path().join("pays.test.yaml"), TEST).unwrap();
    let output = ananke(&folder, &["run", "--record", "recordings"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    folder
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

fn json(folder: &TempDir, arguments: &[&str]) -> Value {
    let output = ananke(
        folder,
        &[&["mutate", "--no-suggestions", "--json"], arguments].concat(),
    );
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// The recordings in a directory, in the order of their paths.
fn recordings(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(recordings(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The recorded suite of pydantic-ai, whose recordings have the oldest format, mutated by so many threads.
async fn real_agent(threads: usize) -> MutationReport {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/agents");
    let context = Context {
        parallelism: NonZeroUsize::new(threads).unwrap(),
        ..Project::new(&[]).context()
    };
    let config = Some(folder.join("specs/pydantic-ai/ananke.config.yaml"));
    let mut run = MutationRun::plan(
        &context,
        Selection {
            config,
            ..Selection::default()
        },
    )
    .unwrap();
    for path in recordings(&folder.join("recordings")) {
        let recording = Arc::new(KeptRecording::open(&path, "it").unwrap());
        run.add(&context, recording, "it", Suggestions::Off)
            .await
            .unwrap();
    }
    run.report
}

#[tokio::test]
async fn the_same_recordings_have_the_same_report_with_any_number_of_threads() {
    let (one, two) = (real_agent(1).await, real_agent(2).await);
    assert_eq!(format!("{one:?}"), format!("{two:?}"));
    assert!(one.total.total > 500, "{:?}", one.total);
    assert!(
        one.total.killed_by_protocol >= 4 * one.tests.len(),
        "broken streams are errors: {:?}",
        one.total
    );
}

#[test]
fn a_survivor_that_the_baseline_does_not_have_fails() {
    let folder = recorded();
    let baseline = json(&folder, &[]);
    fs::write(folder.path().join("baseline.json"), baseline.to_string()).unwrap();
    let again = ananke(
        &folder,
        &["mutate", "--no-suggestions", "--baseline", "baseline.json"],
    );
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert!(!text(&again.stdout).contains("\nsurvived\n"), "{again:?}");

    let weaker = TEST
        .replace(", max_identical_calls: 1", "")
        .replace(", count: 1", "");
    fs::write(folder.path().join("pays.test.yaml"), weaker).unwrap();
    let output = ananke(
        &folder,
        &["mutate", "--no-suggestions", "--baseline", "baseline.json"],
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let shown = text(&output.stdout);
    assert!(
        shown.contains(
            "\nsurvived\n  ✗ duplicate_call (high)  pays.test.yaml::pays once, turn 1, event "
        ),
        "{shown}"
    );
    assert_eq!(
        shown.matches("\n  ✗ ").count(),
        1,
        "only what is new is shown: {shown}"
    );
    assert!(
        shown.ends_with("\n✗ mutate: the baseline does not have 1 survivor\n"),
        "{shown}"
    );
}

#[test]
fn a_file_that_is_no_report_is_no_baseline() {
    let folder = recorded();
    for (content, why) in [
        ("nothing", "is not a report of `ananke mutate --json`"),
        ("{}", "it has no `survivors`"),
    ] {
        fs::write(folder.path().join("baseline.json"), content).unwrap();
        let output = ananke(&folder, &["mutate", "--baseline", "baseline.json"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(text(&output.stderr).contains(why), "{output:?}");
    }
}

#[test]
fn recordings_of_tests_that_changed_are_refused_by_name_and_the_others_are_mutated() {
    let folder = recorded();
    let path = recordings(&folder.path().join("recordings")).remove(0);
    let shown = path
        .strip_prefix(folder.path())
        .unwrap()
        .display()
        .to_string();
    let other = TEST.replace("pays once", "pays again");
    fs::write(folder.path().join("other.test.yaml"), other).unwrap();
    let output = ananke(&folder, &["run", "--record", "recordings"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");

    for (changed, why) in [
        (
            TEST.replace("count: 1", "count: 2"),
            "does not pass before it is changed: `charge_card` was called once",
        ),
        (
            TEST.replace("pays once", "pays twice"),
            "there is no test `pays.test.yaml::pays once`",
        ),
    ] {
        fs::write(folder.path().join("pays.test.yaml"), changed).unwrap();
        let output = ananke(&folder, &["mutate", "--no-suggestions"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let (report, problems) = (text(&output.stdout), text(&output.stderr));
        assert!(
            problems.contains(why) && problems.contains(&format!("`{shown}`")),
            "{problems}"
        );
        assert!(
            report.contains("  other.test.yaml::pays again\n"),
            "{report}"
        );
        assert!(
            !report.contains("  pays.test.yaml::pays once\n"),
            "{report}"
        );
    }
}

#[test]
fn recordings_of_tests_that_fail_are_one_error_that_lists_them() {
    let folder = recorded();
    for name in ["pays first", "pays next"] {
        let file = format!("{}.test.yaml", name.replace(' ', "-"));
        fs::write(folder.path().join(file), TEST.replace("pays once", name)).unwrap();
    }
    let output = ananke(&folder, &["run", "--record", "recordings"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for name in ["pays first", "pays next"] {
        let file = format!("{}.test.yaml", name.replace(' ', "-"));
        let changed = TEST
            .replace("pays once", name)
            .replace("count: 1", "count: 2");
        fs::write(folder.path().join(file), changed).unwrap();
    }
    let output = ananke(&folder, &["mutate", "--no-suggestions"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let problems = text(&output.stderr);
    let lines: Vec<&str> = problems.lines().collect();
    let [heading, first, next, help] = lines.as_slice() else {
        panic!("{problems}");
    };
    assert_eq!(*heading, "error: 2 recordings are not mutated");
    for (line, name) in [(first, "pays first"), (next, "pays next")] {
        let file = name.replace(' ', "-");
        let start = format!("  `{file}.test.yaml::{name}` does not pass before it is changed: ");
        assert!(line.starts_with(&start), "{line}");
    }
    assert!(help.starts_with("help: mutate recordings of tests that pass"));
    let report = text(&output.stdout);
    assert!(
        report.contains("2 of 18  pays.test.yaml::pays once"),
        "{report}"
    );
}

#[test]
fn of_many_recordings_that_fail_a_few_are_listed_after_the_report() {
    let folder = recorded();
    let file = |number: usize| folder.path().join(format!("t{number}.test.yaml"));
    let test = |number: usize| TEST.replace("pays once", &format!("pays {number}"));
    for number in 1..=13 {
        fs::write(file(number), test(number)).unwrap();
    }
    let output = ananke(&folder, &["run", "--record", "recordings"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for number in 1..=13 {
        fs::write(file(number), test(number).replace("count: 1", "count: 2")).unwrap();
    }
    let output = ananke(&folder, &["mutate", "--no-suggestions"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let (report, problems) = (text(&output.stdout), text(&output.stderr));
    let lines: Vec<&str> = problems.lines().collect();
    assert_eq!(lines.len(), 13, "{problems}");
    assert_eq!(lines[0], "error: 13 recordings are not mutated");
    assert_eq!(lines[11], "  … and 3 more");
    assert!(lines[12].starts_with("help: "), "{problems}");
    let last = report.lines().last().unwrap_or_default();
    assert_eq!(last, "✗ mutate: 13 recordings could not be mutated");
}

#[test]
fn every_report_says_the_same_score() {
    let folder = recorded();
    let weaker = TEST.replace(", max_identical_calls: 1", "");
    fs::write(folder.path().join("pays.test.yaml"), weaker).unwrap();
    let reports = ["-o", "r.html", "-o", "r.md", "-o", "r.json"];
    let output = ananke(
        &folder,
        &[&["mutate", "--no-suggestions"], &reports[..]].concat(),
    );
    let printed = text(&output.stdout);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let summary = serde_json::from_str::<Value>(&read("r.json")).unwrap()["summary"].clone();
    let number = |key: &str| summary[key].as_u64().unwrap();
    let counted = number("killed") + number("killed_otherwise") + number("survived");
    assert!(
        0 < number("killed") && counted < number("total"),
        "{summary}"
    );
    let (total, killed) = (number("total"), number("killed"));
    let sum = format!("{counted} of {total} changes count: {killed} killed, ");
    for (name, report) in [
        ("text", &printed),
        ("html", &read("r.html")),
        ("md", &read("r.md")),
    ] {
        assert!(report.contains(&sum), "{name}: {report}");
    }
    let score = format!("{:.1} %", summary["score"].as_f64().unwrap());
    let last = format!("the score is {score}, {killed} of {counted} changes killed by rules\n");
    assert!(printed.ends_with(&last), "{last}: {printed}");
    let (page, comment) = (read("r.html"), read("r.md"));
    let of_page = page
        .split_once("</style>")
        .unwrap()
        .1
        .split("<script>")
        .next()
        .unwrap();
    assert!(of_page.contains(&format!("<h1>{score} of")), "{of_page}");
    assert!(!of_page.contains('`'), "backticks are code: {of_page}");
    let own = format!("<!-- ananke -->\n## {score} of");
    assert!(comment.starts_with(&own), "{comment}");
    assert!(!comment.contains("``"), "no code is in code: {comment}");
}

#[test]
fn several_recordings_of_a_test_are_one_row_and_count_the_same_change_once() {
    let folder = recorded();
    let once = json(&folder, &[]);
    let output = ananke(&folder, &["run", "--runs", "3", "--record", "recordings"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(recordings(&folder.path().join("recordings")).len(), 3);
    let thrice = json(&folder, &[]);
    assert_eq!(thrice["tests"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&thrice["summary"]["total"], &thrice["survivors"]),
        (&once["summary"]["total"], &once["survivors"])
    );
}
