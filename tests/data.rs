//! Test data, captures, timeouts and teardowns that need a socket, a process or many rows to be tested.

use std::fmt::Write as _;

use ananke::outcome::{Outcome, Status};
use serde_json::{Value, json};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

const ANSWER: &str = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
    "data: {\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m\",\"role\":\"assistant\"}\n\n",
    "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"order A-17\"}\n\n",
    "data: {\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m\"}\n\n",
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
);

fn answers() -> Vec<Step> {
    vec![Step::Expect, Step::Send(ANSWER.into())]
}

#[tokio::test]
async fn what_is_passed_on_is_merged_key_by_key_and_captures_are_sent() {
    let agent = RawAgent::start(vec![answers(), answers()]).await;
    let config = format!(
        "version: \"1.3\"\ntarget:\n  type: agui\n  endpoint: \"http://{}/\"\n  agentId: a\n  \
         forwardedProps: {{ a: target, b: {{ x: 1 }}, c: target }}\n",
        agent.address
    );
    let test = r#"version: "1.3"
name: props
vars: { PLAN: gold }
forwardedProps: { b: { y: "${PLAN}" }, d: test }
turns:
  - user: one
    forwardedProps: { a: turn, d: null }
    capture: { ORDER: { text: "order (.*)" } }
  - user: "about ${ORDER}"
    forwardedProps: { order: "${ORDER}" }
"#;
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)]);
    let outcomes = project.run().await;
    assert_eq!(outcomes[0].status(), Status::Passed, "{:?}", outcomes[0]);
    let bodies: Vec<Value> = agent
        .requests()
        .await
        .iter()
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect();
    assert_eq!(
        bodies[0]["forwardedProps"],
        json!({"a": "turn", "b": {"y": "gold"}, "c": "target", "d": null})
    );
    assert_eq!(
        bodies[1]["forwardedProps"],
        json!({"a": "target", "b": {"y": "gold"}, "c": "target", "d": "test", "order": "A-17"})
    );
    assert_eq!(bodies[1]["messages"][2]["content"], "about A-17");
}

const SCRIPTED: &str = "version: \"1.3\"\ntarget: { type: scripted, rules: [{ when: { user: slow }, do: [{ delay_ms: 900 }, { say: hello }] }] }\n";

#[tokio::test]
async fn the_smaller_time_counts_and_a_turn_has_its_own() {
    let test = |name: &str, whole: &str, first: &str| {
        format!(
            "version: \"1.3\"\nname: {name}\n{whole}turns:\n  - {{ user: slow{first} }}\n  - {{ user: slow }}\n"
        )
    };
    let files = [
        ("a.test.yaml", test("whole", "timeout_ms: 1500\n", "")),
        ("b.test.yaml", test("turn", "", ", timeout_ms: 100")),
        (
            "c.test.yaml",
            test("enough", "timeout_ms: 1800\n", ", timeout_ms: 900"),
        ),
    ];
    let mut project = vec![("ananke.config.yaml", SCRIPTED)];
    project.extend(files.iter().map(|(name, text)| (*name, text.as_str())));
    let outcomes = Project::new(&project).run().await;
    let told: Vec<(Status, usize, String)> = outcomes
        .iter()
        .map(|outcome| {
            let problem = outcome
                .first_problem()
                .map(|(_, problem)| problem.message.clone());
            (
                outcome.status(),
                outcome.transcript.turns.len(),
                problem.unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (
                Status::Timeout,
                2,
                "timeout after 1.5 s for the whole test: 1 event received 0 ms after the request, then nothing"
                    .to_owned()
            ),
            (
                Status::Timeout,
                1,
                "timeout after 100 ms: 1 event received 0 ms after the request, then nothing".to_owned()
            ),
            (Status::Passed, 2, String::new()),
        ]
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_teardown_runs_however_a_test_ends_and_sees_what_is_known_by_then() {
    let teardown = "teardown: [{ cmd: [sh, -c, 'echo \"$ANANKE_VAR_TEST_NAME ${SAID:-nothing} ${GIVEN:-nothing}\" >> log'] }]\n";
    let test = |name: &str, more: &str| {
        format!(
            "version: \"1.3\"\nname: {name}\n{teardown}{more}turns: [{{ user: slow, capture: {{ SAID: {{ text: \"(h.*)\" }} }} }}]\n"
        )
    };
    let gives = "hooks: [{ cmd: [echo, '{\"GIVEN\": 1}'] }, { cmd: [\"false\"] }]\n";
    let files = [
        ("a.test.yaml", test("passes", "")),
        (
            "b.test.yaml",
            test("fails", "assert: { text: { must_match: bye } }\n"),
        ),
        ("c.test.yaml", test("breaks", gives)),
        ("d.test.yaml", test("left-out", "skip: true\n")),
    ];
    let mut project = vec![("ananke.config.yaml", SCRIPTED)];
    project.extend(files.iter().map(|(name, text)| (*name, text.as_str())));
    let project = Project::new(&project);
    let outcomes = project.run().await;
    let statuses: Vec<Status> = outcomes.iter().map(Outcome::status).collect();
    assert_eq!(
        statuses,
        [
            Status::Passed,
            Status::Failed,
            Status::Error,
            Status::Skipped
        ]
    );
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.verdict.warnings.is_empty()),
        "{outcomes:?}"
    );
    let log = std::fs::read_to_string(project.folder().join("log")).unwrap();
    assert_eq!(
        log,
        "passes hello nothing\nfails hello nothing\nbreaks nothing 1\n"
    );
}

#[tokio::test]
async fn rows_of_a_file_are_found_again_and_one_that_changed_is_told() {
    let mut rows = String::from("city,note\n");
    for number in 0..300 {
        writeln!(rows, "City{number},\"a\nb \"\"{number}\"\"\"").unwrap();
    }
    let test = "version: \"1.3\"\nname: many\ncases: rows.csv\nturns: [{ user: \"slow ${city} ${note}\" }]\n";
    let files = [
        ("ananke.config.yaml", SCRIPTED),
        ("a.test.yaml", test),
        ("rows.csv", rows.as_str()),
    ];
    let project = Project::new(&files);
    let outcomes = project.run().await;
    assert_eq!(outcomes.len(), 300);
    assert_eq!(outcomes[299].test.id, "a.test.yaml::many[300]");
    assert_eq!(
        outcomes[299].transcript.turns[0].input,
        "slow City299 a\nb \"299\""
    );
    let plan = project.plan().plan.unwrap();
    std::fs::write(
        project.folder().join("rows.csv"),
        rows.replace("City7,", "Town7,"),
    )
    .unwrap();
    let outcomes = project.run_plan(plan).await;
    let changed: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| outcome.status() == Status::Error)
        .map(|outcome| outcome.verdict.end().problem().unwrap().message.as_str())
        .collect();
    assert_eq!(changed, ["the file changed since the run began"]);
}

#[cfg(unix)]
#[tokio::test]
async fn tests_that_share_a_file_run_as_it_was_read_once() {
    let entry = |name: &str| {
        format!(
            "  - name: {name}\n    hooks: [{{ cmd: [sh, -c, 'echo \"# more\" >> a.test.yaml'] }}]\n    turns: [{{ user: slow }}]\n"
        )
    };
    let file = format!(
        "version: \"1.3\"\ntests:\n{}{}{}",
        entry("one"),
        entry("two"),
        entry("three")
    );
    let project = Project::new(&[("ananke.config.yaml", SCRIPTED), ("a.test.yaml", &file)]);
    let outcomes = project.run().await;
    let told: Vec<(&str, u32, Status)> = outcomes
        .iter()
        .map(|outcome| {
            (
                outcome.test.id.as_str(),
                outcome.test.line,
                outcome.status(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("a.test.yaml::one", 3, Status::Passed),
            ("a.test.yaml::two", 6, Status::Passed),
            ("a.test.yaml::three", 9, Status::Passed),
        ]
    );
}
