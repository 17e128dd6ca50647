//! The report in the Test Anything Protocol; `tests/real/report-readers` reads it with a parser of others.

use std::fs;

use ananke::outcome::{EndCause, RunEvent, SkipCause, Status, Verdict};
use ananke::redact::Sealed;
use ananke::report::Reporter;
use ananke::report::file::tap::TapReport;
use ananke::report::file::{FileOptions, FileReport};

use super::junit::{folder, names};
use super::{begun, compare, ended, outcomes, run};

pub(super) fn written(name: &str, events: &[Sealed<RunEvent>]) -> String {
    let path = folder(&format!("tap-{name}")).join("deep/report.tap");
    let mut report =
        Box::new(TapReport::create(&path, &FileOptions::default()).expect("folders are made"));
    for event in events {
        report.event(event).expect("a writable folder");
    }
    report.finish().expect("a writable folder");
    assert_eq!(
        names(path.parent().expect("a folder")),
        ["report.tap"],
        "nothing else is left"
    );
    fs::read_to_string(path).expect("UTF-8")
}

/// Fails if a line is not part of the protocol, or a block is not YAML.
pub(super) fn check_form(text: &str) {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("TAP version 14"));
    let mut block: Option<String> = None;
    for line in lines {
        match (&mut block, line) {
            (None, "  ---") => block = Some(String::new()),
            (Some(yaml), "  ...") => {
                let read: serde_json::Value = serde_yaml::from_str(yaml).expect("YAML");
                assert!(read["duration_ms"].is_number(), "{yaml}");
                block = None;
            }
            (Some(yaml), line) => {
                *yaml += line.strip_prefix("  ").expect("indented as the block is");
                yaml.push('\n');
            }
            (None, line) => {
                let starts = ["ok ", "not ok ", "1..", "# ", "Bail out! "];
                assert!(
                    starts.iter().any(|start| line.starts_with(start)),
                    "{line:?}"
                );
            }
        }
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
    assert!(block.is_none());
}

#[test]
fn a_run_with_every_status() {
    let text = written("all", &run(outcomes::all_kinds()));
    check_form(&text);
    compare(&text, "report.tap");
}

#[test]
fn tests_that_were_tried_again() {
    let text = written("retried", &run(outcomes::retried()));
    check_form(&text);
    compare(&text, "retried.tap");
}

#[test]
fn a_run_can_fail_where_no_test_does() {
    let expired = vec![outcomes::quarantine(9, "a")];
    let passed = vec![outcomes::outcome("a.test.yaml", "passes")];
    let text = written(
        "expired",
        &ended(
            passed,
            Verdict {
                expired,
                ..Verdict::default()
            },
        ),
    );
    check_form(&text);
    assert!(
        text.ends_with("not ok 2 - the run: 1 entry of the quarantine expired\n1..2\n"),
        "{text}"
    );
}

#[test]
fn a_run_cut_short_bails_out() {
    let text = written(
        "cut",
        &begun(8, vec![outcomes::outcome("a.test.yaml", "passes")]),
    );
    check_form(&text);
    assert!(
        text.ends_with("1..1\nBail out! the run ended after 1 of 8 tests\n"),
        "{text}"
    );
    let none = written("none", &run(Vec::new()));
    check_form(&none);
    assert!(
        none.ends_with("'TOKEN=***'\n1..0\n# no test failed\n"),
        "{none}"
    );
}

#[test]
fn hostile_text_stays_text() {
    let skipped = |why: &str| {
        let outcome = outcomes::outcome("a.test.yaml", "a # SKIP b \\# skip c\nnot ok 1 - d");
        outcomes::changed(outcome, |outcome| {
            outcome.end(EndCause::Skipped(SkipCause::Wanted, why.to_owned()));
        })
    };
    let text = written("directives", &run(vec![skipped("x # SKIP y\nBail out!")]));
    check_form(&text);
    assert_eq!(
        text.lines().nth(1),
        Some(
            r"ok 1 - a.test.yaml::a \# SKIP b \\\# skip c\\nnot ok 1 - d # SKIP x \# SKIP y\\nBail out!"
        )
    );
    for status in [
        Status::Passed,
        Status::Failed,
        Status::Error,
        Status::Timeout,
        Status::Skipped,
    ] {
        for in_quarantine in [false, true] {
            let outcome = outcomes::hostile_after_all(status, in_quarantine);
            check_form(&written(
                &format!("hostile-{}-{in_quarantine}", status.as_str()),
                &run(vec![outcome]),
            ));
        }
    }
}
