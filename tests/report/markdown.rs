//! The Markdown report, for pull requests.

use std::fs;

use ananke::outcome::{Outcome, RunEvent, Status, Verdict};
use ananke::redact::Sealed;
use ananke::report::Reporter;
use ananke::report::file::markdown::{MOST, MarkdownReport};
use ananke::report::file::{FileOptions, FileReport};

use super::junit::{folder, names};
use super::outcomes::MADE_WITH_IN_MARKDOWN;
use super::{begun, compare, ended, outcomes, run};

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
        "changes: ",
        "run them again: `",
        "| ",
        "|---",
    ];
    let mut open = 0;
    // The separators of the rows of the table that is open.
    let mut of_table = None;
    let (marker, text) = text.split_once('\n').expect("a first line");
    assert_eq!(marker, "<!-- ananke -->");
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
            let found = line.replace("\\|", "").matches('|').count();
            let cells = *of_table.get_or_insert(found);
            assert_eq!(found, cells, "rows have the cells of their head: {line:?}");
        } else {
            of_table = None;
        }
        let line = &without_links(line);
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

/// `line` without the addresses of its links, all of which are in the repository.
fn without_links(line: &str) -> String {
    let before_address = format!("`]({}/", outcomes::BLOBS);
    let mut parts = line.split(&before_address);
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (address, rest) = part.split_once(')').expect("a link ends");
        let is_own = |sign: char| sign.is_ascii_alphanumeric() || "-._~/%#".contains(sign);
        assert!(address.chars().all(is_own), "{line:?}");
        let (shown, span) = left.rsplit_once(" [`").expect("a link of a place");
        left = format!("{shown} `{span}`{rest}");
    }
    left
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
            "<!-- ananke -->\n## ✗ the run ended after 2 of 8 tests\n\n2 of 8 tests: 2 passed\n\n{MADE_WITH_IN_MARKDOWN}\n"
        )
    );
    assert_eq!(
        written("nothing", &[]),
        format!(
            "<!-- ananke -->\n## ✗ the run ended after 0 of 0 tests\n\n0 tests\n\nananke `{}`\n",
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

/// A test that failed, with this number in its name and this one in its reason.
fn failing(number: usize, reason: usize) -> Outcome {
    let mut outcome = outcomes::all_kinds().remove(2);
    outcome.test.id = format!("specs/t.test.yaml::{number}");
    for turn in &mut outcome.transcript.turns {
        let failures = turn.rules.iter_mut().filter(|rule| rule.has_failed());
        failures.for_each(|failure| {
            failure.message = format!("reason | {reason}");
            failure.tool = Some(format!("tool {reason}"));
        });
    }
    outcome
}

#[test]
fn failures_with_one_reason_follow_each_other_and_ten_are_open() {
    let tests = (0..40).map(|number| failing(number, number % 13));
    let text = written("grouped", &run(tests.collect()));
    check_form(&text);
    assert_eq!(text.matches("\n### ").count(), 13);
    let place = "specs/checkout.test.yaml:12";
    let address = format!("{}/specs/checkout.test.yaml#L12", outcomes::BLOBS);
    let first = format!(
        "| Cause | Tests | First |\n|---|---|---|\n| ✗ `reason \\| 0` | 4 | [`{place}`]({address}) |\n"
    );
    assert!(text.contains(&first), "{text}");
    let rows = text.lines().filter(|line| line.starts_with("| ✗"));
    assert_eq!(rows.count(), 2 * 13, "each fails of two rules");
    let tests = [0, 13, 26, 39].map(|number| format!("\n- ✗ `specs/t.test.yaml::{number}` ["));
    assert!(tests.iter().all(|test| text.contains(test)), "{text}");
    let again = "\nrun them again: `ananke run --last-failed`\n";
    assert!(text.contains(again), "{text}");
    assert!(
        text.contains("\nfailed after 2 s, and 3 more tests for the same reason\n"),
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
}

#[test]
fn a_place_is_a_link_where_the_file_is_in_the_repository() {
    let place = |file: &str, is_without_file| {
        let mut outcome = failing(0, 0);
        outcome.test.is_without_file = is_without_file;
        outcome.test.file = file.to_owned();
        for turn in &mut outcome.transcript.turns {
            turn.rules
                .iter_mut()
                .for_each(|rule| rule.place.file = file.into());
        }
        let text = written("place", &run(vec![outcome]));
        check_form(&text);
        let row = text.lines().find(|line| line.starts_with("| ✗"));
        let (_, place) = row.expect("a row").rsplit_once(" | ").expect("three cells");
        place
            .strip_suffix(" |")
            .expect("the end of a row")
            .to_owned()
    };
    let blobs = outcomes::BLOBS;
    assert_eq!(
        place("a b/|`)[.yaml", false),
        format!("[``a b/\\|`)[.yaml:12``]({blobs}/a%20b/%7C%60%29%5B.yaml#L12)")
    );
    assert_eq!(place("../a.yaml", false), "`../a.yaml:12`");
    assert_eq!(place("/a.yaml", false), "`/a.yaml:12`");
    assert_eq!(place("standard input", true), "`standard input:12`");
}

#[test]
fn what_has_no_row_is_counted() {
    let same = (0..300).map(|number| failing(number, 0));
    let text = written("same", &run(same.collect()));
    check_form(&text);
    assert!(text.contains("\n- … and 290 more\n"), "{text}");
    for (reasons, more) in [
        (2_000, "450 more causes, and 3,500 findings of others"),
        (40, "30 more causes"),
    ] {
        let all = (0..2_000).map(|number| failing(number, number % reasons));
        let text = written(&format!("many-{reasons}"), &run(all.collect()));
        check_form(&text);
        assert!(text.len() <= 20_000, "{}", text.len());
        let rows = text.lines().filter(|line| line.starts_with("| ✗"));
        assert_eq!(rows.count(), 50, "{text}");
        assert!(text.contains(&format!("| … and {more} | | |\n")), "{text}");
    }
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
                failure.tool = Some(number.to_string());
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
        if count <= 3 {
            assert_eq!((told, transcripts), (count, count));
        } else {
            let more = ananke::text::grouped(count - told);
            assert!(
                text.contains(&format!("… and the details of {more} more\n")),
                "{told}: {text}"
            );
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
