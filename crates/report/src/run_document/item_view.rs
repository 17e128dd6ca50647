//! The actions of an agent in a turn, as readers get it: messages, calls and results in their order.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::from_str;
use serde_json::value::RawValue;

use super::event_numbers::UNSAID;
use super::json_text::{arguments, json, other_text, sent_text};
use super::part::{filled, present};
use super::{duration::Milliseconds, entries::without_place, part};
use ananke_trace::outcome::{
    CallFailure, CallOutcome, LateResult, ModelLine, SaidLine, TranscriptLine, TurnOutcome,
};
use ananke_trace::trace::{AnsweredBy, EventNumber};

/// Something that the agent did.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "Item")]
pub(crate) enum ItemView<'a> {
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
    /// A call of the agent to its model.
    #[schemars(extend("x-since" = "1.2"), transform = date_tag)]
    Model(ModelItem<'a>),
}

/// Gives the key that names a new kind of item the version of the kind, since all other keys of that name are older.
fn date_tag(schema: &mut Schema) {
    if let Some(tag) = schema.pointer_mut("/properties/type") {
        tag["x-since"] = "1.2".into();
    }
}

/// By hand: what `serde` derives for a tagged type keeps no text of a value as it is.
impl<'de> Deserialize<'de> for ItemView<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The tag of an item alone.
        #[derive(Deserialize)]
        struct ItemTag {
            r#type: String,
        }
        let item = Box::<RawValue>::deserialize(deserializer)?;
        let text = item.get();
        let read = || match from_str::<ItemTag>(text)?.r#type.as_str() {
            "message" => from_str(text).map(Self::Message),
            "reasoning" => from_str(text).map(Self::Reasoning),
            "call" => from_str(text).map(Self::Call),
            "result" => from_str(text).map(Self::Result),
            "custom" => from_str(text).map(Self::Custom),
            "model" => from_str(text).map(Self::Model),
            kind => Err(Error::custom(format!("`{kind}` is not a valid item"))),
        };
        read().map_err(|error| D::Error::custom(without_place(&error)))
    }
}

part! {
    /// A text of the agent.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Said")]
    pub(crate) struct SaidView<'a> of (turn: &TurnOutcome, said: &'a SaidLine) {
        /// Its id; omitted if the agent gave none.
        id?: Cow<'a, str> = filled(&said.id);
        /// The number of the event that opened it: the events of a turn are counted from 1; before version 1.2 those of the test from 0.
        event: u32 = said.event.number;
        /// When its first text arrived, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        #[serde(skip_deserializing)]
        at?: u64 = moment(turn, said.at_us);
        /// The same, in milliseconds from the start of the turn, with up to three decimals.
        #[schemars(extend("x-since" = "1.1"))]
        after_ms?: Milliseconds = said.at_us.map(Milliseconds);
        /// The text. Over 16 KiB it is truncated and says so.
        text: Cow<'a, str> = Cow::Borrowed(&said.text);
    }
}

impl SaidView<'_> {
    /// The line, which says again what a call returned or does not.
    pub(crate) fn line(self, says: fn(SaidLine) -> TranscriptLine) -> TranscriptLine {
        says(SaidLine {
            event: (UNSAID, self.event).into(),
            id: self.id.unwrap_or_default().into(),
            at_us: micros(self.after_ms),
            text: self.text.into(),
            repeats_result: false,
        })
    }
}

part! {
    /// The start of a tool call.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "CallItem")]
    pub(crate) struct CallItem<'a> of (turn: &TurnOutcome, call: &'a CallOutcome) {
        /// The call's id.
        id: Cow<'a, str> = Cow::Borrowed(&call.id);
        /// The number of the event that opened it.
        event: u32 = call.event.number;
        /// When it started, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        at?: u64 = moment(turn, call.started_us);
        /// The tool's name.
        name: Cow<'a, str> = Cow::Borrowed(&call.name);
        /// The arguments, as in `tool_calls`.
        #[schemars(with = "serde_json::Value")]
        args: Box<RawValue> = arguments(&call.args);
    }
}

part! {
    /// The result of a tool call.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "ResultItem")]
    pub(crate) struct ResultItem<'a> of (arrived: &ArrivedResult<'a>) {
        let value = json(arrived.text);
        let other = other_text(&value, arrived.text);
        /// The call's id.
        id: Cow<'a, str> = Cow::Borrowed(arrived.id);
        /// The number of the event that brought it.
        event: u32 = arrived.event.number;
        /// When it arrived, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        #[serde(skip_deserializing)]
        at?: u64 = moment(arrived.turn, arrived.at_us);
        /// The same, in milliseconds from the start of the turn, with up to three decimals.
        #[schemars(extend("x-since" = "1.1"))]
        after_ms?: Milliseconds = arrived.at_us.map(Milliseconds);
        /// The tool's name.
        name: Cow<'a, str> = Cow::Borrowed(arrived.name);
        /// The result as sent, read like the arguments.
        #[schemars(with = "serde_json::Value")]
        result: Box<RawValue> = value;
        /// The text of the result, if it is another than that of the value; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        result_text?: Cow<'a, str> = other;
        /// The status of the call.
        status: CallStatusView = CallStatusView::answered(arrived.failure);
        /// `true` if the result is an error; omitted for every other.
        is_error?: bool = is_error(arrived.failure);
        /// The turn that the call started in, counted from 1; omitted if it is this one.
        called_in?: u32 = arrived.called_in;
    }
}

/// A result as it arrived in a turn.
pub(crate) struct ArrivedResult<'a> {
    turn: &'a TurnOutcome,
    id: &'a str,
    name: &'a str,
    event: EventNumber,
    at_us: Option<u64>,
    text: &'a str,
    failure: Option<CallFailure>,
    /// The earlier turn that the call started in.
    called_in: Option<u32>,
}

impl ResultItem<'_> {
    /// The line, of a result of a call of an earlier turn.
    fn line(self) -> Option<TranscriptLine> {
        Some(TranscriptLine::Answered(LateResult {
            event: (UNSAID, self.event).into(),
            id: self.id.into(),
            name: self.name.into(),
            called_in: self.called_in?,
            result: sent_text(&self.result, self.result_text),
            arrived_us: micros(self.after_ms),
            failure: failure(self.status, self.is_error),
        }))
    }
}

part! {
    /// A custom event of the application.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "CustomItem")]
    pub(crate) struct CustomItem<'a> of (
        turn: &TurnOutcome,
        number: u32,
        at_us: Option<u64>,
        called: &'a str,
        sent: &'a str
    ) {
        let value = json(sent);
        let other = other_text(&value, sent);
        /// The number of the event.
        event: u32 = number;
        /// When it arrived, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        #[serde(skip_deserializing)]
        at?: u64 = moment(turn, at_us);
        /// The same, in milliseconds from the start of the turn, with up to three decimals.
        #[schemars(extend("x-since" = "1.1"))]
        after_ms?: Milliseconds = at_us.map(Milliseconds);
        /// The event's name.
        name: Cow<'a, str> = Cow::Borrowed(called);
        /// What it carries, read like the arguments of a call.
        #[schemars(with = "serde_json::Value")]
        value: Box<RawValue> = value;
        /// The text of the value, if it is another; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        value_text?: Cow<'a, str> = other;
    }
}

part! {
    /// A call of the agent to its model. The agent does not send it.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "ModelItem")]
    pub(crate) struct ModelItem<'a> of (line: &'a ModelLine) {
        let request = json(&line.request);
        let other_request = other_text(&request, &line.request);
        let answer = json(&line.answer);
        let other_answer = other_text(&answer, &line.answer);
        /// The number among the calls of its turn, counted from 1.
        #[schemars(extend("x-since" = "1.2"))]
        number: u32 = line.number;
        /// The number of the event of the agent that comes next.
        #[schemars(extend("x-since" = "1.2"))]
        next_event: u32 = line.event.number;
        /// The key of the model in `models`.
        #[schemars(extend("x-since" = "1.2"))]
        name: Cow<'a, str> = Cow::Borrowed(&line.name);
        /// The name of the model in the request.
        #[schemars(extend("x-since" = "1.2"))]
        model: Cow<'a, str> = Cow::Borrowed(&line.model);
        /// The API in words, such as `chat completions`.
        #[schemars(extend("x-since" = "1.2"))]
        api: Cow<'a, str> = Cow::Borrowed(&line.api);
        /// The number of times that the agent sent the request.
        #[schemars(extend("x-since" = "1.2"))]
        attempts: u32 = line.attempts;
        /// The source of the answer: `reply 1`, `rule 2` or `recording 3` with its number, or `live`.
        #[schemars(extend("x-since" = "1.2"))]
        #[schemars(with = "String")]
        answered_by: AnsweredBy = line.answered_by;
        /// The newest message of the request, in words.
        #[schemars(extend("x-since" = "1.2"))]
        asked: Cow<'a, str> = Cow::Borrowed(&line.asked);
        /// The answer, in words.
        #[schemars(extend("x-since" = "1.2"))]
        answered: Cow<'a, str> = Cow::Borrowed(&line.answered);
        /// The request: its model, its newest messages and the number of `omitted_messages`, its tools and parameters.
        #[schemars(extend("x-since" = "1.2"))]
        #[schemars(with = "serde_json::Value")]
        request: Box<RawValue> = request;
        /// The text of the request, if it is another than that of the value; omitted otherwise.
        #[schemars(extend("x-since" = "1.2"))]
        request_text?: Cow<'a, str> = other_request;
        /// The answer: its text, its calls and the reason for its end. Over 16 KiB it is a text that is truncated.
        #[schemars(extend("x-since" = "1.2"))]
        #[schemars(with = "serde_json::Value")]
        answer: Box<RawValue> = answer;
        /// The text of the answer, if it is another than that of the value; omitted otherwise.
        #[schemars(extend("x-since" = "1.2"))]
        answer_text?: Cow<'a, str> = other_answer;
        /// The tokens that the model read, if they are recorded or scripted; omitted otherwise.
        #[schemars(extend("x-since" = "1.2"))]
        input_tokens?: u64 = line.input_tokens;
        /// The tokens that the model wrote, if they are recorded or scripted; omitted otherwise.
        #[schemars(extend("x-since" = "1.2"))]
        output_tokens?: u64 = line.output_tokens;
    }
}

impl From<ModelItem<'_>> for ModelLine {
    fn from(read: ModelItem<'_>) -> Self {
        Self {
            event: (UNSAID, read.next_event).into(),
            number: read.number,
            name: read.name.into(),
            model: read.model.into(),
            api: read.api.into(),
            attempts: read.attempts,
            answered_by: read.answered_by,
            asked: read.asked.into(),
            answered: read.answered.into(),
            request: sent_text(&read.request, read.request_text),
            answer: sent_text(&read.answer, read.answer_text),
            input_tokens: read.input_tokens,
            output_tokens: read.output_tokens,
        }
    }
}

part! {
    /// A tool call, counted from its start, with or without a result.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "ToolCall")]
    pub(crate) struct ToolCallView<'a> of (turn: &TurnOutcome, call: &'a CallOutcome) {
        let ended = moment(turn, ended(call));
        let is_pending = call.result.is_none() && !call.hides_result;
        let args = arguments(&call.args);
        let other_args = other_text(&args, &call.args);
        let result = call.result.as_deref().map(|text| (json(text), text));
        let other_result = result.as_ref().and_then(|(value, text)| other_text(value, text));
        /// The call's id.
        id: Cow<'a, str> = Cow::Borrowed(&call.id);
        /// The tool's name.
        name: Cow<'a, str> = Cow::Borrowed(&call.name);
        /// The number of the event that opened it, as in `items`.
        #[schemars(extend("x-since" = "1.1"))]
        event: u32 = call.event.number;
        /// The arguments as sent: any JSON value, or a string with the text if it is not JSON, over 16 KiB, or nested over
        /// 64 levels deep.
        #[schemars(with = "serde_json::Value")]
        args: Box<RawValue> = args;
        /// The text of the arguments, if it is another than that of the value; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        args_text?: Cow<'a, str> = other_args;
        /// The result as sent, read like the arguments; omitted if none arrived in this turn.
        #[schemars(with = "Option<serde_json::Value>")]
        #[serde(default, deserialize_with = "present")]
        result?: Box<RawValue> = result.map(|(value, _)| value);
        /// The text of the result, if it is another than that of the value; omitted otherwise.
        #[schemars(extend("x-since" = "1.1"))]
        result_text?: Cow<'a, str> = other_result;
        /// The number of the event that brought the result; omitted if none arrived in this turn.
        #[schemars(extend("x-since" = "1.1"))]
        result_event?: u32 = call.result.is_some().then_some(call.result_event.number);
        /// The status of the call in this turn.
        status: CallStatusView = if is_pending {
            CallStatusView::Pending
        } else {
            CallStatusView::answered(call.failure)
        };
        /// `true` if the result is an error; omitted for every other.
        is_error?: bool = is_error(call.failure);
        /// `true` if the client answered it: a mock, a server of `client_tools`, or a program; omitted for every other.
        is_mocked?: bool = call.is_client_side.then_some(true);
        /// When it started, in Unix milliseconds on the clock of its turn; omitted if a trace does not show it.
        #[serde(skip_deserializing)]
        started?: u64 = moment(turn, call.started_us);
        /// The same, in milliseconds from the start of the turn, with up to three decimals.
        #[schemars(extend("x-since" = "1.1"))]
        after_ms?: Milliseconds = call.started_us.map(Milliseconds);
        /// When its result arrived, on the same clock; omitted if none did.
        #[serde(skip_deserializing)]
        finished?: u64 = ended;
        /// When it was completed: the same as `finished`.
        #[serde(skip_deserializing)]
        timestamp?: u64 = ended;
        /// From the call's start to its result, in milliseconds; omitted if there is none.
        duration_ms?: Milliseconds = call.duration_us.map(Milliseconds);
    }
}

impl From<ToolCallView<'_>> for CallOutcome {
    fn from(read: ToolCallView<'_>) -> Self {
        let result = read
            .result
            .map(|result| sent_text(&result, read.result_text));
        Self {
            event: (UNSAID, read.event).into(),
            id: read.id.into(),
            name: read.name.into(),
            args: sent_text(&read.args, read.args_text),
            hides_result: result.is_none() && read.status != CallStatusView::Pending,
            result_event: (UNSAID, read.result_event.unwrap_or(read.event)).into(),
            result,
            is_client_side: read.is_mocked.unwrap_or_default(),
            started_us: micros(read.after_ms),
            duration_us: micros(read.duration_ms),
            failure: failure(read.status, read.is_error),
        }
    }
}

/// The status of a tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CallStatus")]
pub(crate) enum CallStatusView {
    /// It has no result.
    Pending,
    /// It was executed.
    #[default]
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
pub(crate) fn items(turn: &TurnOutcome) -> Vec<ItemView<'_>> {
    let mut items: Vec<((EventNumber, bool), ItemView<'_>)> = Vec::with_capacity(turn.lines.len());
    for line in turn.lines.iter().filter(|line| !line.is_repetition()) {
        items.push((line.place(), item(turn, line)));
        if let TranscriptLine::Calls(call) = line
            && let Some(text) = call.result.as_deref()
        {
            let result = ResultItem::of(&ArrivedResult {
                turn,
                id: &call.id,
                name: &call.name,
                event: call.result_event,
                at_us: ended(call),
                text,
                failure: call.failure,
                called_in: None,
            });
            items.push(((call.result_event, true), ItemView::Result(result)));
        }
    }
    items.sort_by_key(|(place, _)| *place);
    items.into_iter().map(|(_, item)| item).collect()
}

fn item<'a>(turn: &'a TurnOutcome, line: &'a TranscriptLine) -> ItemView<'a> {
    match line {
        TranscriptLine::Says(said) => ItemView::Message(SaidView::of(turn, said)),
        TranscriptLine::Thinks(said) => ItemView::Reasoning(SaidView::of(turn, said)),
        TranscriptLine::Calls(call) => ItemView::Call(CallItem::of(turn, call)),
        TranscriptLine::Answered(late) => ItemView::Result(ResultItem::of(&ArrivedResult {
            turn,
            id: &late.id,
            name: &late.name,
            event: late.event,
            at_us: late.arrived_us,
            text: &late.result,
            failure: late.failure,
            called_in: Some(late.called_in),
        })),
        TranscriptLine::Custom {
            event,
            at_us,
            name,
            value,
        } => ItemView::Custom(CustomItem::of(turn, event.number, *at_us, name, value)),
        TranscriptLine::Asks(model) => ItemView::Model(ModelItem::of(model)),
    }
}

impl ItemView<'_> {
    /// The line; `None` of a call and its result, which are in `tool_calls`.
    pub(crate) fn line(self) -> Option<TranscriptLine> {
        match self {
            Self::Message(said) => Some(said.line(TranscriptLine::Says)),
            Self::Reasoning(said) => Some(said.line(TranscriptLine::Thinks)),
            Self::Call(_) => None,
            Self::Model(model) => Some(TranscriptLine::Asks(model.into())),
            Self::Result(result) => result.line(),
            Self::Custom(custom) => Some(TranscriptLine::Custom {
                event: (UNSAID, custom.event).into(),
                at_us: micros(custom.after_ms),
                name: custom.name.into(),
                value: sent_text(&custom.value, custom.value_text),
            }),
        }
    }
}

/// The moment so many microseconds after the start of the turn, in Unix milliseconds; `None` if nothing shows it.
fn moment(turn: &TurnOutcome, us: Option<u64>) -> Option<u64> {
    Some(turn.started_unix_ms?.saturating_add(us? / 1000))
}

/// From the start of the turn to the result of a call, in microseconds.
fn ended(call: &CallOutcome) -> Option<u64> {
    Some(call.started_us?.saturating_add(call.duration_us?))
}

fn is_error(failure: Option<CallFailure>) -> Option<bool> {
    (failure == Some(CallFailure::Failed)).then_some(true)
}

fn failure(status: CallStatusView, is_error: Option<bool>) -> Option<CallFailure> {
    match (status, is_error) {
        (CallStatusView::Denied, _) => Some(CallFailure::Denied),
        (_, Some(true)) => Some(CallFailure::Failed),
        _ => None,
    }
}

fn micros(ms: Option<Milliseconds>) -> Option<u64> {
    ms.map(|ms| ms.0)
}
