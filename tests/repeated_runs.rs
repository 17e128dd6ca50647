//! Tests that run several times: what ends them, which outcome is shown, and what their recordings contain.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ananke::model::BrokenProhibitions;
use ananke::outcome::{Outcome, StabilityVerdict, Status};
use ananke::recording::{RecordingMode, Recordings};
use ananke::run::Stopper;
use ananke::settings::RunSettings;
use ananke::statistics::Percentage;

use crate::replay::recordings;
use crate::support::moody::{CONFIG, Moody, carried_out, project, recorded, shown, wants_yes};
use crate::support::project::Project;

fn times(runs: u32) -> RunSettings {
    RunSettings {
        given_runs: Some(runs),
        ..RunSettings::default()
    }
}

fn until_decided() -> RunSettings {
    RunSettings {
        runs_until_decided: true,
        ..RunSettings::default()
    }
}

/// How many runs passed of how many, which decided it how, and whose transcript is shown.
fn came_to(outcome: &Outcome) -> String {
    let Some(stability) = outcome.stability.as_deref() else {
        return "no runs".to_owned();
    };
    let (passed, runs) = (stability.passed, stability.runs());
    format!(
        "{passed}/{runs} {:?} shows {}",
        stability.verdict, outcome.run
    )
}

#[tokio::test]
async fn each_run_starts_from_scratch() {
    let hooks = "hooks: [{ cmd: [sh, -c, 'echo x >> count'] }]\nteardown: [{ cmd: [sh, -c, 'echo y >> count'] }]\n";
    let (name, text) = wants_yes("a", hooks);
    let project = project(&[(name, text.replace("\"1.0\"", "\"1.3\""))]);
    let agent = Moody::new(&project, &["yes", "no", "yes"]);
    let ran = carried_out(&project, &agent, times(3)).await;
    assert_eq!(
        (shown(&ran.outcomes), came_to(&ran.outcomes[0])),
        (vec!["a failed".to_owned()], "2/3 Failed shows 2".to_owned())
    );
    assert_eq!(
        ran.events,
        [
            "started",
            "run 2 of 3 after 0 failed",
            "run 3 of 3 after 1 failed",
            "ended"
        ]
    );
    assert_eq!(
        fs::read_to_string(project.folder().join("count")).unwrap(),
        "x\ny\n".repeat(3)
    );
    let mut threads = agent.threads.lock().unwrap().clone();
    assert_eq!(ran.outcomes[0].transcript.thread_id, threads[1]);
    threads.sort();
    threads.dedup();
    assert_eq!(threads.len(), 3);
}

#[tokio::test]
async fn a_thread_that_a_hook_gives_again_fails_the_runs_that_get_it() {
    let hooks = "hooks: [{ cmd: [echo, '{\"THREAD_ID\": \"mine\"}'] }]\n";
    let project = project(&[wants_yes("a", hooks)]);
    let agent = Moody::new(&project, &["yes"]);
    let outcome = carried_out(&project, &agent, times(3))
        .await
        .outcomes
        .remove(0);
    assert_eq!(
        (outcome.status(), came_to(&outcome)),
        (Status::Error, "1/3 Failed shows 2".to_owned())
    );
    assert_eq!(agent.asked.load(Ordering::SeqCst), 1, "nothing is sent");
    let allowed = RunSettings {
        retry_dirty: true,
        ..times(3)
    };
    let outcome = carried_out(&project, &agent, allowed)
        .await
        .outcomes
        .remove(0);
    assert_eq!(
        (outcome.status(), came_to(&outcome)),
        (Status::Passed, "3/3 Passed shows 3".to_owned())
    );
}

/// Interrupts a run of the tests `a` and `b` while the agent answers request `at`: status and runs of `a`.
async fn interrupted(settings: RunSettings, says: &[&'static str], at: usize) -> (Status, String) {
    let project = project(&[wants_yes("a", ""), wants_yes("b", "")]);
    let agent = Moody::new(&project, says);
    *agent.stops.lock().unwrap() = Some((at, Stopper::default()));
    let ran = carried_out(&project, &agent, settings).await;
    let [a, b] = &ran.outcomes[..] else {
        panic!("{:?}", shown(&ran.outcomes))
    };
    assert_eq!(
        (b.status(), came_to(b)),
        (Status::Skipped, "no runs".to_owned())
    );
    assert_eq!(
        agent.asked.load(Ordering::SeqCst),
        at,
        "nothing more is sent"
    );
    if a.status() == Status::Skipped {
        let reason = "not run to its end: the run was interrupted";
        assert_eq!(a.verdict.end().skip_reason(), Some(reason));
        assert_eq!(
            a.pass_rate(),
            a.stability.as_ref().map(|stability| stability.pass_rate())
        );
    }
    (a.status(), came_to(a))
}

#[tokio::test]
async fn an_interrupted_test_has_failed_only_if_it_can_no_longer_pass() {
    let half = |runs| RunSettings {
        min_pass_rate: Percentage::whole(50),
        ..times(runs)
    };
    let decided = until_decided();
    for (options, says, at, status, expected) in [
        (times(5), &["yes"][..], 1, Status::Skipped, "no runs"),
        (
            times(5),
            &["yes"],
            3,
            Status::Skipped,
            "2/2 Stopped shows 3",
        ),
        (
            times(5),
            &["yes", "no", "yes"],
            4,
            Status::Failed,
            "2/3 Failed shows 2",
        ),
        (
            half(4),
            &["no", "yes"],
            3,
            Status::Skipped,
            "1/2 Stopped shows 3",
        ),
        (half(4), &["no"], 4, Status::Failed, "0/3 Failed shows 1"),
        (
            decided,
            &["yes", "no", "yes"],
            10,
            Status::Skipped,
            "8/9 Stopped shows 10",
        ),
    ] {
        let ended = interrupted(options, says, at).await;
        assert_eq!(
            ended,
            (status, expected.to_owned()),
            "{says:?} interrupted at {at}: {options:?}"
        );
    }
}

/// The status of a test whose third of four runs breaks a prohibition, and its runs.
async fn with_one_violation(keys: &str, settings: RunSettings) -> (Status, String) {
    let text = format!(
        "version: \"1.4\"\nname: a\n{keys}turns: [{{ user: well? }}]\nassert: {{ text: {{ must_match: \"yes\", not_contains: \"but\" }} }}\n"
    );
    let project = project(&[("a.test.yaml".to_owned(), text)]);
    let agent = Moody::new(&project, &["yes", "no", "yes, but", "yes"]);
    let outcome = carried_out(&project, &agent, settings)
        .await
        .outcomes
        .remove(0);
    (outcome.status(), came_to(&outcome))
}

#[tokio::test]
async fn no_pass_rate_excuses_a_prohibition_unless_it_says_so() {
    let half = |prohibitions| RunSettings {
        min_pass_rate: Percentage::whole(50),
        prohibitions,
        ..times(4)
    };
    let (fail, rate) = (BrokenProhibitions::Fail, BrokenProhibitions::Rate);
    let violated = (Status::Failed, "2/4 Violated shows 3".to_owned());
    let passed = (Status::Passed, "2/4 Passed shows 4".to_owned());
    for (keys, given, expected) in [
        ("", half(fail), &violated),
        ("prohibitions: rate\n", half(fail), &passed),
        ("", half(rate), &passed),
        ("prohibitions: fail\n", half(rate), &violated),
    ] {
        let ended = with_one_violation(keys, given).await;
        assert_eq!(ended, *expected, "{keys:?} {given:?}");
    }
    let decided = until_decided();
    let violated = (Status::Failed, "1/3 Violated shows 3".to_owned());
    assert_eq!(with_one_violation("", decided).await, violated);
    let (status, came_to) = with_one_violation("prohibitions: rate\n", decided).await;
    assert_eq!(status, Status::Passed, "{came_to}");
}

#[tokio::test]
async fn a_comparison_that_is_interrupted_compares_nothing() {
    let twice = RunSettings {
        self_comparison: true,
        ..RunSettings::default()
    };
    for (at, status) in [(1, Status::Skipped), (2, Status::Passed)] {
        assert_eq!(
            interrupted(twice, &["yes"], at).await,
            (status, "no runs".to_owned())
        );
    }
}

#[tokio::test]
async fn fail_fast_waits_for_the_last_run() {
    let project = project(&["a", "b", "c"].map(|name| wants_yes(name, "")));
    let agent = Moody::new(&project, &["yes", "yes", "yes", "no", "yes"]);
    let options = RunSettings {
        fail_fast: true,
        ..times(3)
    };
    let ran = carried_out(&project, &agent, options).await;
    assert_eq!(shown(&ran.outcomes), ["a passed", "b failed", "c skipped"]);
    assert_eq!(
        ran.outcomes.iter().map(came_to).collect::<Vec<_>>(),
        ["3/3 Passed shows 3", "2/3 Failed shows 1", "no runs"]
    );
    assert_eq!(agent.asked.load(Ordering::SeqCst), 6);
}

#[tokio::test]
async fn a_run_that_times_out_has_not_passed_and_the_others_have_their_whole_time() {
    const CONFIG: &str = "version: \"1.3\"\ntarget:\n  type: scripted\n  rules:\n    - { when: { user: \"^2$\" }, do: [{ delay_ms: 2000 }] }\n    - { do: [{ delay_ms: 1000 }] }\n";
    let test = "version: \"1.3\"\nname: a\nhooks: [{ cmd: [sh, -c, 'echo x >> count; echo \"{ \\\"N\\\": $(wc -l < count) }\"'] }]\nturns: [{ user: \"${N}\" }]\n";
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.test.yaml", test)])
        .with_environment("PATH", "/usr/bin:/bin");
    let agent = Moody::new(&project, &["unused"]);
    let options = RunSettings {
        timeout: Some(Duration::from_millis(1500)),
        ..times(3)
    };
    let outcome = carried_out(&project, &agent, options)
        .await
        .outcomes
        .remove(0);
    assert_eq!(
        (outcome.status(), came_to(&outcome)),
        (Status::Timeout, "2/3 Failed shows 2".to_owned())
    );
    let stability = outcome.stability.unwrap();
    assert_eq!(
        (stability.durations.least_us, stability.durations.most_us),
        (1_000_000, 1_500_000)
    );
}

#[tokio::test]
async fn of_many_runs_that_fail_alike_one_is_kept() {
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &["yes", "no"]);
    let outcome = carried_out(&project, &agent, times(200))
        .await
        .outcomes
        .remove(0);
    assert_eq!(came_to(&outcome), "1/200 Failed shows 2");
    assert!(outcome.other_runs.is_empty() && outcome.earlier_attempts.is_empty());
    let failures = &outcome.stability.as_ref().unwrap().failures;
    let [failed] = &failures[..] else {
        panic!("{failures:?}")
    };
    assert_eq!(
        (failed.count, &failed.runs[..]),
        (199, &(2..=21).collect::<Vec<u32>>()[..])
    );
}

#[tokio::test]
async fn secrets_of_each_run_are_masked_before_the_next_one_and_reasons_are_compared_without_them()
{
    let config = CONFIG.replace("1.0", "1.3") + "redact: [TOKEN]\n";
    let test = "version: \"1.3\"\nname: a\nhooks: [{ cmd: [sh, -c, 'echo x >> count; echo \"{ \\\"TOKEN\\\": \\\"token-of-run-$(wc -l < count)\\\" }\"'] }]\nturns: [{ user: \"I am ${TOKEN}\", assert: { text: { contains: \"${TOKEN}\" } } }]\n";
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)])
        .with_environment("PATH", "/usr/bin:/bin");
    let agent = Moody::new(&project, &["yes"]);
    let outcome = carried_out(&project, &agent, times(3))
        .await
        .outcomes
        .remove(0);
    assert_eq!(came_to(&outcome), "0/3 Failed shows 1");
    let shown = format!("{outcome:?}");
    assert!(
        shown.contains("I am ***") && !shown.contains("token-of-run"),
        "{shown}"
    );
    let failures = &outcome.stability.as_ref().unwrap().failures;
    let [failed] = &failures[..] else {
        panic!("{failures:?}")
    };
    assert_eq!((failed.count, failed.message.contains("***")), (3, true));
}

/// Recordings of a test `a` whose second of three runs fails: its project, its agent, the folder, the outcome.
async fn recorded_runs() -> (Project, Arc<Moody>, Outcome) {
    let project = project(&[wants_yes("a", "")]);
    let agent = Moody::new(&project, &["yes", "no", "yes"]);
    let outcome = with(&project, &agent, 3, RecordingMode::Record).await;
    assert_eq!(
        (outcome.status(), came_to(&outcome)),
        (Status::Failed, "2/3 Failed shows 2".to_owned())
    );
    (project, agent, outcome)
}

async fn with(project: &Project, agent: &Arc<Moody>, runs: u32, mode: RecordingMode) -> Outcome {
    let kept: Recordings = recordings(&project.folder().join("kept"), mode);
    recorded(project, agent, times(runs), Some(kept))
        .await
        .outcomes
        .remove(0)
}

fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[tokio::test]
async fn each_run_has_a_recording_and_a_replay_needs_no_agent() {
    let (project, agent, live) = recorded_runs().await;
    let kept = project.folder().join("kept/a");
    assert_eq!(files(&kept), ["a.jsonl", "a.run-2.jsonl", "a.run-3.jsonl"]);
    let replayed = with(&project, &agent, 3, RecordingMode::Replay).await;
    assert_eq!(
        agent.asked.load(Ordering::SeqCst),
        3,
        "a replay sends nothing"
    );
    assert_eq!(came_to(&replayed), came_to(&live));
    assert_eq!(replayed.transcript.turns, live.transcript.turns);
    assert_eq!(
        with(&project, &agent, 2, RecordingMode::Record)
            .await
            .status(),
        Status::Passed
    );
    assert_eq!(
        files(&kept),
        ["a.jsonl", "a.run-2.jsonl"],
        "nothing is left of a recording with more runs"
    );
}

#[tokio::test]
async fn a_run_without_a_recording_ends_the_test_with_an_error() {
    let (project, agent, _) = recorded_runs().await;
    fs::remove_file(project.folder().join("kept/a/a.run-2.jsonl")).unwrap();
    let broken = with(&project, &agent, 3, RecordingMode::Replay).await;
    assert_eq!(
        (broken.status(), came_to(&broken)),
        (Status::Error, "1/2 Broken shows 2".to_owned())
    );
    let problem = broken.first_problem().unwrap().1;
    assert!(
        problem
            .message
            .contains("`kept/a/a.run-2.jsonl` does not exist"),
        "{}",
        problem.message
    );
    let missing = with(&project, &agent, 3, RecordingMode::RecordMissing).await;
    assert_eq!(
        (missing.status(), came_to(&missing)),
        (Status::Passed, "3/3 Passed shows 3".to_owned())
    );
    assert_eq!(
        agent.asked.load(Ordering::SeqCst),
        4,
        "only the missing run was sent"
    );
    let more = with(&project, &agent, 4, RecordingMode::Replay).await;
    assert_eq!(
        (more.status(), came_to(&more)),
        (Status::Error, "3/4 Broken shows 4".to_owned())
    );
}

#[tokio::test]
async fn a_stale_recording_of_one_run_ends_the_test_with_an_error() {
    let (project, agent, _) = recorded_runs().await;
    let file = project.folder().join("kept/a/a.run-2.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("well?"), "{text}");
    fs::write(&file, text.replace("well?", "really?")).unwrap();
    let stale = with(&project, &agent, 3, RecordingMode::Replay).await;
    let verdict = stale.stability.as_ref().unwrap().verdict;
    assert_eq!(
        (stale.status(), verdict),
        (Status::Error, StabilityVerdict::Broken)
    );
    assert_eq!(came_to(&stale), "1/2 Broken shows 2");
    let problem = stale.first_problem().unwrap().1;
    let text = format!(
        "{} {}",
        problem.message,
        problem.help.as_deref().unwrap_or_default()
    );
    assert!(
        text.contains("a.run-2.jsonl") && text.contains("really?"),
        "{text}"
    );
}
