//! What `ANANKE_TESTING_VERBOSE` prints.

use std::process::Command;

use ananke::testing::{AgentTarget, TestSession};

const AGENT: &str = "type: scripted
rules: [{ do: [{ call: { tool: look_up, args: { id: 7 }, result: 3 } }, { say: \"It \\e[31mcosts 3\" }] }]";

#[tokio::test]
async fn a_conversation_without_an_assertion() {
    let mut session = TestSession::connect(AgentTarget::yaml(AGENT)).unwrap();
    session.run("What does 7 cost?").await.unwrap();
}

/// What the test above prints with this value of the variable.
fn printed(value: &str) -> String {
    let name = "verbose::a_conversation_without_an_assertion";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", name, "--nocapture"])
        .env("ANANKE_TESTING_VERBOSE", value);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_events_of_every_run_are_printed_on_demand() {
    let expected = "user: What does 7 cost?
events:
  1  function call: look_up({\"id\":7})
  2  function call output: look_up → 3
  3  message (assistant): It \\u{1b}[31mcosts 3
";
    assert_eq!(printed("1"), expected);
    assert_eq!(printed("0"), "");
}
