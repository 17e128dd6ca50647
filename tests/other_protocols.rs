//! What belongs to another protocol: an answer, which an error names, and a type of turn, which does not load.

use ananke::diagnostic::Severity;

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// What real servers answer, whatever they are asked: whose answer it is, its status, its content type and its body.
const ANSWERS: [(&str, &str, &str, &str); 14] = [
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
        "ai-sdk",
        "200 OK",
        "text/event-stream",
        "data: {\"type\":\"start\"}\n\ndata: {\"type\": \"text-start\", \"id\": \"1\"}\n\ndata: [DONE]\n\n",
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
        "anthropic",
        "200 OK",
        "application/json",
        "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}",
    ),
    (
        "anthropic",
        "400 Bad Request",
        "application/json",
        "{\"type\": \"error\", \"error\": {\"type\": \"invalid_request_error\", \"message\": \"model: m\"}}",
    ),
    (
        "responses",
        "200 OK",
        "application/json",
        "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"output\":[]}",
    ),
    (
        "responses",
        "200 OK",
        "text/event-stream",
        "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\"}}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n",
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

const TARGETS: [(&str, &str, &str); 8] = [
    (
        "agui",
        "type: agui, agentId: a, endpoint: \"http://AGENT/\"",
        "user: hi",
    ),
    (
        "ai-sdk",
        "type: ai-sdk, endpoint: \"http://AGENT/\"",
        "user: hi",
    ),
    (
        "openai",
        "type: openai, endpoint: \"http://AGENT/\", model: m",
        "user: hi",
    ),
    (
        "responses",
        "type: responses, endpoint: \"http://AGENT/\", model: m",
        "user: hi",
    ),
    (
        "anthropic",
        "type: anthropic, endpoint: \"http://AGENT/\", model: m",
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

/// What a test may contain that not every target can do: its name, the rest of its turns, and further keys.
const NEEDS: [(&str, &str, &str); 15] = [
    ("user", "{ user: hi }", ""),
    ("user", "{ type: user, user: hi }", ""),
    ("a2a:send", "{ type: a2a:send, parts: [{ text: hi }] }", ""),
    ("agui:connect", "{ type: agui:connect }", ""),
    (
        "resume",
        "{ type: resume, resume: [{ status: resolved }] }",
        "",
    ),
    ("mcp:call", "{ type: mcp:call, tool: t }", ""),
    ("mcp:list", "{ type: mcp:list }", ""),
    ("mcp:read", "{ type: mcp:read, uri: \"shop://hours\" }", ""),
    ("mcp:prompt", "{ type: mcp:prompt, prompt: p }", ""),
    (
        "messages",
        "TURN",
        "messages: [{ role: assistant, content: hi }]",
    ),
    (
        "client_tools",
        "TURN",
        "client_tools: [{ name: t, mock: { result: 1 } }]",
    ),
    ("tools.forbid", "TURN", "assert: { tools: { forbid: [t] } }"),
    (
        "tools.schema",
        "TURN",
        "assert: { tools: { schema: true } }",
    ),
    (
        "usage.max_total_tokens",
        "TURN",
        "assert: { usage: { max_total_tokens: 1 } }",
    ),
    (
        "state",
        "TURN",
        "assert: { state: [{ path: a, equals: 1 }] }",
    ),
];

/// The problem with a test of a target with these keys that says what the target cannot do: its sentence, and the help.
fn lack(own: &str, target: &str, turn: &str, keys: &str) -> Option<(String, String)> {
    let target = target.replace("AGENT", "127.0.0.1:1");
    let config = format!("version: \"1.4\"\ntarget: {{ {target} }}\n");
    let usual = match own {
        "mcp" => "{ type: mcp:list }",
        _ => "{ user: hi }",
    };
    let turn = turn.replace("TURN", usual);
    let test = format!("version: \"1.4\"\nname: one\nturns:\n  - {turn}\n{keys}\n");
    let project = Project::new(&[("ananke.config.yaml", &config), ("one.test.yaml", &test)]);
    let problems = project.plan().problems;
    let sentence = format!("a target of the type `{own}` ");
    let found = problems
        .iter()
        .find(|problem| problem.message.starts_with(&sentence))?;
    let place = found
        .labels
        .first()
        .map(|label| label.source.place(label.span).line);
    let expected = if keys.is_empty() { 4 } else { 5 };
    assert_eq!(place, Some(expected), "{turn} {keys}: {}", found.message);
    Some((found.message.clone(), found.help.join("\n")))
}

#[test]
fn what_another_protocol_has_is_named_with_those_that_have_it() {
    let more = [
        ("command", "type: command, cmd: [agent], agentId: a", ""),
        ("external", "type: external, agent: a", ""),
        (
            "scripted",
            "type: scripted, rules: [{ do: [{ say: hi }] }]",
            "",
        ),
        (
            "http",
            "type: http, endpoint: \"http://AGENT/\", body: { m: \"${MESSAGES}\" }, resume: {}, response: { text: a, calls: { at: b, name: c }, usage: { input: d }, state: e }",
            "",
        ),
    ];
    let targets: Vec<_> = TARGETS.into_iter().chain(more).collect();
    for (name, turn, keys) in NEEDS {
        let lacks = targets
            .iter()
            .map(|(own, target, _)| lack(own, target, turn, keys));
        let lacks: Vec<_> = lacks.collect();
        let found = targets.iter().zip(&lacks);
        let able: Vec<&str> = found
            .filter(|(_, lack)| lack.is_none())
            .map(|((own, ..), _)| *own)
            .collect();
        assert!(!able.is_empty() && able.len() < targets.len(), "{name}");
        for (message, help) in lacks.into_iter().flatten() {
            assert!(message.contains(&format!("`{name}`")), "{message}");
            let is_for = format!("`{name}` is for targets of the type");
            let others = help.lines().find(|line| line.starts_with(&is_for));
            let others = others.unwrap_or_else(|| panic!("{message}: {help}"));
            let listed: Vec<&str> = others[is_for.len()..]
                .split('`')
                .skip(1)
                .step_by(2)
                .collect();
            for of in &able {
                assert!(listed.contains(of), "{message}: {others}");
            }
            for of in listed {
                // An agent of A2A shows calls by a convention that it names.
                let is_able = able.contains(&of) || of == "a2a" || of == "target: NAME";
                assert!(is_able, "{message}: {others}");
            }
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
