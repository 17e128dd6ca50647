//! A turn as readers get it: what was sent, what the agent did, and the results of the rules.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::verdict_view::{Assertion, ProblemView, StatusView};

/// One turn that was sent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Turn")]
pub(super) struct TurnView<'a> {
    /// Its number, from 1.
    #[serde(rename = "turn")]
    pub(super) number: u32,
    /// The `id` of the turn; omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    /// The status of the turn.
    pub(super) status: StatusView,
    /// What was sent; for a file its type and size: `[image image/png, 12 KiB]`.
    pub(super) input: &'a str,
    /// Where the input came from.
    pub(super) input_source: InputSourceView,
    /// What the agent said: its messages joined by newlines. A message over 16 KiB is truncated, with a note.
    pub(super) output: String,
    /// What the agent did, in the order of its events: messages, calls, results, reasoning and custom events. A message and
    /// a call are where they started, a result where it arrived, also if the call is one of an earlier turn. If there are
    /// over 1000, the first and the last 500 are there, and a warning says so.
    pub(super) items: Vec<ItemView<'a>>,
    /// The tool calls, in the order of their start, each with its result.
    pub(super) tool_calls: Vec<ToolCallView<'a>>,
    /// From the request to the first text, in milliseconds; omitted if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_text_ms: Option<f64>,
    /// The longest time without an open tool call, in milliseconds; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) idle_ms: Option<f64>,
    /// How the run ended; for several runs in one response an error, otherwise the last end. Omitted if none ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<RunOutcomeView>,
    /// The open interrupts; omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) interrupts: Option<Vec<InterruptView<'a>>>,
    /// Whether the agent waits for input; omitted where that decides nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) awaiting_input: Option<AwaitingInputView<'a>>,
    /// The tokens of the turn; omitted if the agent reports none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<UsageView>,
    /// The requests of the turn, each with the head of its response; omitted if the protocol has none, or if they are not kept
    /// (`report` in the config).
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exchanges: Option<Vec<ExchangeView<'a>>>,
    /// What was received, event by event, as it was. By default of tests that did not pass: at most 256 KiB a test, first what
    /// the results rest on. Omitted if it is not kept.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<Vec<EventView<'a>>>,
    /// The agent's state before the turn, and how the turn changed it; omitted if it did not, or if that is not kept.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<StateView>,
    /// How many exchanges, events and changes of the state are missing above, because they are too many; omitted if none is.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dropped: Option<usize>,
    /// The evaluated rules of this turn: first those that failed, then those that passed.
    pub(super) assertions: Vec<Assertion<'a>>,
    /// Oddities of the protocol. A violation of the protocol's rules of order starts with the name of the rule:
    /// `text-still-open: …`. They do not fail a turn without `--strict-protocol`.
    pub(super) warnings: &'a [String],
    /// Why the turn could not be evaluated completely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<ProblemView<'a>>,
    /// The agent's time, in milliseconds with up to three decimals; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<f64>,
    /// When the turn was sent, in Unix milliseconds; virtual for a scripted agent. Omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) started: Option<u64>,
    /// When its response ended, in Unix milliseconds on the same clock; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ended: Option<u64>,
}

/// A request, and the head of its response.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Exchange")]
pub(super) struct ExchangeView<'a> {
    /// The number of the first event after the request.
    pub(super) event: u32,
    /// The method of the request.
    pub(super) method: &'a str,
    /// The URL without its query.
    pub(super) url: &'a str,
    /// The headers of the request; the values of those that are usually secret are `***`.
    #[schemars(with = "BTreeMap<String, String>")]
    #[serde(serialize_with = "header_map")]
    pub(super) request_headers: &'a [(String, String)],
    /// The body of the request; only with `events: all`. Over 16 KiB it is truncated and says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<&'a str>,
    /// The HTTP status; omitted if no response came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    /// The headers of the response; of a replay those that the recording contains.
    #[schemars(with = "BTreeMap<String, String>")]
    #[serde(serialize_with = "header_map")]
    pub(super) response_headers: &'a [(String, String)],
}

/// Headers as an object; the values of a name that comes several times are joined by `, ` (RFC 9110, section 5.3).
fn header_map<S: Serializer>(
    headers: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut joined: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in headers {
        let text = joined.entry(name).or_default();
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(value);
    }
    serializer.collect_map(joined)
}

/// An event as it was received.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub(super) struct EventView<'a> {
    /// Its number, as in `items`.
    pub(super) n: u32,
    /// When it arrived, in Unix milliseconds on the clock of its turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<u64>,
    /// Its text, secrets masked. Over 16 KiB it is truncated and says so.
    pub(super) raw: &'a str,
}

/// The agent's state before a turn, and its changes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "State")]
pub(super) struct StateView {
    /// The state before the turn; omitted if it is larger than 64 KiB.
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<Box<RawValue>>,
    /// Its changes, in their order.
    pub(super) changes: Vec<StateChangeView>,
}

/// A change of the agent's state: a new state, or a patch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StateChange")]
pub(super) struct StateChangeView {
    /// The number of the event that brought it.
    pub(super) event: u32,
    /// The new state; omitted of a patch.
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) snapshot: Option<Box<RawValue>>,
    /// The JSON Patch (RFC 6902); omitted of a new state.
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) patch: Option<Box<RawValue>>,
}

/// Something that the agent did.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "Item")]
pub(super) enum ItemView<'a> {
    /// A message of the agent.
    #[schemars(extend("x-since" = "1.0"))]
    Message(SaidView<'a>),
    /// Reasoning of the agent.
    #[schemars(extend("x-since" = "1.0"))]
    Reasoning(SaidView<'a>),
    /// The start of a tool call.
    #[schemars(extend("x-since" = "1.0"))]
    Call(CallItem<'a>),
    /// The result of a tool call.
    #[schemars(extend("x-since" = "1.0"))]
    Result(ResultItem<'a>),
    /// A custom event of the application.
    #[schemars(extend("x-since" = "1.0"))]
    Custom(CustomItem<'a>),
}

/// A text of the agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Said")]
pub(super) struct SaidView<'a> {
    /// Its id; omitted if the agent gave none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    /// The number of the event that opened it: the events of a test are counted from 0.
    pub(super) event: u32,
    /// When its first text arrived, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<u64>,
    /// The text. Over 16 KiB it is truncated and says so.
    pub(super) text: &'a str,
}

/// The start of a tool call.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CallItem")]
pub(super) struct CallItem<'a> {
    /// The call's id.
    pub(super) id: &'a str,
    /// The number of the event that opened it.
    pub(super) event: u32,
    /// When it started, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<u64>,
    /// The tool's name.
    pub(super) name: &'a str,
    /// The arguments, as in `tool_calls`.
    #[schemars(with = "serde_json::Value")]
    pub(super) args: Box<RawValue>,
}

/// The result of a tool call.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ResultItem")]
pub(super) struct ResultItem<'a> {
    /// The call's id.
    pub(super) id: &'a str,
    /// The number of the event that brought it.
    pub(super) event: u32,
    /// When it arrived, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<u64>,
    /// The tool's name.
    pub(super) name: &'a str,
    /// The result as sent, read like the arguments.
    #[schemars(with = "serde_json::Value")]
    pub(super) result: Box<RawValue>,
    /// The status of the call.
    pub(super) status: CallStatusView,
    /// `true` if the result is an error; omitted for every other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_error: Option<bool>,
    /// The turn that the call started in, counted from 1; omitted if it is this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) called_in: Option<u32>,
}

/// A custom event of the application.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CustomItem")]
pub(super) struct CustomItem<'a> {
    /// The number of the event.
    pub(super) event: u32,
    /// When it arrived, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<u64>,
    /// The event's name.
    pub(super) name: &'a str,
    /// What it carries, read like the arguments of a call.
    #[schemars(with = "serde_json::Value")]
    pub(super) value: Box<RawValue>,
}

/// A tool call, counted from its start, with or without a result.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ToolCall")]
pub(super) struct ToolCallView<'a> {
    /// The call's id.
    pub(super) id: &'a str,
    /// The tool's name.
    pub(super) name: &'a str,
    /// The arguments as sent: any JSON value, or a string with the text if it is not JSON, over 16 KiB, or nested over
    /// 64 levels deep.
    #[schemars(with = "serde_json::Value")]
    pub(super) args: Box<RawValue>,
    /// The result as sent, read like the arguments; omitted if none arrived in this turn.
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Box<RawValue>>,
    /// The status of the call in this turn.
    pub(super) status: CallStatusView,
    /// `true` if the result is an error; omitted for every other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_error: Option<bool>,
    /// `true` if a mock of the test answered it; omitted for every other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_mocked: Option<bool>,
    /// When it started, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) started: Option<u64>,
    /// When its result arrived, on the same clock; omitted if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) finished: Option<u64>,
    /// When it was completed: the same as `finished`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timestamp: Option<u64>,
    /// From the call's start to its result, in milliseconds; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<f64>,
}

/// The status of a tool call.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CallStatus")]
pub(super) enum CallStatusView {
    /// It has no result.
    Pending,
    /// It was executed.
    Executed,
    /// It was not executed: a person denied it.
    Denied,
}

/// An open interrupt.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Interrupt")]
pub(super) struct InterruptView<'a> {
    /// The interrupt's id.
    pub(super) id: &'a str,
    /// The agent's reason; omitted if it gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    /// The agent's question; omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
    /// The tool whose call is pending; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<&'a str>,
}

/// Tokens, as reported by the agent. A number is omitted if a part of it is unknown.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the format")]
#[schemars(rename = "Usage")]
pub(in crate::report) struct UsageView {
    /// Tokens that the models read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) input_tokens: Option<u64>,
    /// Tokens that the models wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) output_tokens: Option<u64>,
    /// Both together, as reported, otherwise their sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) total_tokens: Option<u64>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunOutcome")]
pub(super) enum RunOutcomeView {
    /// The run finished.
    Finished,
    /// The agent reported an error.
    Error,
    /// The agent waits for answers.
    Interrupted,
    /// The agent cancelled it.
    Cancelled,
}

/// Where an input came from.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "InputSource")]
pub(super) enum InputSourceView {
    /// From the test file.
    Static,
    /// From the test file, as the first message of a conversation that a simulator or a person continues.
    Initial,
    /// From the simulator.
    Simulator,
    /// From a walk: an action that was possible.
    Walk,
    /// From a person at the terminal.
    Human,
}

/// Whether the agent waits for input, and how that was found out.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AwaitingInput")]
pub(super) struct AwaitingInputView<'a> {
    /// Whether it waits.
    pub(super) waits: bool,
    /// How that was found out.
    pub(super) reason: InputReasonView,
    /// What it asks; omitted if it waits for nothing or asks without words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) question: Option<&'a str>,
    /// What it says about the input that it wants; omitted if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_hint: Option<&'a str>,
}

/// How it was found out whether the agent waits for input.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "InputReason")]
pub(super) enum InputReasonView {
    /// The agent says so: in a JSON answer, a custom event or its state, or with an interrupt.
    AgentDeclared,
    /// It called a tool that asks the user.
    ToolRequiresConfirmation,
    /// The last thing that it said is a question.
    ContentIsQuestion,
    /// It waits for nothing.
    Completed,
}
