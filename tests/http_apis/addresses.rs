//! Addresses that responses give: the target's credentials stay with its origin, and a part of an address stays a part.

use ananke::Status;

use super::wrong::{JSON, response};
use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

fn answered(body: &str) -> Vec<Step> {
    vec![Step::Expect, Step::Send(response("200 OK", JSON, body))]
}

/// The status of a test of the agent at `address`, and its problem.
async fn run(address: &str, keys: &str) -> (Status, String) {
    let config = format!(
        "version: \"1.4\"\ntarget:\n  type: http\n  endpoint: \"{address}chat\"\n  headers: {{ authorization: of-the-target, x-both: of-the-target }}\n{keys}"
    );
    let test = "version: \"1.4\"\nname: one\nturns: [{ user: hi, timeout_ms: 20000, assert: { text: { equals: Done } } }]\n";
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)]);
    let outcome = project.run().await.remove(0);
    let problem = outcome.first_problem();
    let said = problem.map_or_else(String::new, |(_, problem)| problem.message.clone());
    (outcome.status(), said)
}

#[tokio::test]
async fn the_headers_of_a_target_stay_with_its_origin() {
    let other = RawAgent::start(vec![answered("{}")]).await;
    let elsewhere = format!(r#"{{"next":"{}jobs/7"}}"#, other.url());
    let agent = RawAgent::start(vec![answered(&elsewhere), answered(r#"{"reply":"Done"}"#)]).await;
    let keys = "  body: {}\n  capture: { NEXT: next }\n  then: [{ endpoint: \"${NEXT}\", headers: { x-both: own } }, { endpoint: /reply, headers: { x-both: own } }]\n  response: { text: reply }\n";
    let found = run(&agent.url(), keys).await;
    assert_eq!(found.0, Status::Passed, "{found:?}");
    let stolen = other.requests().await.remove(0).head.to_lowercase();
    assert!(
        stolen.contains("x-both: own") && !stolen.contains("of-the-target"),
        "{stolen}"
    );
    let own = agent.requests().await.remove(1).head.to_lowercase();
    assert!(
        own.contains("authorization: of-the-target") && own.contains("x-both: own"),
        "{own}"
    );
}

#[tokio::test]
async fn a_part_of_an_address_leads_to_no_other_directory() {
    let keys = "  body: {}\n  capture: { JOB: job }\n  then: { endpoint: \"/jobs/${JOB}/reply\" }\n  response: { text: reply }\n";
    for job in ["..", "."] {
        let agent = RawAgent::start(vec![answered(&format!(r#"{{"job":"{job}"}}"#))]).await;
        let found = run(&agent.url(), keys).await;
        assert_eq!(found.0, Status::Error, "{job}: {found:?}");
        assert!(
            found.1.contains("which is not a part of an address"),
            "{found:?}"
        );
    }
    let agent = RawAgent::start(vec![
        answered(r#"{"job":"../x?y#z"}"#),
        answered(r#"{"reply":"Done"}"#),
    ])
    .await;
    let found = run(&agent.url(), keys).await;
    assert_eq!(found.0, Status::Passed, "{found:?}");
    let asked = agent.requests().await.remove(1).head;
    assert!(
        asked.starts_with("GET /jobs/..%2Fx%3Fy%23z/reply HTTP/1.1"),
        "{asked}"
    );
}
