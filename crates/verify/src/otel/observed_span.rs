//! The content of one span of a conversation: its kind, its times, and its messages, calls and tokens; and where it is among
//! the others.
//!
//! Flows in: a span, with the log records that belong to it. Flows out: the same in the words of a conversation, whatever its
//! attributes are called. **Invariant:** every attribute and event is read, on the silent list, or unread (SPEC 13).

use serde_json::{Map, Value};

use super::otlp_span::{AnyValue, OtlpSpan, SpanEvent, json_of};
use super::span_messages::{SpanMessages, is_omitted, is_truncated, unread};
use crate::call_result::UnwrappedResult;
use crate::conventions::{AttributeNames, Conventions, SpanKind};
use crate::message_item::{MessageItem, first, inner_json, is_given, text_of};
use crate::tool_end::ToolEnd;
use ananke_base::source::received_json;
use ananke_trace::trace::{Fact, Facts, Unread, UnreadForm, Usage};

/// The facts that may be in a span, but for its times.
const OF_SPAN: Facts = Facts::of(&[
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::CallEnds,
    Fact::Text,
    Fact::Usage,
]);

/// The content of one span of a conversation.
#[derive(Debug)]
pub(super) struct ObservedSpan {
    pub(super) kind: SpanKind,
    /// The beginning and the end, in microseconds of Unix time; `None` if the span does not contain them.
    pub(super) times: Option<(u64, u64)>,
    /// The agent's name.
    pub(super) agent: Option<String>,
    /// The input and the output of the model.
    pub(super) messages: SpanMessages,
    pub(super) usage: Option<Usage>,
    /// The model that was asked.
    pub(super) model: Option<String>,
    /// The call that a tool executes.
    pub(super) tool: Option<String>,
    pub(super) call_id: Option<String>,
    pub(super) args: Option<String>,
    pub(super) result: Option<Value>,
    /// The end of the call, if its result or a status contains it.
    pub(super) end: Option<ToolEnd>,
    /// The error: a message, and a code.
    pub(super) error: Option<(String, Option<String>)>,
    /// The parts that were not understood.
    pub(super) unread: Vec<Unread<'static>>,
}

impl ObservedSpan {
    /// The content of `span` of this kind, with the log records that belong to it. Without a kind it is unread.
    pub(super) fn of(
        kind: Option<SpanKind>,
        span: &OtlpSpan<'_>,
        logs: &[OtlpSpan<'_>],
        names: &Conventions,
    ) -> Self {
        let mut attributes = json_of(span.attributes.as_deref().unwrap_or_default());
        add_inner_attributes(&mut attributes, names);
        let Some(kind) = kind else {
            return Self::unread(span, &attributes);
        };
        let mut messages = SpanMessages::default();
        let no_events = Vec::new();
        let events = span.events.as_ref().unwrap_or(&no_events);
        for event in events {
            let own = json_of(event.attributes.as_deref().unwrap_or_default());
            messages.take_event(event.name.as_deref(), own, None, names, &mut attributes);
        }
        for log in logs {
            let own = json_of(log.attributes.as_deref().unwrap_or_default());
            let body = log.body.as_ref().map(AnyValue::json);
            messages.take_event(log.event_name.as_deref(), own, body, names, &mut attributes);
        }
        let mut unread: Vec<_> = std::iter::once(span)
            .chain(logs)
            .flat_map(dropped)
            .collect();
        unread.extend(unread_attributes(&attributes, names));
        let is_tool = kind == SpanKind::Tool;
        if !is_tool {
            messages.take_attributes(&attributes, names);
            // A model of which nothing is left said something that is not there.
            messages.output.take_if(|output| is_omitted(output));
        }
        let text = |names: &[String]| {
            first(&attributes, names)
                .map(text_of)
                .filter(|text| !text.is_empty())
        };
        let known = &names.attributes;
        let mut observed = Self {
            kind,
            times: times(span),
            agent: text(&known.agent),
            messages,
            usage: usage(&attributes, known),
            model: text(&known.model),
            tool: None,
            call_id: text(&known.call_id),
            args: None,
            result: None,
            end: None,
            error: error(span, events, &attributes, names),
            unread,
        };
        if is_tool {
            let name = tool_name(span, &attributes, names);
            observed.tool = name.filter(|name| !name.is_empty());
            observed.take_status(&attributes, names);
            observed.take_call(&attributes, names);
        }
        observed
    }

    /// A span of no kind.
    fn unread(span: &OtlpSpan<'_>, attributes: &Map<String, Value>) -> Self {
        let name = format!("span:{}", span.name.as_deref().unwrap_or_default());
        let inner = attributes
            .iter()
            .map(|(name, value)| (name.clone(), unquoted(value)));
        let unread = Unread::item(name, &Value::Object(inner.collect()));
        let unread = Some(unread).filter(|unread| unread.facts != Facts::NONE);
        Self {
            times: times(span),
            unread: unread.into_iter().collect(),
            ..Self::silent()
        }
    }

    /// A span without anything in it.
    pub(super) fn silent() -> Self {
        Self {
            kind: SpanKind::Silent,
            times: None,
            agent: None,
            messages: SpanMessages::default(),
            usage: None,
            model: None,
            tool: None,
            call_id: None,
            args: None,
            result: None,
            end: None,
            error: None,
            unread: Vec::new(),
        }
    }

    /// Takes the end of the call from the attribute that has its status.
    fn take_status(&mut self, attributes: &Map<String, Value>, names: &Conventions) {
        let Some(status) = first(attributes, &names.attributes.status) else {
            return;
        };
        self.end = names.messages.end_of_status(status);
        if !status.is_string() {
            let ends = Facts::of(&[Fact::CallEnds]);
            let name = "attribute:status".to_owned();
            self.unread.push(unread(name, &status.to_string(), ends));
        }
    }

    /// Takes the arguments and the result of the call that a tool executes.
    fn take_call(&mut self, attributes: &Map<String, Value>, names: &Conventions) {
        let known = &names.attributes;
        let SpanMessages { input, output } = std::mem::take(&mut self.messages);
        let of_events = input.into_iter().flatten().find_map(|item| match item {
            MessageItem::Answers { result, .. } => result,
            MessageItem::Asks(text) | MessageItem::Says(text) => text.map(Value::from),
            _ => None,
        });
        let given = known
            .arguments
            .iter()
            .filter_map(|name| attributes.get(name));
        let given = given
            .filter(|value| is_given(value))
            .find(|value| !is_schema(&unquoted(value)));
        self.args = given
            .cloned()
            .or(of_events)
            .map(|value| arguments(&value, names));
        let mut said = Vec::new();
        for item in output.into_iter().flatten() {
            match item {
                MessageItem::Says(Some(text)) => said.push(Value::from(text)),
                MessageItem::Answers { result, .. } => said.extend(result),
                MessageItem::Unread(unread) => self.unread.push(unread),
                _ => {}
            }
        }
        let of_events = if said.len() > 1 {
            Some(Value::Array(said))
        } else {
            said.pop()
        };
        let result = first(attributes, &known.result).cloned().or(of_events);
        if let Some(Value::String(text)) = &result
            && is_truncated(text)
        {
            let id = self.call_id.clone().unwrap_or_default();
            let why = "the attribute is truncated by a limit of its length";
            self.unread.push(Unread::results(&id, why).into_owned());
        }
        if let Some(result) = result {
            let UnwrappedResult { value, end } = names.result(unquoted(&result));
            self.result = Some(value);
            self.end = end.or(self.end);
        }
    }
}

/// Adds the keys of attributes that are objects as attributes of their own.
fn add_inner_attributes(attributes: &mut Map<String, Value>, names: &Conventions) {
    for name in &names.attributes.objects {
        let inner = attributes.get(name).map(inner_json);
        let Some(Value::Object(inner)) = inner else {
            continue;
        };
        for (key, value) in inner {
            attributes.entry(format!("{name}.{key}")).or_insert(value);
        }
    }
}

/// The name of the tool that a span executes. A name that is no text is not read: the call has none.
fn tool_name(
    span: &OtlpSpan<'_>,
    attributes: &Map<String, Value>,
    names: &Conventions,
) -> Option<String> {
    let known = &names.attributes;
    if let Some(name) = first(attributes, &known.tool_name) {
        return name.as_str().map(str::to_owned);
    }
    first(attributes, &known.named_tools)?;
    span.name.as_deref().map(str::to_owned)
}

/// The text of arguments without what is put around them.
fn arguments(value: &Value, names: &Conventions) -> String {
    match unquoted(value) {
        inner @ Value::Object(_) => {
            let own = names.unwrapped_arguments(inner.clone());
            if own == inner {
                text_of(value)
            } else {
                text_of(&own)
            }
        }
        _ => text_of(value),
    }
}

/// Whether a value declares the arguments of a tool.
fn is_schema(value: &Value) -> bool {
    value.get("properties").is_some_and(Value::is_object)
        && value.get("type").is_some_and(|kind| kind == "object")
}

/// The data that the exporter dropped from a span or a log record.
fn dropped(span: &OtlpSpan<'_>) -> impl Iterator<Item = Unread<'static>> {
    let dropped = span.dropped().into_iter();
    dropped.map(|(key, count)| Unread {
        name: format!("key:{key}").into(),
        facts: OF_SPAN,
        form: UnreadForm::Known { tool: None },
        detail: format!("the exporter dropped {count}").into(),
        violates: None,
    })
}

/// The attributes of no convention that may be a call.
fn unread_attributes(attributes: &Map<String, Value>, names: &Conventions) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    for (name, value) in attributes {
        if names.uses_attribute(name) {
            if let Value::String(text) = value
                && names.attributes.output_calls.contains(name)
                && is_truncated(text)
            {
                found.push(unread(format!("attribute:{name}"), text, OF_SPAN));
            }
            continue;
        }
        let full = format!("attribute:{name}");
        if !names.is_silent(&full) {
            found.extend(Unread::key(full, &unquoted(value)));
        }
    }
    found
}

/// JSON that is a text in an attribute as what it is: objects and lists, and texts in quotes. Other texts may be meant as they
/// are.
fn unquoted(value: &Value) -> Value {
    let Value::String(text) = value else {
        return value.clone();
    };
    if !text.trim_start().starts_with(['[', '{', '"']) {
        return value.clone();
    }
    match received_json::read(text).map(|read| read.value) {
        Ok(inner @ (Value::Array(_) | Value::Object(_) | Value::String(_))) => inner,
        _ => value.clone(),
    }
}

/// The beginning and the end of a span, if the clock went forward meanwhile.
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

/// The id of spans without one.
pub(super) const NO_ID: u64 = 0;

/// A span with its place among the others.
#[derive(Debug)]
pub(super) struct PlacedSpan {
    pub(super) span: ObservedSpan,
    /// The run of the agent that it is in, the outermost one.
    pub(super) run: Option<u64>,
    /// The subagent that it is of.
    pub(super) subagent: Option<String>,
    /// Whether its model gave an answer.
    pub(super) has_answer: bool,
    /// The number of spans that it is in.
    pub(super) depth: usize,
    /// The span of a model, a tool or an agent that it is in, the innermost one.
    pub(super) within: Option<u64>,
    /// Its own id.
    pub(super) id: u64,
}

/// The tokens of a span; `None` if it lacks those that were read or those that were written.
fn usage(attributes: &Map<String, Value>, known: &AttributeNames) -> Option<Usage> {
    let count = |names: &[String]| first(attributes, names).and_then(Value::as_u64);
    let input = count(&known.input_tokens)?;
    let output = count(&known.output_tokens)?;
    let usage = Usage::reported(Some(input), Some(output), None);
    Some(usage.with_cached(count(&known.cached_tokens)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The kinds of an attribute that contain no fact: a status that says nothing of failures, an event without a name.
    const WITHOUT_FACTS: &[(&str, &str)] = &[
        ("status", "text"),
        ("status", "JSON as text"),
        ("event_lists", "object"),
        ("event_lists", "JSON as text"),
    ];

    /// A value of each kind of OTLP, and a text that is JSON.
    fn kinds() -> [(&'static str, Value); 7] {
        let text = json!({ "stringValue": "mark" });
        [
            ("text", text.clone()),
            ("integer", json!({ "intValue": "7777" })),
            ("number", json!({ "doubleValue": 7.5 })),
            ("boolean", json!({ "boolValue": true })),
            ("list", json!({ "arrayValue": { "values": [text] } })),
            (
                "object",
                json!({ "kvlistValue": { "values": [{ "key": "k", "value": { "stringValue": "mark" } }] } }),
            ),
            ("JSON as text", json!({ "stringValue": r#"{"k":"mark"}"# })),
        ]
    }

    /// A span of this kind with one attribute, complete but for what the attribute contains.
    fn observed(kind: SpanKind, list: &str, attribute: Option<(&str, &Value)>) -> ObservedSpan {
        let mut attributes = Vec::new();
        let mut add =
            |key: &str, value: Value| attributes.push(json!({ "key": key, "value": value }));
        let text = |text: &str| json!({ "stringValue": text });
        if kind == SpanKind::Tool {
            if list != "tool_name" && list != "named_tools" {
                add("gen_ai.tool.name", text("pay"));
            }
            if list != "arguments" {
                add("gen_ai.tool.call.arguments", text("{\"n\":1}"));
            }
            if list != "result" {
                add("gen_ai.tool.call.result", text("done"));
            }
        }
        if let Some((key, value)) = attribute {
            add(key, value.clone());
        }
        let span =
            json!({ "traceId": "t", "spanId": "s", "name": "span", "attributes": attributes });
        let (bytes, mut strict) = (span.to_string().into_bytes(), String::new());
        let (span, _) = OtlpSpan::read(&bytes, &mut strict).expect("a span");
        ObservedSpan::of(Some(kind), &span, &[], Conventions::known())
    }

    /// Whether a fact that an attribute of this list contains is not shown.
    fn has_gap(span: &ObservedSpan, list: &str) -> bool {
        let has_unread = |items: &Option<Vec<MessageItem>>| {
            let mut items = items.iter().flatten();
            items.any(|item| matches!(item, MessageItem::Unread(_)))
        };
        let is_unread = !span.unread.is_empty()
            || has_unread(&span.messages.input)
            || has_unread(&span.messages.output);
        is_unread
            || match list {
                "tool_name" | "named_tools" => span.tool.is_none(),
                "output" => span.messages.output.is_none(),
                "input_tokens" | "output_tokens" | "objects" => span.usage.is_none(),
                _ => false,
            }
    }

    #[test]
    fn every_attribute_with_every_kind_of_value_is_read_or_unread() {
        let known = &Conventions::known().attributes;
        let (tool, model) = (SpanKind::Tool, SpanKind::Model);
        let lists: [(&str, SpanKind, &Vec<String>); 15] = [
            ("tool_name", tool, &known.tool_name),
            ("named_tools", tool, &known.named_tools),
            ("call_id", tool, &known.call_id),
            ("arguments", tool, &known.arguments),
            ("result", tool, &known.result),
            ("status", tool, &known.status),
            ("error", tool, &known.error),
            ("input", model, &known.input),
            ("output", model, &known.output),
            ("all", model, &known.all),
            ("output_text", model, &known.output_text),
            ("output_calls", model, &known.output_calls),
            ("event_lists", model, &known.event_lists),
            ("input_tokens", model, &known.input_tokens),
            ("output_tokens", model, &known.output_tokens),
        ];
        let mut vanished = Vec::new();
        for (list, span_kind, names) in lists {
            for name in names {
                let without = format!("{:?}", observed(span_kind, list, None));
                for (kind, value) in kinds() {
                    let own = observed(span_kind, list, Some((name, &value)));
                    let is_gone = format!("{own:?}") == without && !has_gap(&own, list);
                    if is_gone != WITHOUT_FACTS.contains(&(list, kind)) {
                        vanished.push(format!("{list}: `{name}` as {kind}: {own:?}"));
                    }
                }
            }
        }
        assert!(vanished.is_empty(), "{}", vanished.join("\n"));
    }

    #[test]
    fn parts_of_messages_that_are_attributes_of_their_own_are_read_or_unread() {
        let known = &Conventions::known().attributes;
        let prefixes = known.input_prefixes.iter().chain(&known.output_prefixes);
        for prefix in prefixes {
            for (kind, value) in kinds() {
                let key = format!("{prefix}.0.content");
                let own = observed(SpanKind::Model, "", Some((&key, &value)));
                let SpanMessages { input, output } = &own.messages;
                let items: Vec<_> = input.iter().chain(output).flatten().collect();
                assert!(!items.is_empty(), "{key} as {kind}: {own:?}");
            }
        }
    }
}
