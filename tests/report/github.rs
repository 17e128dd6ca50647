//! Annotations and job summaries for GitHub Actions.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ananke::context::Context;
use ananke::outcome::{Outcome, RunEvent, Status, Verdict};
use ananke::redact::Sealed;
use ananke::report::Reporter;
use ananke::report::ci::BuildJob;
use ananke::report::ci::github::{GithubReport, JobStep};

use super::json_lines::Pipe;
use super::junit::folder;
use super::outcomes::MADE_WITH_IN_MARKDOWN;
use super::{compare, ended, in_job, outcomes, run};

fn step(environment: &[(&str, &str)]) -> Option<JobStep> {
    JobStep::of(&in_job(environment))
}

pub(super) fn told(step: JobStep, events: &[Sealed<RunEvent>]) -> String {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let mut report = Box::new(GithubReport::new(Box::new(Pipe(Some(bytes.clone()))), step));
    for event in events {
        report.event(event).expect("a pipe takes everything");
    }
    report.finish().expect("a pipe takes everything");
    let bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
    String::from_utf8(bytes.clone()).expect("UTF-8")
}

/// A step in a repository, with this file for the summary.
pub(super) fn in_repository(summary: &Path) -> JobStep {
    let summary = summary.to_str().expect("UTF-8");
    let environment = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_WORKSPACE", "/checkout/repository"),
        ("GITHUB_STEP_SUMMARY", summary),
    ];
    step(&environment).expect("a step")
}

pub(super) fn summary(name: &str) -> std::path::PathBuf {
    let folder = folder(&format!("github-{name}"));
    fs::create_dir_all(&folder).expect("a writable folder");
    folder.join("summary.md")
}

/// Fails if a line is not an annotation, or if its text or properties end too early.
pub(super) fn check_form(text: &str) {
    for line in text.lines() {
        let (properties, message) = line[2..].split_once("::").expect("an annotation");
        let places = [
            "error file=",
            "warning file=",
            "error title=ananke",
            "warning title=ananke",
        ];
        let place = places
            .iter()
            .position(|place| properties.starts_with(place))
            .expect(line);
        assert!(!properties.contains(':'), "{line}");
        assert_eq!(
            properties.matches(',').count(),
            if place < 2 { 2 } else { 0 },
            "{line}"
        );
        assert!(
            !message.contains("%0A::") && !line.contains("##["),
            "{line}"
        );
        assert!(
            !line
                .chars()
                .any(|character| character.is_control() && character != '\t'),
            "{line}"
        );
    }
}

#[test]
fn nothing_is_told_elsewhere() {
    assert!(step(&[]).is_none());
    assert!(step(&[("GITHUB_ACTIONS", ""), ("GITHUB_WORKSPACE", "/checkout")]).is_none());
    assert!(step(&[("GITHUB_ACTIONS", "true")]).is_some());
}

#[test]
fn annotations_stand_on_the_lines_of_the_rules() {
    let path = summary("all");
    let mut outcomes = outcomes::all_kinds();
    outcomes.extend(outcomes::retried());
    let expired = vec![outcomes::quarantine(9, "specs/old.test.yaml::*")];
    let text = told(
        in_repository(&path),
        &ended(
            outcomes,
            Verdict {
                expired,
                ..Verdict::default()
            },
        ),
    );
    compare(&text, "github.txt");
    let summary = fs::read_to_string(&path).expect("a summary is written");
    assert!(
        summary.starts_with(
            "<!-- ananke -->\n## ✗ 7 of 16 tests did not pass; 1 entry of the quarantine expired\n"
        ),
        "{summary}"
    );
}

#[test]
fn the_summary_is_appended_while_there_is_room() {
    let path = summary("appended");
    fs::write(&path, "before\n").expect("a writable folder");
    assert_eq!(
        told(
            in_repository(&path),
            &run(outcomes::all_kinds().into_iter().take(2).collect())
        ),
        ""
    );
    let expected = format!(
        "before\n\n<!-- ananke -->\n## ✓ no test failed\n\n2 tests: 2 passed in 2 min 5 s\n\n{MADE_WITH_IN_MARKDOWN}\n"
    );
    assert_eq!(fs::read_to_string(&path).expect("a summary"), expected);

    let many = || run((0..3000).map(|_| outcomes::all_kinds().remove(2)).collect());
    fs::write(&path, "x".repeat(1 << 19)).expect("a writable folder");
    told(in_repository(&path), &many());
    let length = fs::metadata(&path).expect("a summary").len();
    assert!((1 << 19..=1 << 20).contains(&length), "{length}");
    fs::write(&path, "x".repeat((1 << 20) - 20)).expect("a writable folder");
    told(in_repository(&path), &many());
    assert_eq!(
        fs::metadata(&path).expect("a summary").len(),
        (1 << 20) - 20,
        "nothing fits any more"
    );
}

#[test]
fn a_summary_that_cannot_be_written_fails_nothing() {
    let folder = summary("folder");
    fs::create_dir_all(&folder).expect("a writable folder");
    let text = told(in_repository(&folder), &run(Vec::new()));
    assert!(
        text.starts_with("::warning title=ananke::cannot write the summary of the job: "),
        "{text}"
    );
}

#[test]
fn no_more_than_are_shown() {
    // Each fails of causes of its own.
    let failing = |number: usize| {
        let mut outcome = outcomes::all_kinds().remove(2);
        let rules = outcome
            .transcript
            .turns
            .iter_mut()
            .flat_map(|turn| &mut turn.rules);
        rules.for_each(|rule| rule.tool = Some(format!("tool {number}")));
        for rule in &mut outcome.verdict.rules {
            rule.tool = Some(format!("tool {number}"));
        }
        outcome
    };
    let failing: Vec<Outcome> = (0..30).map(failing).collect();
    let text = told(in_repository(&summary("many")), &run(failing));
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("::error "))
            .count(),
        10
    );
    assert!(
        text.ends_with("::error title=ananke::and 51 more: see the summary of the job\n"),
        "{text}"
    );
}

#[test]
fn words_of_an_agent_are_no_orders() {
    for status in [
        Status::Passed,
        Status::Failed,
        Status::Error,
        Status::Timeout,
        Status::Skipped,
    ] {
        for in_quarantine in [false, true] {
            let hostile = outcomes::hostile_after_all(status, in_quarantine);
            let text = told(in_repository(&summary("hostile")), &run(vec![hostile]));
            check_form(&text);
        }
    }
}

fn blob_url(working_directory: &str, environment: &[(&str, &str)]) -> Option<String> {
    let context = Context {
        working_directory: working_directory.into(),
        ..in_job(environment)
    };
    BuildJob::of(&context).blob_url
}

#[test]
fn the_files_of_the_commit_are_on_the_server_of_the_repository() {
    let github = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_WORKSPACE", "/checkout/agent"),
        ("GITHUB_SERVER_URL", "https://git.example.org"),
        ("GITHUB_REPOSITORY", "shop/agent"),
        ("GITHUB_SHA", "acb4350"),
    ];
    let of_github = |directory| blob_url(directory, &github);
    let blobs = "https://git.example.org/shop/agent/blob/acb4350";
    assert_eq!(of_github("/checkout/agent").as_deref(), Some(blobs));
    let below = format!("{blobs}/a%20b/tests");
    assert_eq!(of_github("/checkout/agent/a b/tests"), Some(below));
    assert_eq!(of_github("/checkout"), None, "it is in no checkout");
    let gitlab = [
        ("GITLAB_CI", "true"),
        ("CI_PROJECT_DIR", "/builds/agent"),
        ("CI_PROJECT_URL", "https://git.example.org/shop/agent"),
        ("CI_COMMIT_SHA", "acb4350"),
    ];
    assert_eq!(
        blob_url("/builds/agent", &gitlab).as_deref(),
        Some("https://git.example.org/shop/agent/-/blob/acb4350")
    );
    let jenkins = [
        ("JENKINS_URL", "https://ci.example.org"),
        ("WORKSPACE", "/w"),
    ];
    assert_eq!(blob_url("/w", &jenkins), None);
}
