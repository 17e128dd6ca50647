//! The rules of an agent written in YAML, as they are written, and how they are filled.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{CompiledCall, CompiledRule, CompiledStep, Condition};
use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::source::{FreeMap, Node};
use ananke_derive::Fill;
use ananke_model::model::{Number, Since, Text};
use ananke_model::variables::{Fill, Interpolation, Leaf, fill_all};
use ananke_trace::outcome::CallFailure;
use ananke_trace::trace::{Interrupt, ModelUsage, Path, Usage};

/// A rule of a scripted agent: when it applies, and what the agent does.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[fill(into = CompiledRule)]
pub struct ScriptedRule {
    /// Conditions that must all match. Without `when` the rule applies to every turn.
    #[fill(default)]
    pub when: Option<ScriptedWhen>,
    /// What the agent does, in order.
    #[serde(rename = "do")]
    pub steps: Vec<ScriptedStep>,
}

/// When a rule applies.
#[derive(Clone, Debug, Default, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[fill(into = Condition)]
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
    #[fill(default, with = fill_state)]
    pub state: Option<FreeMap<Node>>,
}

/// A step of a scripted agent.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = Since("1.3"))]
#[fill(into = CompiledStep)]
pub enum ScriptedStep {
    /// Sends a message.
    Say(Text),
    /// Sends a message, and declares that the agent waits for input.
    Ask(Text),
    /// Calls a tool.
    Call(ScriptedCall),
    /// Gives a result to an open call: an earlier `call` with an `id` and without a `result`.
    #[fill(flatten)]
    Answer(ScriptedAnswer),
    /// Sets keys of the state; the others stay.
    #[serde(deserialize_with = "ananke_model::model::mapping")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    State(Node),
    /// Emits reasoning, which is not part of the text.
    Think(Text),
    /// Sends a custom event.
    #[fill(flatten)]
    Custom(ScriptedCustom),
    /// Reports token usage; several steps add up.
    Usage(ScriptedUsage),
    /// Advances virtual time, in milliseconds. Nothing sleeps.
    #[fill(name = Delay)]
    DelayMs(Number),
    /// Interrupts the run until a `resume` turn answers; the steps after it run when it is resolved.
    #[fill(flatten)]
    Interrupt(ScriptedInterrupt),
    /// Ends the run with an error event.
    #[fill(flatten)]
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
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[fill(into = CompiledCall, check = check_failure)]
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
    #[fill(default, name = delay)]
    pub delay_ms: Option<Number>,
    /// Marks the call as failed or denied.
    pub failure: Option<Spanned<ScriptedFailure>>,
    /// The subagent that makes the call (default: the agent itself).
    #[schemars(example = &"researcher")]
    pub subagent: Option<Text>,
}

/// Why a call of a scripted agent was not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Fill, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[fill(into = CallFailure)]
pub enum ScriptedFailure {
    /// The tool failed.
    Failed,
    /// The call was denied.
    Denied,
}

/// A custom event of a scripted agent.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[fill(into = CompiledStep::Custom)]
pub struct ScriptedCustom {
    /// The event's name.
    #[schemars(example = &"progress")]
    pub name: Text,
    /// Its value, any JSON value (default: null).
    #[schemars(with = "Option<serde_json::Value>")]
    #[fill(default)]
    pub value: Option<Node>,
}

/// Token usage of a scripted agent. Omitted values are not reported.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct ScriptedUsage {
    /// The model that they are of, as in the `prices` of the config.
    #[schemars(extend("x-since" = "1.4"), example = &"gpt-5")]
    pub model: Option<Text>,
    /// Tokens that its model read.
    pub input_tokens: Option<Number>,
    /// Input tokens that the server had in a cache.
    #[schemars(extend("x-since" = "1.4"))]
    pub cached_tokens: Option<Number>,
    /// Tokens that its model wrote.
    pub output_tokens: Option<Number>,
    /// Both together (default: their sum).
    pub total_tokens: Option<Number>,
}

/// The result of an open call of a scripted agent.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[fill(into = CompiledStep::Answer)]
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
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[fill(into = CompiledStep::Error)]
pub struct ScriptedError {
    /// The error message.
    pub message: Text,
    /// A code for programs.
    pub code: Option<Text>,
}

fn fill_state(
    written: &FreeMap<Node>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<(Path, Value)>> {
    fill_all(written, |(path, node)| {
        let value = node.fill(interpolation);
        let path = Path::of_key(path, interpolation);
        Ok((path?, value?))
    })
}

fn check_failure(written: &ScriptedCall, interpolation: &mut Interpolation<'_>) -> Leaf<()> {
    if let Some(failure) = &written.failure
        && written.result.is_none()
    {
        let message = "`failure` is about a result, and the call has none";
        let help = "add the `result` in which the call failed or was denied".to_owned();
        return Err(interpolation.report(Code::Contradiction, failure.span, message, Some(help)));
    }
    Ok(())
}

impl Fill<ModelUsage> for ScriptedUsage {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<ModelUsage> {
        // All keys are filled before the first error returns, so that the problems of all are reported.
        let input: Leaf<Option<u64>> = self.input_tokens.fill(interpolation);
        let cached: Leaf<Option<u64>> = self.cached_tokens.fill(interpolation);
        let output: Leaf<Option<u64>> = self.output_tokens.fill(interpolation);
        let total: Leaf<Option<u64>> = self.total_tokens.fill(interpolation);
        let model = self.model.fill(interpolation);
        let usage = Usage::reported(input?, output?, total?).with_cached(cached?);
        Ok(ModelUsage {
            usage,
            model: model?,
        })
    }
}

impl Fill<CompiledStep> for ScriptedInterrupt {
    /// Replaces the variables of all keys.
    ///
    /// # Errors
    /// If a key is wrong, which is reported to `interpolation`, or if a variable has no value until the test runs.
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<CompiledStep> {
        // All keys are filled before the first error returns, so that the problems of all are reported.
        let texts = [&self.id, &self.reason, &self.message, &self.call];
        let [id, reason, message, call]: [Leaf<Option<String>>; 4] =
            texts.map(|text| text.fill(interpolation));
        let cancelled: Leaf<Option<_>> = self.cancelled.fill(interpolation);
        let interrupt = Interrupt {
            // With an empty id, the interrupt gets one when the agent makes it.
            id: id?.unwrap_or_default(),
            reason: reason?,
            message: message?,
            call: call?,
        };
        Ok(CompiledStep::Interrupt {
            interrupt,
            cancelled: cancelled?.unwrap_or_default(),
        })
    }
}
