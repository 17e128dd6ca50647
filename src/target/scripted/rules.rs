//! The rules of an agent written in YAML, as they are written.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::diagnostic::Spanned;
use crate::model::{Number, Since, Text};
use crate::source::{FreeMap, Node};

/// One rule of a scripted agent: when it answers, and what it does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedRule {
    /// All conditions must hold; without `when` the rule answers every turn.
    pub when: Option<ScriptedWhen>,
    /// What the agent does, in order.
    #[serde(rename = "do")]
    pub steps: Vec<ScriptedStep>,
}

/// When a rule answers.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedWhen {
    /// A regex that the last user message must match somewhere.
    #[schemars(extend("format" = "regex"), example = "(?i)checkout")]
    pub user: Option<Text>,
    /// The number of the turn, counted from 1.
    pub turn: Option<Number>,
    /// A regex that the thread id must match somewhere.
    #[schemars(extend("format" = "regex"))]
    pub thread: Option<Text>,
    /// Paths into the state and the value each must have.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub state: Option<FreeMap<Node>>,
}

/// One thing a scripted agent does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = Since("1.3"))]
pub enum ScriptedStep {
    /// Says a message.
    Say(Text),
    /// Calls a tool.
    Call(ScriptedCall),
    /// Answers a call that an earlier `call` with an `id` and without a `result` left open.
    Answer(ScriptedAnswer),
    /// Sets keys of the state; the others stay.
    #[serde(deserialize_with = "crate::model::mapping")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    State(Node),
    /// Emits reasoning, which is not part of the text.
    Think(Text),
    /// Sends an event of the application's own.
    Custom(ScriptedCustom),
    /// Tells how many tokens the run took; several of them add up.
    Usage(ScriptedUsage),
    /// Lets virtual time pass, in milliseconds. Nothing sleeps.
    DelayMs(Number),
    /// Ends the run until an `agui:resume` turn answers; the steps behind it are what the agent does then.
    Interrupt(ScriptedInterrupt),
    /// Ends the run with an error event.
    Error(ScriptedError),
}

/// An interrupt of a scripted agent: it waits for an answer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedInterrupt {
    /// Its id; without it every interrupt gets one of its own.
    pub id: Option<Text>,
    /// Why, in one word.
    #[schemars(example = &"tool_call")]
    pub reason: Option<Text>,
    /// What is asked.
    pub message: Option<Text>,
    /// The `id` of the call that waits, where it is about one.
    pub call: Option<Text>,
    /// What the agent does if the interrupt is cancelled (default nothing).
    pub cancelled: Option<Vec<ScriptedStep>>,
}

/// A tool call of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedCall {
    /// The tool's name.
    pub tool: Text,
    /// The call's id, for a later `answer`; without it every call gets one of its own.
    pub id: Option<Text>,
    /// The arguments (default none).
    #[serde(default, deserialize_with = "crate::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub args: Option<Node>,
    /// The result, any JSON value; without it the call stays unanswered.
    #[schemars(with = "Option<serde_json::Value>")]
    pub result: Option<Node>,
    /// How long the tool takes, in milliseconds of virtual time.
    pub delay_ms: Option<Number>,
    /// Says of the result that the call failed or was denied.
    pub failure: Option<Spanned<ScriptedFailure>>,
    /// The subagent that makes the call (default the agent itself).
    #[schemars(example = &"researcher")]
    pub subagent: Option<Text>,
}

/// Why a call of a scripted agent was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ScriptedFailure {
    /// The tool failed.
    Failed,
    /// The call was denied.
    Denied,
}

/// An event of the application's own, of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedCustom {
    /// The event's name.
    #[schemars(example = &"progress")]
    pub name: Text,
    /// What it carries, any JSON value (default null).
    #[schemars(with = "Option<serde_json::Value>")]
    pub value: Option<Node>,
}

/// The token usage of a scripted agent. Numbers that are left out are not reported.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the keys are those of `usage` in an `assert`")]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedUsage {
    /// How many tokens its model read.
    pub input_tokens: Option<Number>,
    /// How many tokens its model wrote.
    pub output_tokens: Option<Number>,
    /// Both together (default their sum).
    pub total_tokens: Option<Number>,
}

/// A late result of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedAnswer {
    /// The id of the call that is answered.
    pub id: Text,
    /// The result, any JSON value.
    #[schemars(with = "serde_json::Value")]
    pub result: Node,
    /// Says of the result that the call failed or was denied.
    pub failure: Option<Spanned<ScriptedFailure>>,
}

/// An error event of a scripted agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedError {
    /// What went wrong, in the agent's words.
    pub message: Text,
    /// A code for programs.
    pub code: Option<Text>,
}
