//! The lines of the protocol by their methods, which the schema is made from.

use ananke::agents::external::TurnAnswer;
use ananke::schema::generate_since;
use schemars::JsonSchema;
use serde_json::Value;

use super::session_messages::{
    AgentEventNotice, AgentTurnCallback, CancelledRequest, CheckResult, CheckRun, ClosedSession,
    EventNotice, HistoryResult, Initialize, Initialized, JudgeResult, JudgeRun, MockName,
    MockTools, ModelCallback, ModelCallbackAnswer, Nothing, OpenSession, ResumeSession, RunName,
    RunSession, SessionName, StateResult, ToolCallback, ToolCallbackAnswer, TurnResult,
    UnmockTools,
};
use super::test_messages::{
    ListTests, ListedTests, ProjectName, RunTests, RunTestsResult, TestResult,
};

/// The version of the protocol. New methods and keys leave it as it is; a change of what is there raises it.
pub(super) const PROTOCOL: u32 = 1;

/// The schema version that brought the protocol.
const SINCE: &str = "1.4";

/// The methods of requests.
pub(super) const METHODS: &[&str] = &[
    "initialize",
    "session/open",
    "session/run",
    "session/resume",
    "session/mock",
    "session/unmock",
    "session/check",
    "session/judge",
    "session/history",
    "session/state",
    "session/cancel",
    "session/close",
    "run/release",
    "tests/list",
    "tests/run",
    "tests/cancel",
    "tests/end",
];

/// The JSON Schema of a line, in both directions.
pub(in crate::cli) fn schema() -> Value {
    let mut schema = generate_since::<ProtocolLine>("session", "ananke session", SINCE);
    // The two keys around every message have no doc comments.
    let keys = [
        ("method", "The name of the method."),
        ("params", "The parameters, by their names."),
    ];
    let lines = schema["definitions"].as_object_mut();
    let messages = lines.into_iter().flat_map(|lines| lines.values_mut());
    let messages = messages.filter_map(|line| line.get_mut("oneOf")?.as_array_mut());
    for message in messages.flatten() {
        for (key, description) in keys {
            if let Some(key) = message.pointer_mut(&format!("/properties/{key}")) {
                key["description"] = description.into();
            }
        }
    }
    schema["description"] =
        "A line of `ananke session --stdio`, in both directions: JSON-RPC 2.0.".into();
    schema
}

/// A line, in both directions.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema is made from it")]
enum ProtocolLine {
    /// A request of the client.
    Request(MessageLine<ClientRequest>),
    /// A request of ananke, which the client answers.
    Callback(MessageLine<Callback>),
    /// A message that nothing answers.
    Notification(MessageLine<Notification>),
    /// The answer to a request.
    Answer(AnswerLine),
    /// The answer to a request that failed.
    Error(ErrorLine),
}

/// A request or a notification.
#[derive(JsonSchema)]
#[schemars(rename = "{C}Line")]
#[expect(dead_code, reason = "only the schema is made from it")]
struct MessageLine<C> {
    /// The version of JSON-RPC.
    jsonrpc: JsonRpc,
    /// The id of a request, which its answer has too. A notification has none.
    id: Option<LineId>,
    #[serde(flatten)]
    content: C,
}

/// The version of JSON-RPC.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is made from it")]
enum JsonRpc {
    #[serde(rename = "2.0")]
    Two,
}

/// The id of a request.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema is made from it")]
enum LineId {
    Number(i64),
    Text(String),
}

/// The answer to a request.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is made from it")]
struct AnswerLine {
    /// The version of JSON-RPC.
    jsonrpc: JsonRpc,
    /// The id of the request.
    id: LineId,
    /// What the request asked for, by its method.
    result: AnyResult,
}

/// The answer to a request that failed.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is made from it")]
struct ErrorLine {
    /// The version of JSON-RPC.
    jsonrpc: JsonRpc,
    /// The id of the request; null if the line has none that can be read.
    id: Value,
    /// The error.
    error: ErrorView,
}

/// The error of a request.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is made from it")]
struct ErrorView {
    /// The code: -32700 the line is not JSON, -32600 it is not a request, -32601 the method is unknown, -32602 the keys are wrong or
    /// what they name does not exist, -32002 `initialize` was not sent, -32000 the agent failed, -32001 a judge or a script failed,
    /// -32003 the session is over, -32004 too many requests wait, -32005 the tests cannot run, -32800 the request was cancelled.
    code: i64,
    /// The error in words: its place, what is expected, what was found, and what to do.
    message: String,
}

/// The requests of the client, by their methods.
#[derive(JsonSchema)]
#[serde(tag = "method", content = "params")]
#[expect(dead_code, reason = "only the schema is made from it")]
enum ClientRequest {
    /// The first request.
    #[serde(rename = "initialize")]
    #[schemars(title = "initialize")]
    Initialize(Initialize),
    /// Makes a session. The conversation begins with the first run.
    #[serde(rename = "session/open")]
    #[schemars(title = "session/open")]
    Open(OpenSession),
    /// Says something to the agent, and waits for the end of its turn.
    #[serde(rename = "session/run")]
    #[schemars(title = "session/run")]
    Run(RunSession),
    /// Answers what the agent waits for, and waits for the end of its turn.
    #[serde(rename = "session/resume")]
    #[schemars(title = "session/resume")]
    Resume(ResumeSession),
    /// Sends the calls to some client-side tools to the client, until `session/unmock`.
    #[serde(rename = "session/mock")]
    #[schemars(title = "session/mock")]
    Mock(MockTools),
    /// Ends a mock.
    #[serde(rename = "session/unmock")]
    #[schemars(title = "session/unmock")]
    Unmock(UnmockTools),
    /// Applies rules to a run, also after the end of its session.
    #[serde(rename = "session/check")]
    #[schemars(title = "session/check")]
    Check(CheckRun),
    /// Asks a judge about the last message of a run.
    #[serde(rename = "session/judge")]
    #[schemars(title = "session/judge")]
    Judge(JudgeRun),
    /// Everything that was said and done so far.
    #[serde(rename = "session/history")]
    #[schemars(title = "session/history")]
    History(SessionName),
    /// The agent's state after the last run.
    #[serde(rename = "session/state")]
    #[schemars(title = "session/state")]
    State(SessionName),
    /// Aborts what the session does. Its runs end with the error -32800, and the session is over.
    #[serde(rename = "session/cancel")]
    #[schemars(title = "session/cancel")]
    Cancel(SessionName),
    /// Ends a session, after the runs that wait.
    #[serde(rename = "session/close")]
    #[schemars(title = "session/close")]
    Close(SessionName),
    /// Forgets a run that no rule is applied to any more.
    #[serde(rename = "run/release")]
    #[schemars(title = "run/release")]
    Release(RunName),
    /// Lists the tests of a project.
    #[serde(rename = "tests/list")]
    #[schemars(title = "tests/list")]
    ListTests(ListTests),
    /// Runs tests of a project.
    #[serde(rename = "tests/run")]
    #[schemars(title = "tests/run")]
    RunTests(RunTests),
    /// Aborts the tests that run.
    #[serde(rename = "tests/cancel")]
    #[schemars(title = "tests/cancel")]
    CancelTests(Nothing),
    /// Runs the `teardown` of a config, and ends its servers. The end of standard input does the same.
    #[serde(rename = "tests/end")]
    #[schemars(title = "tests/end")]
    EndTests(ProjectName),
}

/// The requests of ananke, by their methods.
#[derive(JsonSchema)]
#[serde(tag = "method", content = "params")]
#[expect(dead_code, reason = "only the schema is made from it")]
enum Callback {
    /// Executes a client-side tool. An error as the answer is what the agent gets: `{"error": message}`.
    #[serde(rename = "tool/call")]
    #[schemars(title = "tool/call")]
    Tool(ToolCallback),
    /// Asks the client's own model. An error as the answer is the error of the run.
    #[serde(rename = "model/call")]
    #[schemars(title = "model/call")]
    Model(ModelCallback),
    /// Asks the client's own agent for a turn. An error as the answer is that of the agent.
    #[serde(rename = "agent/turn")]
    #[schemars(title = "agent/turn")]
    Turn(AgentTurnCallback),
}

/// What nothing answers, in both directions, by its method.
#[derive(JsonSchema)]
#[serde(tag = "method", content = "params")]
#[expect(dead_code, reason = "only the schema is made from it")]
enum Notification {
    /// An event of a run, before its answer.
    #[serde(rename = "event")]
    #[schemars(title = "event")]
    Event(EventNotice<'static>),
    /// The answer to a request of ananke is not needed any more.
    #[serde(rename = "request/cancelled")]
    #[schemars(title = "request/cancelled")]
    Cancelled(CancelledRequest),
    /// A test has ended.
    #[serde(rename = "test/result")]
    #[schemars(title = "test/result")]
    Test(TestResult),
    /// The client's own agent does something; before the answer to `agent/turn`.
    #[serde(rename = "agent/event")]
    #[schemars(title = "agent/event")]
    Agent(AgentEventNotice),
}

/// What requests ask for. Which of these an answer has follows from the method of its request.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema is made from it")]
enum AnyResult {
    Initialized(Initialized),
    Opened(SessionName),
    Run(TurnResult),
    Mocked(MockName),
    Checked(CheckResult),
    Judged(JudgeResult),
    History(HistoryResult),
    State(StateResult),
    ListedTests(ListedTests),
    RanTests(RunTestsResult),
    Closed(ClosedSession),
    Nothing(Nothing),
    Turn(TurnAnswer),
    Tool(ToolCallbackAnswer),
    Model(ModelCallbackAnswer),
}
