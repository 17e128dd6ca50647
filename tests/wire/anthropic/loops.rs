//! Conversations with a model: its tools are answered by mocks, and a server that pauses or is busy is asked again.

use ananke::outcome::{ErrorKind, Outcome, Status, TranscriptLine};
use serde_json::{Value, json};

use super::{
    TOOLS, Tested, begins, body, ends, fine, message, piece, response, says, shows, tested, uses,
};
use crate::support::project::Project;
use crate::support::raw_agent::RawAgent;

fn passed(outcome: &Outcome) {
    assert_eq!(
        outcome.status(),
        Status::Passed,
        "{:?}",
        outcome.first_problem()
    );
}

/// The events of reasoning with its signature.
fn thinks(index: u64, text: &str, signature: &str) -> Vec<Value> {
    vec![
        begins(
            index,
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
        ),
        piece(index, json!({ "type": "thinking_delta", "thinking": text })),
        piece(
            index,
            json!({ "type": "signature_delta", "signature": signature }),
        ),
        ends(index),
    ]
}

#[tokio::test]
async fn the_mocks_of_the_tools_answer_the_model() {
    let turns = "turns: [{ user: \"Where is it?\", assert: { tools: { require: [{ name: find_order, count: { exact: 2 } }] }, text: { contains: \"on its way\" } } }, { user: Thanks }]\n";
    let target = "instructions: Be brief, params: { temperature: 0, tools: [{ type: web_search_20260318, name: web_search }] }, headers: { x-api-key: k }";
    let redacted = vec![
        begins(1, json!({ "type": "redacted_thinking", "data": "x" })),
        ends(1),
    ];
    let first = vec![
        thinks(0, "Hm", "s1"),
        redacted,
        says(2, "Wait"),
        uses(3, "tool_use", "t1", "find_order", "{\"receipt\": 1.50}"),
        uses(4, "tool_use", "t2", "find_order", ""),
    ];
    let responses = vec![
        fine(&message(first, "tool_use")),
        fine(&message(vec![says(0, "It is on its way.")], "end_turn")),
        fine(&message(vec![says(0, "Welcome")], "end_turn")),
    ];
    let Tested { outcome, requests } = tested(responses, target, &(TOOLS.to_owned() + turns)).await;
    passed(&outcome);

    let head = &requests[0].head;
    assert!(head.starts_with("POST /v1/messages "), "{head}");
    assert!(head.contains("x-api-key: k"), "{head}");
    assert_eq!(
        head.matches("anthropic-version: 2023-06-01").count(),
        1,
        "{head}"
    );
    let declared = json!({ "name": "find_order", "description": "Finds an order", "input_schema": { "type": "object" } });
    let search = json!({ "type": "web_search_20260318", "name": "web_search" });
    let user = json!({ "role": "user", "content": "Where is it?" });
    let expected = json!({
        "model": "m", "stream": true, "max_tokens": 4096, "temperature": 0, "system": "Be brief",
        "tools": [declared, search], "messages": [user],
    });
    assert_eq!(body(&requests[0]), expected);

    let input: Value = serde_json::from_str("{\"receipt\":1.50}").unwrap();
    let assistant = json!({ "role": "assistant", "content": [
        { "type": "thinking", "thinking": "Hm", "signature": "s1" },
        { "type": "redacted_thinking", "data": "x" },
        { "type": "text", "text": "Wait" },
        { "type": "tool_use", "id": "t1", "name": "find_order", "input": input },
        { "type": "tool_use", "id": "t2", "name": "find_order", "input": {} },
    ] });
    let result = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "{\"order\":\"O-7\"}" });
    let answers = json!({ "role": "user", "content": [result("t1"), result("t2")] });
    assert_eq!(
        body(&requests[1])["messages"],
        json!([user, assistant, answers])
    );
    let said = json!({ "role": "assistant", "content": [{ "type": "text", "text": "It is on its way." }] });
    let thanks = json!({ "role": "user", "content": "Thanks" });
    assert_eq!(
        body(&requests[2])["messages"],
        json!([user, assistant, answers, said, thanks])
    );
}

#[tokio::test]
async fn a_server_that_pauses_goes_on_within_the_turn() {
    let mut paused = message(
        vec![
            says(0, "Let me see."),
            uses(1, "server_tool_use", "s1", "web_search", "{}"),
        ],
        "pause_turn",
    );
    let stops = paused.len() - 2;
    paused[stops]["delta"]["container"] = json!({ "id": "c_1", "expires_at": "x" });
    let found = vec![
        shows(0, "web_search_tool_result", "s1", json!([{ "url": "u" }])),
        says(1, "Found."),
    ];
    let responses = vec![
        fine(&paused),
        fine(&message(found, "end_turn")),
        fine(&message(vec![says(0, "Bye")], "end_turn")),
    ];
    let turns = "turns: [{ user: one, assert: { tools: { require: [{ name: web_search, result: [{ url: u }] }] }, text: { of: final, equals: Found. }, usage: { max_total_tokens: 18 } } }, { user: two }]\n";
    let Tested { outcome, requests } = tested(responses, "", turns).await;
    passed(&outcome);
    assert_eq!(outcome.transcript.turns.len(), 2);
    let call = json!({ "type": "server_tool_use", "id": "s1", "name": "web_search", "input": {} });
    let text = json!({ "type": "text", "text": "Let me see." });
    let user = json!({ "role": "user", "content": "one" });
    let sent = body(&requests[1]);
    assert_eq!(
        sent["messages"],
        json!([user, { "role": "assistant", "content": [text, call] }])
    );
    assert_eq!(sent["container"], "c_1");
    let result = json!({ "type": "web_search_tool_result", "tool_use_id": "s1", "content": [{ "url": "u" }] });
    let found = json!({ "type": "text", "text": "Found." });
    assert_eq!(
        body(&requests[2])["messages"],
        json!([user, { "role": "assistant", "content": [text, call, result, found] }, { "role": "user", "content": "two" }])
    );
}

#[tokio::test]
async fn a_server_that_only_pauses_is_an_error() {
    let paused = || fine(&message(vec![says(0, "Still")], "pause_turn"));
    let responses = (0..25).map(|_| paused()).collect();
    let Tested { outcome, requests } = tested(responses, "", "turns: [{ user: hi }]\n").await;
    assert_eq!((outcome.status(), requests.len()), (Status::Error, 25));
    let (_, problem) = outcome.first_problem().expect("a problem");
    assert_eq!(
        problem.message,
        "the server still pauses after 25 requests in one turn"
    );
}

#[tokio::test]
async fn observed_calls_are_facts_that_nobody_answers() {
    let blocks = vec![
        thinks(0, "Hm", "s1"),
        uses(1, "tool_use", "k1", "book", "{\"seat\":1}"),
        shows(2, "tool_result", "k1", json!("{\"ok\":true}")),
        uses(3, "tool_use", "k2", "pay", "{}"),
        says(4, "Booked."),
    ];
    let responses = vec![
        fine(&message(blocks, "end_turn")),
        fine(&message(vec![thinks(0, "So", "s2")], "end_turn")),
        fine(&message(vec![says(0, "Bye")], "end_turn")),
    ];
    let turns = "turns: [{ user: one, assert: { tools: { require: [{ name: book, result: { ok: true } }, { name: pay, status: executed }] }, text: { equals: Booked. } } }, { user: two }, { user: three }]\n";
    let Tested { outcome, requests } =
        tested(responses, "tools: observed", &(TOOLS.to_owned() + turns)).await;
    passed(&outcome);
    let expected = json!([
        { "role": "user", "content": "one" },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "Hm", "signature": "s1" }, { "type": "text", "text": "Booked." },
        ] },
        { "role": "user", "content": "two" },
        { "role": "user", "content": "three" },
    ]);
    assert_eq!(
        body(&requests[2])["messages"],
        expected,
        "an answer of reasoning alone does not go back"
    );
}

#[tokio::test]
async fn a_call_that_the_response_answers_is_not_answered_again() {
    let blocks = vec![
        uses(0, "tool_use", "k1", "find_order", "{}"),
        shows(1, "tool_result", "k1", json!("own")),
        says(2, "Done."),
    ];
    let turns = "turns: [{ user: one, assert: { tools: { require: [{ name: find_order, result: own }] } } }, { user: two }]\n";
    let responses = vec![
        fine(&message(blocks, "end_turn")),
        fine(&message(vec![says(0, "Bye")], "end_turn")),
    ];
    let Tested { outcome, requests } = tested(responses, "", &(TOOLS.to_owned() + turns)).await;
    passed(&outcome);
    let said = json!({ "role": "assistant", "content": [{ "type": "text", "text": "Done." }] });
    assert_eq!(body(&requests[1])["messages"][1], said);
}

#[tokio::test]
async fn code_of_the_server_waits_for_a_call_of_the_client() {
    let mut asks = vec![
        uses(
            0,
            "server_tool_use",
            "c1",
            "code_execution",
            "{\"code\":\"find()\"}",
        ),
        uses(1, "tool_use", "t1", "find_order", "{}"),
    ];
    asks[1][0]["content_block"]["caller"] =
        json!({ "type": "code_execution_20260120", "tool_id": "c1" });
    let ran = vec![
        shows(
            0,
            "code_execution_tool_result",
            "c1",
            json!({ "type": "code_execution_result", "stdout": "O-7" }),
        ),
        says(1, "O-7"),
    ];
    let responses = vec![
        fine(&message(asks, "tool_use")),
        fine(&message(ran, "end_turn")),
    ];
    let turns = "turns: [{ user: one, assert: { tools: { require: [{ name: find_order, count: 1 }, { name: code_execution, result: { stdout: O-7 } }] } } }]\n";
    let Tested { outcome, requests } = tested(responses, "", &(TOOLS.to_owned() + turns)).await;
    passed(&outcome);
    let messages = &body(&requests[1])["messages"];
    assert_eq!(messages[1]["content"][0]["id"], "c1", "{messages}");
    assert_eq!(
        messages[1]["content"][1]["caller"]["tool_id"], "c1",
        "{messages}"
    );
    assert_eq!(
        messages[2]["content"].as_array().map(Vec::len),
        Some(1),
        "{messages}"
    );
}

#[tokio::test]
async fn tools_of_the_api_that_the_client_executes_have_mocks_by_their_name() {
    let bash = || {
        fine(&message(
            vec![uses(0, "tool_use", "b", "bash", "{\"command\":\"ls\"}")],
            "tool_use",
        ))
    };
    let declared = "params: { tools: [{ type: bash_20250124, name: bash }] }";
    let turns = "turns: [{ user: one, assert: { tools: { require: [{ name: bash }] } } }]\n";
    // Without a mock, the call stays pending.
    let Tested { outcome, requests } = tested(vec![bash()], declared, turns).await;
    passed(&outcome);
    assert_eq!(requests.len(), 1);

    let mock = "client_tools: [{ name: bash, mock: { error: no } }]\n".to_owned();
    let done = fine(&message(vec![says(0, "No")], "end_turn"));
    let Tested { outcome, requests } = tested(vec![bash(), done], declared, &(mock + turns)).await;
    passed(&outcome);
    let sent = body(&requests[1]);
    assert_eq!(
        sent["tools"],
        json!([{ "type": "bash_20250124", "name": "bash" }])
    );
    assert_eq!(
        sent["messages"][2]["content"][0]["is_error"], true,
        "{sent}"
    );
}

#[tokio::test]
async fn an_input_that_is_no_json_goes_back_in_an_object() {
    let cut = fine(&message(
        vec![uses(0, "tool_use", "a", "find_order", "{\"receipt\":")],
        "max_tokens",
    ));
    let done = fine(&message(vec![says(0, "Sorry")], "end_turn"));
    let Tested { requests, .. } = tested(
        vec![cut, done],
        "",
        &(TOOLS.to_owned() + "turns: [{ user: one }]\n"),
    )
    .await;
    let call = &body(&requests[1])["messages"][1]["content"][0];
    assert_eq!(call["input"], json!({ "INVALID_JSON": "{\"receipt\":" }));
}

#[tokio::test]
async fn a_call_to_a_tool_that_is_not_declared_fails_the_turn() {
    let responses = vec![fine(&message(
        vec![uses(0, "tool_use", "a", "drop_all", "{}")],
        "tool_use",
    ))];
    let test = TOOLS.to_owned() + "turns: [{ user: hi }]\n";
    let Tested { outcome, .. } = tested(responses, "", &test).await;
    assert_eq!(outcome.status(), Status::Error);
    let (_, problem) = outcome.first_problem().expect("a problem");
    assert_eq!(
        problem.message,
        "the model called the tool `drop_all`, which is not declared; declared are `find_order`"
    );
    assert!(
        problem
            .help
            .as_deref()
            .unwrap_or_default()
            .contains("tools: observed")
    );
    let is_call = |line: &TranscriptLine| matches!(line, TranscriptLine::Calls(_));
    assert!(
        outcome.transcript.turns[0].lines.iter().any(is_call),
        "the call is shown"
    );
}

#[tokio::test]
async fn only_a_busy_server_is_asked_again() {
    let test = "turns: [{ user: hi }]\n";
    let refusal = |kind: &str| {
        format!(
            "{{\"type\":\"error\",\"error\":{{\"type\":\"{kind}\",\"message\":\"slow down\"}}}}"
        )
    };
    let busy = response(
        "429 Too Many Requests",
        "retry-after: 0\r\n",
        &refusal("rate_limit_error"),
    );
    let done = fine(&message(vec![says(0, "There")], "end_turn"));
    let Tested { outcome, requests } = tested(vec![busy, done], "", test).await;
    passed(&outcome);
    assert_eq!(
        (requests.len(), body(&requests[0])),
        (2, body(&requests[1]))
    );

    for status in ["503 Service Unavailable", "529 Overloaded"] {
        let busy = response(status, "retry-after: 0\r\n", &refusal("overloaded_error"));
        let Tested { outcome, requests } = tested(vec![busy], "", test).await;
        assert_eq!(
            (outcome.status(), requests.len()),
            (Status::Error, 1),
            "{status}"
        );
        let (_, problem) = outcome.first_problem().expect("a problem");
        assert_eq!(problem.kind, ErrorKind::Protocol);
        assert!(problem.message.contains("slow down"), "{}", problem.message);
    }
}

#[tokio::test]
async fn another_version_is_sent_alone_and_its_refusals_have_help() {
    let refusal = "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"temperature: Extra inputs are not permitted\"}}";
    let refused = response("400 Bad Request", "", refusal);
    let target = "headers: { Anthropic-Version: \"2026-10-21\" }, params: { temperature: 0 }";
    let Tested { outcome, requests } =
        tested(vec![refused], target, "turns: [{ user: hi }]\n").await;
    let head = &requests[0].head;
    assert_eq!(head.matches("anthropic-version: ").count(), 1, "{head}");
    assert!(head.contains("anthropic-version: 2026-10-21"), "{head}");
    let (_, problem) = outcome.first_problem().expect("a problem");
    assert!(
        problem
            .help
            .as_deref()
            .unwrap_or_default()
            .contains("`temperature`"),
        "{:?}",
        problem.help
    );
}

#[tokio::test]
async fn a_model_judges() {
    let say = |text: &str| fine(&message(vec![says(0, text)], "end_turn"));
    let judge = RawAgent::start(vec![say(
        "{\"passed\": true, \"score\": 1, \"reason\": \"fine\"}",
    )])
    .await;
    let agent = RawAgent::start(vec![say("Hello")]).await;
    let config = format!(
        "version: \"1.4\"\ntarget: {{ type: anthropic, endpoint: \"{}\", model: m }}\ntargets: {{ strict: {{ type: anthropic, endpoint: \"{}\", model: j }} }}\n",
        agent.url().replace("/agent", ""),
        judge.url().replace("/agent", "/v1"),
    );
    let test = "version: \"1.4\"\nname: a\nturns: [{ user: hi, assert: { judge: [{ agent: strict, connector: other, criteria: polite }] } }]\n";
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", test)]);
    let outcome = project.run().await.remove(0);
    passed(&outcome);
    let sent = body(&judge.requests().await[0]);
    assert_eq!(sent["model"], "other");
    assert!(
        sent["system"]
            .as_str()
            .is_some_and(|system| !system.is_empty()),
        "{sent}"
    );
}
