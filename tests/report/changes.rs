//! What every report says of a test that failed in an earlier run, or fails now and did not.

use ananke::context::Colouring;
use ananke::outcome::{Outcome, Status, StatusChange};
use ananke::report::terminal::Verbosity;
use serde_json::{Value, json};

use super::junit::{Node, parsed};
use super::{console, html, json_lines, junit, markdown, outcomes, run, tap};

/// Tests that are new, known and fixed, and one without a change.
fn changed() -> Vec<Outcome> {
    let changes = [
        (Status::Failed, Some(StatusChange::New)),
        (Status::Error, Some(StatusChange::Known)),
        (Status::Passed, Some(StatusChange::Fixed)),
        (Status::Passed, None),
    ];
    let test = |(number, (status, change)): (usize, (Status, Option<StatusChange>))| {
        let mut outcome = if status == Status::Failed {
            outcomes::all_kinds().remove(2)
        } else {
            outcomes::ended(status, outcomes::outcome("a.test.yaml", "test"))
        };
        outcome.test.name = format!("test {number}");
        outcome.test.id = format!("a.test.yaml::test {number}");
        Outcome { change, ..outcome }
    };
    (0..).zip(changes).map(test).collect()
}

#[test]
fn the_console_marks_and_counts_them() {
    let text = console::printed(&run(changed()), Colouring::Plain, Verbosity::Normal);
    let line = |part: &str| text.lines().find(|line| line.contains(part));
    for (test, word) in [("test 0", "  new"), ("test 2", "  fixed")] {
        let shown = line(test).unwrap_or_else(|| panic!("{test} in\n{text}"));
        assert!(shown.contains(word), "{shown}");
    }
    assert!(
        text.contains("\nchanges: 1 new, 1 known, 1 fixed\n"),
        "{text}"
    );
    let (_, list) = text.split_once("\nfailed\n").expect("the list at the end");
    // What is known is counted alone.
    assert!(
        list.contains("  new  ") && !list.contains("  known  "),
        "{list}"
    );
    assert_eq!(line("test 3"), None, "it just passed: {text}");
}

#[test]
fn reports_in_files_mark_and_count_them() {
    let events = run(changed());
    let lines = json_lines::printed(&events);
    let lines = json_lines::lines(&lines);
    let change = |line: &Value| line.get("change").cloned();
    assert_eq!(
        lines[..4].iter().map(change).collect::<Vec<_>>(),
        [
            Some(json!("new")),
            Some(json!("known")),
            Some(json!("fixed")),
            None
        ]
    );
    assert_eq!(
        lines[4]["changes"],
        json!({ "new": 1, "known": 1, "fixed": 1 })
    );

    let root = parsed(&junit::written("changes", &events));
    let properties = |node: &Node| -> Vec<String> {
        let own = node
            .named("properties")
            .flat_map(|all| all.named("property"));
        let own = own.filter(|property| property.get("name").starts_with("change"));
        own.map(|property| property.get("value").to_owned())
            .collect()
    };
    let suites: Vec<&Node> = root.named("testsuite").collect();
    let cases = suites.iter().flat_map(|suite| suite.named("testcase"));
    let words: Vec<String> = cases.flat_map(properties).collect();
    assert_eq!(words, ["new", "known", "fixed"]);
    assert_eq!(properties(suites[0]), ["1 new, 1 known, 1 fixed"]);

    let text = tap::written("changes", &events);
    for word in ["new", "known", "fixed"] {
        assert!(text.contains(&format!("\n  change: {word}\n")), "{text}");
    }
    let page = html::written(&events);
    let rows = html::data(&page, "tests");
    assert_eq!(
        rows.as_array()
            .expect("a list")
            .iter()
            .map(change)
            .collect::<Vec<_>>(),
        [
            Some(json!("new")),
            Some(json!("known")),
            Some(json!("fixed")),
            None
        ]
    );
    assert!(
        page.contains("<dt>Changes</dt><dd><bdi>1 new, 1 known, 1 fixed</bdi></dd>"),
        "{page}"
    );
    assert!(
        page.contains("<h2>error, known: a.test.yaml::test 1</h2>"),
        "{page}"
    );
    let text = markdown::written("changes", &events);
    assert!(
        text.contains("\nchanges: 1 new, 1 known, 1 fixed\n"),
        "{text}"
    );
    assert!(text.contains("failed after 2 s, new\n"), "{text}");
    assert!(
        text.contains("### fixed\n\n- `a.test.yaml::test 2`\n"),
        "{text}"
    );
}

#[test]
fn without_an_earlier_run_nothing_is_said() {
    let unchanged = changed().into_iter().map(|outcome| Outcome {
        change: None,
        ..outcome
    });
    let events = run(unchanged.collect());
    let reports = [
        console::printed(&events, Colouring::Plain, Verbosity::Verbose),
        json_lines::printed(&events),
        junit::written("unchanged", &events),
        tap::written("unchanged", &events),
        markdown::written("unchanged", &events),
        html::without_assets(&html::written(&events)),
    ];
    for text in reports {
        let words = ["change: ", "\"change", "changes: ", "Changes<"];
        assert!(words.iter().all(|word| !text.contains(word)), "{text}");
    }
}
