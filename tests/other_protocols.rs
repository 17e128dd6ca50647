//! Targets whose address is that of an agent of another protocol: the error names it.

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// What real servers answer, whatever they are asked: whose answer it is, its status, its content type and its body.
const ANSWERS: [(&str, &str, &str, &str); 8] = [
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
    ("agui", "type: agui, agentId: a, endpoint: \"http://AGENT/\"", "user: hi"),
    ("openai", "type: openai, endpoint: \"http://AGENT/\", model: m", "user: hi"),
    ("mcp", "type: mcp, transport: http, endpoint: \"http://AGENT/\"", "type: \"mcp:call\", tool: t"),
    ("a2a", "type: a2a, endpoint: \"http://AGENT/\"", "user: hi"),
    ("a2a", "type: a2a, agentCardUrl: \"http://AGENT/card.json\"", "user: hi"),
];

/// The message and the help of the problem of a test whose agent answers so.
async fn problem(target: &str, turn: &str, status: &str, content_type: &str, body: &str) -> (String, String) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let answer = vec![Step::Expect, Step::Send([head.as_bytes(), body.as_bytes()].concat())];
    let agent = RawAgent::start(vec![answer; 6]).await;
    let target = target.replace("AGENT", &agent.address.to_string());
    let config = format!("version: \"1.4\"\ntarget: {{ {target} }}\n");
    let test = format!("version: \"1.4\"\nname: one\nturns: [{{ {turn} }}]\n");
    let project = Project::new(&[("ananke.config.yaml", &config), ("one.test.yaml", &test)]);
    let outcome = project.run().await.remove(0);
    let (_, problem) = outcome.first_problem().expect("an answer of another protocol is a problem");
    (problem.message.clone(), problem.help.clone().unwrap_or_default())
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
            let expected =
                format!("the answer looks like one of `type: {of}`, but the target has `type: {own}`");
            if help != expected {
                unnamed.push(format!("{own} gets {body}:\n  {message}\n  {help}"));
            }
        }
    }
    assert_eq!(unnamed, Vec::<String>::new(), "{}", unnamed.join("\n"));
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
