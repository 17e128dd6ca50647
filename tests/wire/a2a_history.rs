//! A2A: what was there before the turn is not of the turn (SPEC 6), and an event of an unknown kind ends none (SPEC 13).

use ananke::outcome::{Outcome, Status};
use serde_json::{Value, json};

use super::unread::{A2A, judged, judged_tests, stream};

const RULES: &str =
    "{ tools: { forbid: [delete_order], max_calls: 1 }, text: { must_not_match: hunter2 } }";

fn task(state: &str, history: &[Value]) -> Value {
    json!({ "task": { "id": "t", "contextId": "c", "status": { "state": state }, "history": history } })
}

fn done() -> Value {
    let status = json!({ "state": "TASK_STATE_COMPLETED" });
    json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": status } })
}

fn agent(id: &str, part: &Value) -> Value {
    let mut message = json!({ "role": "ROLE_AGENT", "parts": [part] });
    if !id.is_empty() {
        message["messageId"] = json!(id);
    }
    message
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

fn call(name: &str) -> Value {
    json!({ "data": { "name": name, "args": {} }, "metadata": { "adk_type": "function_call" } })
}

#[tokio::test]
async fn only_what_follows_the_own_message_in_a_history_is_of_the_turn() {
    use Status::{Failed, NotShown, Passed};
    let user = json!({ "messageId": "u", "role": "ROLE_USER", "parts": [{ "text": "hi" }] });
    let forbidden = [text("hunter2"), call("delete_order")];
    let unknown = json!({ "kind": "video", "inner": { "text": "a" } });
    let mut rows = Vec::new();
    for part in forbidden.iter().chain([&unknown]) {
        let is_unknown = *part == unknown;
        let hit = if is_unknown { NotShown } else { Failed };
        for id in ["m", ""] {
            let message = agent(id, part);
            rows.extend([
                (vec![message.clone(), user.clone()], Passed),
                (vec![user.clone(), message.clone()], hit),
                // Without its own message, all of it is new.
                (vec![message], hit),
            ]);
        }
    }
    let events = |history: &[Value]| {
        // The same history comes with each task, as in polls.
        let [first, again] =
            ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"].map(|state| task(state, history));
        stream(&[first, again, done()])
    };
    let bodies = rows.iter().map(|(history, _)| events(history)).collect();
    let outcomes = judged(A2A, RULES, bodies).await;
    for (outcome, (history, status)) in outcomes.iter().zip(&rows) {
        assert_eq!(outcome.status(), *status, "{}", json!(history));
    }
    // A call without an id in a message without one is one call, however often the history comes.
    let once = events(&[user.clone(), agent("", &call("pay"))]);
    let twice = events(&[user, agent("", &call("pay")), agent("", &call("pay"))]);
    let outcomes = judged(A2A, RULES, vec![once, twice]).await;
    let statuses: Vec<Status> = outcomes.iter().map(Outcome::status).collect();
    assert_eq!(statuses, [Passed, Failed]);
}

#[tokio::test]
async fn a_question_that_waits_since_before_the_turn_is_not_of_the_turn() {
    for id in ["q", ""] {
        for part in [text("Which one? hunter2"), call("delete_order")] {
            let message = agent(id, &part);
            let status = json!({ "state": "TASK_STATE_INPUT_REQUIRED", "message": message, "timestamp": "1" });
            let waiting = json!({ "task": { "id": "t", "contextId": "c", "status": status } });
            let update =
                json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": status } });
            let first = stream(&[task("TASK_STATE_SUBMITTED", &[]), update]);
            let second = stream(&[waiting, done()]);
            let test = format!("turns: [{{ user: hi }}, {{ user: go on, assert: {RULES} }}]");
            let outcomes = judged_tests(A2A, "{}", &[&test], vec![first, second]).await;
            assert_eq!(outcomes[0].status(), Status::Passed, "{message}");
        }
    }
}

#[tokio::test]
async fn an_event_of_an_unknown_kind_ends_no_turn() {
    use Status::{Error, NotShown, Passed};
    let with = |event: Value| vec![task("TASK_STATE_SUBMITTED", &[]), event, done()];
    let rows = [
        (with(json!({ "hologramUpdate": { "taskId": "t" } })), Passed),
        (with(json!({ "kind": "hologram", "taskId": "t" })), Passed),
        (with(json!({ "status": null })), Passed),
        (
            with(json!({ "hologramUpdate": { "text": "hunter2" } })),
            NotShown,
        ),
        (
            with(json!({ "hologramUpdate": { "name": "delete_order", "args": {} } })),
            NotShown,
        ),
        (vec![json!({ "hologramUpdate": { "taskId": "t" } })], Error),
    ];
    let bodies = rows.iter().map(|(events, _)| stream(events)).collect();
    let outcomes = judged(A2A, RULES, bodies).await;
    for (outcome, (events, status)) in outcomes.iter().zip(&rows) {
        assert_eq!(outcome.status(), *status, "{}", json!(events));
    }
    let warnings = &outcomes[0].transcript.turns[0].warnings;
    assert!(
        warnings[0].contains("`event:hologramUpdate` was not understood"),
        "{warnings:?}"
    );
    let error = format!("{:?}", outcomes[5].transcript.turns[0].problem());
    assert!(
        error.contains("has neither a task, nor a message, nor an update of a task"),
        "{error}"
    );
}
