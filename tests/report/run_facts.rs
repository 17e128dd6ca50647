//! What every report says of a run itself: what it was made with, its tokens, and time that is virtual.

use ananke::outcome::{Outcome, RunEvent, Status};
use ananke::redact::Sealed;
use ananke::report::terminal::Verbosity;
use ananke::trace::{AgentTime, Peer, Usage};
use serde_json::{Value, json};

use super::{console, html, json_lines, junit, markdown, outcomes, run, tap};
use ananke::context::Colouring;

/// Five turns of an agent with a virtual clock, of which two report no tokens, and one of a server, which has none.
fn partial() -> Vec<Outcome> {
    let reported = [
        Some(Usage::reported(Some(1000), Some(200), None)),
        None,
        Some(Usage::UNKNOWN),
        Some(Usage::reported(Some(2000), Some(300), None)),
        Some(Usage::reported(Some(0), Some(41), None)),
    ];
    let mut agent = outcomes::outcome("a.test.yaml", "counts");
    agent.transcript.turns = (1..)
        .zip(reported)
        .map(|(number, usage)| {
            let mut turn = outcomes::turn(number, "count", 2_420_000, Vec::new());
            turn.usage = usage;
            turn
        })
        .collect();
    agent.transcript.duration_us = 12_100_000;
    agent.transcript.time = AgentTime::Virtual;
    let mut server = outcomes::outcome("b.test.yaml", "lists");
    server.transcript.peer = Peer::Server;
    server.transcript.turns = vec![outcomes::turn(1, "", 1000, Vec::new())];
    vec![agent, server]
}

/// Every report for people, each with its name.
fn texts(name: &str, events: &[Sealed<RunEvent>]) -> [(&'static str, String); 5] {
    [
        (
            "console",
            console::printed(events, Colouring::Plain, Verbosity::Normal),
        ),
        ("HTML", html::without_assets(&html::written(events))),
        ("Markdown", markdown::written(name, events)),
        ("JUnit", junit::written(name, events)),
        ("TAP", tap::written(name, events)),
    ]
}

fn summary(events: &[Sealed<RunEvent>]) -> Value {
    let lines = json_lines::printed(events);
    serde_json::from_str(lines.lines().last().expect("a last line")).expect("JSON")
}

#[test]
fn every_report_says_what_the_run_was_made_with() {
    let events = run(vec![outcomes::outcome("a.test.yaml", "passes")]);
    for (name, text) in texts("facts-made", &events) {
        for fact in [
            env!("CARGO_PKG_VERSION"),
            "shop-2",
            "acb4350",
            "main",
            "https://ci.example.org/jobs/7",
            "default",
        ] {
            assert!(text.contains(fact), "{name} lacks {fact}:\n{text}");
        }
        let command = "ananke run --var &apos;TOKEN=***&apos;";
        let command = match name {
            "HTML" | "JUnit" => command.to_owned(),
            _ => command.replace("&apos;", "'"),
        };
        assert!(text.contains(&command), "{name} lacks {command}:\n{text}");
    }
    assert_eq!(summary(&events)["run"]["model"], "shop-2");
}

#[test]
fn the_console_names_what_its_reader_typed_only_in_a_job_or_on_request() {
    let mut facts = outcomes::facts();
    (facts.commit, facts.job_url) = (None, None);
    let mut events = run(vec![outcomes::outcome("a.test.yaml", "passes")]);
    events[0] = super::seal(RunEvent::RunStarted {
        tests: 1,
        unix_ms: outcomes::STARTED,
        facts: Box::new(facts),
    });
    let printed = |verbosity| console::printed(&events, Colouring::Plain, verbosity);
    assert!(!printed(Verbosity::Normal).contains("ananke run"));
    let whole = printed(Verbosity::Verbose);
    assert!(whole.contains("model shop-2"), "{whole}");
}

#[test]
fn a_partial_sum_of_tokens_says_how_many_turns_are_missing() {
    let events = run(partial());
    let words = "3,541 (3,000 in, 541 out; 2 of 5 turns reported none)";
    for (name, text) in texts("facts-tokens", &events) {
        assert!(text.contains(words), "{name}:\n{text}");
    }
    let summary = summary(&events);
    let sums = json!({ "input_tokens": 3000, "output_tokens": 541, "total_tokens": 3541 });
    assert_eq!(summary["usage"], sums);
    assert_eq!(
        (&summary["usage_turns"], &summary["turns_without_usage"]),
        (&json!(5), &json!(2))
    );
}

#[test]
fn tokens_of_every_attempt_are_counted_and_none_are_no_line() {
    let [agent, server] = partial().try_into().expect("two tests");
    let mut retried = agent.clone();
    retried.earlier_attempts = vec![agent];
    let events = run(vec![retried]);
    let summary_of_both = summary(&events);
    assert_eq!(summary_of_both["usage"]["total_tokens"], 7082);
    assert_eq!(summary_of_both["usage_turns"], 10);
    let events = run(vec![server]);
    for (name, text) in texts("facts-none", &events) {
        assert!(!text.contains("tokens"), "{name}:\n{text}");
    }
    let none = summary(&events);
    assert_eq!(
        (none.get("usage"), none.get("usage_turns")),
        (None, None),
        "{none}"
    );
}

#[test]
fn virtual_time_is_marked_next_to_the_time_of_the_run() {
    let events = run(partial());
    for (name, text) in texts("facts-virtual", &events) {
        let words = match name {
            "console" | "Markdown" => "in 2 min 5 s, 12.1 s of virtual time (delays are simulated)",
            _ => "12.1 s (delays are simulated)",
        };
        assert!(text.contains(words), "{name}:\n{text}");
    }
    assert_eq!(summary(&events)["virtual_ms"], 12_100.0);
    let lines = json_lines::printed(&events);
    let results = json_lines::lines(&lines);
    assert_eq!(results[0]["virtual_time"], true);
    assert_eq!(results[1].get("virtual_time"), None);
    let real = run(vec![outcomes::ended(
        Status::Failed,
        outcomes::outcome("a.test.yaml", "fails"),
    )]);
    for (name, text) in texts("facts-wall", &real) {
        assert!(!text.contains("virtual"), "{name}:\n{text}");
    }
}

#[test]
fn the_counts_of_the_page_add_up_with_and_without_its_script() {
    let outcomes = [outcomes::all_kinds(), outcomes::retried()].concat();
    let page = html::written(&run(outcomes.clone()));
    let rows = html::data(&page, "tests");
    let rows = rows.as_array().expect("a list");
    let kinds = html::data(&page, "kinds");
    let mut all = 0;
    for kind in kinds.as_array().expect("a list") {
        let kind = kind.as_str().expect("a word");
        let of_script = rows.iter().filter(|row| row["kind"] == kind).count();
        let item = format!(
            "<li class=\"{kind}\"><b>{of_script}</b> {}</li>",
            kind.replace('_', " ")
        );
        assert_eq!(page.contains(&item), of_script > 0, "{item}");
        all += of_script;
    }
    assert_eq!(all, outcomes.len());
    let flaky = rows.iter().filter(|row| row["kind"] == "flaky").count();
    assert_eq!(flaky, 1, "one in quarantine is none");
}
