//! The JSON report, for programs.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use ananke::outcome::{RunEvent, Status, Verdict};
use ananke::redact::Sealed;
use ananke::report::Reporter;
use ananke::report::file::json::JsonLinesReport;
use ananke::report::file::{FileOptions, FileReport};
use ananke::run_document::schema;
use serde_json::{Value, json};

use super::junit::{folder, names};
use super::outcomes::{self, HOSTILE};
use super::{begun, compare, ended, run};

/// A pipe that keeps what is written; `None` if its reader is gone.
#[derive(Clone)]
pub(super) struct Pipe(pub(super) Option<Arc<Mutex<Vec<u8>>>>);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(pipe) = &self.0 else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        pipe.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn printed(events: &[Sealed<RunEvent>]) -> String {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let mut report = Box::new(JsonLinesReport::stream(Box::new(Pipe(Some(bytes.clone())))));
    for event in events {
        report.event(event).expect("a pipe takes everything");
    }
    report.finish().expect("a pipe takes everything");
    let bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8(bytes.clone()).expect("UTF-8")
}

/// Every line as a value, each validated by the schema, in which nothing is allowed that it does not describe.
pub(super) fn lines(text: &str) -> Vec<Value> {
    let mut schema = schema();
    close(&mut schema);
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    assert!(text.ends_with('\n'));
    let line = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let errors: Vec<String> = schema
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}\n{line}");
        value
    };
    text.lines().map(line).collect()
}

/// Makes every object of the schema reject keys that it does not name; `type` is next to the definitions of the lines.
fn close(schema: &mut Value) {
    for (name, definition) in schema["definitions"].as_object_mut().expect("definitions") {
        if let Some(properties) = definition
            .get_mut("properties")
            .and_then(Value::as_object_mut)
        {
            if matches!(
                name.as_str(),
                "Result"
                    | "LastLine"
                    | "Said"
                    | "CallItem"
                    | "ResultItem"
                    | "CustomItem"
                    | "ModelItem"
            ) {
                properties.insert("type".to_owned(), json!({ "type": "string" }));
            }
            definition["additionalProperties"] = Value::Bool(false);
        }
    }
}

#[test]
fn a_run_with_every_status() {
    let text = printed(&run(outcomes::all_kinds()));
    compare(&text, "lines.jsonl");
    let lines = lines(&text);
    let statuses: Vec<&str> = lines[..8]
        .iter()
        .map(|line| line["status"].as_str().unwrap())
        .collect();
    let expected = [
        "passed", "passed", "failed", "failed", "error", "timeout", "error", "skipped",
    ];
    assert_eq!(statuses, expected);
    let summary = &lines[8];
    assert_eq!(summary["type"], "summary");
    for (key, count) in [
        ("selected", 8),
        ("total", 8),
        ("passed", 2),
        ("failed", 2),
        ("error", 2),
    ] {
        assert_eq!(summary[key], count, "{key}");
    }
    assert_eq!(
        (&summary["timeout"], &summary["skipped"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(
        (&summary["exit_code"], &summary["reason"]),
        (&json!(1), &json!("5 of 8 tests did not pass"))
    );
}

#[test]
fn attempts_and_the_quarantine_are_told() {
    let text = printed(&run(outcomes::retried()));
    compare(&text, "retried.jsonl");
    let lines = lines(&text);
    assert_eq!(
        (&lines[0]["flaky"], &lines[0]["status"]),
        (&json!(true), &json!("passed"))
    );
    let attempts = lines[0]["earlier_attempts"].as_array().expect("attempts");
    let told: Vec<_> = attempts
        .iter()
        .map(|one| (&one["attempt"], &one["status"], &one["thread_id"]))
        .collect();
    let expected = [
        (json!(1), json!("failed"), json!("thread-1")),
        (json!(2), json!("error"), json!("thread-2")),
    ];
    assert!(
        told.iter()
            .zip(&expected)
            .all(|(told, (a, b, c))| *told == (a, b, c)),
        "{told:?}"
    );
    assert!(lines[1].get("flaky").is_none() && lines[3].get("earlier_attempts").is_none());
    let entry = json!({
        "owner": "payments", "expires": "2999-12-31", "reason": "the new model pays twice",
        "test": "specs/old.test.yaml::*", "file": "ananke.config.yaml", "line": 12, "column": 13,
    });
    assert_eq!(
        (&lines[3]["quarantined"], &lines[3]["status"]),
        (&entry, &json!("failed"))
    );
    let summary = &lines[8];
    for (key, count) in [
        ("total", 8),
        ("passed", 3),
        ("flaky", 1),
        ("failed", 1),
        ("error", 1),
        ("timeout", 0),
        ("quarantined", 2),
    ] {
        assert_eq!(summary[key], count, "{key}");
    }
}

#[test]
fn the_summary_says_why() {
    let verdict = |flaky_fails, expired: u32| {
        let expired = (0..expired)
            .map(|line| outcomes::quarantine(line, "*"))
            .collect();
        Verdict {
            flaky_fails,
            expired,
            ..Verdict::default()
        }
    };
    let [flaky, shielded] = [0, 3].map(|index| outcomes::retried().swap_remove(index));
    for (outcome, verdict, code, reason) in [
        (&flaky, verdict(false, 0), 0, "no test failed"),
        (&flaky, verdict(true, 0), 1, "1 test is flaky"),
        (
            &flaky,
            verdict(true, 2),
            1,
            "1 test is flaky; 2 entries of the quarantine expired",
        ),
        (
            &shielded,
            verdict(true, 0),
            0,
            "no test failed outside of the quarantine",
        ),
        (
            &shielded,
            verdict(false, 1),
            1,
            "1 entry of the quarantine expired",
        ),
    ] {
        let lines = lines(&printed(&ended(vec![outcome.clone()], verdict)));
        assert_eq!(
            (&lines[1]["exit_code"], &lines[1]["reason"]),
            (&json!(code), &json!(reason))
        );
    }
}

#[test]
fn a_passing_run_leads_to_zero() {
    let passing = outcomes::all_kinds()
        .into_iter()
        .filter(|outcome| outcome.status() == Status::Passed);
    let lines = lines(&printed(&run(passing.collect())));
    let summary = lines.last().expect("a summary");
    assert_eq!(
        (&summary["exit_code"], &summary["reason"]),
        (&json!(0), &json!("no test failed"))
    );
    assert_eq!(
        self::lines(&printed(&run(Vec::new()))).len(),
        1,
        "a run of nothing has its summary"
    );
}

#[test]
fn arguments_and_results_are_the_values_that_were_sent() {
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    for (sent, read) in [
        ("", json!({})),
        (
            "{ \"b\": [1, 2.50],\n\"a\": \" x \" }",
            serde_json::from_str("{\"b\":[1,2.50],\"a\":\" x \"}").unwrap(),
        ),
        ("not json", json!("not json")),
        ("{\"cut\": \"of…", json!("{\"cut\": \"of…")),
        ("\"text\"", json!("text")),
        ("{\"half\": \"\\ud800\"}", json!("{\"half\": \"\\ud800\"}")),
        ("1e999", serde_json::from_str("1e999").unwrap()),
        (&deep(65), json!(deep(65))),
        (&deep(100_000), json!(deep(100_000))),
    ] {
        let mut outcome = outcomes::outcome("a.test.yaml", "a");
        let result = Some(sent).filter(|sent| !sent.is_empty());
        outcome.transcript.turns = vec![outcomes::turn(
            1,
            "x",
            1,
            vec![outcomes::calls(1, "t", sent, result, (1500, 2500))],
        )];
        let lines = lines(&printed(&run(vec![outcome])));
        let call = &lines[0]["turns"][0]["tool_calls"][0];
        assert_eq!(call["args"], read);
        assert!(sent.is_empty() || call["result"] == read);
        assert_eq!(call["started"], outcomes::STARTED + 1);
        let finished = result.map(|_| json!(outcomes::STARTED + 4));
        assert_eq!(
            (call.get("timestamp"), call.get("finished")),
            (finished.as_ref(), finished.as_ref())
        );
    }
    let mut outcome = outcomes::outcome("a.test.yaml", "a");
    let long = "{\"id\":123456789012345678901234567890.10}";
    outcome.transcript.turns = vec![outcomes::turn(
        1,
        "x",
        1,
        vec![outcomes::calls(1, "t", long, None, (0, 0))],
    )];
    assert!(
        printed(&run(vec![outcome])).contains(&format!("\"args\":{long}")),
        "no digit is lost"
    );
}

#[test]
fn the_response_is_the_last_thing_said() {
    let mut outcome = outcomes::outcome("a.test.yaml", "a");
    outcome.transcript.turns = vec![
        outcomes::turn(
            1,
            "x",
            1,
            vec![outcomes::says(1, "one"), outcomes::says(2, "two")],
        ),
        outcomes::turn(
            2,
            "y",
            1,
            vec![
                outcomes::calls(3, "t", "", None, (0, 0)),
                outcomes::says(4, ""),
            ],
        ),
    ];
    let lines = lines(&printed(&run(vec![outcome])));
    assert_eq!(
        (&lines[0]["response"], &lines[0]["turns"][0]["output"]),
        (&json!("two"), &json!("one\ntwo"))
    );
    assert_eq!(
        (&lines[0]["turns"][1]["output"], &lines[0]["total_turns"]),
        (&json!(""), &json!(2))
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
        let outcome = outcomes::hostile_after_all(status, true);
        let text = printed(&run(vec![outcome]));
        let bad = text.chars().find(|character| {
            (character.is_control() && *character != '\n')
                || "\u{202e}\u{fffe}\u{ffff}\u{e0041}".contains(*character)
        });
        assert_eq!(bad, None, "{text}");
        assert!(!text.contains("##"), "an order to a build server: {text}");
        let lines = lines(&text);
        assert_eq!(lines.len(), 2);
        assert_eq!(
            lines[0]["turns"][0]["output"], HOSTILE,
            "a program gets every character"
        );
        assert_eq!(lines[0]["turns"][0]["tool_calls"][0]["args"], HOSTILE);
    }
}

#[test]
fn a_run_cut_short_says_so() {
    let mut outcomes = outcomes::all_kinds();
    outcomes.truncate(3);
    let lines = lines(&printed(&begun(8, outcomes)));
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[3]["reason"], "the run ended after 3 of 8 tests");
    assert!(lines[3].get("exit_code").is_none());
}

#[test]
fn a_reader_that_goes_away_ends_only_the_writing() {
    let mut report = Box::new(JsonLinesReport::stream(Box::new(Pipe(None))));
    for event in run(outcomes::all_kinds()) {
        report.event(&event).expect("writing has ended");
    }
    report.finish().expect("writing has ended");
}

#[test]
fn a_file_appears_whole() {
    let folder = folder("lines");
    let path = folder.join("deep/results.jsonl");
    let mut report = Box::new(
        JsonLinesReport::create(&path, &FileOptions::default()).expect("folders are made"),
    );
    for event in run(outcomes::all_kinds()) {
        report.event(&event).expect("a writable folder");
    }
    assert!(!path.exists());
    report.finish().expect("a writable folder");
    assert_eq!(names(path.parent().expect("a folder")), ["results.jsonl"]);
    let text = std::fs::read_to_string(path).expect("UTF-8");
    assert_eq!(text, printed(&run(outcomes::all_kinds())));
    assert!(
        JsonLinesReport::create(&folder, &FileOptions::default()).is_err(),
        "a folder is no destination"
    );
}
