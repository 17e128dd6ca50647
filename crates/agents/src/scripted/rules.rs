//! The rules of an agent written in YAML, as they are written.

use schemars::JsonSchema;
use serde::Deserialize;

use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::{Number, Since, Text};

/// A rule of a scripted agent: when it applies, and what the agent does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedRule {
    /// Conditions that must all match. Without `when` the rule applies to every turn.
    pub when: Option<ScriptedWhen>,
    /// What the agent does, in order.
    #[serde(rename = "do")]
    pub steps: Vec<ScriptedStep>,
}

/// When a rule applies.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedWhen {
    /// Regular expression for the last user message.
    #[schemars(example = "(?i)checkout")]
    pub user: Option<Text>,
    /// The number of the turn, from 1.
    pub turn: Option<Number>,
    /// Regular expression for the thread id.
    pub thread: Option<Text>,
    /// Paths into the state, each with the value it must have.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub state: Option<FreeMap<Node>>,
}

/// A step of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = Since("1.3"))]
pub enum ScriptedStep {
    /// Sends a message.
    Say(Text),
    /// Sends a message, and declares that the agent waits for input.
    Ask(Text),
    /// Calls a tool.
    Call(ScriptedCall),
    /// Gives a result to an open call: an earlier `call` with an `id` and without a `result`.
    Answer(ScriptedAnswer),
    /// Sets keys of the state; the others stay.
    #[serde(deserialize_with = "ananke_model::model::mapping")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    State(Node),
    /// Emits reasoning, which is not part of the text.
    Think(Text),
    /// Sends a custom event.
    Custom(ScriptedCustom),
    /// Reports token usage; several steps add up.
    Usage(ScriptedUsage),
    /// Advances virtual time, in milliseconds. Nothing sleeps.
    DelayMs(Number),
    /// Interrupts the run until an `agui:resume` turn answers; the steps after it run when it is resolved.
    Interrupt(ScriptedInterrupt),
    /// Ends the run with an error event.
    Error(ScriptedError),
}

/// An interrupt of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedInterrupt {
    /// Its id (default: a new one).
    pub id: Option<Text>,
    /// Reason (one word).
    #[schemars(example = &"tool_call")]
    pub reason: Option<Text>,
    /// The question.
    pub message: Option<Text>,
    /// The `id` of the pending call, if it is about one.
    pub call: Option<Text>,
    /// Steps that run if the interrupt is cancelled (default: none).
    pub cancelled: Option<Vec<ScriptedStep>>,
}

/// A tool call of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedCall {
    /// The tool's name.
    pub tool: Text,
    /// The call's id, for a later `answer` (default: a new one).
    pub id: Option<Text>,
    /// The arguments (default: none).
    #[serde(default, deserialize_with = "ananke_model::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub args: Option<Node>,
    /// The result, any JSON value. Without it the call stays open.
    #[schemars(with = "Option<serde_json::Value>")]
    pub result: Option<Node>,
    /// How long the tool takes, in milliseconds of virtual time.
    pub delay_ms: Option<Number>,
    /// Marks the call as failed or denied.
    pub failure: Option<Spanned<ScriptedFailure>>,
    /// The subagent that makes the call (default: the agent itself).
    #[schemars(example = &"researcher")]
    pub subagent: Option<Text>,
}

/// Why a call of a scripted agent was not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ScriptedFailure {
    /// The tool failed.
    Failed,
    /// The call was denied.
    Denied,
}

/// A custom event of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedCustom {
    /// The event's name.
    #[schemars(example = &"progress")]
    pub name: Text,
    /// Its value, any JSON value (default: null).
    #[schemars(with = "Option<serde_json::Value>")]
    pub value: Option<Node>,
}

/// Token usage of a scripted agent. Omitted values are not reported.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_field_names,
    reason = "the keys are those of `usage` in an `assert`"
)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedUsage {
    /// Tokens that its model read.
    pub input_tokens: Option<Number>,
    /// Tokens that its model wrote.
    pub output_tokens: Option<Number>,
    /// Both together (default: their sum).
    pub total_tokens: Option<Number>,
}

/// The result of an open call of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedAnswer {
    /// The id of the open call.
    pub id: Text,
    /// The result, any JSON value.
    #[schemars(with = "serde_json::Value")]
    pub result: Node,
    /// Marks the call as failed or denied.
    pub failure: Option<Spanned<ScriptedFailure>>,
}

/// An error event of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedError {
    /// The error message.
    pub message: Text,
    /// A code for programs.
    pub code: Option<Text>,
}
