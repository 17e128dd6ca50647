//! Files of user turns: checked when a test is loaded, read when it starts.

use std::fs::File;

use ananke::outcome::{Outcome, RunEvent, Status};
use ananke::run::{Options, event_channel, run};

use crate::support::project::Project;

const CONFIG: &str =
    "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: seen }] }] }\n";

fn project(further: &str, source: &str) -> Project {
    let test = format!(
        "version: \"1.3\"\nname: a\n{further}turns:\n  - user: look\n    attachments: [{{ type: image, source: \"{source}\" }}]\n    assert: {{ text: {{ must_match: seen }} }}\n"
    );
    Project::new(&[("ananke.config.yaml", CONFIG), ("specs/a.test.yaml", &test)])
}

fn problems(project: &Project) -> Vec<String> {
    project
        .plan()
        .problems
        .iter()
        .map(|problem| format!("{} {}", problem.code, problem.message))
        .collect()
}

/// A sparse file of that many bytes.
fn sparse(project: &Project, name: &str, bytes: u64) {
    File::create(project.folder().join(name))
        .unwrap()
        .set_len(bytes)
        .unwrap();
}

/// Plans, calls `change`, and runs.
async fn run_after(project: &Project, change: impl FnOnce()) -> Outcome {
    let plan = project.plan().plan.expect("a good plan");
    change();
    let (sender, mut receiver) = event_channel(100);
    run(project.shared(Options::default(), sender), plan).await;
    while let Some(event) = receiver.recv().await {
        if let RunEvent::CaseFinished(outcome) = &*event {
            return (**outcome).clone();
        }
    }
    panic!("the test has no outcome");
}

#[test]
fn a_file_may_have_8_mib_and_not_a_byte_more() {
    let project = project("", "big.png");
    sparse(&project, "specs/big.png", 8 << 20);
    assert_eq!(problems(&project), [""; 0]);
    sparse(&project, "specs/big.png", (8 << 20) + 1);
    assert_eq!(
        problems(&project),
        ["limit-exceeded `specs/big.png` is larger than 8 MiB"]
    );
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_waited_for() {
    let project = project("", "/dev/zero");
    assert_eq!(
        problems(&project)[0],
        "missing-key the file extension of `/dev/zero` has no known media type"
    );
    let project = self::project("", "link.png");
    std::os::unix::fs::symlink("/dev/zero", project.folder().join("specs/link.png")).unwrap();
    assert_eq!(
        problems(&project),
        ["unreadable `specs/link.png` cannot be read: it is not a file"]
    );
}

#[tokio::test]
async fn a_file_that_changes_after_the_plan_is_sent_as_it_is_then() {
    let project = project("", "a.png");
    sparse(&project, "specs/a.png", 10);
    let outcome = run_after(&project, || sparse(&project, "specs/a.png", 3000)).await;
    assert_eq!(
        (outcome.status(), outcome.transcript.turns[0].input.as_str()),
        (Status::Passed, "look [image image/png, 3 KiB]")
    );
}

#[tokio::test]
async fn a_file_that_is_gone_when_its_test_starts_is_an_error_of_the_test() {
    let project = project("", "a.png");
    sparse(&project, "specs/a.png", 10);
    let outcome = run_after(&project, || {
        std::fs::remove_file(project.folder().join("specs/a.png")).unwrap();
    })
    .await;
    let problem = outcome.verdict.end().problem().expect("a problem");
    assert_eq!(
        (
            outcome.status(),
            problem.message.as_str(),
            problem.help.as_deref()
        ),
        (
            Status::Error,
            "specs/a.test.yaml:5:42: error[unreadable]: `specs/a.png` cannot be read: there is no such file",
            Some("paths are relative to the directory of the test file")
        )
    );
}

/// What a hook returns is known when the test starts, and is checked then.
#[tokio::test]
async fn a_source_may_come_from_a_hook() {
    for (image, expected) in [("a.png", "look [image image/png, 10 bytes]"), ("b.png", "")] {
        let hooks = format!("hooks: [{{ cmd: [/bin/echo, '{{\"IMAGE\": \"{image}\"}}'] }}]\n");
        let project = project(&hooks, "file://${IMAGE}");
        sparse(&project, "specs/a.png", 10);
        let outcome = project.run().await.remove(0);
        let inputs: Vec<&str> = outcome
            .transcript
            .turns
            .iter()
            .map(|turn| turn.input.as_str())
            .collect();
        assert_eq!(inputs.join(" "), expected, "{outcome:?}");
        assert_eq!(
            outcome.verdict.end().problem().is_some(),
            expected.is_empty()
        );
    }
}
