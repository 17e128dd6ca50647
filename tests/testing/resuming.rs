//! Interrupts of the agent, and what answers them.

use ananke::testing::{AgentTarget, PendingAnswer, TestSession, TestingError};
use serde_json::json;

const BANK: &str = r"
type: scripted
rules:
  - when: { user: pay }
    do:
      - call: { tool: find_account, result: { account: 7 } }
      - interrupt: { reason: confirmation, message: Really? }
      - call: { tool: pay, args: { to: Ann }, result: paid }
      - say: Paid.
  - do: [{ say: Hello. }]
";

fn bank() -> TestSession {
    TestSession::connect(AgentTarget::yaml(BANK)).unwrap()
}

#[tokio::test]
async fn an_interrupt_is_answered() {
    let mut session = bank();
    let run = session.run("Please pay Ann").await.unwrap();
    run.expect()
        .next_function_call()
        .is_function_call("find_account", None);
    run.assert_yaml("outcome: interrupted").await.unwrap();
    let [interrupt] = run.interrupts() else {
        panic!("{:?}", run.interrupts())
    };
    assert_eq!(
        (interrupt.reason.as_deref(), interrupt.message.as_deref()),
        (Some("confirmation"), Some("Really?"))
    );
    let waits = session.run("Well?").await.unwrap_err();
    let id = &interrupt.id;
    let expected =
        format!("the agent waits for an answer to its interrupt `{id}`: give it with `resume`");
    assert_eq!(waits, TestingError::Usage(expected));

    let answer = PendingAnswer::resolved(json!({ "ok": true })).for_id(id);
    let run = session.resume([answer]).await.unwrap();
    assert!(run.interrupts().is_empty());
    run.expect()
        .next_function_call()
        .is_function_call("pay", json!({ "to": "Ann" }));
    run.assert_yaml("text: { equals: Paid. }\ntools: { max_calls: 1 }")
        .await
        .unwrap();
    assert_eq!(session.history().len(), 6, "{:?}", session.history());
    session.run("Thanks").await.unwrap();
    session.close().await.unwrap();
}

#[tokio::test]
async fn an_interrupt_is_cancelled_and_the_list_of_events_shows_it() {
    let mut session = bank();
    let run = session.run("pay").await.unwrap();
    let message = super::panic_of(std::panic::AssertUnwindSafe(|| {
        _ = run.expect().next_message();
    }));
    let id = &run.interrupts()[0].id;
    assert!(
        message.ends_with(&format!(
            "\nwaiting for an answer to the interrupt `{id}`: Really?"
        )),
        "{message}"
    );
    assert!(session.resume([PendingAnswer::cancelled()]).await.is_ok());
}

#[tokio::test]
async fn an_answer_that_is_for_nothing_is_an_error() {
    let mut session = bank();
    session.run("Hi").await.unwrap();
    let error = session
        .resume([PendingAnswer::cancelled()])
        .await
        .unwrap_err();
    let TestingError::Agent(message) = &error else {
        panic!("{error:?}")
    };
    assert!(
        message.starts_with("the answer has nothing to answer"),
        "{message}"
    );
    assert_eq!(
        session.run("Hi").await.unwrap_err().to_string(),
        "the session has ended"
    );

    let mut session = bank();
    session.run("pay").await.unwrap();
    let unknown = PendingAnswer::resolved("yes").for_id("other");
    let error = session.resume([unknown]).await.unwrap_err().to_string();
    assert!(
        error.starts_with("the answer to `other` matches nothing that is open"),
        "{error}"
    );
    let mut session = bank();
    session.run("pay").await.unwrap();
    assert!(
        session
            .resume([])
            .await
            .unwrap_err()
            .to_string()
            .starts_with("no answer to")
    );
}
