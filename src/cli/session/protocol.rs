//! The lines of the protocol: requests with their answers, notifications and errors. The doc comments are the descriptions of
//! the schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::session_event::SessionEvent;
use super::test_messages::{
    ListTests, ListedTests, ProjectName, RunTests, RunTestsResult, TestResult,
};
use ananke::schema::generate_since;

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
}

/// What nothing answers, by its method.
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
    Nothing(Nothing),
    Tool(ToolCallbackAnswer),
    Model(ModelCallbackAnswer),
}

/// The first request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Initialize {
    /// The program at the other side.
    #[expect(
        dead_code,
        reason = "it is required, so that a line can be traced to its program"
    )]
    pub(super) client: ClientInfo,
    /// The path of the project config whose targets sessions name (default: the nearest `ananke.config.yaml` above the working
    /// directory).
    #[serde(default)]
    pub(super) config: Option<String>,
}

/// The program at the other side.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClientInfo {
    /// The name of the program.
    #[expect(dead_code, reason = "as the client")]
    pub(super) name: String,
    /// The version of the program.
    #[serde(default)]
    #[expect(dead_code, reason = "as the client")]
    pub(super) version: Option<String>,
}

/// The answer to `initialize`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Initialized {
    /// The version of the protocol.
    pub(super) protocol: u32,
    /// The version of ananke.
    pub(super) version: &'static str,
    /// The methods that this version knows.
    pub(super) methods: &'static [&'static str],
}

/// The agent of a session, or a judge.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected the name of a target or an object with its keys"
)]
pub(super) enum TargetChoice {
    /// The name of a target of the config.
    Name(String),
    /// A target as a config has it, without variables.
    Keys(Map<String, Value>),
}

/// An agent that is the client itself.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CallerAgent {
    /// The client answers `model/call`.
    Caller,
}

/// A new session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenSession {
    /// The agent (default: the default target of the config).
    #[serde(default)]
    pub(super) target: Option<TargetChoice>,
    /// `caller` if the agent is a model of the client.
    #[serde(default)]
    pub(super) agent: Option<CallerAgent>,
    /// The system message of a bare model whose target has none (default: "You are a helpful assistant.").
    #[serde(default)]
    pub(super) instructions: Option<String>,
    /// The client-side tools that the client executes.
    #[serde(default)]
    pub(super) tools: Vec<CallerTool>,
    /// How long the client may take for an answer to `tool/call` and `model/call`, in milliseconds (default: 10 minutes).
    #[serde(default)]
    pub(super) callback_timeout_ms: Option<u64>,
}

/// A client-side tool.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallerTool {
    /// The name of the tool.
    pub(super) name: String,
    /// The description for the model.
    #[serde(default)]
    pub(super) description: String,
    /// The JSON Schema of the arguments (default: an object without properties).
    #[serde(default)]
    pub(super) parameters: Option<Map<String, Value>>,
}

/// A session by its name.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionName {
    /// The name of the session.
    pub(super) session: String,
}

/// A turn of the user.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunSession {
    /// The name of the session.
    pub(super) session: String,
    /// The text of the user.
    pub(super) input: String,
}

/// Answers to what the agent waits for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResumeSession {
    /// The name of the session.
    pub(super) session: String,
    /// An answer for each interrupt that is open, or for each call without a result.
    pub(super) answers: Vec<ResumeAnswer>,
}

/// The answer to one thing that the agent waits for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResumeAnswer {
    /// The id of the interrupt or of the call (default: the only one that is open).
    #[serde(default)]
    pub(super) id: Option<String>,
    /// The tool whose call waits, instead of an id.
    #[serde(default)]
    pub(super) tool: Option<String>,
    /// The answer.
    #[serde(default)]
    pub(super) payload: Option<Value>,
    /// Whether it is cancelled instead of answered.
    #[serde(default)]
    pub(super) cancelled: bool,
}

/// Something that the agent waits for.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionInterrupt {
    /// The id of the interrupt.
    pub(super) id: String,
    /// The agent's reason code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// The question, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    /// The id of the call that waits, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<String>,
}

/// What came of a turn.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TurnResult {
    /// The name of the run, for `session/check` and `session/judge`.
    pub(super) run: String,
    /// The events of the agent, in their order.
    pub(super) events: Vec<SessionEvent>,
    /// What the agent waits for, until `session/resume` answers it.
    pub(super) interrupts: Vec<SessionInterrupt>,
}

/// The tools whose calls are sent to the client.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MockTools {
    /// The name of the session.
    pub(super) session: String,
    /// The names of client-side tools, of the session or of its target.
    pub(super) tools: Vec<String>,
}

/// A mock by its name.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MockName {
    /// The name of the mock.
    pub(super) mock: String,
}

/// The end of a mock.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UnmockTools {
    /// The name of the session.
    pub(super) session: String,
    /// The name of the mock.
    pub(super) mock: String,
}

/// Rules for a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckRun {
    /// A session: its last run. With `events`, its config has the scripts and judges.
    #[serde(default)]
    pub(super) session: Option<String>,
    /// A run by its name.
    #[serde(default)]
    pub(super) run: Option<String>,
    /// Events that the client made, instead of a run.
    #[serde(default)]
    pub(super) events: Option<Vec<SessionEvent>>,
    /// The text of the user before these events.
    #[serde(default)]
    pub(super) input: Option<String>,
    /// The rules: an assert block as YAML.
    #[serde(default)]
    pub(super) yaml: Option<String>,
    /// The rules as an object, instead of YAML.
    #[serde(default, rename = "assert")]
    pub(super) block: Option<Map<String, Value>>,
}

/// What the rules found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CheckResult {
    /// The rules that failed, or that the events do not show. An entry has the keys of `assertions` in the JSON report
    /// (`report.schema.json`): `type`, `message`, `status`, `expected`, `seen` and others.
    pub(super) findings: Value,
}

/// A question to a judge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgeRun {
    /// A session: its last run. With `events`, its config has the scripts and judges.
    #[serde(default)]
    pub(super) session: Option<String>,
    /// A run by its name.
    #[serde(default)]
    pub(super) run: Option<String>,
    /// Events that the client made, instead of a run.
    #[serde(default)]
    pub(super) events: Option<Vec<SessionEvent>>,
    /// The text of the user before these events.
    #[serde(default)]
    pub(super) input: Option<String>,
    /// The judge.
    #[serde(default)]
    pub(super) judge: Option<TargetChoice>,
    /// `caller` if the judge is a model of the client, instead of `judge`.
    #[serde(default)]
    pub(super) agent: Option<CallerAgent>,
    /// What the message should do.
    pub(super) intent: String,
}

/// The verdict of a judge.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct JudgeResult {
    /// Whether the message does what it should.
    pub(super) passed: bool,
    /// The reason, in the words of the judge.
    pub(super) reason: String,
}

/// Everything that was said and done.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HistoryResult {
    /// The events of all runs, with the messages of the user.
    pub(super) events: Vec<SessionEvent>,
}

/// The agent's state.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StateResult {
    /// The state after the last run; null if there is none.
    pub(super) state: Value,
}

/// A run by its name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunName {
    /// The name of the run.
    pub(super) run: String,
}

/// No keys.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// A call to a client-side tool.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToolCallback {
    /// The name of the session.
    pub(super) session: String,
    /// The name of the tool.
    pub(super) name: String,
    /// The arguments: an object.
    pub(super) arguments: Value,
    /// The id of the call.
    pub(super) tool_call_id: String,
    /// The mock that the call is for, if the tool is mocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mock: Option<String>,
}

/// The answer to `tool/call`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolCallbackAnswer {
    /// The result of the tool.
    pub(super) output: Value,
}

/// The reason for which the client's model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ModelPurpose {
    /// It is the agent of the session.
    Agent,
    /// It judges.
    Judge,
}

/// A question to the client's model.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ModelCallback {
    /// The session; for a judge of events without a session it is empty.
    pub(super) session: String,
    /// The purpose of the question.
    pub(super) purpose: ModelPurpose,
    /// The messages, as chat completions have them.
    pub(super) messages: Value,
    /// The tools that the model may call, as chat completions have them.
    pub(super) tools: Value,
}

/// The answer to `model/call`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelCallbackAnswer {
    /// The message of the model: `content` (a text), `tool_calls`, or both.
    pub(super) message: Value,
}

/// An event of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EventNotice<'e> {
    /// The name of the session.
    pub(super) session: &'e str,
    /// The event.
    pub(super) event: &'e SessionEvent,
}

/// A request of ananke whose answer is not needed any more.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CancelledRequest {
    /// The id of the request.
    pub(super) id: u64,
}
