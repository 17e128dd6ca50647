//! Retried tests: what an attempt shares with the one before it, which outcome counts, what stops.

use std::sync::atomic::Ordering;
use std::time::Duration;

use ananke::outcome::{Outcome, RunEvent, SaidLine, Status, TranscriptLine};
use ananke::plan::{Selection, plan};
use ananke::project::Variables;
use ananke::run::Stopper;
use ananke::settings::{FlakyVerdict, GivenSettings, RunSettings};

use crate::support::moody::{CONFIG, Moody, carried_out, project, shown, wants_yes};
use crate::support::project::Project;

fn retries(retries: u32) -> RunSettings {
    RunSettings {
        retries,
        ..RunSettings::default()
    }
}

#[tokio::test]
async fn a_test_is_tried_until_it_passes_on_a_new_thread_each_time() {
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &["no", "never", "yes"]);
    let ran = carried_out(&project, &agent, retries(5)).await;
    assert_eq!(shown(&ran.outcomes), ["a failed, failed, passed"]);
    let outcome = &ran.outcomes[0];
    assert!(outcome.is_flaky() && !outcome.fails_the_run() && outcome.attempt() == 3);
    assert_eq!(
        (ran.verdict.totals.passed, ran.verdict.totals.flaky),
        (1, 1)
    );
    assert!(ran.verdict.is_pass());
    let mut threads = agent.threads.lock().unwrap().clone();
    let attempts = outcome.earlier_attempts.iter().chain([outcome]);
    assert!(
        attempts
            .map(|attempt| &attempt.transcript.thread_id)
            .eq(&threads)
    );
    threads.sort();
    threads.dedup();
    assert_eq!(threads.len(), 3);
    let failed = "nothing the agent said in this turn matches `yes`";
    let [first, second] = [1, 2].map(|retry| format!("retry {retry} of 5 (failed: {failed})"));
    assert_eq!(ran.events, ["started", &first, &second, "ended"]);
}

#[tokio::test]
async fn nothing_is_tried_again_unasked_or_without_need() {
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &["no", "yes"]);
    assert_eq!(
        shown(&carried_out(&project, &agent, retries(0)).await.outcomes),
        ["a failed"]
    );
    assert_eq!(
        shown(&carried_out(&project, &agent, retries(3)).await.outcomes),
        ["a passed"]
    );
    assert_eq!(agent.asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn retries_are_used_up() {
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &["no"]);
    let ran = carried_out(&project, &agent, retries(2)).await;
    assert_eq!(shown(&ran.outcomes), ["a failed, failed, failed"]);
    assert!(!ran.outcomes[0].is_flaky() && ran.outcomes[0].fails_the_run());
    assert_eq!(ran.verdict.reasons(), ["1 of 1 tests did not pass"]);
}

#[tokio::test]
async fn hooks_run_again_and_a_broken_one_is_tried_again() {
    let hooks = "hooks: [{ cmd: [sh, -c, 'echo x >> count; test $(wc -l < count) -gt 1 && echo \"{}\"'] }]\n";
    let project = project(&[wants_yes("a", hooks)]);
    let agent = Moody::new(&project, &["no", "yes"]);
    let ran = carried_out(&project, &agent, retries(2)).await;
    assert_eq!(shown(&ran.outcomes), ["a error, failed, passed"]);
    assert_eq!(
        std::fs::read_to_string(project.folder().join("count")).unwrap(),
        "x\nx\nx\n"
    );
}

#[tokio::test]
async fn a_thread_that_a_hook_gives_again_is_no_new_one() {
    let hooks = "hooks: [{ cmd: [echo, '{\"THREAD_ID\": \"mine\"}'] }]\n";
    let project = project(&[wants_yes("a", hooks)]);
    let agent = Moody::new(&project, &["no", "yes"]);
    let ran = carried_out(&project, &agent, retries(1)).await;
    assert_eq!(shown(&ran.outcomes), ["a failed, error"]);
    let problem = ran.outcomes[0].verdict.end().problem().unwrap();
    assert_eq!(
        problem.message,
        "the thread `mine` is that of an earlier attempt"
    );
    assert!(problem.help.as_ref().unwrap().contains("--retry-dirty"));
    assert_eq!(agent.asked.load(Ordering::SeqCst), 1, "nothing is sent");

    let agent = Moody::new(&project, &["no", "yes"]);
    let ran = carried_out(
        &project,
        &agent,
        RunSettings {
            retry_dirty: true,
            ..retries(1)
        },
    )
    .await;
    assert_eq!(shown(&ran.outcomes), ["a failed, passed"]);
}

#[tokio::test]
async fn a_run_that_is_stopped_tries_nothing_again() {
    // Stopped in the first attempt, which is skipped, or in the second, which does not count.
    for (at, expected) in [
        (1, ["a skipped", "b skipped"]),
        (2, ["a failed", "b skipped"]),
    ] {
        let project = project(&[wants_yes("a", ""), wants_yes("b", "")]);
        let agent = Moody::new(&project, &["no"]);
        *agent.stops.lock().unwrap() = Some((at, Stopper::default()));
        let ran = carried_out(&project, &agent, retries(5)).await;
        assert_eq!(shown(&ran.outcomes), expected);
        assert_eq!(agent.asked.load(Ordering::SeqCst), at);
    }
}

#[tokio::test]
async fn fail_fast_waits_for_the_last_attempt() {
    let project = project(&[wants_yes("a", ""), wants_yes("b", ""), wants_yes("c", "")]);
    let fail_fast = RunSettings {
        fail_fast: true,
        ..retries(1)
    };
    let agent = Moody::new(&project, &["no", "yes", "no", "no"]);
    let ran = carried_out(&project, &agent, fail_fast).await;
    assert_eq!(
        shown(&ran.outcomes),
        ["a failed, passed", "b failed, failed", "c skipped"]
    );

    let agent = Moody::new(&project, &["no", "yes"]);
    let ran = carried_out(
        &project,
        &agent,
        RunSettings {
            flaky: FlakyVerdict::Fail,
            ..fail_fast
        },
    )
    .await;
    assert_eq!(
        shown(&ran.outcomes),
        ["a failed, passed", "b skipped", "c skipped"]
    );
    assert_eq!(ran.verdict.reasons(), ["1 test is flaky"]);
}

#[tokio::test]
async fn several_tests_at_once_are_tried_again_each_for_itself() {
    let names = ["a", "b", "c", "d"];
    let project = project(&names.map(|name| wants_yes(name, "")));
    let agent = Moody::new(&project, &["no"]);
    let ran = carried_out(
        &project,
        &agent,
        RunSettings {
            parallel: 3,
            ..retries(2)
        },
    )
    .await;
    assert_eq!(
        shown(&ran.outcomes),
        names.map(|name| format!("{name} failed, failed, failed"))
    );
    assert_eq!(agent.asked.load(Ordering::SeqCst), 12);
}

const SLOW: &str =
    "version: \"1.3\"\ntarget:\n  type: scripted\n  rules: [{ do: [{ delay_ms: 1000 }] }]\n";

#[tokio::test]
async fn each_attempt_has_the_time_of_a_whole_test() {
    let test = "version: \"1.0\"\nname: a\nturns: [{ user: one }, { user: two }]\n";
    let project = Project::new(&[("ananke.config.yaml", SLOW), ("a.test.yaml", test)]);
    let agent = Moody::new(&project, &["no"]);
    let options = RunSettings {
        timeout: Some(Duration::from_millis(1500)),
        ..retries(1)
    };
    let ran = carried_out(&project, &agent, options).await;
    assert_eq!(shown(&ran.outcomes), ["a timeout, timeout"]);
    assert_eq!(ran.outcomes[0].transcript.duration_us, 1_500_000);
    assert_eq!(
        ran.outcomes[0].earlier_attempts[0].transcript.duration_us,
        1_500_000
    );
}

#[tokio::test]
async fn what_an_earlier_attempt_said_is_masked_and_bounded() {
    const SECRET: &str = "sesame-open";
    let loud: &'static str = Box::leak((SECRET.to_owned() + &"x".repeat(15_000)).into_boxed_str());
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &[loud, "yes"]);
    let ran = carried_out(&project, &agent, retries(1)).await;
    project.redactor.add([SECRET]);
    let outcome = ran.outcomes.into_iter().next().unwrap();
    assert!(format!("{outcome:?}").contains(SECRET));
    let sealed = project
        .redactor
        .seal(RunEvent::CaseFinished(Box::new(outcome.clone())));
    assert!(!format!("{:?}", *sealed).contains(SECRET));

    let mut long = Outcome {
        earlier_attempts: Vec::new(),
        ..outcome.earlier_attempts[0].clone()
    };
    let turn = long.transcript.turns[0].clone();
    long.transcript.turns = vec![turn; 50];
    long.transcript.turns[49].lines.insert(
        0,
        TranscriptLine::Says(SaidLine {
            event: (1, 1).into(),
            text: "the first line".to_owned(),
            ..SaidLine::default()
        }),
    );
    let kept = long.into_earlier();
    let lines = |index: usize| kept.transcript.turns[index].lines.len();
    assert_eq!((0..50).map(lines).sum::<usize>(), 2, "the end is kept");
    assert_eq!((lines(48), lines(49)), (0, 2));
    let warning = "not kept, since the test was retried: 1 line of this turn";
    assert_eq!(kept.transcript.turns[48].warnings.last().unwrap(), warning);
    assert!(
        kept.transcript
            .turns
            .iter()
            .all(|turn| turn.failures().count() == 1 && turn.status() == Status::Failed)
    );
}

/// What is said of threads when everything is loaded, for a target with these keys.
fn said_of_threads(target: &str, given: &[&str], settings: GivenSettings) -> Vec<String> {
    let config = CONFIG.replace("moody", &format!("moody{target}"));
    let (name, text) = wants_yes("a", "hooks: [{ cmd: [echo, '{}'] }]\n");
    let project = Project::new(&[("ananke.config.yaml", &config), (&name, &text)]);
    let given = given
        .iter()
        .map(|name| ((*name).to_owned(), "x".to_owned()))
        .collect();
    let variables = Variables {
        given,
        ..Variables::default()
    };
    let selection = Selection {
        sends: true,
        settings,
        variables,
        ..Selection::default()
    };
    let planned = plan(&project.context(), &selection, &project.redactor);
    planned
        .problems
        .iter()
        .map(|problem| problem.code.to_string())
        .collect()
}

#[test]
fn attempts_on_one_thread_are_told_before_anything_runs() {
    let none: [&str; 0] = [];
    for (target, given, expected) in [
        ("", &none[..], &none[..]),
        (", threadId: mine", &none, &["fixed-thread"]),
        (", threadId: \"${TEST_NAME}\"", &none, &["fixed-thread"]),
        (", threadId: \"${ENV.PATH:-x}\"", &none, &["fixed-thread"]),
        (", threadId: \"a-${THREAD_ID}\"", &none, &none),
        (", threadId: \"cart-${CART}\"", &none, &none),
        (", threadId: \"cart-${CART}\"", &["CART"], &["fixed-thread"]),
        ("", &["THREAD_ID"], &["fixed-thread"]),
        (
            ", threadId: \"a-${THREAD_ID}\"",
            &["THREAD_ID"],
            &["fixed-thread"],
        ),
    ] {
        for several in [
            GivenSettings {
                retries: Some(1),
                ..GivenSettings::default()
            },
            GivenSettings {
                given_runs: Some(2),
                ..GivenSettings::default()
            },
            GivenSettings {
                self_comparison: Some(true),
                ..GivenSettings::default()
            },
        ] {
            assert_eq!(
                said_of_threads(target, given, several),
                expected,
                "{target} {given:?} {several:?}"
            );
        }
        for single in [
            GivenSettings {
                retries: Some(0),
                ..GivenSettings::default()
            },
            GivenSettings {
                given_runs: Some(1),
                ..GivenSettings::default()
            },
            GivenSettings {
                retries: Some(1),
                retry_dirty: Some(true),
                ..GivenSettings::default()
            },
            GivenSettings {
                given_runs: Some(2),
                retry_dirty: Some(true),
                ..GivenSettings::default()
            },
        ] {
            assert_eq!(
                said_of_threads(target, given, single),
                none,
                "{target} {given:?} {single:?}"
            );
        }
    }
}
