//! `ananke run --again`: kept answers are evaluated with the rules of today.

use std::fs;

use super::{Agent, ananke, last_line, project, runs, stderr, stdout, test, write};
use crate::support::project::Project;

#[test]
fn todays_rules_are_evaluated_on_kept_answers() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run"]);
    let remembered = || {
        let folder = project.folder().join(".ananke");
        let read = |name: &str| fs::read(folder.join(name)).unwrap();
        (runs(&project), read("history.jsonl"))
    };
    let before = remembered();
    let again = ananke(&project, &["run", "--again"]);
    assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
    let text = stdout(&again);
    assert!(
        text.contains("1 passed") && text.contains("2 failed"),
        "{text}"
    );
    assert!(!text.contains("ananke show"), "it is not kept: {text}");
    assert!(
        !text.contains("run them again"),
        "`--last-failed` would run what failed before: {text}"
    );

    write(&project, "b.test.yaml", &test("b", "hello"));
    write(&project, "c.test.yaml", &test("c", "hello"));
    let again = ananke(&project, &["run", "--again"]);
    assert_eq!(again.status.code(), Some(0), "{}", stdout(&again));

    // Another message, another turn, and a test that never ran.
    write(
        &project,
        "b.test.yaml",
        &test("b", "hello").replace("user: hi", "user: good day"),
    );
    let longer = test("c", "hello").replace(" }]", " }, { user: and now? }]");
    write(&project, "c.test.yaml", &longer);
    write(&project, "d.test.yaml", &test("d d", "hello"));
    let again = ananke(&project, &["run", "--again"]);
    let text = stdout(&again);
    assert_eq!(again.status.code(), Some(4), "{text}");
    for expected in [
        "1 passed",
        "3 not shown",
        "turn 1 sends what the agent was not asked",
        "turn 2 sends what the agent was not asked",
        "it is in no kept run",
        "ananke run b.test.yaml::b`",
        "ananke run 'd.test.yaml::d d'`",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let one = ananke(&project, &["run", "--again", "a"]);
    assert_eq!(one.status.code(), Some(0), "{}", stdout(&one));
    assert_eq!(agent.asked(), 3, "nothing was sent");
    assert_eq!(remembered(), before, "nothing is remembered of it");

    // Of each test the newest answers count.
    agent.say(&["good-bye"]);
    ananke(&project, &["run", "a"]);
    let again = ananke(&project, &["run", "--again", "a"]);
    assert_eq!(again.status.code(), Some(1), "{}", stdout(&again));
    for other in ["--record", "--replay"] {
        assert_eq!(
            ananke(&project, &["run", "--again", other, "kept"])
                .status
                .code(),
            Some(2)
        );
    }
}

#[test]
fn retries_and_repeated_runs_are_evaluated_as_they_were_kept() {
    let agent = Agent::saying(&["hello"]);
    let project = Project::new(&[
        ("ananke.config.yaml", &agent.config("")),
        (
            "a.test.yaml",
            &test("a", "hello").replace("turns:", "runs: 3\nturns:"),
        ),
        ("b.test.yaml", &test("b", "farewell")),
    ]);
    ananke(&project, &["run", "--retries", "2"]);
    assert_eq!(agent.asked(), 6);
    write(&project, "b.test.yaml", &test("b", "hello"));
    let again = ananke(&project, &["run", "--again"]);
    assert_eq!(again.status.code(), Some(0), "{}", stdout(&again));
    let more = test("a", "hello").replace("turns:", "runs: 4\nturns:");
    write(&project, "a.test.yaml", &more);
    let again = ananke(&project, &["run", "--again"]);
    let text = stdout(&again);
    assert_eq!(again.status.code(), Some(4), "{text}");
    assert!(text.contains("its run 4 was not made"), "{text}");
    assert_eq!(agent.asked(), 6);
}

#[test]
fn a_test_that_no_longer_exists_is_shown_and_not_evaluated() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run"]);
    write(&project, "b.test.yaml", &test("renamed", "hello"));
    fs::remove_file(project.folder().join("c.test.yaml")).unwrap();
    let shown = ananke(&project, &["show"]);
    assert_eq!(
        (shown.status.code(), &*stderr(&shown)),
        (
            Some(0),
            "note: `b.test.yaml` changed since this run\nnote: `c.test.yaml` is not there any more\n"
        )
    );
    let shown = stdout(&shown);
    assert!(
        shown.contains("`good-bye`") && shown.contains("`farewell`"),
        "{shown}"
    );
    let again = ananke(&project, &["run", "--again"]);
    let text = stdout(&again);
    assert_eq!(again.status.code(), Some(4), "{text}");
    assert!(
        text.contains("it is in no kept run")
            && text.contains("`ananke run b.test.yaml::renamed`")
            && last_line(&text).starts_with("2 tests: 1 passed, 1 not shown in "),
        "{text}"
    );
    for (gone, what) in [
        ("b.test.yaml::b", "error[no-tests]: "),
        ("c.test.yaml", "error[unreadable]: "),
    ] {
        let again = ananke(&project, &["run", "--again", gone]);
        assert_eq!(again.status.code(), Some(1), "{gone}");
        let error = stderr(&again);
        assert!(error.starts_with(what) && error.contains(gone), "{error}");
    }
    let other = ananke(&project, &["show", "nothing-of-the-kind"]);
    let help = "\nhelp: `ananke show` prints the failures of a kept run; name a test by its number there, ";
    assert!(stderr(&other).contains(help), "{}", stderr(&other));
    assert_eq!(agent.asked(), 3, "nothing was sent");
}
