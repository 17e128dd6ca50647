//! The card of an agent: how it is found, requested and trusted with credentials.

use serde_json::{Value, json};

use super::{HELLO, Ran, card, error, message, not_found, ok, ran, respond};
use crate::support::raw_agent::Step;

#[tokio::test]
async fn a_card_is_found_in_every_form() {
    let at_base = |answers: Vec<Vec<Step>>| ran("agentCardUrl: \"http://AGENT/x\"", HELLO, answers);
    let relative = || ok(&card("/rpc", "JSONRPC"));
    let posted = "POST /rpc HTTP/1.1";
    let (new, old) = (
        "GET /x/.well-known/agent-card.json HTTP/1.1",
        "GET /x/.well-known/agent.json HTTP/1.1",
    );
    let run = at_base(vec![relative(), ok(&message(1))]).await;
    assert_eq!(
        (run.verdict().as_str(), run.lines()),
        ("passed", vec![new, posted])
    );
    assert_eq!(run.header(1, "a2a-version").as_deref(), Some("1.0"));
    let run = at_base(vec![not_found(), relative(), ok(&message(1))]).await;
    assert_eq!(
        (run.verdict().as_str(), run.lines()),
        ("passed", vec![new, old, posted])
    );
    let run = at_base(vec![not_found(), not_found(), relative(), ok(&message(1))]).await;
    assert_eq!(
        (run.verdict().as_str(), run.lines()),
        ("passed", vec![new, old, "GET /x HTTP/1.1", posted])
    );
    let run = at_base(vec![not_found(), not_found(), not_found()]).await;
    assert!(run.verdict().starts_with("error: no agent card (HTTP 404): nothing is at `/.well-known/agent-card.json` below `agentCardUrl`, "), "{}", run.verdict());
    let run = ran(
        "agentCardUrl: \"http://AGENT/c.json\"",
        HELLO,
        vec![relative(), ok(&message(1))],
    )
    .await;
    assert_eq!(
        (run.verdict().as_str(), run.lines()),
        ("passed", vec!["GET /c.json HTTP/1.1", posted])
    );
    let inline = "agentCard: { url: \"http://AGENT/rpc\", protocolVersion: \"0.3\" }";
    let run = ran(inline, HELLO, vec![ok(&message(1))]).await;
    assert_eq!(
        (run.verdict().as_str(), run.lines()),
        ("passed", vec![posted])
    );
    assert_eq!(
        (run.body(0)["method"].as_str(), run.header(0, "a2a-version")),
        (Some("message/send"), None)
    );
    let run = ran(
        "endpoint: \"http://AGENT/rpc\"",
        HELLO,
        vec![ok(&message(1))],
    )
    .await;
    assert_eq!(
        (run.verdict().as_str(), run.lines()),
        ("passed", vec![posted])
    );
}

#[tokio::test]
async fn a_card_is_requested_once_and_the_context_goes_on() {
    let turns = "[{ user: hi }, { user: again, assert: { text: { equals: hello } } }]";
    let answers = vec![
        ok(&card("/rpc", "JSONRPC")),
        ok(&message(1)),
        ok(&message(2)),
    ];
    let run = ran("agentCardUrl: \"http://AGENT\"", turns, answers).await;
    assert_eq!(run.verdict(), "passed");
    let sent = |number: usize| run.body(number)["params"]["message"]["contextId"].clone();
    assert_eq!((sent(1), sent(2)), (Value::Null, json!("c")));
    let given = ran(
        "endpoint: \"http://AGENT\", contextId: mine",
        HELLO,
        vec![ok(&message(1))],
    )
    .await;
    assert_eq!(given.body(0)["params"]["message"]["contextId"], "mine");
}

#[tokio::test]
async fn the_wrong_url_of_a_card_can_be_replaced() {
    let wrong = card("http://127.0.0.1:9/", "JSONRPC");
    let run = ran("agentCardUrl: \"http://AGENT\"", HELLO, vec![ok(&wrong)]).await;
    let verdict = run.verdict();
    assert!(
        verdict.starts_with("error: could not connect to http://127.0.0.1:9/"),
        "{verdict}"
    );
    assert!(
        verdict.contains("the agent card contains this URL"),
        "{verdict}"
    );
    let target = "agentCardUrl: \"http://AGENT\", endpoint: \"http://AGENT/real\"";
    let run = ran(target, HELLO, vec![ok(&wrong), ok(&message(1))]).await;
    assert_eq!(
        (run.verdict().as_str(), run.lines()[1]),
        ("passed", "POST /real HTTP/1.1")
    );
}

#[tokio::test]
async fn credentials_go_to_the_origin_of_the_card_alone() {
    for (secret, withheld) in [
        ("headers: { authorization: word-of-mouth }", "`headers` are"),
        (
            "auth: { scheme: bearer, token: word-of-mouth }",
            "`auth` is",
        ),
        (
            "headers: { x-a: b }, auth: { scheme: apiKey, name: k, value: word-of-mouth, in: query }",
            "`headers` and `auth` are",
        ),
    ] {
        let target = format!("agentCardUrl: \"http://AGENT\", {secret}");
        // Another host, another port of this machine, and another scheme.
        for agent in [
            "http://agent.invalid/",
            "http://localhost:1/",
            "https://127.0.0.1/",
        ] {
            let verdict = ran(&target, HELLO, vec![ok(&card(agent, "JSONRPC"))])
                .await
                .verdict();
            let told = format!("which is another origin: {withheld} not sent there");
            assert!(verdict.contains(&told), "{agent}: {verdict}");
        }
        let run = ran(
            &target,
            HELLO,
            vec![ok(&card("/", "JSONRPC")), ok(&message(1))],
        )
        .await;
        assert_eq!(run.verdict(), "passed");
    }
    let moved = respond(
        "302 Found",
        "text/plain",
        "location: http://agent.invalid/card.json\r\n",
        "",
    );
    let verdict = ran("agentCardUrl: \"http://AGENT/c.json\"", HELLO, vec![moved])
        .await
        .verdict();
    assert!(
        verdict.starts_with("error: the agent card redirects to http://agent.invalid/card.json"),
        "{verdict}"
    );
}

#[tokio::test]
async fn every_scheme_says_who_asks() {
    for (auth, name, value) in [
        (
            "scheme: bearer, token: word",
            "authorization",
            "Bearer word",
        ),
        (
            "scheme: oauth2, token: word",
            "authorization",
            "Bearer word",
        ),
        ("scheme: apiKey, name: X-Key, value: word", "x-key", "word"),
        (
            "scheme: apiKey, name: key, value: word, in: cookie",
            "cookie",
            "key=word",
        ),
    ] {
        let target = format!("agentCardUrl: \"http://AGENT\", auth: {{ {auth} }}");
        let run = ran(
            &target,
            HELLO,
            vec![ok(&card("/", "JSONRPC")), ok(&message(1))],
        )
        .await;
        assert_eq!(run.verdict(), "passed");
        let sent = [run.header(0, name), run.header(1, name)];
        assert_eq!(sent, [Some(value.to_owned()), Some(value.to_owned())]);
    }
    let target = "endpoint: \"http://AGENT/rpc\", auth: { scheme: apiKey, name: key, value: word, in: query }";
    let run = ran(target, HELLO, vec![ok(&message(1))]).await;
    assert_eq!(run.lines(), ["POST /rpc?key=word HTTP/1.1"]);
    let refused = respond("401 Unauthorized", "text/plain", "", "who are you?");
    let run = ran(
        "agentCardUrl: \"http://AGENT\"",
        HELLO,
        vec![ok(&card("/", "JSONRPC")), refused],
    )
    .await;
    assert!(
        run.verdict().ends_with("the agent card names `portal`)"),
        "{}",
        run.verdict()
    );
}

#[tokio::test]
async fn an_agent_without_a_card_may_be_of_the_older_version() {
    let bare = "endpoint: \"http://AGENT\"";
    let methods = |run: &Ran| -> Vec<String> {
        (0..run.requests.len())
            .map(|number| run.body(number)["method"].to_string())
            .collect()
    };
    for code in [-32601, -32009, -32600] {
        let turns = "[{ user: hi, assert: { text: { equals: hello } } }, { user: again }]";
        let run = ran(
            bare,
            turns,
            vec![ok(&error(1, code)), ok(&message(2)), ok(&message(3))],
        )
        .await;
        assert_eq!(run.verdict(), "passed");
        assert_eq!(
            methods(&run),
            ["\"SendMessage\"", "\"message/send\"", "\"message/send\""],
            "{code}"
        );
        assert_eq!(
            (
                run.header(0, "a2a-version").as_deref(),
                run.header(1, "a2a-version")
            ),
            (Some("1.0"), None)
        );
        let [first, second] =
            [0, 1].map(|number| run.body(number)["params"]["message"]["messageId"].clone());
        assert_eq!(first, second);
    }
    let run = ran(
        bare,
        HELLO,
        vec![ok(&error(1, -32601)), ok(&error(2, -32600))],
    )
    .await;
    let verdict = run.verdict();
    assert!(
        verdict.starts_with(
            "error: the agent accepts requests of A2A neither in version 1.0 nor in 0.3"
        ),
        "{verdict}"
    );
    // What the agent has taken in, or may have, is never sent once more, and a version that is written is not changed.
    let inline =
        "agentCard: { supportedInterfaces: [{ url: \"http://AGENT\", protocolVersion: \"1.0\" }] }";
    let failed = || respond("500 Internal Server Error", "text/plain", "", "boom");
    for (target, answer) in [
        (bare, ok(&error(1, -32603))),
        (bare, ok(&error(1, -32001))),
        (bare, failed()),
        (inline, ok(&error(1, -32601))),
    ] {
        let verdict = ran(target, HELLO, vec![answer]).await.verdict();
        assert!(
            verdict.starts_with("error: ") && !verdict.contains("connect"),
            "{target}: {verdict}"
        );
    }
    // Nor is an agent asked in another version in the middle of a conversation.
    let turns = "[{ user: hi }, { user: again }]";
    let verdict = ran(bare, turns, vec![ok(&message(1)), ok(&error(2, -32601))])
        .await
        .verdict();
    assert!(
        verdict.starts_with("error: the agent does not accept requests of A2A 1.0"),
        "{verdict}"
    );
}

#[tokio::test]
async fn a_card_is_requested_in_the_newest_version() {
    let run = ran(
        "agentCardUrl: \"http://AGENT\"",
        HELLO,
        vec![ok(&card("/rpc", "JSONRPC")), ok(&message(1))],
    )
    .await;
    assert_eq!(run.header(0, "a2a-version").as_deref(), Some("1.0"));
}
