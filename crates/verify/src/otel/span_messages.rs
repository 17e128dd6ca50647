//! The messages of a span: from its events, from lists in attributes, and from attributes that are one part each.
//!
//! Several of them may have the same messages: what one has besides the first is unread (SPEC 13).

use serde_json::{Map, Value};

use crate::conventions::{Conventions, EventContent};
use crate::message_item::{MessageItem, first, inner_json, is_given, text_of};
use crate::message_names::MessageSpeaker;
use crate::message_reader::InnerMessages;
use crate::same_facts::merge;
use ananke_base::source::received_json;
use ananke_base::text::truncate;
use ananke_trace::trace::{Fact, Facts, Unread, UnreadCall, UnreadForm};

/// The facts that a message may contain that cannot be read.
const MESSAGE: Facts = Facts::of(&[
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::CallEnds,
    Fact::Text,
]);

/// The messages of a model.
#[derive(Debug, Default)]
pub(super) struct SpanMessages {
    /// The input of the model; `None` if it is not there.
    pub(super) input: Option<Vec<MessageItem>>,
    /// The output of the model; `None` if it is not there.
    pub(super) output: Option<Vec<MessageItem>>,
}

impl SpanMessages {
    fn add(&mut self, kind: EventContent, items: Vec<MessageItem>) {
        let list = if kind == EventContent::Output {
            &mut self.output
        } else {
            &mut self.input
        };
        list.get_or_insert_default().extend(items);
    }

    /// Takes the message of an event or of a log record, or its attributes.
    pub(super) fn take_event(
        &mut self,
        name: Option<&str>,
        own: Map<String, Value>,
        body: Option<Value>,
        conventions: &Conventions,
        attributes: &mut Map<String, Value>,
    ) {
        let own_name = first(&own, &conventions.event_names).map(text_of);
        let name = name
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .or(own_name);
        let name = name.unwrap_or_default();
        let Some(kind) = conventions.events.get(&name).copied() else {
            let item = match body {
                Some(body) => serde_json::json!({ "body": body, "attributes": own }),
                None => Value::Object(own),
            };
            return self.add_unread(format!("event:{name}"), &item, conventions);
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
        let path = format!("{name}[]");
        let items = items_of(&message, speaker(&name, kind), &path, conventions);
        self.add(kind, items);
    }

    fn add_unread(&mut self, name: String, item: &Value, conventions: &Conventions) {
        if conventions.is_silent(&name) {
            return;
        }
        let unread = Unread::item(name, item);
        if unread.facts != Facts::NONE {
            self.output
                .get_or_insert_default()
                .push(MessageItem::Unread(unread));
        }
    }

    /// Takes the messages that are attributes.
    pub(super) fn take_attributes(&mut self, attributes: &Map<String, Value>, names: &Conventions) {
        let known = &names.attributes;
        let user = MessageSpeaker::User;
        let inputs = listed_messages(attributes, &known.input, &known.input_prefixes);
        for (name, value) in inputs {
            if self.input.as_ref().is_none_or(|input| is_omitted(input)) {
                self.input = Some(items_of(&value, user, name, names));
            }
        }
        for (name, value) in listed_messages(attributes, &known.output, &known.output_prefixes) {
            let items = items_of(&value, MessageSpeaker::Assistant, name, names);
            self.take_output(name, items);
        }
        self.take_text_and_calls(attributes, names);
        self.take_event_lists(attributes, names);
        for name in &known.all {
            let Some(value) = attributes.get(name).filter(|value| is_given(value)) else {
                continue;
            };
            let mut all = items_of(value, user, name, names);
            let asked = all
                .iter()
                .rposition(|item| matches!(item, MessageItem::Asks(_)));
            let output = all.split_off(asked.map_or(0, |last| last + 1));
            if self.input.is_none() && self.output.is_none() {
                self.input = Some(all);
            }
            self.take_output(name, output);
        }
    }

    /// The text of the answer and its calls, where they are apart.
    fn take_text_and_calls(&mut self, attributes: &Map<String, Value>, names: &Conventions) {
        let known = &names.attributes;
        let text = first(attributes, &known.output_text);
        let calls = first(attributes, &known.output_calls);
        if text.is_none() && calls.is_none() {
            return;
        }
        let text = text.filter(|text| text.as_str() != Some(""));
        let said = text.map(|text| MessageItem::Says(Some(text_of(text))));
        let name = known.output_calls.first().map_or("", String::as_str);
        let calls = calls.map(inner_json).unwrap_or_default();
        let made = names.calls(&calls, name);
        self.take_output(name, said.into_iter().chain(made).collect());
    }

    fn take_event_lists(&mut self, attributes: &Map<String, Value>, names: &Conventions) {
        for name in &names.attributes.event_lists {
            let Some(value) = attributes.get(name) else {
                continue;
            };
            let mut own = Self::default();
            let events = match inner_json(value) {
                Value::Array(events) => events,
                other => vec![other],
            };
            for event in events {
                if let Value::Object(event) = event {
                    own.take_event(None, event, None, names, &mut Map::new());
                } else if is_given(&event) {
                    let unread = unread(format!("attribute:{name}"), &text_of(&event), MESSAGE);
                    own.add(EventContent::Output, vec![MessageItem::Unread(unread)]);
                }
            }
            if self.input.is_none() {
                self.input = own.input;
            }
            if let Some(output) = own.output {
                self.take_output(name, output);
            }
        }
    }

    /// Takes the output of the attribute `name`: if there is an output already, what that does not have is unread.
    fn take_output(&mut self, name: &str, items: Vec<MessageItem>) {
        if let Some(output) = self.output.as_mut().filter(|output| !is_omitted(output)) {
            let left = missing_in(items, output);
            output.extend(unread_of(&format!("attribute:{name}"), &left).map(MessageItem::Unread));
        } else {
            self.output = Some(items);
        }
    }
}

/// The calls, texts and unread things among `items` that are not in `known`, whose calls take what `items` know of them.
pub(super) fn missing_in(items: Vec<MessageItem>, known: &mut [MessageItem]) -> Vec<MessageItem> {
    let mut left = merge(known, items);
    left.retain(|item| match item {
        MessageItem::Says(Some(text)) => !text.trim().is_empty(),
        MessageItem::Calls { .. } | MessageItem::Unread(_) => true,
        _ => false,
    });
    left
}

/// Whether an exporter omitted all that these messages say.
pub(super) fn is_omitted(items: &[MessageItem]) -> bool {
    let mut is_any_missing = false;
    for item in items {
        match item {
            MessageItem::Says(None) | MessageItem::Asks(None) => is_any_missing = true,
            MessageItem::Instructs => {}
            _ => return false,
        }
    }
    is_any_missing
}

/// The unread part of `name`, which has these items that nothing else has.
pub(super) fn unread_of(name: &str, items: &[MessageItem]) -> Option<Unread<'static>> {
    let facts = |item: &MessageItem| match item {
        MessageItem::Says(_) => Facts::of(&[Fact::Text]),
        MessageItem::Unread(unread) => unread.facts,
        _ => Facts::of(&[Fact::Calls, Fact::Arguments]),
    };
    let facts = items
        .iter()
        .map(facts)
        .fold(Facts::NONE, |all, own| all | own);
    let quote = items.first().map(MessageItem::quote).unwrap_or_default();
    (facts != Facts::NONE).then(|| unread(name.to_owned(), &quote, facts))
}

/// Something that may be `facts`.
pub(super) fn unread(name: String, quote: &str, facts: Facts) -> Unread<'static> {
    Unread {
        name: name.into(),
        facts,
        form: UnreadForm::Unknown(UnreadCall::default()),
        detail: truncate::bytes(quote, Unread::QUOTED_BYTES)
            .into_owned()
            .into(),
        violates: None,
    }
}

/// The items of the attribute or event `name`; a text of JSON that was truncated is unread.
fn items_of(
    value: &Value,
    speaker: MessageSpeaker,
    name: &str,
    names: &Conventions,
) -> Vec<MessageItem> {
    if let Value::String(text) = value
        && is_truncated(text)
    {
        return vec![MessageItem::Unread(unread(
            format!("attribute:{name}"),
            text,
            MESSAGE,
        ))];
    }
    names.items(value, Some(speaker), name, InnerMessages::Read)
}

/// Whether a text is JSON that ends in the middle, as a limit of length leaves it.
pub(super) fn is_truncated(text: &str) -> bool {
    if !text.trim_start().starts_with(['[', '{']) {
        return false;
    }
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if std::mem::take(&mut is_escaped) => {}
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (depth > 0 || in_string) && !received_json::is_json(text)
}

/// The speaker of an event's message, if the message does not name one.
fn speaker(event: &str, kind: EventContent) -> MessageSpeaker {
    match kind {
        EventContent::Output => MessageSpeaker::Assistant,
        _ if event.contains("assistant") => MessageSpeaker::Assistant,
        _ if event.contains("system") => MessageSpeaker::System,
        _ if event.contains("tool") => MessageSpeaker::Tool,
        _ => MessageSpeaker::User,
    }
}

/// The lists of messages among `attributes`, each with its name: whole ones, and those of one attribute for each part.
fn listed_messages<'n>(
    attributes: &Map<String, Value>,
    names: &'n [String],
    prefixes: &'n [String],
) -> Vec<(&'n str, Value)> {
    let whole = |name: &'n String| {
        let value = attributes.get(name).filter(|value| is_given(value))?;
        Some((name.as_str(), value.clone()))
    };
    let parted = |prefix: &'n String| Some((prefix.as_str(), nested(attributes, prefix)?));
    names
        .iter()
        .filter_map(whole)
        .chain(prefixes.iter().filter_map(parted))
        .collect()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_that_ends_in_the_middle_is_truncated() {
        for (text, expected) in [
            (r#"[{"a":"b"#, true),
            (r#"{"a":["]"]"#, true),
            (r#"{"a":"\"}"#, true),
            (r#"[{"a":"b"}]"#, false),
            ("[note] all is well", false),
            ("text { with", false),
            ("{'city': 'Oslo'}", false),
        ] {
            assert_eq!(is_truncated(text), expected, "{text}");
        }
    }

    /// The output of a span with these attributes.
    fn output(attributes: &Value) -> Vec<MessageItem> {
        let mut messages = SpanMessages::default();
        messages.take_attributes(attributes.as_object().unwrap(), Conventions::known());
        messages.output.unwrap_or_default()
    }

    #[test]
    fn what_two_attributes_have_is_read_once() {
        let said = json!([{ "role": "assistant", "content": "Done" }]).to_string();
        let twice = json!({ "gen_ai.output.messages": said, "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Done" });
        assert_eq!(output(&twice), [MessageItem::Says(Some("Done".to_owned()))]);
        let other =
            json!({ "gen_ai.output.messages": said, "gen_ai.completion.0.content": "hunter2" });
        let found = output(&other);
        let [MessageItem::Says(_), MessageItem::Unread(unread)] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(
            (&*unread.name, unread.facts),
            ("attribute:gen_ai.completion", Facts::of(&[Fact::Text]))
        );
    }
}
