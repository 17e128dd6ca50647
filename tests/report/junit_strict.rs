//! The strict JUnit report: the schemas in `tests/xsd/` accept it, whatever the texts are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ananke::outcome::{Outcome, Status};
use ananke::report::file::junit::JunitProfile;

use super::junit::{check_totals, folder, parsed, written_as, xml_text};
use super::outcomes::{self, HOSTILE};
use super::{begun, compare, run};

/// The schemas that a report of the strict profile must satisfy.
fn schemas() -> [PathBuf; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/xsd");
    ["jenkins-xunit-junit-10.xsd", "windyroad-JUnit.xsd"].map(|name| folder.join(name))
}

/// What xmllint prints about `xml` under `schema`; empty if it is valid, `None` if there is no xmllint.
fn complaint(xml: &Path, schema: &Path) -> Option<String> {
    let mut command = Command::new("xmllint");
    command
        .args(["--nonet", "--noout", "--schema"])
        .args([schema, xml])
        .stdin(Stdio::null());
    match command.output() {
        Ok(output) if output.status.success() => Some(String::new()),
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !in_ci() => None,
        Err(error) => panic!("xmllint, which CI must have (libxml2-utils), cannot be run: {error}"),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a switch of the test run, not of the program"
)]
fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true")
}

/// Fails if a schema rejects `xml`.
pub(super) fn validate(name: &str, xml: &str) {
    let folder = folder(&format!("validate-{name}"));
    fs::create_dir_all(&folder).expect("a writable folder");
    let file = folder.join("junit.xml");
    fs::write(&file, xml).expect("a writable folder");
    for schema in schemas() {
        let complaint = complaint(&file, &schema).unwrap_or_default();
        assert!(
            complaint.is_empty(),
            "{}: {complaint}\n{xml}",
            schema.display()
        );
    }
}

fn strict(name: &str, outcomes: Vec<Outcome>) -> String {
    written_as(
        JunitProfile::Strict,
        &format!("strict-{name}"),
        &run(outcomes),
    )
}

#[test]
fn a_run_with_every_status() {
    let xml = strict("all", outcomes::all_kinds());
    let root = parsed(&xml);
    check_totals(&root);
    compare(&xml, "junit-strict.xml");
    validate("all", &xml);
}

#[test]
fn attempts_are_told_in_the_transcript() {
    let xml = strict("retried", outcomes::retried());
    let root = parsed(&xml);
    check_totals(&root);
    compare(&xml, "retried-strict.xml");
    validate("retried", &xml);
    for element in ["flakyFailure", "flakyError", "rerunFailure", "rerunError"] {
        assert!(!xml.contains(element), "no schema of both has {element}");
    }
    let told = xml_text(&root);
    for fact in [
        "flaky: true",
        "attempts: 3",
        "attempt 1 of 3  failed",
        "quarantine: quarantined until 2999-12-31 (payments)",
    ] {
        assert!(told.contains(fact), "{fact}: {told}");
    }
}

#[test]
fn the_schemas_tell_the_profiles_apart() {
    let folder = folder("apart");
    let xml = written_as(
        JunitProfile::Default,
        "apart-source",
        &run(outcomes::all_kinds()),
    );
    fs::create_dir_all(&folder).expect("a writable folder");
    fs::write(folder.join("junit.xml"), xml).expect("a writable folder");
    for schema in schemas() {
        let complaint = complaint(&folder.join("junit.xml"), &schema);
        assert!(
            complaint.is_none_or(|complaint| !complaint.is_empty()),
            "{}",
            schema.display()
        );
    }
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
        let outcome = outcomes::ended(status, outcomes::hostile());
        let xml = strict(&format!("hostile-{}", status.as_str()), vec![outcome]);
        let root = parsed(&xml);
        check_totals(&root);
        assert!(
            !xml_text(&root).contains("[[ATTACHMENT|"),
            "a file of the machine would be published"
        );
        assert!(
            xml_text(&root).contains("]]> <script>alert('x')</script> & \"q\" \\u{0}"),
            "{xml}"
        );
        validate(&format!("hostile-{}", status.as_str()), &xml);
        for in_quarantine in [false, true] {
            let name = format!("hostile-again-{}-{in_quarantine}", status.as_str());
            validate(
                &name,
                &strict(
                    &name,
                    vec![outcomes::hostile_after_all(status, in_quarantine)],
                ),
            );
        }
    }
}

#[test]
fn whatever_a_file_is_called_its_suite_has_a_name() {
    let files = [
        "",
        " ",
        ".test.yaml",
        "a/ .test.yaml",
        "...",
        "/",
        "a b/c\td.yaml",
        HOSTILE,
        "\u{0}",
        "é/ü.yml",
    ];
    let outcomes: Vec<Outcome> = files
        .iter()
        .map(|file| outcomes::outcome(file, " "))
        .collect();
    let xml = strict("files", outcomes);
    let root = parsed(&xml);
    let suites: Vec<_> = root.named("testsuite").collect();
    assert_eq!(suites.len(), files.len());
    for (number, suite) in suites.iter().enumerate() {
        assert_eq!(suite.number("id"), number);
        assert!(!suite.get("name").trim().is_empty());
        assert_eq!(suite.get("hostname"), "localhost");
    }
    validate("files", &xml);
}

#[test]
fn what_is_told_of_a_file_is_bounded() {
    let long = |number: u32| {
        let mut outcome = outcomes::outcome("long.test.yaml", &format!("t{number}"));
        let says = (1..=40)
            .map(|event| outcomes::says(event, &"é".repeat(5_000)))
            .collect();
        outcome
            .transcript
            .turns
            .push(outcomes::turn(1, "talk", 1, says));
        outcome
    };
    let xml = strict("long", (0..60).map(long).collect());
    let root = parsed(&xml);
    let suite = root.named("testsuite").next().expect("a suite");
    let told = &suite.named("system-out").next().expect("transcripts").text;
    assert!(told.len() < (1 << 20) + 200, "{}", told.len());
    assert!(
        told.ends_with("more tests are omitted)\n"),
        "{}",
        &told[told.len() - 100..]
    );
    assert_eq!(suite.number("tests"), 60);
    validate("long", &xml);
}

#[test]
fn a_run_cut_short_is_valid() {
    let mut outcomes = outcomes::all_kinds();
    outcomes.truncate(3);
    validate(
        "cut",
        &written_as(JunitProfile::Strict, "strict-cut", &begun(8, outcomes)),
    );
    let nothing = written_as(JunitProfile::Strict, "strict-nothing", &[]);
    assert!(parsed(&nothing).children.is_empty());
    validate("nothing", &nothing);
}
