//! The report files of a kept run, which are those that the run wrote itself, byte by byte.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::project::Project;

/// Every format of report files.
const FORMATS: [&str; 6] = ["xml", "html", "md", "json", "jsonl", "tap"];

/// An agent that pays, and whose word is another one at every second `flip`.
const AGENT: &str = r#"while read -r request; do
  word=hello
  case $request in *flip*) if rm flipped 2>/dev/null; then word=right; else word=wrong; : > flipped; fi ;; esac
  printf '%s\n' '{"type":"RUN_STARTED","threadId":"t","runId":"r"}' \
    '{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"pay"}' \
    '{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"amount\": 7}"}' \
    '{"type":"TOOL_CALL_END","toolCallId":"c"}' \
    '{"type":"TOOL_CALL_RESULT","messageId":"r","toolCallId":"c","content":"{\"ok\":true}"}' \
    '{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}' \
    "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"$word\"}" \
    '{"type":"TEXT_MESSAGE_END","messageId":"m"}' \
    '{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
done
"#;

const CONFIG: &str = r#"version: "1.4"
target: { type: command, command: [sh, agent.sh] }
run: { retries: 1, keep: 9 }
quarantine: [{ test: "specs/late.test.yaml::late", owner: shop, reason: slow, expires: 2099-01-01 }]
"#;

/// Tests of every status that an agent which answers can lead to, in several files.
const TESTS: [(&str, &str); 7] = [
    (
        "passes",
        "assert: { text: { must_match: hello }, snapshot: true }",
    ),
    (
        "fails",
        "assert: { text: { must_match: [bye, later] }, tools: { require: [{ name: pay, args: { amount: 8 } }] } }",
    ),
    ("fails_too", "assert: { text: { must_match: bye } }"),
    ("flaky", "assert: { text: { must_match: right } }"),
    ("late", "assert: { text: { must_match: bye } }"),
    ("near", "assert: { tools: { forbid: [pay_] } }"),
    ("runs", "runs: 3\nassert: { text: { must_match: bye } }"),
];

fn project() -> Project {
    let tests = TESTS.map(|(name, keys)| {
        let user = if name == "flaky" { "flip" } else { "hi" };
        let text = format!("version: \"1.4\"\nname: {name}\nturns: [{{ user: {user} }}]\n{keys}\n");
        (format!("specs/{name}.test.yaml"), text)
    });
    let skipped = "version: \"1.4\"\nname: skipped\nskip: not yet\nturns: [{ user: hi }]\n";
    let rows = "version: \"1.4\"\nname: rows\ncases: [{ id: one, word: hello }, { id: two, word: bye }]\nturns: [{ user: \"say ${word}\", assert: { text: { must_match: \"${word}\" } } }]\n";
    let mut files = vec![
        ("ananke.config.yaml", CONFIG),
        ("agent.sh", AGENT),
        ("specs/skipped.test.yaml", skipped),
        ("specs/rows.test.yaml", rows),
        (
            "specs/snapshots/passes/gone.snap",
            "ananke snapshot, format 2\n",
        ),
    ];
    files.extend(
        tests
            .iter()
            .map(|(file, text)| (file.as_str(), text.as_str())),
    );
    Project::new(&files)
}

/// Runs the program in `folder`, with a report of each format in `reports`, called `name`.
fn reporting(
    folder: &Path,
    arguments: &[&str],
    name: &str,
    reports: &Path,
    environment: &[(&str, &str)],
) -> Output {
    let paths = FORMATS
        .iter()
        .map(|format| reports.join(name).with_extension(format));
    Command::new(env!("CARGO_BIN_EXE_ananke"))
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .envs(environment.iter().copied())
        .args(arguments)
        .args(paths.flat_map(|path| ["-o".into(), path]))
        .output()
        .unwrap()
}

/// Runs the project with `arguments` and shows the run in `shown_in`, with the reports of both.
fn assert_same(
    project: &Project,
    arguments: &[&str],
    environment: &[(&str, &str)],
    shown_in: &str,
) {
    let folder = project.folder();
    let arguments = [&["run", "--force"], arguments].concat();
    let ran = reporting(folder, &arguments, "run", folder, environment);
    assert_eq!(
        ran.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let shown = reporting(
        &folder.join(shown_in),
        &["show", "--force"],
        "show",
        folder,
        &[],
    );
    assert_eq!(
        (
            shown.status.code(),
            &*String::from_utf8_lossy(&shown.stderr)
        ),
        (Some(0), "")
    );
    assert_equal(folder, ["run", "show"]);
}

/// Checks that the reports of these two names are the same in every format.
fn assert_equal(folder: &Path, names: [&str; 2]) {
    for format in FORMATS {
        let read = |name| fs::read_to_string(folder.join(name).with_extension(format)).unwrap();
        let [one, other] = names.map(read);
        let mut lines = one.lines().zip(other.lines());
        let difference = lines.find(|(one, other)| one != other);
        assert!(one == other, "{format}: {difference:#?}");
    }
}

#[test]
fn the_reports_of_a_kept_run_are_those_of_the_run() {
    let project = project();
    let folder = project.folder();
    let root = folder.parent().unwrap().display().to_string();
    let github = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_WORKSPACE", &*root),
        ("GITHUB_SHA", "0123abc"),
    ];
    let jenkins = [("JENKINS_URL", "http://ci"), ("WORKSPACE", &*root)];
    // The second run knows how the tests ended in the first.
    assert_same(&project, &[], &[], ".");
    assert_same(&project, &[], &[], "specs");
    // A report that is read again is the same way.
    let from_json = ["report", "run.json", "--force"];
    let read = reporting(folder, &from_json, "read", folder, &[]);
    assert_eq!(read.status.code(), Some(1));
    assert_equal(folder, ["run", "read"]);
    assert_same(&project, &["--junit-profile", "strict"], &[], ".");
    assert_same(&project, &["--shard", "1/2"], &github, "specs");
    let denied = ["--deny-warnings", "--record", "kept"];
    assert_same(&project, &denied, &jenkins, "specs");
    let report = fs::read(folder.join("show.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    let summary = &report["summary"];
    for (key, expected) in [
        ("/passed", 3),
        ("/flaky", 1),
        ("/quarantined", 1),
        ("/skipped", 1),
        ("/failed", 4),
        ("/changes/known", 5),
        ("/snapshots/obsolete", 1),
        ("/warnings/0/line", 4),
    ] {
        assert_eq!(summary.pointer(key), Some(&expected.into()), "{key}");
    }
}

#[test]
fn the_report_of_one_test_counts_that_test_alone() {
    let project = project();
    let folder = project.folder();
    reporting(folder, &["run"], "run", folder, &[]);
    let shown = reporting(folder, &["show", "flaky"], "show", folder, &[]);
    assert_eq!(shown.status.code(), Some(0));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let lines = read("show.jsonl");
    let result = lines.lines().next().unwrap();
    assert!(read("run.jsonl").lines().any(|line| line == result));
    let summary: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let counts = ["selected", "total", "flaky", "failed"].map(|key| summary[key].as_u64());
    assert_eq!(counts, [1, 1, 1, 0].map(Some));
    assert_eq!(summary["reason"], "no test failed");
}
