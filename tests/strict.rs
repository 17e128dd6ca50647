//! `--strict-protocol`: the effect of a violation on a turn, together with other problems and failures of it.

use std::fmt::Write as _;

use ananke::outcome::{ErrorKind, Outcome, RunEvent, Status, TurnOutcome};
use ananke::run::{Options, event_channel, run};
use ananke::settings::RunSettings;

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

const START: &str = r#"{"type":"RUN_STARTED"}"#;
const FINISH: &str = r#"{"type":"RUN_FINISHED"}"#;
const ERROR: &str = r#"{"type":"RUN_ERROR","message":"model unavailable"}"#;
const CUSTOM: &str = r#"{"type":"CUSTOM","name":"n","value":1}"#;
const CALL: &str = r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"ask"}"#;
const CALL_END: &str = r#"{"type":"TOOL_CALL_END","toolCallId":"c"}"#;
const TEXT_END: &str = r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#;

/// The outcome of a test of one turn whose requests get these responses, one after the other.
async fn outcome(answers: &[Vec<&str>], rules: &str, strict_protocol: bool) -> Outcome {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let scripts = answers.iter().map(|events| {
        let body = format!("{head}data: {}\n\n", events.join("\n\ndata: "));
        vec![Step::Expect, Step::Send(body.into_bytes())]
    });
    let agent = RawAgent::start(scripts.collect()).await;
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"{}\", agentId: raw }}\n",
        agent.url()
    );
    let test = format!(
        "version: \"1.3\"\nname: a\nclient_tools: [{{ name: ask, mock: {{ result: 1 }} }}]\nturns: [{{ user: hi }}]\nassert: {rules}\n"
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let (sender, mut receiver) = event_channel(1000);
    let options = Options::from(RunSettings {
        strict_protocol,
        ..RunSettings::default()
    });
    run(
        project.shared(options, sender),
        project.plan().plan.expect("a plan"),
    )
    .await;
    while let Some(event) = receiver.recv().await {
        if let RunEvent::CaseFinished(outcome) = &*event {
            return (**outcome).clone();
        }
    }
    panic!("no outcome")
}

/// The status, the kind and message of the problem, and the rules that are reported with it.
fn told(turn: &TurnOutcome) -> String {
    let mut told = turn.status().as_str().to_owned();
    if let Some(problem) = turn.problem() {
        let _ = write!(told, ", {}: {}", problem.kind.as_str(), problem.message);
    }
    for failure in turn.failures() {
        let _ = write!(told, ", {}", failure.rule);
    }
    told
}

#[tokio::test]
async fn a_violation_fails_a_turn_only_where_it_is_to() {
    let answers = [vec![START, TEXT_END, FINISH, CUSTOM]];
    let outcome_of = async |strict| outcome(&answers, "{}", strict).await;
    let warnings = [
        "text-not-open: event 2 (`TEXT_MESSAGE_END`) ends the message `m`, which never began",
        "after-run-finished: event 4 (`CUSTOM`) comes after event 3 (`RUN_FINISHED`) has finished the run",
    ];
    let lenient = outcome_of(false).await;
    assert_eq!(
        (
            lenient.status(),
            told(&lenient.transcript.turns[0]).as_str()
        ),
        (Status::Passed, "passed")
    );
    assert_eq!(lenient.transcript.turns[0].warnings, warnings);

    let strict = outcome_of(true).await;
    assert_eq!(strict.status(), Status::Error);
    let problem = strict.transcript.turns[0].problem().expect("a problem");
    let message = format!(
        "violation of the protocol: {} (and 1 more violation)",
        warnings[0]
    );
    assert_eq!(
        (problem.kind, &problem.message),
        (ErrorKind::Protocol, &message)
    );
    let help = "`ananke explain text-not-open` explains the rule";
    assert_eq!(problem.help.as_deref(), Some(help));
    assert_eq!(strict.transcript.turns[0].warnings, warnings);
}

#[tokio::test]
async fn what_is_broken_by_then_is_reported_beside_it_and_nothing_that_is_only_owed() {
    let rules = "{ tools: { forbid: [ask], require: [{ name: other }] } }";
    let answers = [
        vec![START, CALL, CALL_END, FINISH],
        vec![START, FINISH, CUSTOM],
    ];
    let outcome = outcome(&answers, rules, true).await;
    assert_eq!(
        told(&outcome.transcript.turns[0]),
        "error, protocol: violation of the protocol: answer 2: after-run-finished: event 7 (`CUSTOM`) comes after event 6 (`RUN_FINISHED`) has finished the run, tools.forbid"
    );
    assert!(outcome.transcript.turns[0].warnings[0].starts_with("answer 2: after-run-finished: "));
}

#[tokio::test]
async fn what_fails_a_turn_anyway_stays_what_fails_it() {
    let outcome = outcome(&[vec![START, TEXT_END, ERROR]], "{}", true).await;
    assert_eq!(
        told(&outcome.transcript.turns[0]),
        "error, agent: agent error: model unavailable"
    );
    assert!(outcome.transcript.turns[0].warnings[0].starts_with("text-not-open: "));
}

#[tokio::test]
async fn violations_without_end_are_counted() {
    let mut events = vec![START];
    events.extend([TEXT_END; 31]);
    events.push(FINISH);
    let outcome = outcome(&[events], "{}", true).await;
    assert!(
        told(&outcome.transcript.turns[0]).ends_with("(and 30 more violations)"),
        "{}",
        told(&outcome.transcript.turns[0])
    );
    assert_eq!(outcome.transcript.turns[0].warnings.len(), 21);
    assert_eq!(
        outcome.transcript.turns[0].warnings[20],
        "11 more violations of the protocol are not shown"
    );
}
