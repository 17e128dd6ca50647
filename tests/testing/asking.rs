//! Rules of YAML tests that ask a script or a judge, and judges of the test itself.
#![cfg(unix)]

use std::panic::AssertUnwindSafe;

use ananke::testing::{AgentTarget, EventRole, TestJudge, TestSession, TestingError};
use futures_util::FutureExt as _;
use serde_json::json;

/// A project whose agent greets, with a script and two judges.
const CONFIG: &str = r#"version: "1.3"
target: { type: scripted, rules: [{ do: [{ say: "Hello, Ann" }] }] }
targets:
  polite: { type: scripted, agentId: polite, rules: [{ do: [{ say: '{"passed": true, "reason": "polite"}' }] }] }
  strict: { type: scripted, agentId: strict, rules: [{ do: [{ say: '{"passed": false, "reason": "no title"}' }] }] }
  vague: { type: scripted, agentId: vague, rules: [{ do: [{ say: "perhaps" }] }] }
"#;

const SCRIPT: &str = "grep -q Ann && echo '{\"pass\": true}' || echo '{\"pass\": false, \"message\": \"Ann is not named\"}'";

fn session() -> (tempfile::TempDir, TestSession) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("ananke.config.yaml");
    std::fs::write(&config, CONFIG).unwrap();
    std::fs::write(folder.path().join("named.sh"), SCRIPT).unwrap();
    let session = TestSession::from_config(&config, "default").unwrap();
    (folder, session)
}

#[tokio::test]
async fn scripts_and_judges_of_the_project_decide_about_a_run() {
    let (_folder, mut session) = session();
    let run = session.run("Hi").await.unwrap();
    run.assert_yaml("script: [{ cmd: [sh, named.sh] }]")
        .await
        .unwrap();
    run.assert_yaml("judge: [{ agent: polite, criteria: greets }]")
        .await
        .unwrap();
    for (block, rule, message) in [
        (
            "judge: [{ agent: strict, criteria: uses a title }]",
            "judge",
            "the judge `strict` rejected it: no title",
        ),
        (
            "script: [{ cmd: [sh, -c, \"echo false\"] }]",
            "script",
            "the script `[\"sh\", \"-c\", \"echo false\"]` rejected it",
        ),
    ] {
        let findings = run.findings(block).await.unwrap();
        let found: Vec<_> = findings
            .iter()
            .map(|found| (&*found.rule, found.message.as_str()))
            .collect();
        assert_eq!(found, [(rule, message)]);
    }
    // Only what passes otherwise is asked about, as in a YAML test.
    let both = "text: { contains: Bob }\njudge: [{ agent: vague, criteria: greets }]";
    let findings = run.findings(both).await.unwrap();
    assert_eq!(
        findings
            .iter()
            .map(|found| &*found.rule)
            .collect::<Vec<_>>(),
        ["text.contains"]
    );
    let again = session.run("Hi again").await.unwrap();
    again
        .assert_yaml("judge: [{ agent: polite, criteria: greets }]")
        .await
        .unwrap();
    run.assert_yaml("judge: [{ agent: polite, criteria: greets }]")
        .await
        .expect("an earlier run");
    session.close().await.unwrap();
    let over = again
        .assert_yaml("judge: [{ agent: polite, criteria: greets }]")
        .await
        .unwrap_err();
    let refused =
        "rules that ask a script or a judge apply while the session goes on: this one has ended";
    assert_eq!(over, TestingError::Usage(refused.to_owned()));
    again
        .assert_yaml("text: { contains: Ann }")
        .await
        .expect("nothing is asked");
}

#[tokio::test]
async fn what_cannot_be_asked_is_an_error_and_the_session_goes_on() {
    let (_folder, mut session) = session();
    let run = session.run("Hi").await.unwrap();
    for (block, message) in [
        (
            "judge: [{ agent: vague, criteria: greets }]",
            "judge error: ",
        ),
        ("judge: [{ agent: default, criteria: greets }]", "`default`"),
        ("judge: [{ agent: nobody, criteria: greets }]", "`nobody`"),
        ("judge: [{ agent: polite, criteria: \" \" }]", "`criteria`"),
        (
            "script: [{ cmd: [there-is-no-such-program] }]",
            "there-is-no-such-program",
        ),
        ("script: [{ cmd: [sh, -c, exit 3] }]", "exit"),
    ] {
        let error = run.assert_yaml(block).await.expect_err(block);
        assert!(error.to_string().contains(message), "{block}: {error}");
    }
    assert!(session.run("Hi").await.is_ok());
}

#[tokio::test]
async fn the_place_of_an_assertion_that_waits_is_named() {
    let (_folder, mut session) = session();
    let run = session.run("Hi").await.unwrap();
    let expected = format!("asserted at {}:{}", file!(), line!() + 1);
    let asserted = run.assert_yaml("text: { contains: Bob }");
    let panicked = AssertUnwindSafe(asserted).catch_unwind().await.unwrap_err();
    let message = panicked.downcast_ref::<String>().unwrap();
    assert!(message.contains(&expected), "{message}");
    let strict = TestJudge::new(AgentTarget::new(
        "scripted",
        json!({ "rules": [{ "do": [{ "say": "{\"passed\": false, \"reason\": \"rude\"}" }] }] }),
    ));
    let expected = format!("asserted at {}:{}", file!(), line!() + 1);
    let judged = run.expect().at(0).judge(&strict, "greets").boxed();
    let panicked = AssertUnwindSafe(judged)
        .catch_unwind()
        .await
        .map(|_| ())
        .unwrap_err();
    let message = panicked.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with("event 1 of 1: the judge rejects `greets`: "),
        "{message}"
    );
    assert!(
        message.contains("\n> 1  message (assistant): Hello, Ann\n") && message.contains(&expected),
        "{message}"
    );
    run.expect().next_message().is_message(EventRole::Assistant);
}

#[tokio::test]
async fn an_agent_is_not_its_own_judge_whatever_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("ananke.config.yaml");
    let agent = super::model();
    let super::Model { endpoint, .. } = &agent;
    let text = format!(
        "version: \"1.3\"\ntarget: {{ type: openai, endpoint: \"{endpoint}\", model: m-1 }}\n"
    );
    std::fs::write(&config, text).unwrap();
    let judge = |model: &str| {
        let keys = json!({ "endpoint": endpoint, "model": model, "instructions": "You judge." });
        TestJudge::new(AgentTarget::new("openai", keys))
    };
    for session in [
        TestSession::connect(agent.target()),
        TestSession::from_config(&config, "default"),
    ] {
        let mut session = session.unwrap();
        let run = session.run("done").await.unwrap();
        let error = run
            .expect()
            .at(0)
            .judge(&judge("m-1"), "greets")
            .await
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the agent cannot judge itself: name another target"
        );
        let other = run
            .expect()
            .at(0)
            .judge(&judge("m-2"), "greets")
            .await
            .unwrap_err();
        assert!(
            matches!(other, TestingError::Judge(_)),
            "it is asked: {other:?}"
        );
    }
}
