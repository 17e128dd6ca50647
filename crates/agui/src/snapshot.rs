//! The messages of a `MESSAGES_SNAPSHOT`: as history to send back, and as items for the trace.

use serde_json::{Map, Value};

use super::warnings::{Warnings, shown};
use super::{content::Content, event::DecodeError, thread_state::UserMessage};
use crate::messages::{FurtherFields, REASONING, SentCall, SentMessage, TOOL};
use ananke_base::context::Ids;
use ananke_trace::trace::{
    Fact, Facts, JsonKinds, MessageKind, ResultContent, SnapshotCall, SnapshotItem, Unread,
    facts_of_item, unread_items,
};

/// The messages of a snapshot, in its order, without activities: those are for user interfaces and never sent back.
pub(super) fn messages(
    value: Value,
    ids: &dyn Ids,
    warnings: &mut Warnings,
) -> Result<Vec<SentMessage>, DecodeError> {
    let Value::Array(values) = value else {
        return Err(wrong("`messages` that are not an array"));
    };
    let read = values
        .into_iter()
        .map(|value| message(value, ids, warnings));
    let read: Vec<_> = read.collect::<Result<_, _>>()?;
    Ok(read
        .into_iter()
        .filter(|message| message.role != "activity")
        .collect())
}

/// The position of the first message of the turn that began with `user_message`: after that message, which is found by
/// its id, or is the last one with its text; 0 without it. The trace finds it in the same way.
pub(super) fn first_live(user_message: &UserMessage, messages: &[SentMessage]) -> usize {
    let has_text =
        |message: &SentMessage| message.role == "user" && message.text() == user_message.text;
    let found = messages
        .iter()
        .position(|message| message.id == user_message.id);
    found
        .or_else(|| messages.iter().rposition(has_text))
        .map_or(0, |position| position + 1)
}

/// The messages as items for the trace.
pub(super) fn items(messages: &[SentMessage]) -> Vec<SnapshotItem> {
    messages.iter().filter_map(item).collect()
}

/// The parts of live messages that are not understood (SPEC 13): unknown roles, parts and keys.
pub(super) fn unread(messages: &[SentMessage]) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    for message in messages {
        match message.role.as_ref() {
            "assistant" => {
                if let Some(Content::Json(value)) = &message.content {
                    found.extend(unread_parts(value));
                }
            }
            "user" | "system" | "developer" | REASONING | TOOL => {}
            role => {
                let value = serde_json::to_value(message).unwrap_or_default();
                found.push(Unread::item(format!("role:{}", shown(role)), &value));
                continue;
            }
        }
        let of_calls = message.tool_calls.iter().flat_map(|call| &call.rest);
        for (key, value) in message.rest.iter().chain(of_calls).flat_map(|rest| &**rest) {
            found.extend(Unread::key(format!("key:messages[].{}", shown(key)), value));
        }
    }
    found
}

/// The parts of a message's content that are neither text nor a file.
fn unread_parts(content: &Value) -> Vec<Unread<'static>> {
    const FILES: [&str; 8] = [
        "image",
        "audio",
        "video",
        "document",
        "binary",
        "file",
        "image_url",
        "input_audio",
    ];
    let text = Facts::of(&[Fact::Text]);
    let name = "key:messages[].content";
    let Value::Array(parts) = content else {
        let facts = text | facts_of_item(content);
        return vec![Unread::other_kind(name, facts, content)];
    };
    let mut found = Vec::new();
    unread_items(
        "messages[].content",
        parts,
        JsonKinds::OBJECT,
        text,
        &mut found,
    );
    for part in parts {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        let name = format!("part:{}", shown(kind));
        match part.get("text") {
            Some(Value::String(_)) => found.extend(Unread::key(name, part)),
            Some(value) if !value.is_null() => {
                found.push(Unread::other_kind(format!("{name}.text"), text, value));
            }
            _ if FILES.contains(&kind) => found.extend(Unread::key(name, part)),
            _ => found.push(Unread::item(name, part)),
        }
    }
    found
}

fn wrong(what: &str) -> DecodeError {
    DecodeError(format!("has {what} in its `MESSAGES_SNAPSHOT`"))
}

fn message(
    value: Value,
    ids: &dyn Ids,
    warnings: &mut Warnings,
) -> Result<SentMessage, DecodeError> {
    let Value::Object(mut fields) = value else {
        return Err(wrong("a message that is not an object"));
    };
    fields.retain(|_, value| !value.is_null());
    let Some(Value::String(role)) = fields.remove("role") else {
        return Err(wrong("a message without a `role`"));
    };
    let id = take_id(&mut fields, "id", "id").unwrap_or_else(|| {
        warnings.add("a message of a `MESSAGES_SNAPSHOT` has no `id`");
        ids.next("message")
    });
    let calls = take(&mut fields, "toolCalls", "tool_calls");
    let tool_calls = match calls {
        Some(Value::Array(calls)) => calls.into_iter().map(call).collect::<Result<_, _>>()?,
        Some(_) => {
            return Err(wrong("`toolCalls` that are not an array"));
        }
        None => Vec::new(),
    };
    let is_result = role == TOOL;
    let tool_call_id = is_result
        .then(|| take_id(&mut fields, "toolCallId", "tool_call_id"))
        .flatten();
    if is_result && tool_call_id.is_none() {
        return Err(wrong("a tool's message without a `toolCallId`"));
    }
    let content = fields.remove("content").map(Content::from);
    Ok(SentMessage {
        content,
        tool_calls,
        tool_call_id: tool_call_id.map(Into::into),
        rest: further(fields),
        ..SentMessage::new(&id, role)
    })
}

fn call(value: Value) -> Result<SentCall, DecodeError> {
    let parts = if let Value::Object(mut fields) = value {
        fields.retain(|_, value| !value.is_null());
        fields.remove("type");
        let id = take_id(&mut fields, "id", "id");
        let function = fields.remove("function");
        id.zip(function)
            .map(|(id, function)| (id, function, fields))
    } else {
        None
    };
    let Some((id, Value::Object(mut function), rest)) = parts else {
        return Err(wrong("a call without `id` or `function`"));
    };
    let Some(Value::String(name)) = function.remove("name") else {
        return Err(wrong("a call without a name"));
    };
    let arguments = match function.remove("arguments") {
        Some(Value::String(text)) => text,
        Some(Value::Null) | None => String::new(),
        Some(value) => value.to_string(),
    };
    Ok(SentCall {
        rest: further(rest),
        ..SentCall::new(&id, &name, arguments.into())
    })
}

fn further(fields: Map<String, Value>) -> FurtherFields {
    (!fields.is_empty()).then(|| Box::new(fields))
}

fn item(message: &SentMessage) -> Option<SnapshotItem> {
    let role = match message.role.as_ref() {
        "assistant" => MessageKind::Assistant,
        "user" => MessageKind::User,
        "system" | "developer" => MessageKind::System,
        "reasoning" => MessageKind::Reasoning,
        TOOL => {
            return Some(SnapshotItem::Answer {
                call: message.answers().unwrap_or_default().to_owned(),
                tool: named_tool(message).map(str::to_owned),
                result: match &message.content {
                    Some(Content::Json(value)) => ResultContent::Json(Value::clone(value)),
                    _ => ResultContent::Text(message.text().into()),
                },
                is_error: has_error(message).then_some(true),
            });
        }
        _ => return None,
    };
    let calls = message.tool_calls.iter().map(|call| SnapshotCall {
        id: call.key().to_owned(),
        name: call.function.name.to_string(),
        args: call.function.arguments.to_string(),
    });
    let (id, text) = (message.id.to_string(), message.text());
    Some(SnapshotItem::Message {
        id,
        role,
        text,
        calls: calls.collect(),
    })
}

/// Whether the message of a tool says that the call failed: as an event does, by any value but `false` and an empty text.
fn has_error(message: &SentMessage) -> bool {
    let error = message.rest.as_ref().and_then(|rest| rest.get("error"));
    error.is_some_and(|error| *error != Value::Bool(false) && *error != "")
}

/// The tool that the message of a tool names.
fn named_tool(message: &SentMessage) -> Option<&str> {
    let rest = message.rest.as_ref()?;
    ["toolCallName", "tool_call_name", "toolName", "name"]
        .iter()
        .find_map(|key| rest.get(*key)?.as_str())
        .filter(|name| !name.is_empty())
}

fn take(fields: &mut Map<String, Value>, name: &str, converted: &str) -> Option<Value> {
    fields
        .shift_remove(name)
        .or_else(|| fields.shift_remove(converted))
}

fn take_id(fields: &mut Map<String, Value>, name: &str, converted: &str) -> Option<String> {
    match take(fields, name, converted)? {
        Value::String(id) => Some(id),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}
