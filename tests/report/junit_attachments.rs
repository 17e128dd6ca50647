//! The recordings of tests that did not pass, as build servers find them.

use ananke::outcome::{Outcome, Status};
use ananke::report::Reporter;
use ananke::report::ci::BuildJob;
use ananke::report::file::junit::JunitReport;
use ananke::report::file::{FileOptions, FileReport};
use regex::Regex;

use super::junit::{Node, folder, parsed, xml_text};
use super::outcomes::{changed, ended, outcome, says, turn};
use super::{in_job, run};

const NOWHERE: [(&str, &str); 0] = [];

/// The attachments of each test, by the pattern that GitLab and Jenkins have in common.
fn attached(name: &str, environment: &[(&str, &str)], outcomes: Vec<Outcome>) -> Vec<String> {
    let pattern = Regex::new(r"\[\[ATTACHMENT\|(.+?)\]\]").expect("the pattern is sound");
    let found = |text: String| {
        pattern
            .captures_iter(&text)
            .map(|found| found[1].to_owned())
            .collect::<Vec<_>>()
    };
    cases(&written(name, environment, outcomes))
        .flat_map(|case| found(xml_text(&case)))
        .collect()
}

fn cases(xml: &str) -> impl Iterator<Item = Node> + use<> {
    parsed(xml)
        .children
        .into_iter()
        // The first child of a suite has the properties of the run.
        .flat_map(|suite| suite.children.into_iter().skip(1))
}

fn written(name: &str, environment: &[(&str, &str)], outcomes: Vec<Outcome>) -> String {
    let path = folder(&format!("attachments-{name}")).join("junit.xml");
    let report = JunitReport::create(
        &path,
        &FileOptions {
            job: BuildJob::of(&in_job(environment)),
            ..FileOptions::default()
        },
    );
    let mut report = Box::new(report.expect("folders are made"));
    for event in run(outcomes) {
        report.event(&event).expect("a writable folder");
    }
    report.finish().expect("a writable folder");
    std::fs::read_to_string(path).expect("UTF-8")
}

fn recorded(name: &str, status: Status, file: &str) -> Outcome {
    let outcome = outcome("pay.test.yaml", name);
    ended(
        status,
        changed(outcome, |outcome| {
            outcome.transcript.recording = Some(file.to_owned());
        }),
    )
}

#[test]
fn attempts_that_did_not_pass_bring_their_recordings() {
    let flaky = Outcome {
        earlier_attempts: vec![recorded("twice", Status::Error, "kept/pay/twice.jsonl")],
        ..recorded("twice", Status::Passed, "kept/pay/twice.attempt-2.jsonl")
    };
    let outcomes = vec![
        recorded("once", Status::Passed, "kept/pay/once.jsonl"),
        recorded("never", Status::Failed, "kept/pay/never.jsonl"),
        recorded("late", Status::Timeout, "kept/pay/late & later.jsonl"),
        flaky,
        outcome("pay.test.yaml", "live"),
    ];
    let found = attached("kinds", &NOWHERE, outcomes);
    assert_eq!(
        found,
        [
            "kept/pay/never.jsonl",
            "kept/pay/late & later.jsonl",
            "kept/pay/twice.jsonl"
        ]
    );
}

#[test]
fn every_recording_is_a_property() {
    let outcomes = vec![
        recorded("once", Status::Passed, "kept/once.jsonl"),
        outcome("pay.test.yaml", "live"),
    ];
    let properties: Vec<Vec<String>> = cases(&written("properties", &NOWHERE, outcomes))
        .map(|case| {
            case.named("properties")
                .flat_map(|all| &all.children)
                .map(value)
                .collect()
        })
        .collect();
    let value_of = |case: usize| {
        properties[case]
            .iter()
            .find(|text| text.starts_with("recording="))
            .cloned()
    };
    assert_eq!(
        (value_of(0).as_deref(), value_of(1)),
        (Some("recording=kept/once.jsonl"), None)
    );
}

fn value(property: &Node) -> String {
    format!("{}={}", property.get("name"), property.get("value"))
}

#[test]
fn servers_get_paths_that_they_find() {
    let found = |name: &str, environment: &[(&str, &str)], file: &str| {
        attached(
            name,
            environment,
            vec![recorded("never", Status::Failed, file)],
        )
    };
    let jenkins = [("JENKINS_URL", "https://ci.example/")];
    assert_eq!(
        found("jenkins", &jenkins, "../kept/a.jsonl"),
        ["/checkout/repository/kept/a.jsonl"]
    );
    assert_eq!(
        found("jenkins-whole", &jenkins, "/elsewhere/a.jsonl"),
        ["/elsewhere/a.jsonl"]
    );
    let gitlab = [
        ("GITLAB_CI", "true"),
        ("CI_PROJECT_DIR", "/checkout/repository"),
    ];
    assert_eq!(
        found("gitlab", &gitlab, "kept/a.jsonl"),
        ["shop/kept/a.jsonl"]
    );
    assert_eq!(
        found("gitlab-elsewhere", &gitlab, "/elsewhere/a.jsonl"),
        ["/elsewhere/a.jsonl"]
    );
    assert_eq!(
        found(
            "no-server",
            &[("CI_PROJECT_DIR", "/checkout")],
            "kept/a.jsonl"
        ),
        ["kept/a.jsonl"]
    );
}

#[test]
fn nothing_else_is_attached() {
    let said = "before [[ATTACHMENT|/etc/passwd]]\n[[ATTACHMENT|/etc/shadow]]\nafter";
    let never = changed(
        recorded("never", Status::Failed, "kept/a.jsonl"),
        |outcome| {
            outcome
                .transcript
                .turns
                .push(turn(1, said, 10, vec![says(1, said)]));
            outcome.test.about.description = Some(said.to_owned());
        },
    );
    assert_eq!(attached("agent", &NOWHERE, vec![never]), ["kept/a.jsonl"]);
    for file in ["kept/a]]b.jsonl", "kept/a\nb.jsonl"] {
        let outcomes = vec![recorded("never", Status::Failed, file)];
        assert!(attached("unclear", &NOWHERE, outcomes).is_empty(), "{file}");
    }
}
