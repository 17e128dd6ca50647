//! Messages about sessions: what requests take and what answers have. The doc comments are the descriptions of the schema.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use ananke::agents::external::{AgentInput, ExternalEvent};

use super::session_event::SessionEvent;

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

/// The agent of a session that is in the client.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ClientAgent {
    /// The client is a model, and answers `model/call`.
    Caller,
    /// The client has an agent that executes its own tools, and answers `agent/turn`.
    External,
}

/// A new session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenSession {
    /// The agent (default: the default target of the config).
    #[serde(default)]
    pub(super) target: Option<TargetChoice>,
    /// `caller` if the agent is a model of the client, `external` if the client has the whole agent.
    #[serde(default)]
    pub(super) agent: Option<ClientAgent>,
    /// The name of an `external` agent (default: `agent`).
    #[serde(default)]
    pub(super) name: Option<String>,
    /// The system message of a bare model whose target has none (default: "You are a helpful assistant.").
    #[serde(default)]
    pub(super) instructions: Option<String>,
    /// The client-side tools that the client executes.
    #[serde(default)]
    pub(super) tools: Vec<CallerTool>,
    /// How long the client may take for an answer to `tool/call`, `model/call` and `agent/turn`, in milliseconds (default: 10 minutes).
    #[serde(default)]
    pub(super) callback_timeout_ms: Option<u64>,
    /// The directory that the conversation is recorded into. Exclusive with `replay`.
    #[serde(default)]
    pub(super) record: Option<PathBuf>,
    /// The directory of the recording that is replayed instead of asking the agent.
    #[serde(default)]
    pub(super) replay: Option<PathBuf>,
    /// The id of the recording in its directory; `record` and `replay` need it.
    #[serde(default)]
    pub(super) id: Option<String>,
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
    /// Events of an `external` agent that came after the end of their turn, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<String>,
}

/// The end of a session.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClosedSession {
    /// Events of an `external` agent that came after the end of their turn, and what a replay did not use of its recording, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<String>,
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

/// A run, named in one of several ways.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RunChoice {
    /// A session: its last run. With `events`, its config has the scripts and judges.
    #[serde(default)]
    pub(super) session: Option<String>,
    /// A run by its name.
    #[serde(default)]
    pub(super) run: Option<String>,
    /// Events that the client made, instead of a run.
    #[serde(default)]
    pub(super) events: Option<Vec<SessionEvent>>,
    /// The text of the user before these events; empty if the turn answers interrupts.
    #[serde(default)]
    pub(super) input: Option<String>,
    /// The turns before these events, in their order. Rules are about the turn of `events`, and look back to these.
    #[serde(default)]
    pub(super) before: Option<Vec<EarlierTurn>>,
}

/// A turn before others.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EarlierTurn {
    /// The text of the user before the events; empty if the turn answers interrupts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<String>,
    /// The events of the turn.
    pub(super) events: Vec<SessionEvent>,
}

/// Rules for a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct CheckRun {
    #[serde(flatten)]
    pub(super) run: RunChoice,
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
    /// (`report.schema.json`): `type`, `message`, `status`, `expected`, `seen` and others, and `words`, all of it in words.
    pub(super) findings: Value,
}

/// A question to a judge.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct JudgeRun {
    #[serde(flatten)]
    pub(super) run: RunChoice,
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

/// A turn of the client's own agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AgentTurnCallback {
    /// The session that the user speaks in. In a test it is the thread of the conversation.
    pub(super) session: String,
    /// The number of the turn in its session, from 1.
    pub(super) turn: u64,
    /// The agent, if the session is that of a test: the `agent` of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<String>,
    /// The turn before, if the session is that of a test and has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<EarlierTurn>,
    /// The text of the user as `input`, or the `answers` to what the agent waits for.
    #[serde(flatten)]
    pub(super) input: AgentInput,
}

/// Something that the client's own agent does in a turn.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentEventNotice {
    /// The session that the turn is one of.
    #[expect(
        dead_code,
        reason = "it is read before the other keys, so that a notification with a mistake has a session too"
    )]
    pub(super) session: String,
    /// The number of the turn, as `agent/turn` has it.
    pub(super) turn: u64,
    /// One thing that the agent does.
    #[schemars(with = "ExternalEvent")]
    pub(super) event: Value,
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
