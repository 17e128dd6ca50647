//! Tests in quarantine: which ones, until when, and what they do to a run.

use std::sync::Arc;

use ananke::context::{Context, Day, ManualClock};
use ananke::outcome::{Outcome, RunEvent};
use ananke::plan::{Filter, Planned, Selection, plan};
use ananke::run::{Options, Run, event_channel, run};
use ananke::settings::RunSettings;

use crate::support::project::Project;

/// The 21st of November 2026, in the evening.
const NOW: u64 = 1_795_298_880_123;
const DAY: u64 = 86_400_000;

const TEST: &str = "version: \"1.0\"\nname: pays[1]\nturns: [{ user: hi, assert: { tools: { require: [{ name: pay }] } } }]\n";

fn project(entries: &str) -> Project {
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: scripted, rules: [] }}\nquarantine:\n{entries}"
    );
    let other = TEST.replace("pays[1]", "sells");
    Project::new(&[
        ("ananke.config.yaml", &config),
        ("shop/pay.test.yaml", TEST),
        ("shop/sell.test.yaml", &other),
    ])
}

fn entry(test: &str, expires: &str) -> String {
    format!("  - {{ test: \"{test}\", owner: shop team, expires: \"{expires}\" }}\n")
}

fn at(project: &Project, unix_ms: u64) -> Context {
    Context {
        clock: Arc::new(ManualClock::new(unix_ms)),
        ..project.context()
    }
}

fn planned(project: &Project, selection: &Selection, unix_ms: u64) -> Planned {
    plan(&at(project, unix_ms), selection, &project.redactor)
}

fn problems(planned: &Planned) -> Vec<String> {
    planned.problems.iter().map(ToString::to_string).collect()
}

/// Which tests are in quarantine, and how many entries have expired.
fn shielded(project: &Project, unix_ms: u64) -> (Vec<String>, usize) {
    let selection = Selection {
        sends: true,
        ..Selection::default()
    };
    let plan = planned(project, &selection, unix_ms).plan.unwrap();
    let cases = plan.cases.iter().filter(|case| case.quarantine.is_some());
    (
        cases.map(|case| case.test.name.clone()).collect(),
        plan.expired.len(),
    )
}

#[test]
fn an_entry_is_an_id_or_a_pattern() {
    for (test, expected) in [
        ("shop/pay.test.yaml::pays[1]", &["pays[1]"][..]),
        ("shop/pay.test.yaml::pays[?]", &["pays[1]"]),
        ("shop/*::*", &["pays[1]", "sells"]),
        ("*::sells", &["sells"]),
        ("*sells*", &["sells"]),
        ("*", &["pays[1]", "sells"]),
        ("sells", &[]),
        ("shop/pay.test.yaml::pays.1.", &[]),
        ("shop/pay.test.yaml::PAYS[1]", &[]),
        ("shop/sell.test.yaml::sell?s", &[]),
    ] {
        assert_eq!(
            shielded(&project(&entry(test, "2026-12-31")), NOW).0,
            expected,
            "{test}"
        );
    }
}

#[test]
fn an_entry_is_in_force_to_the_end_of_its_day() {
    let project = project(&entry("*::sells", "2026-11-21"));
    let midnight = NOW / DAY * DAY + DAY;
    assert_eq!(Day::of(midnight).to_string(), "2026-11-22");
    assert_eq!(
        shielded(&project, midnight - 1),
        (vec!["sells".to_owned()], 0)
    );
    assert_eq!(shielded(&project, midnight), (Vec::new(), 1));
    // Another entry may still be valid.
    let both = self::project(&(entry("*::sells", "2026-11-21") + &entry("*", "2026-11-30")));
    assert_eq!(
        shielded(&both, midnight),
        (vec!["pays[1]".to_owned(), "sells".to_owned()], 1)
    );
}

#[test]
fn check_tells_of_days_that_are_over_and_of_those_that_are_near() {
    let checks = Selection {
        checks: true,
        ..Selection::default()
    };
    let told = |expires: &str, selection: &Selection| {
        let planned = planned(&project(&entry("*::sells", expires)), selection, NOW);
        (planned.plan.is_some(), problems(&planned))
    };
    let owner = "its owner is shop team";
    let place = "ananke.config.yaml:4:52:";
    let over = format!(
        "{place} error[quarantine-expiry]: this entry has expired: its last day was 2026-11-20, {owner}"
    );
    assert_eq!(told("2026-11-20", &checks), (false, vec![over]));
    for near in ["2026-11-21", "2026-11-28"] {
        let near_told = format!(
            "{place} warning[quarantine-expiry]: this entry expires soon: its last day is {near}, {owner}"
        );
        assert_eq!(told(near, &checks), (true, vec![near_told]), "{near}");
    }
    assert_eq!(told("2026-11-29", &checks), (true, Vec::new()));
    // A run reports expired entries at its end; `list` does not.
    for sends in [true, false] {
        let selection = Selection {
            sends,
            ..Selection::default()
        };
        assert_eq!(told("2026-11-20", &selection), (true, Vec::new()));
    }
}

#[test]
fn an_entry_that_expired_concerns_the_tests_it_fits() {
    let project = project(&(entry("*::sells", "2001-01-01") + &entry("gone", "2001-01-01")));
    let expired = |selection: &Selection| {
        let plan = planned(&project, selection, NOW).plan.unwrap();
        plan.expired
            .iter()
            .map(|entry| entry.test.clone())
            .collect::<Vec<_>>()
    };
    let whole = Selection {
        sends: true,
        ..Selection::default()
    };
    assert_eq!(expired(&whole), ["*::sells", "gone"]);
    let filter = |words| Some(Filter::parse(words).unwrap());
    assert_eq!(
        expired(&Selection {
            filter: filter("sells"),
            ..whole.clone()
        }),
        ["*::sells"]
    );
    assert_eq!(
        expired(&Selection {
            filter: filter("pays"),
            ..whole.clone()
        }),
        [""; 0]
    );
    let paths = vec![project.folder().join("shop/sell.test.yaml")];
    assert_eq!(expired(&Selection { paths, ..whole }), ["*::sells"]);
}

#[test]
fn an_entry_of_nothing_is_warned_of_where_every_test_is_looked_at() {
    let mistyped = entry("shop/pay.test.yaml::pays[2]", "2026-12-31");
    let project = project(&(mistyped + &entry("shop/*::bu?s", "2026-12-31")));
    let planned = planned(&project, &Selection::default(), NOW);
    assert_eq!(
        problems(&planned),
        [
            "ananke.config.yaml:4:13: warning[quarantine-of-nothing]: no test has the id `shop/pay.test.yaml::pays[2]`",
            "ananke.config.yaml:5:13: warning[quarantine-of-nothing]: no test has an id like `shop/*::bu?s`",
        ]
    );
    let help = "did you mean `shop/pay.test.yaml::pays[1]`? if the test is gone, remove the entry";
    assert_eq!(planned.problems[0].help, [help]);
    let paths = vec![project.folder().join("shop")];
    let part = self::planned(
        &project,
        &Selection {
            paths,
            ..Selection::default()
        },
        NOW,
    );
    assert_eq!(problems(&part), [""; 0]);
}

/// Runs every test; the outcomes, and why the run does not pass.
async fn carried_out(project: &Project, options: Options) -> (Vec<Outcome>, Vec<String>) {
    let (sender, mut receiver) = event_channel(1000);
    let selection = Selection {
        sends: true,
        ..Selection::default()
    };
    let plan = planned(project, &selection, NOW).plan.unwrap();
    let shared: Run = project.shared(options, sender);
    let verdict = run(shared, plan).await;
    let mut outcomes = Vec::new();
    while let Some(event) = receiver.recv().await {
        if let RunEvent::CaseFinished(outcome) = &*event {
            outcomes.push((**outcome).clone());
        }
    }
    (outcomes, verdict.reasons())
}

#[tokio::test]
async fn a_test_in_quarantine_fails_and_the_run_does_not() {
    let shielded = project(&entry("*", "2026-12-31"));
    let fail_fast = Options::from(RunSettings {
        fail_fast: true,
        ..RunSettings::default()
    });
    let (outcomes, reasons) = carried_out(&shielded, fail_fast).await;
    assert_eq!(outcomes.len(), 2);
    for outcome in &outcomes {
        assert_eq!(
            outcome.status().as_str(),
            "failed",
            "the second one was not skipped"
        );
        let entry = outcome.test.quarantine.as_ref().unwrap();
        assert_eq!(
            entry.to_string(),
            "quarantined until 2026-12-31 (shop team)"
        );
        assert_eq!((entry.place.line, entry.place.column), (4, 13));
    }
    assert_eq!(reasons, [""; 0]);

    let (_, reasons) = carried_out(&project(&entry("*", "2026-11-20")), Options::default()).await;
    assert_eq!(
        reasons,
        [
            "2 of 2 tests did not pass",
            "1 entry of the quarantine expired"
        ]
    );
    let idle = entry("gone", "2001-01-01").repeat(2) + &entry("*", "2026-12-31");
    let (_, reasons) = carried_out(&project(&idle), Options::default()).await;
    assert_eq!(reasons, ["2 entries of the quarantine expired"]);
}
