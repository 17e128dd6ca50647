//! The history that an agent receives of calls that share an id: each call with its result, announced again where it waited.

use serde_json::json;

use super::{Ran, answered, call, end, result, start};

#[tokio::test]
async fn the_history_has_every_call_with_its_result_and_the_agents_own_ids() {
    let parallel = [
        call("c", "a", "1"),
        call("c", "b", "2"),
        vec![result("c", "x"), result("c", "y")],
        answered("", "d", "{}", "z"),
    ];
    let responses = [parallel.concat(), answered("c", "e", "{}", "w"), vec![]];
    let ran = Ran::counted(
        &responses,
        "turns: [{ user: one }, { user: two }, { user: three }]\n",
    )
    .await;
    assert_eq!(
        ran.history(),
        [
            "one",
            "c:a1",
            "c=x",
            "c:b2",
            "c=y",
            "call-1:d{}",
            "call-1=z",
            "two",
            "c:e{}",
            "c=w",
            "three"
        ]
    );
}

#[tokio::test]
async fn a_tool_of_the_client_is_answered_for_each_call_of_an_id() {
    let test = "turns: [{ user: one }]\nclient_tools: [{ name: ask, mock: { sequence: [{ result: 1 }, { result: 2 }] } }]\n";
    let responses = [
        call("call_0", "ask", "{}"),
        call("call_0", "ask", "{}"),
        vec![],
    ];
    let ran = Ran::counted(&responses, test).await;
    assert_eq!(ran.calls(), [["ask({}) 1", "ask({}) 2"]]);
    assert_eq!(
        ran.history(),
        [
            "one",
            "call_0:ask{}",
            "call_0=1",
            "call_0:ask{}",
            "call_0=2"
        ]
    );
}

#[tokio::test]
async fn a_call_that_waits_for_an_approval_is_announced_again_with_or_without_its_arguments() {
    let interrupted = json!({"type": "RUN_FINISHED", "outcome": {"type": "interrupt", "interrupts": [
        {"id": "i", "reason": "tool_call", "toolCallId": "c"},
    ]}});
    let first = [call("c", "pay", "{\"n\":1}"), vec![interrupted]].concat();
    let test = "turns:\n  - user: one\n  - { type: agui:resume, resume: [{ status: resolved, payload: { ok: true } }] }\n  - user: three\n";
    for again in [
        answered("c", "pay", "{\"n\":1}", "paid"),
        vec![start("c", "pay"), end("c"), result("c", "paid")],
        vec![result("c", "paid")],
    ] {
        let ran = Ran::counted(&[first.clone(), again, vec![]], test).await;
        assert_eq!(
            ran.calls(),
            [vec!["pay({\"n\":1}) -"], vec![], vec![]],
            "the result comes later"
        );
        assert_eq!(ran.reported(), [0, 0, 0]);
        assert_eq!(ran.history(), ["one", "c:pay{\"n\":1}", "c=paid", "three"]);
    }
    let other = answered("c", "delete", "{}", "gone");
    let ran = Ran::counted(&[first, other, vec![]], test).await;
    assert_eq!(ran.calls()[1], ["delete({}) gone"]);
    assert_eq!(ran.reported(), [0, 1, 0]);
}
