//! The actions of an agent in a turn, as readers get it: messages, calls and results in their order.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use super::json_text::{arguments, json};
use super::omitted::filled;
use crate::report::part::part;
use crate::report::words::duration::milliseconds;
use ananke_trace::outcome::{CallFailure, CallOutcome, SaidLine, TranscriptLine, TurnOutcome};

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

part! {
    /// A text of the agent.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "Said")]
    pub(super) struct SaidView<'a> of (turn: &TurnOutcome, said: &'a SaidLine) {
        /// Its id; omitted if the agent gave none.
        id?: &'a str = filled(&said.id);
        /// The number of the event that opened it: the events of a test are counted from 0.
        event: u32 = said.event;
        /// When its first text arrived, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        at?: u64 = moment(turn, said.at_us);
        /// The text. Over 16 KiB it is truncated and says so.
        text: &'a str = &said.text;
    }
}

part! {
    /// The start of a tool call.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "CallItem")]
    pub(super) struct CallItem<'a> of (turn: &TurnOutcome, call: &'a CallOutcome) {
        /// The call's id.
        id: &'a str = &call.id;
        /// The number of the event that opened it.
        event: u32 = call.event;
        /// When it started, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        at?: u64 = moment(turn, call.started_us);
        /// The tool's name.
        name: &'a str = &call.name;
        /// The arguments, as in `tool_calls`.
        #[schemars(with = "serde_json::Value")]
        args: Box<RawValue> = arguments(&call.args);
    }
}

part! {
    /// The result of a tool call.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "ResultItem")]
    pub(super) struct ResultItem<'a> of (
        call: (&'a str, &'a str),
        arrived: (u32, Option<u64>),
        sent: &'a str,
        failure: Option<CallFailure>,
        earlier_turn: Option<u32>
    ) {
        /// The call's id.
        id: &'a str = call.0;
        /// The number of the event that brought it.
        event: u32 = arrived.0;
        /// When it arrived, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        at?: u64 = arrived.1;
        /// The tool's name.
        name: &'a str = call.1;
        /// The result as sent, read like the arguments.
        #[schemars(with = "serde_json::Value")]
        result: Box<RawValue> = json(sent);
        /// The status of the call.
        status: CallStatusView = CallStatusView::answered(failure);
        /// `true` if the result is an error; omitted for every other.
        is_error?: bool = is_error(failure);
        /// The turn that the call started in, counted from 1; omitted if it is this one.
        called_in?: u32 = earlier_turn;
    }
}

part! {
    /// A custom event of the application.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "CustomItem")]
    pub(super) struct CustomItem<'a> of (
        number: u32,
        arrived: Option<u64>,
        called: &'a str,
        sent: &'a str
    ) {
        /// The number of the event.
        event: u32 = number;
        /// When it arrived, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        at?: u64 = arrived;
        /// The event's name.
        name: &'a str = called;
        /// What it carries, read like the arguments of a call.
        #[schemars(with = "serde_json::Value")]
        value: Box<RawValue> = json(sent);
    }
}

part! {
    /// A tool call, counted from its start, with or without a result.
    #[derive(Debug, Serialize, JsonSchema)]
    #[schemars(rename = "ToolCall")]
    pub(super) struct ToolCallView<'a> of (turn: &TurnOutcome, call: &'a CallOutcome) {
        let ended = result_moment(turn, call);
        let is_pending = call.result.is_none() && !call.hides_result;
        /// The call's id.
        id: &'a str = &call.id;
        /// The tool's name.
        name: &'a str = &call.name;
        /// The arguments as sent: any JSON value, or a string with the text if it is not JSON, over 16 KiB, or nested over
        /// 64 levels deep.
        #[schemars(with = "serde_json::Value")]
        args: Box<RawValue> = arguments(&call.args);
        /// The result as sent, read like the arguments; omitted if none arrived in this turn.
        #[schemars(with = "Option<serde_json::Value>")]
        result?: Box<RawValue> = call.result.as_deref().map(json);
        /// The status of the call in this turn.
        status: CallStatusView = if is_pending {
            CallStatusView::Pending
        } else {
            CallStatusView::answered(call.failure)
        };
        /// `true` if the result is an error; omitted for every other.
        is_error?: bool = is_error(call.failure);
        /// `true` if a mock of the test answered it; omitted for every other.
        is_mocked?: bool = call.is_client_side.then_some(true);
        /// When it started, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        started?: u64 = moment(turn, call.started_us);
        /// When its result arrived, on the same clock; omitted if none did.
        finished?: u64 = ended;
        /// When it was completed: the same as `finished`.
        timestamp?: u64 = ended;
        /// From the call's start to its result, in milliseconds; omitted if there is none.
        duration_ms?: f64 = call.duration_us.map(milliseconds);
    }
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

impl CallStatusView {
    /// The status of a call that has a result.
    fn answered(failure: Option<CallFailure>) -> Self {
        if failure == Some(CallFailure::Denied) {
            Self::Denied
        } else {
            Self::Executed
        }
    }
}

/// The actions of the agent in a turn, in the order of the events.
pub(super) fn items(turn: &TurnOutcome) -> Vec<ItemView<'_>> {
    let mut items: Vec<(u32, ItemView<'_>)> = Vec::with_capacity(turn.lines.len());
    for line in turn.lines.iter().filter(|line| !line.is_repetition()) {
        items.push((line.event(), item(turn, line)));
        if let TranscriptLine::Calls(call) = line
            && let Some(sent) = call.result.as_deref()
        {
            let arrived = (call.result_event, result_moment(turn, call));
            let result = ResultItem::of((&call.id, &call.name), arrived, sent, call.failure, None);
            items.push((call.result_event, ItemView::Result(result)));
        }
    }
    items.sort_by_key(|(event, _)| *event);
    items.into_iter().map(|(_, item)| item).collect()
}

fn item<'a>(turn: &TurnOutcome, line: &'a TranscriptLine) -> ItemView<'a> {
    match line {
        TranscriptLine::Says(said) => ItemView::Message(SaidView::of(turn, said)),
        TranscriptLine::Thinks(said) => ItemView::Reasoning(SaidView::of(turn, said)),
        TranscriptLine::Calls(call) => ItemView::Call(CallItem::of(turn, call)),
        TranscriptLine::Answered(late) => ItemView::Result(ResultItem::of(
            (&late.id, &late.name),
            (late.event, moment(turn, late.arrived_us)),
            &late.result,
            late.failure,
            Some(late.called_in),
        )),
        TranscriptLine::Custom {
            event,
            at_us,
            name,
            value,
        } => ItemView::Custom(CustomItem::of(*event, moment(turn, *at_us), name, value)),
    }
}

/// The moment so many microseconds after the start of the turn, in Unix milliseconds; `None` if nothing shows it.
fn moment(turn: &TurnOutcome, us: Option<u64>) -> Option<u64> {
    Some(turn.started_unix_ms?.saturating_add(us? / 1000))
}

fn result_moment(turn: &TurnOutcome, call: &CallOutcome) -> Option<u64> {
    let ended_us = call.started_us?.saturating_add(call.duration_us?);
    moment(turn, Some(ended_us))
}

fn is_error(failure: Option<CallFailure>) -> Option<bool> {
    (failure == Some(CallFailure::Failed)).then_some(true)
}
