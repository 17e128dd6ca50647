//! The Markdown report, for pull requests.

use std::fs;

use ananke::outcome::{Outcome, Status, Verdict};
use ananke::redact::Sealed;
use ananke::report::Reporter;
use ananke::report::file::markdown::{MOST, MarkdownReport};
use ananke::report::file::{FileOptions, FileReport};
use ananke::run::RunEvent;

use super::junit::{folder, names};
use super::outcomes;
use super::outcomes::MADE_WITH_IN_MARKDOWN;
use super::{begun, compare, ended, run};

fn is_status(word: &str) -> bool {
    serde_json::from_value::<Status>(word.into()).is_ok()
}

pub(super) fn written(name: &str, events: &[Sealed<RunEvent>]) -> String {
    let path = folder(&format!("markdown-{name}")).join("deep/report.md");
    let mut report =
        Box::new(MarkdownReport::create(&path, &FileOptions::default()).expect("folders are made"));
    for event in events {
        report.event(event).expect("a writable folder");
    }
    report.finish().expect("a writable folder");
    assert_eq!(
        names(path.parent().expect("a folder")),
        ["report.md"],
        "nothing else is left"
    );
    fs::read_to_string(path).expect("UTF-8")
}

/// Fails if a line is neither in a code block nor one that the report itself begins.
pub(super) fn check_form(text: &str) {
    let ours = [
        "## ",
        "### ",
        "- ",
        "… and ",
        "snapshots: ",
        "ananke `",
        "tokens: ",
        "<details><summary>",
        "| ",
        "|---",
    ];
    let mut open = 0;
    for line in text.lines() {
        let is_ours = line.is_empty()
            || line.starts_with("    ")
            || ours.iter().any(|start| line.starts_with(start));
        let counts = line.contains(" test")
            || line.contains(" runs passed (")
            || is_status(line.split(' ').next().unwrap_or_default());
        assert!(is_ours || counts || line == "</details>", "{line:?}");
        if line.starts_with("<details>") {
            open += 1;
            assert!(line.ends_with("</summary>"));
        } else if line == "</details>" {
            open -= 1;
        }
        assert!(
            (0..=2).contains(&open),
            "folds are in the one of further failures at most"
        );
        if line.starts_with('|') {
            assert_eq!(
                line.replace("\\|", "").matches('|').count(),
                5,
                "a row has four cells: {line:?}"
            );
        }
        // No name of an element begins with a digit.
        let line = line.replace("<1 ms", "1 ms").replace("<1\u{a0}ms", "1 ms");
        let harmless = line.starts_with("    ")
            || !outside_of_spans(&line).contains(['<', '[', '@', '!', '\u{202e}'])
                && (line.starts_with('|') || !outside_of_spans(&line).contains('|'));
        assert!(
            harmless || line.contains("details>") || line.contains(" ! "),
            "{line:?}"
        );
    }
    assert_eq!(open, 0);
}

/// `line` without its code spans.
pub(super) fn outside_of_spans(line: &str) -> String {
    let (mut left, mut outside) = (line, String::new());
    while let Some(at) = left.find('`') {
        outside.push_str(&left[..at]);
        let rest = left[at..].trim_start_matches('`');
        let fence = &left[at..left.len() - rest.len()];
        let row =
            |end: usize| !rest[end + fence.len()..].starts_with('`') && !rest[..end].ends_with('`');
        let end = rest
            .match_indices(fence)
            .map(|(end, _)| end)
            .find(|end| row(*end));
        left = &rest[end.expect("a code span ends") + fence.len()..];
    }
    outside + left
}

#[test]
fn a_run_with_every_status() {
    let text = written("all", &run(outcomes::all_kinds()));
    check_form(&text);
    compare(&text, "report.md");
}

#[test]
fn tests_that_were_tried_again() {
    let text = written("retried", &run(outcomes::retried()));
    check_form(&text);
    compare(&text, "retried.md");
}

#[test]
fn what_fails_the_run_beside_its_tests() {
    let expired = vec![outcomes::quarantine(9, "specs/old.test.yaml::*")];
    let verdict = Verdict {
        flaky_fails: true,
        expired,
        ..Verdict::default()
    };
    let text = written("verdict", &ended(outcomes::retried(), verdict));
    check_form(&text);
    assert!(text.contains("### flaky, which fails the run (`--flaky fail`)\n"));
    assert!(text.contains(
        "### expired quarantine entries, which fail the run\n\n- `specs/old.test.yaml::*`"
    ));
}

#[test]
fn a_run_cut_short_says_so() {
    let text = written(
        "cut",
        &begun(8, outcomes::all_kinds().into_iter().take(2).collect()),
    );
    assert_eq!(
        text,
        format!(
            "## ✗ the run ended after 2 of 8 tests\n\n2 of 8 tests: 2 passed\n\n{MADE_WITH_IN_MARKDOWN}\n"
        )
    );
    assert_eq!(
        written("nothing", &[]),
        format!(
            "## ✗ the run ended after 0 of 0 tests\n\n0 tests\n\nananke `{}`\n",
            env!("CARGO_PKG_VERSION")
        )
    );
}

#[test]
fn hostile_text_stays_text() {
    for status in [
        Status::Passed,
        Status::Failed,
        Status::Error,
        Status::Timeout,
        Status::Skipped,
    ] {
        for in_quarantine in [false, true] {
            let mut outcome = outcomes::hostile_after_all(status, in_quarantine);
            outcome.test.id = format!("{}{}", outcomes::MARKDOWN, outcome.test.id);
            for turn in &mut outcome.transcript.turns {
                turn.lines.push(outcomes::says(7, outcomes::MARKDOWN));
            }
            let text = written(
                &format!("hostile-{}-{in_quarantine}", status.as_str()),
                &run(vec![outcome]),
            );
            check_form(&text);
            assert!(
                !text
                    .chars()
                    .any(|c| c.is_control() && !matches!(c, '\n' | '\t')),
                "{text:?}"
            );
        }
    }
}

#[test]
fn failures_with_one_reason_are_one_and_ten_are_open() {
    let failing = |number: usize, reason: usize| {
        let mut outcome = outcomes::all_kinds().remove(2);
        outcome.test.id = format!("specs/t.test.yaml::{number}");
        for turn in &mut outcome.transcript.turns {
            turn.rules
                .iter_mut()
                .filter(|rule| rule.has_failed())
                .for_each(|failure| failure.message = format!("reason | {reason}"));
        }
        outcome
    };
    let text = written(
        "grouped",
        &run((0..40).map(|number| failing(number, number % 13)).collect()),
    );
    check_form(&text);
    assert_eq!(text.matches("\n### ").count(), 13);
    assert!(
        text.contains("| ✗ | `specs/t.test.yaml::0` and 3 more | `reason \\| 0` | 2\u{a0}s |\n"),
        "{text}"
    );
    assert!(
        text.contains("<summary>3 more tests with the same reason</summary>"),
        "{text}"
    );
    let (open, collapsed) = text
        .split_once("<summary>3 more failures</summary>")
        .unwrap();
    assert_eq!(
        (
            open.matches("\n### ").count(),
            collapsed.matches("\n### ").count()
        ),
        (10, 3)
    );
    let alone = written("alone", &run(vec![failing(0, 0), failing(1, 0)]));
    assert!(
        !alone.contains("| reason |") && alone.contains("1 more test with the same reason"),
        "{alone}"
    );
}

#[test]
fn it_fits_into_a_comment_whatever_the_run() {
    let huge = "é`\n".repeat(40_000);
    let long = |number: usize| {
        let mut outcome = outcomes::all_kinds().remove(2);
        outcome.test.id = format!("specs/t.test.yaml::{number} {}", "`".repeat(number % 700));
        outcome.transcript.turns[0].lines.push(outcomes::says(
            9,
            if number < 50 { &huge } else { &huge[..400] },
        ));
        for turn in &mut outcome.transcript.turns {
            for failure in turn.rules.iter_mut().filter(|rule| rule.has_failed()) {
                failure.message = format!("{} ({number})", failure.message);
            }
        }
        outcome
    };
    for count in [1, 3, 40, 2000] {
        let outcomes: Vec<Outcome> = (0..count).map(long).collect();
        let text = written(&format!("budget-{count}"), &run(outcomes));
        check_form(&text);
        assert!(text.len() <= MOST, "{count}: {}", text.len());
        assert!(
            count < 40 || text.len() > MOST * 3 / 4,
            "{count}: {} bytes use the room",
            text.len()
        );
        let told = text.matches("\n### ").count();
        let transcripts = text.matches("<summary>transcript").count();
        match count {
            1 | 3 => assert_eq!((told, transcripts), (count, count)),
            40 => assert_eq!(
                (told, transcripts),
                (40, 40),
                "transcripts get shorter first"
            ),
            _ => {
                let more = ananke::text::grouped(count - told);
                assert!(
                    text.contains(&format!("… and {more} more that did not pass\n")),
                    "{told}"
                );
            }
        }
    }
    let shielded = |number| {
        let mut outcome = outcomes::hostile_after_all(Status::Failed, true);
        outcome.test.id = format!("{number}{}", "x`".repeat(200));
        outcome
    };
    let text = written("budget-rows", &run((0..3000).map(shielded).collect()));
    assert!(text.len() <= MOST && text.contains(" more\n"));
}
