//! Reports that are read back and compared.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::seeds::seeded;
use ananke::compare::{ChangeKind, Comparison, ComparisonRules};
use ananke::context::Colouring;
use ananke::outcome::{Outcome, RunEvent, RunFacts, Status};
use ananke::redact::{Redactor, Sealed};
use ananke::report::file::json::{JsonLinesReport, JsonReport};
use ananke::report::file::{FileOptions, FileReport};
use ananke::report::{CommandDocument, Reporter, document_schema};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use super::{outcomes, run};

fn told(mut report: Box<dyn Reporter>, events: &[Sealed<RunEvent>]) {
    for event in events {
        report.event(event).unwrap();
    }
    report.finish().unwrap();
}

/// The report of `events` in one value.
pub(super) fn whole(folder: &Path, name: &str, events: &[Sealed<RunEvent>]) -> PathBuf {
    let path = folder.join(name);
    told(
        Box::new(JsonReport::create(&path, &FileOptions::default()).unwrap()),
        events,
    );
    path
}

/// The same as JSON lines.
fn lines(folder: &Path, name: &str, events: &[Sealed<RunEvent>]) -> PathBuf {
    let path = folder.join(name);
    told(
        Box::new(JsonLinesReport::create(&path, &FileOptions::default()).unwrap()),
        events,
    );
    path
}

fn compared(before: &Path, after: &Path) -> Result<Comparison, Vec<String>> {
    let compared = Comparison::of(
        &[(before.to_owned(), "before".to_owned())],
        &[(after.to_owned(), "after".to_owned())],
        &ComparisonRules::default(),
    );
    compared.map_err(|problems| {
        problems
            .into_iter()
            .map(|problem| problem.message)
            .collect()
    })
}

/// The document of a comparison, as JSON and as text of this width.
pub(super) fn printed(
    comparison: &Comparison,
    colour: Colouring,
    width: Option<usize>,
) -> [String; 2] {
    let facts = Redactor::default().seal(RunFacts::default());
    let document = CommandDocument {
        facts: &facts,
        found: comparison,
        conclusion: comparison.conclusion(),
    };
    [document.json().unwrap(), document.text(colour, width)]
}

fn json(comparison: &Comparison) -> Value {
    serde_json::from_str(&printed(comparison, Colouring::Plain, None)[0]).unwrap()
}

/// Outcomes of every kind, one of them hostile.
fn everything() -> Vec<Outcome> {
    outcomes::all_kinds()
        .into_iter()
        .chain([outcomes::hostile()])
        .collect()
}

#[test]
fn one_value_says_the_same_as_the_lines() {
    let folder = TempDir::new().unwrap();
    let events = run(everything());
    let (whole, lines) = (
        whole(folder.path(), "deep/a.json", &events),
        lines(folder.path(), "deep/a.jsonl", &events),
    );
    let names = fs::read_dir(folder.path().join("deep")).unwrap().count();
    assert_eq!(names, 2, "nothing in the making is left");
    let text = fs::read_to_string(whole).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert!(
        jsonschema::validator_for(&ananke::run_document::schema())
            .unwrap()
            .is_valid(&report)
    );
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["version", "run", "summary", "results"]);
    let mut values: Vec<Value> = fs::read_to_string(lines)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for value in &mut values {
        value.as_object_mut().unwrap().shift_remove("type");
    }
    let mut last = values.pop().unwrap();
    assert_eq!(
        last.as_object_mut().unwrap().shift_remove("run").unwrap(),
        report["run"]
    );
    assert_eq!(last, report["summary"]);
    assert_eq!(&Value::from(values), &report["results"]);
    assert_eq!(
        text.lines().count(),
        everything().len() + 2,
        "a result a line"
    );
}

#[test]
fn two_reports_of_one_run_have_nothing_to_tell() {
    let folder = TempDir::new().unwrap();
    let events = run(everything());
    let paths = [
        whole(folder.path(), "a.json", &events),
        lines(folder.path(), "a", &events),
    ];
    for before in &paths {
        for after in &paths {
            let comparison = compared(before, after).unwrap();
            assert!(!comparison.is_regression());
            let failing = everything()
                .iter()
                .filter(|outcome| outcome.status().fails_the_run())
                .count();
            let counts = json(&comparison)["counts"].clone();
            assert_eq!(counts, serde_json::json!({ "still_failing": failing }));
        }
    }
}

#[test]
fn what_is_printed_for_programs_fits_its_schema() {
    let folder = TempDir::new().unwrap();
    let mut after = everything();
    after.reverse();
    after.truncate(6);
    for (number, outcome) in after.iter_mut().enumerate() {
        let status = if number % 2 == 0 {
            Status::Failed
        } else {
            Status::Passed
        };
        *outcome = outcomes::ended(status, outcome.clone());
        outcome.transcript.turns.truncate(number);
    }
    let [before, after] = [("a", everything()), ("b", after)]
        .map(|(name, outcomes)| whole(folder.path(), name, &run(outcomes)));
    let rules = ComparisonRules {
        also: ChangeKind::ALL.to_vec(),
        ..ComparisonRules::default()
    };
    let comparison = Comparison::of(
        &[(before, "a".to_owned())],
        &[(after, "b".to_owned())],
        &rules,
    )
    .unwrap();
    let value = json(&comparison);
    let validator = jsonschema::validator_for(&document_schema::<Comparison>()).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
    assert_eq!(value["counts"], value["regressions"], "every kind counts");
}

#[test]
fn flaky_tests_and_those_in_quarantine_are_no_regressions() {
    let folder = TempDir::new().unwrap();
    let test = |name: &str| outcomes::outcome("a.test.yaml", name);
    let wobbles = Outcome {
        earlier_attempts: vec![test("wobbles")],
        ..test("wobbles")
    };
    let quarantine = Some(outcomes::quarantine(1, "*"));
    let known = outcomes::changed(test("known"), |outcome| {
        outcome.test.quarantine = quarantine;
    });
    let known = outcomes::ended(Status::Failed, known);
    let [before, after] = [
        ("a", vec![test("wobbles"), test("known")]),
        ("b", vec![wobbles, known]),
    ]
    .map(|(name, outcomes)| {
        (
            whole(folder.path(), name, &run(outcomes.clone())),
            lines(folder.path(), &format!("{name}l"), &run(outcomes)),
        )
    });
    for (before, after) in [(&before.0, &after.1), (&before.1, &after.0)] {
        let comparison = compared(before, after).unwrap();
        assert!(!comparison.is_regression());
        assert_eq!(
            json(&comparison)["counts"],
            serde_json::json!({ "newly_failing": 1, "flaky": 1 })
        );
        let [_, told] = printed(&comparison, Colouring::Plain, None);
        assert!(
            told.contains("  ~ a.test.yaml::wobbles  passed on a retry\n"),
            "{told}"
        );
        assert!(
            told.contains("  ✗ a.test.yaml::known  failed, quarantined, passed before\n"),
            "{told}"
        );
    }
}

/// The statuses of a test in the runs before and after, its changes, and how often it ran and passed on each side.
type RunsOfSides<'a> = (&'a [Status], &'a [Status], &'a [&'a str], [[u64; 2]; 2]);

#[test]
fn runs_of_one_side_are_merged() {
    use Status::{Failed, Passed, Skipped};
    let folder = TempDir::new().unwrap();
    let reports = |side: &str, statuses: &[Status]| -> Vec<(PathBuf, String)> {
        let report = |(number, status): (usize, &Status)| {
            let name = format!("{side}{number}.json");
            let test = outcomes::ended(*status, outcomes::outcome("a.test.yaml", "t"));
            (whole(folder.path(), &name, &run(vec![test])), name)
        };
        statuses.iter().enumerate().map(report).collect()
    };
    let cases: &[RunsOfSides<'_>] = &[
        (
            &[Passed; 3],
            &[Passed, Failed, Passed],
            &["newly_failing"],
            [[3, 3], [3, 2]],
        ),
        (
            &[Failed, Passed],
            &[Passed; 2],
            &["newly_passing"],
            [[2, 1], [2, 2]],
        ),
        (
            &[Failed, Passed],
            &[Passed, Failed],
            &["still_failing"],
            [[2, 1], [2, 1]],
        ),
        (
            &[Failed, Passed],
            &[Failed; 2],
            &["still_failing", "lower_rate"],
            [[2, 1], [2, 0]],
        ),
        // What is skipped is no run.
        (
            &[Skipped, Passed],
            &[Failed, Skipped],
            &["newly_failing"],
            [[1, 1], [1, 0]],
        ),
        (
            &[Passed],
            &[Skipped, Skipped],
            &["skipped"],
            [[1, 1], [0, 0]],
        ),
        (&[Passed, Skipped], &[Passed; 2], &[], [[0; 2]; 2]),
    ];
    for (before, after, kinds, runs) in cases {
        // The order of the reports does not matter.
        for is_reversed in [false, true] {
            let sides = [("b", before), ("a", after)].map(|(side, statuses)| {
                let mut statuses = statuses.to_vec();
                if is_reversed {
                    statuses.reverse();
                }
                reports(side, &statuses)
            });
            let rules = ComparisonRules::default();
            let compared = Comparison::of(&sides[0], &sides[1], &rules).unwrap();
            let value = json(&compared);
            assert_eq!(value["after"]["tests"], 1);
            let Some(change) = value["tests"].get(0) else {
                assert!(kinds.is_empty(), "{value}");
                continue;
            };
            assert_eq!(change["changes"], serde_json::json!(kinds));
            for (side, [ran, passed]) in ["before", "after"].into_iter().zip(runs) {
                let test = &change[side];
                assert_eq!([&test["runs"], &test["passed"]], [ran, passed], "{change}");
            }
        }
    }
}

#[test]
fn hostile_reports_steer_no_terminal() {
    let folder = TempDir::new().unwrap();
    let [before, after] = [("a", Status::Passed), ("b", Status::Failed)].map(|(name, status)| {
        whole(
            folder.path(),
            name,
            &run(vec![outcomes::ended(status, outcomes::hostile())]),
        )
    });
    let comparison = compared(&before, &after).unwrap();
    for text in printed(&comparison, Colouring::Plain, None) {
        let bad = text.chars().find(|character| {
            (character.is_control() && *character != '\n')
                || "\u{202e}\u{fffe}\u{ffff}\u{e0041}".contains(*character)
        });
        assert_eq!(bad, None, "{text}");
        assert!(!text.contains("##"), "an order to a build server: {text}");
    }
    for (columns, colour) in [
        (80, Colouring::Plain),
        (40, Colouring::Coloured),
        (20, Colouring::Plain),
    ] {
        let [_, text] = printed(&comparison, colour, Some(columns));
        let text = anstream::adapter::strip_str(&text).to_string();
        let orders = text
            .lines()
            .filter(|line| line.trim_start().starts_with("::"));
        assert_eq!(orders.count(), 0, "{text}");
        let wide = text
            .lines()
            .find(|line| ananke::text::columns::width(line) > columns);
        assert_eq!(wide, None, "{text}");
    }
}

#[test]
fn half_a_report_is_none() {
    let folder = TempDir::new().unwrap();
    let events = run(outcomes::all_kinds());
    for whole in [
        whole(folder.path(), "a", &events),
        lines(folder.path(), "b", &events),
    ] {
        let bytes = fs::read(&whole).unwrap();
        let cut = folder.path().join("cut");
        let end = bytes.len() - 1;
        let ends_of_lines = (0..end)
            .filter(|at| bytes[*at] == b'\n')
            .flat_map(|at| [at, at + 1]);
        for length in (0..end).step_by(97).chain(ends_of_lines).chain([end - 1]) {
            fs::write(&cut, &bytes[..length]).unwrap();
            assert!(
                compared(&whole, &cut).is_err(),
                "the first {length} of {end} bytes"
            );
        }
        fs::write(&cut, &bytes[..end]).unwrap();
        assert!(
            compared(&whole, &cut).is_ok(),
            "a last line may end without a line feed"
        );
    }
}

#[test]
fn what_is_wrong_with_a_report_is_said() {
    const RESULT: &str = r#"{"type":"result","version":"1.0","id":"a","status":"passed"}"#;
    const SUMMARY: &str = r#"{"type":"summary","version":"1.0","total":1,"error":0,"flaky":2}"#;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("report");
    let message = |text: &str| {
        fs::write(&path, text).unwrap();
        compared(&path, &path)
            .err()
            .map(|problems| problems[0].clone())
    };
    let fine =
        format!("\u{feff}\n  {RESULT}\n\n{SUMMARY} {{\"type\":\"later\",\"version\":\"1.7\"}}\n\n");
    assert_eq!(message(&fine), None);
    for (text, expected) in [
        (
            format!("{RESULT}\n{RESULT}\n{SUMMARY}"),
            ", line 2, column 60: a second result of the test `a`; a report is of one run",
        ),
        (
            format!("{RESULT}\n{SUMMARY}\n{SUMMARY}"),
            ", line 3, column 64: the file continues after the end of a report: a report is of one run",
        ),
        (
            SUMMARY.to_owned(),
            ": the summary counts 1, and the report has 0 results",
        ),
        (
            RESULT.to_owned(),
            ": the summary is missing behind 1 result",
        ),
        (
            RESULT.replace("\"id\":\"a\",", ""),
            ", line 1, column 51: no `id`, which every report has",
        ),
        (
            RESULT.replace("status", "state"),
            ", line 1, column 59: no `status`, which every report has",
        ),
        (
            RESULT.replace("\"passed\"", "7"),
            ", line 1, column 52: neither JSON nor what a report has here",
        ),
        (
            RESULT.replace('}', ",\"duration_ms\":-1}"),
            ", line 1, column 77: nothing takes -1 ms",
        ),
        (
            RESULT.replace("1.0", "2.0"),
            ", line 1, column 33: the format of the report is 2.0, this program reads 1.x",
        ),
        (
            RESULT.replace("1.0", "10"),
            ", line 1, column 32: the format of the report is 10, this program reads 1.x",
        ),
        ("\n\n".to_owned(), ": there is no report in it"),
        (
            "\n<!doctype html>".to_owned(),
            " is HTML or XML, and only a JSON report can be read again",
        ),
        (
            "[]".to_owned(),
            ", line 1, column 1: invalid type: sequence, expected an object of a report",
        ),
        (
            "{\"version\":\"1.0\"}".to_owned(),
            ", line 1, column 17: neither a `type` nor `results`, one of which every report has",
        ),
        (
            "{\"version\":\"1.0\",\"results\":[]}".to_owned(),
            ", line 1, column 30: results without a `summary`",
        ),
        (
            "[".repeat(100_000),
            ", line 1, column 1: invalid type: sequence, expected an object of a report",
        ),
        (
            format!("{{\"a\":{}", "[".repeat(100_000)),
            ", line 1, column 100005: the report ends in the middle of a value",
        ),
    ] {
        assert_eq!(
            message(&text),
            Some(format!("`before`{expected}")),
            "{}",
            &text[..text.len().min(200)]
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..seeded() })]

    #[test]
    fn no_report_is_too_broken(
        in_lines: bool,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_usize..4), 1..20),
    ) {
        let folder = TempDir::new().unwrap();
        let events = run(everything());
        let good = if in_lines { lines(folder.path(), "a", &events) } else { whole(folder.path(), "a", &events) };
        let mut bytes = fs::read(&good).unwrap();
        for (place, byte, kind) in changes {
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                // A piece is missing or duplicated.
                2 => drop(bytes.drain(at..(at + usize::from(byte)).min(bytes.len() - 1))),
                _ => {
                    let piece = bytes[at..(at + usize::from(byte)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        let bad = folder.path().join("b");
        fs::write(&bad, bytes).unwrap();
        if let Err(problems) = compared(&good, &bad) {
            prop_assert!(problems.len() == 1 && problems[0].starts_with("`after`"), "{problems:?}");
        }
    }
}

/// Fails if a line of a comparison has an unknown beginning, or if text outside of code is read as Markdown or HTML.
pub(super) fn check_markdown(text: &str) {
    for line in text.lines().skip_while(|line| *line == "<!-- ananke -->") {
        let starts = ["## ", "### ", "- ", "  - "]
            .iter()
            .any(|start| line.starts_with(start));
        assert!(
            starts || line.is_empty() || line.contains(" newly "),
            "{line:?}"
        );
        // No name of an element begins with a digit.
        let outside = super::markdown::outside_of_spans(line).replace("<1 ms", "1 ms");
        assert!(
            !outside.contains(['<', '[', '@', '|', '#']) || line.starts_with('#'),
            "{line:?}"
        );
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

/// Fails if the page of a comparison has an unknown tag, or refers to another site.
pub(super) fn check_html(page: &str) {
    let page = &super::html::without_assets(page);
    let (head, body) = page.split_once("<body>").expect("a body");
    assert!(!head.contains("://"), "nothing comes from elsewhere");
    let tag = regex::Regex::new("<[^>]*>?").unwrap();
    let ours = regex::Regex::new(
        r#"^</?(?:header|main|script|body|html|h1|h2|p|ul|li|br|code|span)(?: class="(?:summary passed|summary failed|program|faint)")?>$"#,
    );
    let ours = ours.unwrap();
    for found in tag.find_iter(body) {
        assert!(ours.is_match(found.as_str()), "{:?}", found.as_str());
    }
    assert!(
        !page
            .chars()
            .any(|character| character.is_control() && character != '\n')
    );
}

/// Two runs of many tests in which every word is hostile, and how they differ.
pub(super) fn hostile_comparison(count: usize) -> Comparison {
    let folder = TempDir::new().unwrap();
    let named = |number: usize, status| {
        let mut outcome = outcomes::hostile_after_all(status, number.is_multiple_of(3));
        outcome.test.id = format!("{number}{}{}", outcomes::MARKDOWN, outcomes::HOSTILE);
        for turn in &mut outcome.transcript.turns {
            turn.lines.push(outcomes::calls(
                9,
                &format!("{number}{}", outcomes::MARKDOWN),
                "",
                None,
                (0, 0),
            ));
        }
        outcome
    };
    let statuses = [
        Status::Passed,
        Status::Failed,
        Status::Error,
        Status::Timeout,
        Status::Skipped,
    ];
    let outcomes = |shift: usize| {
        (0..count).map(move |number| named(number + shift, statuses[(number * shift) % 5]))
    };
    let before = whole(folder.path(), "a.json", &run(outcomes(1).collect()));
    let after = whole(folder.path(), "b.json", &run(outcomes(2).collect()));
    let hostile = format!("{}{}", outcomes::MARKDOWN, outcomes::HOSTILE);
    Comparison::of(
        &[(before, hostile.clone())],
        &[(after, hostile)],
        &ComparisonRules::default(),
    )
    .unwrap()
}

#[test]
fn hostile_text_stays_text_in_markdown() {
    let text = hostile_comparison(40).markdown();
    assert!(
        text.starts_with("<!-- ananke -->\n## ✗ regression: "),
        "{text}"
    );
    check_markdown(&text);
    let text = hostile_comparison(300).markdown();
    assert!(
        text.len() <= 65_000 && text.contains("\n- … and "),
        "{}",
        text.len()
    );
}

#[test]
fn hostile_text_stays_text_in_html() {
    check_html(&hostile_comparison(40).html());
}
