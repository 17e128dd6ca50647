//! What one span says of a conversation: which kind it is, when it was, and its messages, calls and tokens.
//!
//! Flows in: a span, with the log records that belong to it. Flows out: the same in the words of a conversation, whatever its
//! attributes are called.

use serde_json::{Map, Value};

use super::otlp_span::{OtlpSpan, SpanEvent, json_of};
use crate::verify::conventions::{Conventions, EventContent, MessageSpeaker, SpanKind};
use crate::verify::message_items::{MessageItem, first, text_of};
use ananke_base::source::received_json;
use ananke_trace::trace::Usage;

/// What one span says of a conversation.
#[derive(Debug)]
pub(super) struct ObservedSpan {
    pub(super) kind: SpanKind,
    /// When it began and ended, in microseconds of Unix time; `None` if it does not say so.
    pub(super) times: Option<(u64, u64)>,
    /// The agent's name.
    pub(super) agent: Option<String>,
    /// What the model got; `None` if it is not there.
    pub(super) input: Option<Vec<MessageItem>>,
    /// What it gave; `None` if it is not there.
    pub(super) output: Option<Vec<MessageItem>>,
    pub(super) usage: Option<Usage>,
    /// The call that a tool executes.
    pub(super) tool: Option<String>,
    pub(super) call_id: Option<String>,
    pub(super) args: Option<String>,
    pub(super) result: Option<Value>,
    /// What went wrong: a message, and a code.
    pub(super) error: Option<(String, Option<String>)>,
}

/// The messages of a model as they are put together.
#[derive(Default)]
struct ModelMessages {
    input: Option<Vec<MessageItem>>,
    output: Option<Vec<MessageItem>>,
}

impl ModelMessages {
    fn add(&mut self, kind: EventContent, items: Vec<MessageItem>) {
        let list = if kind == EventContent::Output {
            &mut self.output
        } else {
            &mut self.input
        };
        list.get_or_insert_default().extend(items);
    }
}

impl ObservedSpan {
    /// What `span` of this kind says, with the log records that belong to it.
    pub(super) fn of(
        kind: SpanKind,
        span: &OtlpSpan<'_>,
        logs: &[OtlpSpan<'_>],
        names: &Conventions,
    ) -> Self {
        let mut attributes = json_of(span.attributes.as_deref().unwrap_or_default());
        let mut messages = ModelMessages::default();
        let no_events = Vec::new();
        let events = span.events.as_ref().unwrap_or(&no_events);
        for event in events {
            let own = json_of(event.attributes.as_deref().unwrap_or_default());
            take_event(
                event.name.as_deref(),
                own,
                None,
                names,
                &mut messages,
                &mut attributes,
            );
        }
        for log in logs {
            let own = json_of(log.attributes.as_deref().unwrap_or_default());
            let body = log.body.as_ref().map(super::otlp_span::AnyValue::json);
            take_event(
                log.event_name.as_deref(),
                own,
                body,
                names,
                &mut messages,
                &mut attributes,
            );
        }
        take_messages(&attributes, names, &mut messages);
        let text = |names: &[String]| first(&attributes, names).map(text_of);
        let known = &names.attributes;
        let count = |names: &[String]| first(&attributes, names).and_then(Value::as_u64);
        let (input_tokens, output_tokens) =
            (count(&known.input_tokens), count(&known.output_tokens));
        Self {
            kind,
            times: times(span),
            agent: text(&known.agent),
            input: messages.input,
            output: messages.output,
            usage: input_tokens
                .zip(output_tokens)
                .map(|(input, output)| Usage::reported(Some(input), Some(output), None)),
            tool: text(&known.tool_name),
            call_id: text(&known.call_id),
            args: text(&known.arguments),
            result: first(&attributes, &known.result)
                .map(|result| names.unwrapped(unquoted(result))),
            error: error(span, events, &attributes, names),
        }
    }
}

/// JSON that is a text in an attribute as what it is: objects and lists alone, since other texts may be meant as they are.
fn unquoted(value: &Value) -> Value {
    let Value::String(text) = value else {
        return value.clone();
    };
    match received_json::read(text).map(|read| read.value) {
        Ok(inner @ (Value::Array(_) | Value::Object(_))) => inner,
        _ => value.clone(),
    }
}

/// When a span began and ended, if the clock went forward meanwhile.
fn times(span: &OtlpSpan<'_>) -> Option<(u64, u64)> {
    let micros = |time: &Option<super::otlp_span::OtlpInteger>| {
        Some(time.as_ref()?.count()? / 1000).filter(|time| *time > 0)
    };
    let (start, end) = (
        micros(&span.start_time_unix_nano)?,
        micros(&span.end_time_unix_nano)?,
    );
    Some((start, end)).filter(|(start, end)| start <= end)
}

fn error(
    span: &OtlpSpan<'_>,
    events: &[SpanEvent<'_>],
    attributes: &Map<String, Value>,
    names: &Conventions,
) -> Option<(String, Option<String>)> {
    let code = first(attributes, &names.attributes.error).map(text_of);
    let status = span.status.as_ref().filter(|status| status.is_error());
    if status.is_none() && code.is_none() {
        return None;
    }
    let of_event = events.iter().rev().find_map(|event| {
        let own = json_of(event.attributes.as_deref().unwrap_or_default());
        first(&own, &names.attributes.error_message).map(text_of)
    });
    let message = status
        .and_then(|status| status.message.as_deref())
        .map(str::to_owned);
    let message = message
        .filter(|message| !message.is_empty())
        .or(of_event)
        .or_else(|| code.clone());
    Some((
        message.unwrap_or_else(|| "the span has the status `error`".to_owned()),
        code,
    ))
}

/// Takes the message of an event, or its attributes.
fn take_event(
    name: Option<&str>,
    own: Map<String, Value>,
    body: Option<Value>,
    conventions: &Conventions,
    messages: &mut ModelMessages,
    attributes: &mut Map<String, Value>,
) {
    let own_name = first(&own, &conventions.event_names).map(text_of);
    let name = name
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .or(own_name);
    let Some(name) = name.as_deref() else { return };
    let Some(kind) = conventions.events.get(name).copied() else {
        return;
    };
    if kind == EventContent::Attributes {
        if let Some(Value::Object(body)) = body {
            attributes.extend(body);
        }
        attributes.extend(own);
        return;
    }
    let body = body
        .filter(|body| !body.is_null())
        .or_else(|| first(&own, &conventions.event_bodies).cloned());
    let message = body.unwrap_or(Value::Object(own));
    messages.add(
        kind,
        conventions.messages.items(&message, speaker(name, kind)),
    );
}

/// Who says the message of an event, if the message does not say it.
fn speaker(event: &str, kind: EventContent) -> MessageSpeaker {
    match kind {
        EventContent::Output => MessageSpeaker::Assistant,
        _ if event.contains("assistant") => MessageSpeaker::Assistant,
        _ if event.contains("system") => MessageSpeaker::System,
        _ if event.contains("tool") => MessageSpeaker::Tool,
        _ => MessageSpeaker::User,
    }
}

/// Takes the messages that are attributes, as lists of JSON or one attribute for each part.
fn take_messages(
    attributes: &Map<String, Value>,
    names: &Conventions,
    messages: &mut ModelMessages,
) {
    let known = &names.attributes;
    let items = |value: &Value, speaker| names.messages.items(value, speaker);
    let list = |names: &[String], prefixes: &[String]| {
        let whole = first(attributes, names).cloned();
        whole.or_else(|| {
            prefixes
                .iter()
                .find_map(|prefix| nested(attributes, prefix))
        })
    };
    if messages.input.is_none() {
        let input = list(&known.input, &known.input_prefixes);
        messages.input = input.map(|input| items(&input, MessageSpeaker::User));
    }
    if messages.output.is_none() {
        let output = list(&known.output, &known.output_prefixes);
        messages.output = output.map(|output| items(&output, MessageSpeaker::Assistant));
    }
    if messages.output.is_none() {
        let text = first(attributes, &known.output_text);
        let calls = first(attributes, &known.output_calls);
        if text.is_some() || calls.is_some() {
            let text = text
                .filter(|text| text.as_str() != Some(""))
                .map(|text| MessageItem::Says(Some(text_of(text))));
            let calls = calls.map(|calls| items(calls, MessageSpeaker::Assistant));
            messages.output = Some(
                text.into_iter()
                    .chain(calls.into_iter().flatten())
                    .collect(),
            );
        }
    }
    if let Some(value) = first(attributes, &known.event_lists) {
        let parsed = value
            .as_str()
            .and_then(|text| Some(received_json::read(text).ok()?.value));
        let events = parsed.as_ref().unwrap_or(value).as_array();
        for event in events.into_iter().flatten().filter_map(Value::as_object) {
            take_event(None, event.clone(), None, names, messages, &mut Map::new());
        }
    }
    if messages.input.is_none()
        && messages.output.is_none()
        && let Some(all) = first(attributes, &known.all)
    {
        let mut all = items(all, MessageSpeaker::User);
        let asked = all
            .iter()
            .rposition(|item| matches!(item, MessageItem::Asks(_)))
            .map_or(0, |last| last + 1);
        messages.output = Some(all.split_off(asked));
        messages.input = Some(all);
    }
}

/// The value whose parts are the attributes that begin with `prefix.`: numbers are places in lists.
fn nested(attributes: &Map<String, Value>, prefix: &str) -> Option<Value> {
    let mut root = Value::Null;
    for (name, value) in attributes {
        let Some(path) = name
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix('.'))
        else {
            continue;
        };
        put(&mut root, path, value);
    }
    Some(listed(root)).filter(|root| !root.is_null())
}

fn put(place: &mut Value, path: &str, value: &Value) {
    let mut place = place;
    for key in path.split('.').take(16) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(object) = place else { return };
        place = object.entry(key).or_insert(Value::Null);
    }
    *place = value.clone();
}

/// Objects whose keys are all numbers become lists, in the order of the numbers.
fn listed(value: Value) -> Value {
    let Value::Object(object) = value else {
        return value;
    };
    let numbers: Option<Vec<u64>> = object.keys().map(|key| key.parse().ok()).collect();
    let values = object.into_iter().map(|(key, value)| (key, listed(value)));
    match numbers {
        Some(numbers) if !numbers.is_empty() => {
            let mut numbered: Vec<_> = numbers
                .into_iter()
                .zip(values.map(|(_, value)| value))
                .collect();
            numbered.sort_by_key(|(number, _)| *number);
            numbered.into_iter().map(|(_, value)| value).collect()
        }
        _ => Value::Object(values.collect()),
    }
}
