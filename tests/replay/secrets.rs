//! Secrets in recordings: named, never held, also if an agent repeats them in pieces.

use std::sync::Arc;

use ananke::outcome::{ErrorKind, Outcome, Status};
use ananke::plan::{Selection, plan};
use ananke::recording::RecordingMode;

use super::{Nowhere, agent, bytes, outcomes, outcomes_over_http, recordings, run_of};
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// A project of one test against `agent`, whose secrets come from the environment, from a hook and from the file.
pub(super) fn secretive(url: &str, rules: &str) -> Project {
    let config = format!(
        "version: \"1.0\"\ntarget:\n  type: agui\n  endpoint: \"{url}\"\n  agentId: a\n  timeout_ms: 2000\n  headers: {{ x-key: \"${{ENV.KEY}}\", x-token: \"${{TOKEN}}\", cookie: written-out }}\n"
    );
    let test = format!(
        "version: \"1.0\"\nname: a\nhooks: [{{ cmd: [echo, '{{\"TOKEN\": \"t0ken-of-a-hook\"}}'] }}]\nturns: [{{ user: \"I am ${{TOKEN}}\" }}]\nassert: {rules}\n"
    );
    Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)])
}

#[tokio::test]
async fn a_recording_names_its_secrets_and_holds_none() {
    let said = "key s3cr3t/key, token t0ken-of-a-hook, url s3cr3t%2Fkey, cookie written-out";
    let agent = RawAgent::start(vec![vec![Step::Expect, agent(&run_of(&[said]))]]).await;
    let rules = "{ text: { must_match: \"token ${TOKEN},\", must_not_match: nothing } }";
    let project = secretive(&agent.url(), rules).with_environment("KEY", "s3cr3t/key");
    let kept = project.folder().join("kept");
    let live = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record)).await;
    let passed = |outcomes: &[Outcome]| {
        outcomes
            .iter()
            .all(|outcome| outcome.status() == Status::Passed)
    };
    assert!(passed(&live), "{live:#?}");

    let written = bytes(&kept);
    for secret in ["s3cr3t", "t0ken-of-a-hook", "written-out"] {
        assert!(!written.contains(secret), "{secret}: {written}");
    }
    for marker in [
        "<secret:ENV.KEY>",
        "<secret:TOKEN>",
        "<secret:headers.cookie>",
    ] {
        assert!(written.contains(marker), "{marker}: {written}");
    }
    // Neither the environment nor the hook provides anything now.
    let files = ["ananke.config.yaml", "a.test.yaml"].map(|name| {
        let text = std::fs::read_to_string(project.folder().join(name)).unwrap();
        (
            name,
            text.replace("cmd: [echo,", "cmd: [no-such-program,")
                .replace(&agent.url(), "${ENV.NOT_SET}"),
        )
    });
    let elsewhere = Project::new(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let planned = plan(
        &elsewhere.context(),
        &Selection::default(),
        &elsewhere.redactor,
    );
    assert!(planned.plan.is_some(), "{:#?}", planned.problems);
    let played = outcomes(
        &elsewhere,
        Arc::new(Nowhere),
        &recordings(&kept, RecordingMode::Replay),
    )
    .await;
    assert!(passed(&played), "{played:#?}");
    let seal = |project: &Project, outcomes: Vec<Outcome>| {
        format!("{:#?}", project.redactor.seal(outcomes))
    };
    let (live, played) = (seal(&project, live), seal(&elsewhere, played));
    assert!(
        live.contains("key ***, token ***, url ***, cookie ***"),
        "{live}"
    );
    assert_eq!(
        played.replace(&elsewhere.folder().display().to_string(), ""),
        live.replace(&project.folder().display().to_string(), "")
    );
}

#[tokio::test]
async fn a_secret_told_in_pieces_is_not_recorded() {
    let agent = RawAgent::start(vec![vec![
        Step::Expect,
        agent(&run_of(&["key s3cr", "3t/key"])),
    ]])
    .await;
    let project = secretive(&agent.url(), "{ text: { must_match: key } }")
        .with_environment("KEY", "s3cr3t/key");
    let kept = project.folder().join("kept");
    let outcome = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record))
        .await
        .remove(0);
    let problem = outcome.verdict.end().problem().expect("a problem");
    assert_eq!(
        (outcome.status(), problem.kind),
        (Status::Error, ErrorKind::Recording)
    );
    assert!(
        problem
            .message
            .contains("sent `<secret:ENV.KEY>` in pieces"),
        "{problem:?}"
    );
    assert_eq!(bytes(&kept), "");
}

/// A project of one test against `agent`, with further keys of its config and its test.
fn redacting(url: &str, config: &str, test: &str) -> Project {
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"{url}\", agentId: a, headers: {{ x-cookie: \"${{cookie:-none}}\" }} }}\n{config}\n"
    );
    let test = format!("version: \"1.3\"\nname: a\n{test}\n");
    Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)])
}

pub(super) async fn answering(pieces: &[&str]) -> RawAgent {
    RawAgent::start(vec![vec![Step::Expect, agent(&run_of(pieces))]]).await
}

#[tokio::test]
async fn what_the_config_redacts_is_in_no_recording() {
    let said = "of the config: v-of-config, of a pin p-424242, of the row v-of-row, key sk-abc123, order O-99812.";
    let agent = answering(&[said]).await;
    let config = "vars: { cookie: v-of-cookie, OF_CONFIG: v-of-config, LOGIN: { pin: p-424242 } }\n\
                  redact: [OF_CONFIG, LOGIN, OF_TEST, OF_ROW, OF_HOOK, ENV.HOST_KEY, ORDER, { match: \"sk-[a-z0-9]+\" }]";
    let test = "vars: { OF_TEST: v-of-test }\ncases: [{ OF_ROW: v-of-row }]\n\
        hooks: [{ cmd: [echo, '{\"OF_HOOK\": \"v-of-hook\"}'] }]\n\
        turns:\n  - user: \"${OF_CONFIG} ${LOGIN} ${OF_TEST} ${OF_ROW} ${OF_HOOK} ${ENV.HOST_KEY}\"\n    \
        capture: { ORDER: { text: \"order (\\\\S+)[.]\" } }\n    \
        assert: { text: { contains: [\"${OF_CONFIG}, \", \"pin ${LOGIN.pin}\", \"row ${OF_ROW}\"], must_not_match: \"key of\" } }";
    let project =
        redacting(&agent.url(), config, test).with_environment("HOST_KEY", "v-of-environment");
    let kept = project.folder().join("kept");
    let live = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record)).await;
    assert_eq!(live[0].status(), Status::Passed, "{live:#?}");
    let written = bytes(&kept);
    for secret in ["v-of", "424242", "sk-abc", "99812"] {
        assert!(!written.contains(secret), "{secret}: {written}");
    }
    let names = [
        "OF_CONFIG",
        "LOGIN.pin",
        "OF_TEST",
        "OF_ROW",
        "OF_HOOK",
        "ENV.HOST_KEY",
        "ORDER",
        "redact.1",
    ];
    for name in names {
        assert!(
            written.contains(&format!("<secret:{name}>")),
            "{name}: {written}"
        );
    }
    assert!(
        written.contains("\"cookie\""),
        "a plain name is a variable, also one that headers have: {written}"
    );
    let played = outcomes(
        &project,
        Arc::new(Nowhere),
        &recordings(&kept, RecordingMode::Replay),
    )
    .await;
    let seal = |outcomes: Vec<Outcome>| format!("{:#?}", project.redactor.seal(outcomes));
    let (live, played) = (seal(live), seal(played));
    assert!(
        live.contains("of a pin ***, of the row ***, key ***, order ***."),
        "{live}"
    );
    assert_eq!(played, live);
}

#[tokio::test]
async fn a_rule_that_looks_at_a_secret_keeps_its_test_from_being_recorded() {
    for (rules, status) in [
        ("must_not_match: sk-", "failed"),
        ("must_match: \"sk-[a-z]+\"", "passed"),
    ] {
        let agent = answering(&["my key is sk-abc"]).await;
        let test = format!("turns: [{{ user: hi }}]\nassert: {{ text: {{ {rules} }} }}");
        let project = redacting(&agent.url(), "redact: [{ match: \"sk-[a-z]+\" }]", &test);
        let kept = project.folder().join("kept");
        let outcome = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record))
            .await
            .remove(0);
        let problem = outcome.verdict.end().problem().expect("a problem");
        assert_eq!(
            (outcome.status(), problem.kind),
            (Status::Error, ErrorKind::Recording)
        );
        assert!(
            problem.message.contains(&format!("and not `{status}`")),
            "{problem:?}"
        );
        assert_eq!(bytes(&kept), "");
    }
}

#[tokio::test]
async fn what_is_a_secret_only_in_the_end_or_by_its_looks_is_not_told_in_pieces_either() {
    for (pieces, config, marker) in [
        (
            &["key sk-", "abc!"],
            "redact: [{ match: \"sk-[a-z]+\" }]",
            "redact.1",
        ),
        (&["order O-99", "812!"], "redact: [ORDER]", "ORDER"),
    ] {
        let agent = answering(pieces).await;
        let test = "turns:\n  - user: hi\n    capture: { ORDER: { text: \"((?:O|sk)-\\\\w+)\" } }\n    assert: { text: { must_match: \"!\" } }";
        let project = redacting(&agent.url(), config, test);
        let kept = project.folder().join("kept");
        let outcome = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record))
            .await
            .remove(0);
        let problem = outcome.verdict.end().problem().expect("a problem");
        assert!(
            problem
                .message
                .contains(&format!("sent `<secret:{marker}>` in pieces")),
            "{problem:?}"
        );
        assert_eq!(bytes(&kept), "");
    }
}

#[tokio::test]
async fn a_test_that_is_recorded_beside_one_that_is_played_keeps_its_markers() {
    let step = || vec![Step::Expect, agent(&run_of(&["key s3cr3t/key"]))];
    let agent = RawAgent::start(vec![step(), step(), step()]).await;
    let project = secretive(&agent.url(), "{ text: { must_match: key } }")
        .with_environment("KEY", "s3cr3t/key");
    let test = std::fs::read_to_string(project.folder().join("a.test.yaml")).unwrap();
    std::fs::write(
        project.folder().join("b.test.yaml"),
        test.replace("name: a", "name: b"),
    )
    .unwrap();
    let kept = project.folder().join("kept");
    outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record)).await;
    std::fs::remove_dir_all(kept.join("b")).unwrap();
    outcomes_over_http(&project, &recordings(&kept, RecordingMode::RecordMissing)).await;
    assert!(
        bytes(&kept.join("b")).contains("key <secret:ENV.KEY>"),
        "{}",
        bytes(&kept)
    );
}

#[tokio::test]
async fn a_test_with_a_secret_name_is_not_recorded() {
    let config = "version: \"1.3\"\ntarget: { type: scripted, agentId: a, headers: { x-key: \"${ENV.KEY}\" }, rules: [] }\n";
    let test = "version: \"1.3\"\nname: \"of ${ENV.KEY}\"\nturns: [{ user: hi }]\nassert: { text: { must_match: understand } }\n";
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", test)]);
    let project = project.with_environment("KEY", "s3cr3t-key");
    let kept = project.folder().join("kept");
    let outcome = outcomes_over_http(&project, &recordings(&kept, RecordingMode::Record))
        .await
        .remove(0);
    assert!(
        outcome
            .verdict
            .end()
            .problem()
            .expect("a problem")
            .message
            .contains("its name holds a secret")
    );
    assert!(!kept.exists());
}
