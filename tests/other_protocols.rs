//! What belongs to another protocol: an answer, which an error names, and a type of turn, which does not load.

use ananke::diagnostic::Severity;

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// What real servers answer, whatever they are asked: whose answer it is, its status, its content type and its body.
const ANSWERS: [(&str, &str, &str, &str); 9] = [
    (
        "agui",
        "200 OK",
        "text/event-stream",
        "data: {\"type\": \"RUN_STARTED\", \"threadId\": \"t\", \"runId\": \"r\"}\n\ndata: {\"type\": \"RUN_FINISHED\", \"threadId\": \"t\", \"runId\": \"r\"}\n\n",
    ),
    (
        "agui",
        "422 Unprocessable Entity",
        "application/json",
        "[{\"type\":\"missing\",\"loc\":[\"threadId\"],\"msg\":\"Field required\",\"input\":{}}]",
    ),
    (
        "openai",
        "200 OK",
        "application/json",
        "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"hi\"}}]}",
    ),
    (
        "openai",
        "400 Bad Request",
        "application/json",
        "{\n  \"error\": {\n    \"message\": \"you must provide a model parameter\",\n    \"type\": \"invalid_request_error\",\n    \"param\": null,\n    \"code\": null\n  }\n}",
    ),
    (
        "mcp",
        "400 Bad Request",
        "application/json",
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"Bad Request: No valid session ID provided\"},\"id\":null}",
    ),
    (
        "mcp",
        "406 Not Acceptable",
        "application/json",
        "{\"jsonrpc\":\"2.0\",\"id\":\"server-error\",\"error\":{\"code\":-32600,\"message\":\"Not Acceptable: Client must accept both application/json and text/event-stream\"}}",
    ),
    (
        "mcp",
        "406 Not Acceptable",
        "application/json",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Not Acceptable: Client must accept text/event-stream\"}}",
    ),
    (
        "a2a",
        "200 OK",
        "application/json",
        "{\"name\":\"a\",\"supportedInterfaces\":[{\"url\":\"http://h/\",\"protocolBinding\":\"JSONRPC\"}]}",
    ),
    (
        "a2a",
        "200 OK",
        "text/event-stream",
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"task\":{\"id\":\"t\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}}\n\n",
    ),
];

const TARGETS: [(&str, &str, &str); 5] = [
    (
        "agui",
        "type: agui, agentId: a, endpoint: \"http://AGENT/\"",
        "user: hi",
    ),
    (
        "openai",
        "type: openai, endpoint: \"http://AGENT/\", model: m",
        "user: hi",
    ),
    (
        "mcp",
        "type: mcp, transport: http, endpoint: \"http://AGENT/\"",
        "type: \"mcp:call\", tool: t",
    ),
    ("a2a", "type: a2a, endpoint: \"http://AGENT/\"", "user: hi"),
    (
        "a2a",
        "type: a2a, agentCardUrl: \"http://AGENT/card.json\"",
        "user: hi",
    ),
];

/// The message and the help of the problem of a test whose agent answers so.
async fn problem(
    target: &str,
    turn: &str,
    status: &str,
    content_type: &str,
    body: &str,
) -> (String, String) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let answer = vec![
        Step::Expect,
        Step::Send([head.as_bytes(), body.as_bytes()].concat()),
    ];
    let agent = RawAgent::start(vec![answer; 6]).await;
    let target = target.replace("AGENT", &agent.address.to_string());
    let config = format!("version: \"1.4\"\ntarget: {{ {target} }}\n");
    let test = format!("version: \"1.4\"\nname: one\nturns: [{{ {turn} }}]\n");
    let project = Project::new(&[("ananke.config.yaml", &config), ("one.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    let (_, problem) = outcome
        .first_problem()
        .expect("an answer of another protocol is a problem");
    (
        problem.message.clone(),
        problem.help.clone().unwrap_or_default(),
    )
}

#[tokio::test]
async fn an_error_names_the_protocol_of_an_answer() {
    let mut unnamed = Vec::new();
    for (of, status, content_type, body) in ANSWERS {
        for (own, target, turn) in TARGETS {
            if of == own {
                continue;
            }
            let (message, help) = problem(target, turn, status, content_type, body).await;
            let expected = format!(
                "the answer looks like one of `type: {of}`, but the target has `type: {own}`"
            );
            if help != expected {
                unnamed.push(format!("{own} gets {body}:\n  {message}\n  {help}"));
            }
        }
    }
    assert_eq!(unnamed, Vec::<String>::new(), "{}", unnamed.join("\n"));
}

#[tokio::test]
async fn a_runtime_of_copilotkit_that_is_asked_like_an_agent_is_named() {
    let refused = r#"{"error":"invalid_request","message":"Missing method field"}"#;
    let unknown = r#"{"error":"Not found"}"#;
    let answer = |path: &'static str, status: &'static str, body: &'static str| async move {
        let target = format!("type: agui, agentId: a, endpoint: \"http://AGENT/{path}\"");
        problem(&target, "user: hi", status, "application/json", body)
            .await
            .1
    };
    for (path, status, body) in [
        ("runtime", "400 Bad Request", refused),
        ("api/copilotkit", "404 Not Found", unknown),
    ] {
        let help = answer(path, status, body).await;
        assert!(help.contains("`transport: copilotkit`"), "{path}: {help}");
    }
    for (path, status, body) in [
        ("agent", "404 Not Found", unknown),
        ("api/copilotkit", "500 Internal Server Error", unknown),
    ] {
        let help = answer(path, status, body).await;
        assert!(!help.contains("copilotkit"), "{path}: {help}");
    }
}

#[tokio::test]
async fn a_web_page_is_named_as_one_or_quoted() {
    for (own, target, turn) in TARGETS {
        let page = "<!doctype html><html><body>It works</body></html>";
        let (message, help) = problem(target, turn, "200 OK", "text/html", page).await;
        assert!(message.contains("<!doctype html>"), "{own}: {message}");
        assert!(!help.contains("looks like"), "{own}: {help}");
    }
}

/// A type of turn, as it is written, and the targets that it is for.
const TURNS: [(&str, &[&str]); 9] = [
    (
        "user: hi",
        &["agui", "command", "openai", "a2a", "scripted"],
    ),
    ("type: \"a2a:send\", parts: [{ text: hi }]", &["a2a"]),
    ("type: \"agui:connect\"", &["agui", "command", "scripted"]),
    (
        "type: \"agui:resume\", resume: [{ status: resolved }]",
        &["agui", "command", "scripted"],
    ),
    ("type: \"mcp:call\", tool: t", &["mcp"]),
    ("type: \"mcp:list\"", &["mcp"]),
    ("type: \"mcp:read\", uri: \"shop://hours\"", &["mcp"]),
    ("type: \"mcp:prompt\", prompt: p", &["mcp"]),
    (
        "type: user, user: hi",
        &["agui", "command", "openai", "a2a", "scripted"],
    ),
];

#[test]
fn a_turn_of_another_protocol_does_not_load() {
    let more = [
        ("command", "type: command, cmd: [agent], agentId: a", ""),
        (
            "scripted",
            "type: scripted, rules: [{ do: [{ say: hi }] }]",
            "",
        ),
    ];
    for (own, target, _) in TARGETS.into_iter().chain(more) {
        let config = format!(
            "version: \"1.4\"\ntarget: {{ {} }}\n",
            target.replace("AGENT", "127.0.0.1:1")
        );
        for (turn, takes) in TURNS {
            let test = format!("version: \"1.4\"\nname: one\nturns:\n  - {{ {turn} }}\n");
            let project =
                Project::new(&[("ananke.config.yaml", &config), ("one.test.yaml", &test)]);
            let problems: Vec<String> = project
                .plan()
                .problems
                .iter()
                .map(ToString::to_string)
                .collect();
            let lacks =
                format!("one.test.yaml:4:5: error[contradiction]: a target of the type `{own}` ");
            let refused = problems.iter().any(|problem| problem.starts_with(&lacks));
            assert_eq!(
                refused,
                !takes.contains(&own),
                "{turn} of {own}: {problems:?}"
            );
        }
    }
}

#[test]
fn a_file_of_an_older_version_does_not_know_newer_protocols() {
    let a2a = (
        "a2a",
        "endpoint: \"http://127.0.0.1:1/\"",
        "a2a:send",
        "parts: [{ text: hi }]",
        "1.1",
    );
    let mcp = (
        "mcp",
        "transport: http, endpoint: \"http://127.0.0.1:1/\"",
        "mcp:call",
        "tool: t",
        "1.2",
    );
    for (name, keys, turn, turn_keys, since) in [a2a, mcp] {
        for version in ["1.0", "1.1", "1.2", "1.3"] {
            let config = format!("version: \"{version}\"\ntarget: {{ type: {name}, {keys} }}\n");
            let test = format!(
                "version: \"{version}\"\nname: one\nturns: [{{ type: \"{turn}\", {turn_keys} }}]\n"
            );
            let project =
                Project::new(&[("ananke.config.yaml", &config), ("one.test.yaml", &test)]);
            let problems = project.plan().problems;
            let found: Vec<&str> = problems
                .iter()
                .map(|problem| problem.message.as_str())
                .filter(|message| message.contains("needs version"))
                .collect();
            assert_eq!(
                problems
                    .iter()
                    .any(|problem| problem.severity == Severity::Error),
                version < since
            );
            let newer = |what: &str| {
                format!("`type: {what}` needs version {since}; this file says {version}")
            };
            let expected = if version < since {
                vec![newer(name), newer(turn)]
            } else {
                Vec::new()
            };
            assert_eq!(found, expected, "{name} in {version}");
        }
    }
}
