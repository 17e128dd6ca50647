//! A scripted agent is a target like any other: it conforms to the kit without a connection.

use std::time::Duration;

use ananke::agents::Ended;
use ananke::agents::scripted::{
    CompiledCall, CompiledRule, CompiledStep, Condition, ScriptedTarget,
};
use ananke::trace::Usage;
use serde_json::{Map, Value, json};

use crate::support::conformance::conforming;

fn agent(steps: Vec<CompiledStep>) -> ScriptedTarget {
    ScriptedTarget::new(
        "clerk".to_owned(),
        json!({}),
        vec![CompiledRule {
            when: Condition::default(),
            steps,
        }],
    )
}

#[tokio::test]
async fn a_scripted_agent_conforms() {
    let state: Map<String, Value> = Map::from_iter([("paid".to_owned(), json!(true))]);
    let target = agent(vec![
        CompiledStep::Think("hm".to_owned()),
        CompiledStep::Call(CompiledCall {
            tool: "pay".to_owned(),
            id: None,
            args: Some(json!({"amount": 3})),
            result: Some(json!("ok")),
            delay: Duration::from_millis(20),
            failure: None,
            subagent: None,
        }),
        CompiledStep::State(state),
        CompiledStep::Custom {
            name: "progress".to_owned(),
            value: json!(1),
        },
        CompiledStep::Usage(Usage::reported(Some(1), Some(2), None).into()),
        CompiledStep::Say("Paid.".to_owned()),
    ]);
    let exchanged = conforming(&target, "everything that a script can say", 1, b"").await;
    assert_eq!(exchanged.ended, Ok(Ended::Terminal));
    assert_eq!(exchanged.wire, ["sent", "closed"]);
    assert!(exchanged.changes.contains("Paid."), "{}", exchanged.changes);
}

#[tokio::test]
async fn an_error_and_silence_conform_too() {
    let failing = agent(vec![CompiledStep::Error {
        message: "out of paper".to_owned(),
        code: None,
    }]);
    let failed = conforming(&failing, "an error", 1, b"").await;
    assert!(
        failed.changes.contains("out of paper"),
        "{}",
        failed.changes
    );
    assert_eq!(
        conforming(&agent(Vec::new()), "silence", 1, b"")
            .await
            .ended,
        Ok(Ended::Terminal)
    );
}
