//! Whatever an agent streams, the messages of the next request are a conversation that a model accepts: each result answers
//! one call that is listed before it, and each call has at most one result.

use serde_json::{Value, json};

use super::bodies::{last_messages, run};
use super::shared_ids::{
    Ran, answered, args, assistant, call, end, outline, result, snapshot, start, user,
};
use crate::support::whole_way::check_messages;

fn failed(events: Vec<Value>) -> Vec<Value> {
    let (begun, error) = (
        json!({"type": "RUN_STARTED"}),
        json!({"type": "RUN_ERROR", "message": "out of memory"}),
    );
    [vec![begun], events, vec![error]].concat()
}

fn tool(id: &str, content: &str) -> Value {
    json!({"id": format!("t-{content}"), "role": "tool", "toolCallId": id, "content": content})
}

/// What an agent sends, turn by turn, and the messages of the next request.
type Row = (&'static str, Vec<Vec<Value>>, Vec<&'static str>);

fn half() -> Vec<Value> {
    vec![start("c", "find"), args("c", "{")]
}

async fn check(table: impl IntoIterator<Item = Row>) {
    for (name, mut responses, expected) in table {
        let number = u32::try_from(responses.len() + 1).expect("few turns");
        responses.push(run(number, &[]));
        let messages = last_messages(&responses).await;
        let mut found = outline(&messages);
        assert_eq!(found.pop(), Some(format!("turn {number}")), "{name}");
        assert_eq!(found, expected, "{name}");
        check_messages(messages.as_array().expect("a list"));
    }
}

#[tokio::test]
async fn each_result_answers_one_listed_call() {
    let table = [
        (
            "the call of the result never became complete, and an earlier one has its id",
            vec![
                run(1, &answered("c", "find", "{}", "x")),
                failed([half(), vec![result("c", "y")]].concat()),
            ],
            vec!["turn 1", "c:find{}", "c=x", "turn 2"],
        ),
        (
            "the call of the result never became complete, and an earlier one without a result has its id",
            vec![
                run(1, &call("c", "find", "{}")),
                failed([half(), vec![result("c", "y")]].concat()),
            ],
            vec!["turn 1", "c:find{}", "turn 2"],
        ),
        (
            "the call of the result never became complete, and a later one has its id",
            vec![
                failed([half(), vec![result("c", "x")]].concat()),
                run(2, &answered("c", "find", "{}", "y")),
            ],
            vec!["turn 1", "turn 2", "c:find{}", "c=y"],
        ),
        (
            "the only call of the result never became complete",
            vec![failed([half(), vec![result("c", "x")]].concat())],
            vec!["turn 1"],
        ),
        (
            "an incomplete call beside complete ones in one message",
            vec![failed(
                [
                    call("a", "find", "{}"),
                    half(),
                    vec![result("c", "x"), result("a", "y")],
                ]
                .concat(),
            )],
            vec!["turn 1", "a:find{}", "a=y"],
        ),
        (
            "a result without a call",
            vec![run(1, &[result("c", "x")])],
            vec!["turn 1"],
        ),
        (
            "a result before its call",
            vec![run(
                1,
                &[vec![result("c", "x")], call("c", "find", "{}")].concat(),
            )],
            vec!["turn 1", "c:find{}", "c=x"],
        ),
        (
            "two results of one call",
            vec![run(
                1,
                &[answered("c", "find", "{}", "x"), vec![result("c", "y")]].concat(),
            )],
            vec!["turn 1", "c:find{}", "c=y"],
        ),
    ];
    check(table).await;
}

#[tokio::test]
async fn each_result_of_a_snapshot_answers_one_listed_call() {
    let table = [
        (
            "a snapshot with a result before its call",
            vec![run(
                1,
                &[snapshot(&[
                    user("one"),
                    tool("c", "x"),
                    assistant("m", "c", "find", "{}"),
                ])],
            )],
            vec!["one", "c:find{}", "c=x"],
        ),
        (
            "a snapshot with a result without a call, and two results of one call",
            vec![run(
                1,
                &[snapshot(&[
                    tool("b", "x"),
                    assistant("m", "c", "find", "{}"),
                    tool("c", "y"),
                    user("one"),
                    tool("c", "z"),
                ])],
            )],
            vec!["c:find{}", "one", "c=z"],
        ),
        (
            "a snapshot with two calls of one id in one message, and a result of each",
            vec![run(
                1,
                &[snapshot(&[
                    user("one"),
                    json!({"id": "m", "role": "assistant", "toolCalls": [
                        {"id": "c", "type": "function", "function": {"name": "find", "arguments": "1"}},
                        {"id": "c", "type": "function", "function": {"name": "find", "arguments": "2"}},
                    ]}),
                    tool("c", "x"),
                    tool("c", "y"),
                ])],
            )],
            vec!["one", "c:find1 c:find2", "c=x", "c=y"],
        ),
        (
            "a snapshot without the call, and its result afterwards",
            vec![run(
                1,
                &[
                    call("c", "find", "{}"),
                    vec![snapshot(&[user("one")]), result("c", "x")],
                ]
                .concat(),
            )],
            vec!["one", "c:find{}", "c=x"],
        ),
        (
            "a snapshot without the call while it is streamed, and its end and result afterwards",
            vec![run(
                1,
                &[
                    half(),
                    vec![snapshot(&[user("one")]), end("c"), result("c", "x")],
                ]
                .concat(),
            )],
            vec!["one", "c:find{", "c=x"],
        ),
        (
            "a message of the user that names a call",
            vec![run(
                1,
                &[snapshot(&[
                    assistant("m", "c", "find", "{}"),
                    tool("c", "x"),
                    json!({"id": "u", "role": "user", "toolCallId": "c", "content": "one"}),
                ])],
            )],
            vec!["c:find{}", "c=x", "c=one"],
        ),
    ];
    check(table).await;
}

#[tokio::test]
async fn a_call_that_a_snapshot_leaves_out_is_sent_with_the_result_of_the_client() {
    let test = "turns: [{ user: one }]\nclient_tools: [{ name: ask, mock: { result: 1 } }]\n";
    let first = [
        call("c", "ask", "{\"n\":1}"),
        vec![snapshot(&[user("one")])],
    ]
    .concat();
    let ran = Ran::counted(&[first, vec![]], test).await;
    assert_eq!(ran.history(), ["one", "c:ask{\"n\":1}", "c=1"]);
}
