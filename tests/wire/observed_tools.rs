//! Servers that execute their own tools behind the address of a model, and models that refuse tools.

use ananke::outcome::{Status, TranscriptLine};
use serde_json::{Value, json};

use super::openai::{
    TOOLS, Tested, body, calls, delta, fine, finish, fragment, response, say, tested,
};
use crate::support::project::Project;
use crate::support::raw_agent::RawAgent;

/// A chunk with the result of a call.
fn shows(id: &str, content: &str) -> Value {
    delta(&json!({ "role": "tool", "tool_call_id": id, "content": content }))
}

/// Tests a server that executes its tools itself.
async fn observed(chunks: Vec<Vec<Value>>, tools: &str, test: &str) -> Tested {
    let responses = chunks.iter().map(|chunks| fine(chunks)).collect();
    let agent = RawAgent::start(responses).await;
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: openai, endpoint: \"{}\", model: m, tools: {tools} }}\n",
        agent.url().replace("/agent", "/v1")
    );
    let test = format!("version: \"1.4\"\nname: a\n{test}");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    Tested {
        outcome,
        requests: agent.requests().await,
        project,
    }
}

fn books_and_pays() -> Vec<Value> {
    vec![
        say("One moment."),
        calls(&fragment(0, "k1", "book", "{\"seat\":1}")),
        calls(&fragment(1, "k2", "pay", "{}")),
        shows("k1", "{\"ok\":true}"),
        delta(&json!({ "role": "assistant", "content": "Booked." })),
        finish("stop"),
    ]
}

#[tokio::test]
async fn observed_calls_are_facts_that_nobody_answers() {
    let turns = "turns: [{ user: one, assert: { tools: { require: [{ name: book, result: { ok: true } }, { name: pay, status: executed }] }, text: { of: final, equals: Booked. } } }, { user: two }]\n";
    let chunks = vec![books_and_pays(), vec![say("Bye"), finish("stop")]];
    let Tested {
        outcome, requests, ..
    } = observed(chunks, "observed", &(TOOLS.to_owned() + turns)).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    assert_eq!(requests.len(), 2, "nothing is answered");
    let messages = &body(&requests[1])["messages"];
    assert_eq!(
        *messages,
        json!([
            { "role": "user", "content": "one" },
            { "role": "assistant", "content": "One moment.\nBooked." },
            { "role": "user", "content": "two" },
        ]),
        "calls do not go back"
    );
    assert_eq!(
        body(&requests[0])["tools"][0]["function"]["name"],
        "find_order"
    );
    let calls: Vec<(String, bool)> = (outcome.transcript.turns[0].lines.iter())
        .filter_map(|line| match line {
            TranscriptLine::Calls(call) => Some((call.name.clone(), call.hides_result)),
            _ => None,
        })
        .collect();
    assert_eq!(
        calls,
        [("book".to_owned(), false), ("pay".to_owned(), true)]
    );
}

#[tokio::test]
async fn a_client_tool_is_not_answered_if_calls_are_observed() {
    let chunks = vec![vec![
        calls(&fragment(0, "k", "find_order", "{}")),
        finish("tool_calls"),
    ]];
    let turns = "turns: [{ user: one, assert: { tools: { require: [{ name: find_order, status: executed }] } } }]\n";
    let Tested {
        outcome, requests, ..
    } = observed(chunks, "observed", &(TOOLS.to_owned() + turns)).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    assert_eq!(requests.len(), 1);
}

#[tokio::test]
async fn rules_about_results_that_are_not_shown_do_not_pass() {
    for (rule, expected) in [
        (
            "require: [{ name: pay, result: { ok: true } }]",
            Status::NotShown,
        ),
        ("require: [{ name: pay, status: pending }]", Status::Failed),
        (
            "require: [{ name: refund, result: { ok: true } }]",
            Status::Failed,
        ),
        (
            "require: [{ name: book, result: { ok: true } }]",
            Status::Passed,
        ),
        (
            "require: [{ name: book, result: { ok: false } }]",
            Status::Failed,
        ),
        (
            "forbid_calls: [{ name: pay, status: pending }]",
            Status::Passed,
        ),
        (
            "forbid_calls: [{ name: pay, status: executed }]",
            Status::Failed,
        ),
        ("require: [{ name: pay, status: executed }]", Status::Passed),
        (
            "forbid_calls: [{ name: pay, is_error: true }]",
            Status::NotShown,
        ),
        (
            "forbid_calls: [{ name: book, is_error: true }]",
            Status::Passed,
        ),
        (
            "forbid_calls: [{ name: book, result: { ok: true } }]",
            Status::Failed,
        ),
        ("require: [{ name: pay }]", Status::Passed),
        ("forbid: [pay]", Status::Failed),
    ] {
        for level in ["turn", "test"] {
            let rules = format!("{{ tools: {{ {rule} }} }}");
            let test = match level {
                "turn" => format!("turns: [{{ user: one, assert: {rules} }}]\n"),
                _ => format!("turns: [{{ user: one }}]\nassert: {rules}\n"),
            };
            let Tested { outcome, .. } = observed(vec![books_and_pays()], "observed", &test).await;
            assert_eq!(outcome.status(), expected, "{level}: {rule}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn a_call_that_the_response_answers_is_not_answered_again() {
    let answered = vec![
        calls(&fragment(0, "k", "search", "{}")),
        shows("k", "found"),
        delta(&json!({ "role": "assistant", "content": "Here." })),
        finish("stop"),
    ];
    let with_result = vec![
        delta(
            &json!({ "tool_calls": [{ "index": 0, "id": "k", "function": { "name": "search", "arguments": "{}" }, "result": "found" }] }),
        ),
        say("Here."),
        finish("stop"),
    ];
    for chunks in [answered, with_result] {
        let turns = "turns: [{ user: one, assert: { tools: { require: [{ name: search, result_match: found, status: executed }] }, text: { equals: Here. } } }, { user: two }]\n";
        let chunks = vec![chunks, vec![say("Bye"), finish("stop")]];
        let Tested {
            outcome, requests, ..
        } = observed(chunks, "run", turns).await;
        assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
        assert_eq!(
            body(&requests[1])["messages"][1],
            json!({ "role": "assistant", "content": "Here." })
        );
    }
}

#[tokio::test]
async fn a_server_with_tools_of_its_own_is_recognised() {
    let chunks = vec![vec![
        calls(&fragment(0, "k", "search", "{}")),
        finish("tool_calls"),
    ]];
    let Tested { outcome, .. } = observed(chunks, "run", "turns: [{ user: one }]\n").await;
    let (_, problem) = outcome.first_problem().expect("a problem");
    let help = problem.help.as_deref().unwrap_or_default();
    assert!(help.contains("`tools: observed`"), "{problem:?}");
}

#[tokio::test]
async fn a_model_that_refuses_tools_says_what_to_set() {
    let refused = "{\"error\":{\"message\":\"Function tools with reasoning_effort are not supported for m in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.\",\"type\":\"invalid_request_error\",\"param\":\"reasoning_effort\"}}";
    let responses = vec![response("400 Bad Request", "", refused)];
    let test = TOOLS.to_owned() + "turns: [{ user: one }]\n";
    let Tested { outcome, .. } = tested(responses, "params: {}", &test).await;
    let (_, problem) = outcome.first_problem().expect("a problem");
    let help = problem.help.as_deref().unwrap_or_default();
    assert!(help.contains("reasoning_effort: none"), "{problem:?}");
}

#[tokio::test]
async fn what_a_request_has_no_place_for_is_a_warning() {
    let test = "caller: { user: ada, team: red }\noptions: { connector: other, mode: chat }\nturns: [{ user: one }]\n";
    let responses = vec![fine(&[say("Hi"), finish("stop")])];
    let Tested {
        outcome, requests, ..
    } = tested(responses, "params: {}", test).await;
    let expected =
        "`mode`, `team` and `user` are not sent: the requests of this target have no place for it";
    assert_eq!(outcome.verdict.warnings, [expected]);
    assert_eq!(body(&requests[0])["model"], "other");
}

#[tokio::test]
async fn calls_and_results_may_arrive_in_pieces() {
    let piece = |content: &str| delta(&json!({ "content": content }));
    let chunks = vec![
        say("One moment."),
        calls(&fragment(0, "k1", "find_", "")),
        calls(&json!({ "index": 0, "function": { "name": "order" } })),
        calls(&fragment(1, "k2", "pay", "{}")),
        finish("tool_calls"),
        shows("k1", ""),
        shows("k2", "pa"),
        delta(&json!({ "tool_call_id": "k1", "content": "found " })),
        shows("k2", "id"),
        delta(&json!({ "role": "assistant" })),
        delta(&json!({ "role": "assistant", "content": "Do" })),
        piece("ne."),
        calls(&fragment(0, "k3", "pay", "{}")),
        finish("stop"),
    ];
    let turns = "turns: [{ user: one, assert: { tools: { require: [{ name: find_order, result_match: found }, { name: pay, result_match: paid }] }, text: { of: final, equals: Done. } } }, { user: two }]\n";
    let chunks = vec![chunks, vec![say("Bye"), finish("stop")]];
    let Tested {
        outcome, requests, ..
    } = observed(chunks, "observed", &(TOOLS.to_owned() + turns)).await;
    assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    assert_eq!(
        body(&requests[1])["messages"][1],
        json!({ "role": "assistant", "content": "One moment.\nDone." })
    );
    let calls: Vec<(String, bool)> = (outcome.transcript.turns[0].lines.iter())
        .filter_map(|line| match line {
            TranscriptLine::Calls(call) => Some((call.name.clone(), call.hides_result)),
            _ => None,
        })
        .collect();
    assert_eq!(
        calls,
        [
            ("find_order".to_owned(), false),
            ("pay".to_owned(), false),
            ("pay".to_owned(), true)
        ]
    );
}
