//! Every row of what can arrive from an agent, as a whole run reports it: status, kind, message and the quoted bytes.

use std::fmt::Write as _;

use ananke::agents::{Ended, Limits};
use ananke::outcome::{ErrorKind, Outcome, Status};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};
use crate::support::wire_rows::{Row, is_message, rows};

const TEST: &str = "version: \"1.0\"\nname: row\nturns: [{ user: hi }]\n";

/// Whether a run can be made of the row: it has the default limits, and is not cancelled.
fn fits_a_file(row: &Row) -> bool {
    let default = (Limits::MAX_EVENT_BYTES, Limits::MAX_RESPONSE_BYTES);
    (row.limits.max_event_bytes, row.limits.max_response_bytes) == default
        && !row.limits.cancel.is_cancelled()
}

async fn outcome(row: &Row) -> Outcome {
    let agent = RawAgent::start(vec![[&[Step::Expect], &row.steps[..]].concat()]).await;
    let config = format!(
        "version: \"1.0\"\ntarget: {{ type: agui, endpoint: \"{}\", agentId: raw, timeout_ms: {} }}\n",
        agent.url(),
        row.limits.timeout.as_millis()
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("row.test.yaml", TEST)]);
    let mut outcome = project.run().await.remove(0);
    let address = agent.address.to_string();
    for problem in outcome
        .transcript
        .turns
        .iter_mut()
        .filter_map(|turn| turn.end.problem_mut())
    {
        problem.message = problem.message.replace(&address, "AGENT");
    }
    outcome
}

#[tokio::test]
async fn what_is_no_proper_run_is_an_error_that_quotes_what_came() {
    let mut wrong = String::new();
    let mut judged = 0;
    for row in rows().iter().filter(|row| fits_a_file(row)) {
        let outcome = outcome(row).await;
        let problem = outcome.transcript.turns[0].problem();
        let found = (
            outcome.status(),
            problem.map(|problem| (problem.kind, problem.message.as_str())),
        );
        let expected = match row.ends {
            Err(message) => (Status::Error, Some((ErrorKind::Protocol, message))),
            Ok(Ended::Timeout) => (
                Status::Timeout,
                Some((ErrorKind::Timeout, "timeout after 300 ms: [CAUSE]")),
            ),
            Ok(_) if row.name.contains("error of the agent") => {
                (Status::Error, Some((ErrorKind::Agent, "agent error: no")))
            }
            Ok(_) => (Status::Passed, None),
        };
        let is_expected = match (found, expected) {
            ((status, Some((kind, message))), (of_status, Some((of_kind, expected)))) => {
                (status, kind) == (of_status, of_kind) && is_message(message, expected)
            }
            _ => found == expected,
        };
        if !is_expected {
            writeln!(
                wrong,
                "{}\n  expected {expected:?}\n  got      {found:?}",
                row.name
            )
            .unwrap();
        }
        judged += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(judged > 40, "only {judged} rows were judged");
}

#[tokio::test]
async fn a_stream_that_is_cut_or_open_after_its_run_is_a_warning() {
    let rows = rows();
    for (name, expected) in [
        (
            "a stream that stays open after the run",
            vec![
                "left-open: the stream was still open 100 ms after the run had ended: what comes later is not read",
            ],
        ),
        (
            "a connection that breaks after the run",
            vec!["the connection broke after the run had ended: [CAUSE]"],
        ),
        (
            "half an event after the run",
            vec!["the stream ended inside an event, after the run had ended"],
        ),
        ("a second run", vec![]),
    ] {
        let row = rows
            .iter()
            .find(|row| row.name == name)
            .expect("a row of this name");
        let mut warnings = outcome(row).await.transcript.turns.remove(0).warnings;
        warnings.retain(|warning| !warning.contains("instead of the requested"));
        let is_expected = |(found, expected): (&String, &&str)| is_message(found, expected);
        assert!(
            warnings.len() == expected.len() && warnings.iter().zip(&expected).all(is_expected),
            "{name}: {warnings:?}"
        );
    }
}

#[tokio::test]
async fn a_refused_connection_is_an_error_of_the_protocol() {
    let config = "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: nobody }\n";
    let project = Project::new(&[("ananke.config.yaml", config), ("row.test.yaml", TEST)]);
    let outcome = project.run().await.remove(0);
    let problem = outcome.transcript.turns[0].problem().unwrap();
    assert_eq!(
        (outcome.status(), problem.kind),
        (Status::Error, ErrorKind::Protocol)
    );
    assert!(
        problem
            .message
            .starts_with("could not connect to http://127.0.0.1:1/"),
        "{}",
        problem.message
    );
}
