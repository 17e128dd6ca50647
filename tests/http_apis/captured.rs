//! The responses in `tests/captures/http`, each read by a mapping that its users would write.

use std::path::Path;

use ananke::Status;
use ananke::outcome::Outcome;

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

/// A response, how it is read, and what comes of it.
struct Row {
    /// The file, and the name of the response in it.
    capture: (&'static str, &'static str),
    /// The keys of `response`.
    response: &'static str,
    /// What the agent said, or the error.
    expected: Expected,
    /// The rules about its calls.
    tools: &'static str,
}

enum Expected {
    Text(&'static str),
    Error(&'static str),
}

const ADK: &str = r#"stream: sse, text: { path: "[?!partial].content.parts[?!thought].text", mode: whole }, calls: { at: "[?!partial].content.parts[*].functionCall", id: id, name: name, args: args }, results: { at: "content.parts[*].functionResponse", id: id, result: response }, error: [errorMessage, error], usage: { input: "[?!partial].usageMetadata.promptTokenCount", output: "[?!partial].usageMetadata.candidatesTokenCount", add: true }"#;
const ADK_RUN: &str = r#"text: { path: "[*][?!partial].content.parts[?!thought].text", mode: whole }, calls: { at: "[*].content.parts[*].functionCall", id: id, name: name, args: args }, results: { at: "[*].content.parts[*].functionResponse", id: id, result: response }"#;
const AGNO: &str = r#"text: "[?status!=ERROR].content", calls: { at: "tools[*]", id: tool_call_id, name: tool_name, args: tool_args, result: result, error: tool_call_error }, error: "[?status=ERROR].content", usage: { input: metrics.input_tokens, output: metrics.output_tokens }"#;
const AGNO_SSE: &str = r#"stream: sse, text: "[?event=RunContent].content", calls: { at: "[?event=ToolCallStarted].tool", id: tool_call_id, name: tool_name, args: tool_args }, results: { at: "[?event=ToolCallCompleted].tool", id: tool_call_id, result: result, error: tool_call_error }, error: "[?event=RunError].content", done: "[?event=RunCompleted]""#;
const LANGGRAPH_TOKENS: &str = r#"stream: sse, text: "[?@event=messages][0][?type=AIMessageChunk].content", calls: { at: "[?@event=messages][0].tool_call_chunks[*]", id: id, index: index, name: name, args: args, mode: delta }, results: { at: "[?@event=messages][0][?type=tool]", id: tool_call_id, result: content, error: "[?status=error]" }, error: "[?@event=error].message""#;
const LANGGRAPH_STEPS: &str = r#"stream: sse, text: { path: "[?@event=updates].*.messages[?type=ai].content", mode: whole }, calls: { at: "[?@event=updates].*.messages[*].tool_calls[*]", id: id, name: name, args: args }, results: { at: "[?@event=updates].*.messages[?type=tool]", id: tool_call_id, result: content, error: "[?status=error]" }, error: "[?@event=error].message""#;
const LANGGRAPH_WAIT: &str = r#"text: "messages[>type=human][?type=ai].content", calls: { at: "messages[>type=human].tool_calls[*]", id: id, name: name, args: args }, results: { at: "messages[>type=human][?type=tool]", id: tool_call_id, result: content }, error: __error__.message, state: "$""#;
const LANGSERVE: &str = r#"text: [output.output, output.content], calls: { at: ["output.intermediate_steps[*]", "output.tool_calls[*]"], id: ["[0].tool_call_id", id], name: ["[0].tool", name], args: ["[0].tool_input", args], result: "[1]" }"#;
const LANGSERVE_STREAM: &str = r#"stream: sse, text: "[?@event=data].content", calls: { at: "[?@event=data].tool_call_chunks[*]", id: id, index: index, name: name, args: args, mode: delta }, error: "[?@event=error].message", done: "[?@event=end]""#;
const AGENTCORE: &str = r#"stream: sse, text: "[?!type][?!error]", calls: { at: "[?type=tool]", name: name, args: input }, error: error"#;
const WORKFLOWS: &str = r#"stream: sse, text: "[?type=Token].value.delta", calls: { at: "[?type=ToolCall].value", name: tool_name, args: tool_kwargs }, done: "[?type=StopEvent]""#;
const AI4: &str = r#"stream: prefixed, text: "[?@event=0]", calls: { at: "[?@event=9]", id: toolCallId, name: toolName, args: args }, results: { at: "[?@event=a]", id: toolCallId, result: result }, error: "[?@event=3]", usage: { input: "[?@event=d].usage.promptTokens", output: "[?@event=d].usage.completionTokens" }, done: "[?@event=d]""#;
const GENKIT: &str =
    r#"stream: sse, text: message, error: "[?@event=error].error.message", done: result"#;
const PYDANTIC: &str =
    r#"stream: ndjson, text: { path: "[?role=model].content", mode: cumulative }"#;

const CALLED: &str = "{ require: [{ name: get_weather, args: { city: Paris }, result: { sky: sunny } }], max_calls: 1 }";
/// The API does not show the result, or the arguments.
const NAMED: &str = "{ require: [{ name: get_weather, status: executed }], max_calls: 1 }";
/// The API shows calls, and there is none.
const NO_CALL: &str = "{ max_calls: 0 }";
/// The API shows no calls.
const NOT_SHOWN: &str = "";

const SUNNY: Expected = Expected::Text("It is sunny.");
/// The agent says something before its call, too.
const LOOKED: Expected = Expected::Text("Let me look.\\nIt is sunny.");

const fn row(
    file: &'static str,
    name: &'static str,
    response: &'static str,
    expected: Expected,
    tools: &'static str,
) -> Row {
    Row {
        capture: (file, name),
        response,
        expected,
        tools,
    }
}

const ROWS: &[Row] = &[
    row("adk", "run_sse", ADK, LOOKED, CALLED),
    row("adk", "run", ADK_RUN, LOOKED, CALLED),
    row(
        "adk",
        "run_sse crash",
        ADK,
        Expected::Error("model overloaded"),
        NO_CALL,
    ),
    row(
        "adk",
        "run crash",
        ADK_RUN,
        Expected::Error("HTTP 500"),
        NO_CALL,
    ),
    row(
        "adk",
        "run without a session",
        ADK_RUN,
        Expected::Error("HTTP 404"),
        NO_CALL,
    ),
    row("agno", "stream=false", AGNO, SUNNY, CALLED),
    row("agno", "stream=true", AGNO_SSE, SUNNY, CALLED),
    row(
        "agno",
        "crash",
        AGNO,
        Expected::Error("model overloaded"),
        NO_CALL,
    ),
    row(
        "agno",
        "crash stream=true",
        AGNO_SSE,
        Expected::Error("model overloaded"),
        NO_CALL,
    ),
    row(
        "agno",
        "json body",
        AGNO,
        Expected::Error("HTTP 422"),
        NO_CALL,
    ),
    row(
        "langgraph",
        "stream [\"messages-tuple\"]",
        LANGGRAPH_TOKENS,
        SUNNY,
        CALLED,
    ),
    row(
        "langgraph",
        "stream [\"updates\"]",
        LANGGRAPH_STEPS,
        SUNNY,
        CALLED,
    ),
    row("langgraph", "wait", LANGGRAPH_WAIT, SUNNY, CALLED),
    row(
        "langgraph",
        "stream crash",
        LANGGRAPH_STEPS,
        Expected::Error("model overloaded"),
        NO_CALL,
    ),
    row(
        "langgraph",
        "wait crash",
        LANGGRAPH_WAIT,
        Expected::Error("model overloaded"),
        NO_CALL,
    ),
    row("langserve", "invoke weather", LANGSERVE, SUNNY, NAMED),
    row(
        "langserve",
        "invoke crash",
        LANGSERVE,
        Expected::Error("HTTP 500"),
        NO_CALL,
    ),
    row(
        "langserve",
        "stream weather",
        LANGSERVE_STREAM,
        SUNNY,
        NO_CALL,
    ),
    row(
        "langserve",
        "stream crash",
        LANGSERVE_STREAM,
        Expected::Error("Internal Server Error"),
        NO_CALL,
    ),
    row("agentcore", "stream", AGENTCORE, SUNNY, NAMED),
    row(
        "agentcore",
        "late",
        AGENTCORE,
        Expected::Error("model overloaded"),
        NAMED,
    ),
    row("agentcore", "plain", "text: result", SUNNY, NOT_SHOWN),
    row("hayhooks", "run weather", "text: result", SUNNY, NOT_SHOWN),
    row(
        "hayhooks",
        "wrong",
        "text: result",
        Expected::Error("HTTP 422"),
        NOT_SHOWN,
    ),
    row("workflows", "events sse", WORKFLOWS, SUNNY, NAMED),
    row("ai4", "weather", AI4, SUNNY, CALLED),
    row(
        "ai4",
        "crash",
        AI4,
        Expected::Error("An error occurred."),
        NO_CALL,
    ),
    row("genkit", "stream weather", GENKIT, SUNNY, NOT_SHOWN),
    row(
        "genkit",
        "stream crash",
        GENKIT,
        Expected::Error("Internal Error"),
        NOT_SHOWN,
    ),
    row("genkit", "weather", "text: result.reply", SUNNY, NOT_SHOWN),
    row("pydantic-ai", "ndjson", PYDANTIC, SUNNY, NOT_SHOWN),
];

/// The head and the body of a captured response.
fn captured((file, name): (&str, &str)) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/http");
    let path = folder.join(format!("{file}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let heading = format!("## {name}\n");
    let at = if text.starts_with(&heading) {
        heading.len()
    } else {
        let at = text.find(&format!("\n{heading}"));
        at.unwrap_or_else(|| panic!("{file}: no {name}")) + 1 + heading.len()
    };
    let section = &text[at..];
    let section = section.split("\n## ").next().unwrap_or(section);
    let (head, body) = section.split_once("\r\n\r\n").expect("a head and a body");
    let mut lines = head.lines().map(str::trim_end);
    let mut sent = format!("{}\r\n", lines.next().expect("a status"));
    for line in lines {
        let name = line
            .split(':')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        // The body is sent in one piece, and then the connection ends.
        if ![
            "transfer-encoding",
            "content-length",
            "connection",
            "keep-alive",
        ]
        .contains(&&*name)
        {
            sent.push_str(line);
            sent.push_str("\r\n");
        }
    }
    sent.push_str("connection: close\r\n\r\n");
    sent.push_str(body);
    sent.into_bytes()
}

/// What comes of a test whose one turn gets a captured response.
async fn outcome(row: &Row) -> Outcome {
    let agent = RawAgent::start(vec![vec![Step::Expect, Step::Send(captured(row.capture))]]).await;
    let config = format!(
        "version: \"1.4\"\ntarget:\n  type: http\n  endpoint: \"http://{}/chat\"\n  body: {{ message: \"${{INPUT}}\" }}\n  response: {{ {} }}\n",
        agent.address, row.response
    );
    let said = match row.expected {
        Expected::Text(text) => format!("text: {{ equals: \"{text}\" }}"),
        Expected::Error(_) => "text: { not_contains: never }".to_owned(),
    };
    let tools = match row.tools {
        "" => String::new(),
        tools => format!(", tools: {tools}"),
    };
    let test = format!(
        "version: \"1.4\"\nname: weather\nturns: [{{ user: weather, assert: {{ {said}{tools} }} }}]\n"
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
    project.run().await.remove(0)
}

#[tokio::test]
async fn every_captured_response_is_read() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let outcome = outcome(row).await;
        let (file, name) = row.capture;
        let problem = match outcome.first_problem() {
            Some((_, problem)) => problem.message.clone(),
            None => String::new(),
        };
        let is_right = match row.expected {
            Expected::Text(_) => problem.is_empty() && outcome.status() == Status::Passed,
            Expected::Error(words) => problem.contains(words),
        };
        let turns = outcome.transcript.turns.iter();
        let warnings: Vec<_> = turns.flat_map(|turn| &turn.warnings).collect();
        let warnings = format!("{warnings:?}");
        if !is_right || warnings.contains("was not read") {
            let status = outcome.status();
            let failures: Vec<_> = outcome
                .all_failures()
                .map(|(_, it)| it.message.clone())
                .collect();
            wrong.push(format!(
                "{file} {name}: {status:?} {problem} {failures:?} {warnings}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
