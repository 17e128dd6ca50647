//! The parts of an event that are not understood (SPEC 13): unknown types of events, items and parts, and keys without a
//! meaning.
//!
//! The silent list: annotations and `logprobs`, which repeat the text, parts that hold reasoning, lists of tools, and the keys of
//! a response that repeat its request.

use serde_json::Value;

use super::event::{ApiEvent, ApiEventKind};
use super::item_kind::{CallSide, OutputItemKind, type_of};
use ananke_trace::trace::{
    Fact, Facts, JsonKinds as Kinds, KnownKey, Unread, unread_items, unread_keys,
};

/// The rules about what an answer says.
const TEXT: Facts = Facts::of(&[Fact::Text]);

/// Facts of the arguments of a call.
const ARGUMENTS: Facts = Facts::of(&[Fact::Arguments]);

/// Facts of the result of a call.
const RESULT: Facts = Facts::of(&[Fact::Results, Fact::CallEnds]);

/// Facts of anything that a model says.
const SAID: Facts = Facts::of(&[
    Fact::Text,
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::CallEnds,
]);

/// The keys of an event whose text carries these facts.
const fn event_keys(facts: Facts) -> [KnownKey; 23] {
    [
        KnownKey::any("type"),
        KnownKey::any("sequence_number"),
        KnownKey::any("item_id"),
        KnownKey::any("output_index"),
        KnownKey::any("content_index"),
        KnownKey::any("summary_index"),
        KnownKey::any("obfuscation"),
        KnownKey::any("logprobs"),
        KnownKey::any("annotation"),
        KnownKey::any("error"),
        KnownKey::any("message"),
        KnownKey::any("param"),
        KnownKey::any("name"),
        KnownKey::any("call_id"),
        KnownKey::new("delta", Kinds::TEXT, facts),
        KnownKey::new("text", Kinds::TEXT, facts),
        KnownKey::new("refusal", Kinds::TEXT, facts),
        KnownKey::new("arguments", Kinds::TEXT, facts),
        KnownKey::new("input", Kinds::TEXT, facts),
        KnownKey::new("code", Kinds::TEXT, facts),
        KnownKey::new("item", Kinds::OBJECT, SAID),
        KnownKey::new("response", Kinds::OBJECT, SAID),
        KnownKey::new("part", Kinds::OBJECT, TEXT),
    ]
}

/// The keys of an event with text.
const TEXT_EVENT: [KnownKey; 23] = event_keys(TEXT);

/// The keys of an event with arguments.
const ARGUMENTS_EVENT: [KnownKey; 23] = event_keys(ARGUMENTS);

/// The keys of an event without a text that a rule is about.
const OTHER_EVENT: [KnownKey; 23] = event_keys(Facts::NONE);

/// The keys of a message.
const MESSAGE: &[KnownKey] = &[
    KnownKey::any("id"),
    KnownKey::any("type"),
    KnownKey::any("status"),
    KnownKey::any("phase"),
    KnownKey::any("role"),
    KnownKey::new("content", Kinds::CONTENT, TEXT),
];

/// The keys of a call of a function.
const FUNCTION_CALL: &[KnownKey] = &[
    KnownKey::any("id"),
    KnownKey::any("type"),
    KnownKey::any("status"),
    KnownKey::any("namespace"),
    KnownKey::any("async"),
    KnownKey::any("caller"),
    KnownKey::any("created_by"),
    KnownKey::any("parsed_arguments"),
    KnownKey::new("call_id", Kinds::ID, RESULT),
    KnownKey::new("name", Kinds::TEXT, Facts::of(&[Fact::Calls])),
    KnownKey::new("arguments", Kinds::ANY, ARGUMENTS),
];

/// The keys of any other call: its arguments and its result may be of any form. Other keys are arguments too, unless they look
/// like another call.
const OTHER_CALL: &[KnownKey] = &[
    KnownKey::new("call_id", Kinds::ID, RESULT),
    KnownKey::new("name", Kinds::TEXT, Facts::of(&[Fact::Calls])),
    KnownKey::any("arguments"),
    KnownKey::any("input"),
    KnownKey::any("action"),
    KnownKey::any("actions"),
    KnownKey::any("operation"),
    KnownKey::any("queries"),
    KnownKey::any("query"),
    KnownKey::any("code"),
    KnownKey::any("output"),
    KnownKey::any("outputs"),
    KnownKey::any("result"),
    KnownKey::any("results"),
    KnownKey::any("error"),
    KnownKey::any("caller"),
    KnownKey::any("environment"),
];

/// The keys of a result.
const OUTPUT: &[KnownKey] = &[
    KnownKey::any("id"),
    KnownKey::any("type"),
    KnownKey::any("status"),
    KnownKey::any("output"),
    KnownKey::any("result"),
    KnownKey::any("max_output_length"),
    KnownKey::any("acknowledged_safety_checks"),
    KnownKey::any("created_by"),
    KnownKey::new("call_id", Kinds::ID, RESULT),
];

/// The keys of a response that say what came of it.
const RESPONSE: &[KnownKey] = &[
    KnownKey::new("output", Kinds::LIST, SAID),
    KnownKey::new("status", Kinds::TEXT, Facts::of(&[Fact::RunEnds])),
    KnownKey::new("usage", Kinds::OBJECT, Facts::of(&[Fact::Usage])),
    KnownKey::any("error"),
    KnownKey::any("incomplete_details"),
];

/// The keys of a response that repeat its request, among them names of tools.
const OF_REQUEST: [&str; 5] = ["tools", "tool_choice", "instructions", "input", "metadata"];

/// The parts of an event that are not understood, apart from those of its item.
pub(super) fn of_event(event: &ApiEvent) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    // Parsers do not agree on which value of a duplicate key counts, so that every fact that a rule rests on may be wrong.
    if let Some(key) = &event.duplicate_key {
        found.push(Unread::duplicate_key(key, Facts::OF_AGENT));
    }
    let known = match event.kind() {
        ApiEventKind::Unknown => {
            let name = format!("event:{}", event.type_name());
            found.push(Unread::item(name, event.value()));
            return found;
        }
        // Progress has nothing that its item does not have, and an error ends the response.
        ApiEventKind::Progress | ApiEventKind::Error => {
            let name = format!("event:{}", event.type_name());
            found.extend(Unread::key(name, event.value()));
            return found;
        }
        ApiEventKind::Text(_) => &TEXT_EVENT,
        ApiEventKind::Arguments(_) | ApiEventKind::Input(_) => &ARGUMENTS_EVENT,
        _ => &OTHER_EVENT,
    };
    unread_keys("", event.value(), known, &mut found);
    if let Some(response) = event.object("response") {
        of_response(response, &mut found);
    }
    found
}

/// Adds the keys of a response that are not understood to `found`.
fn of_response(response: &Value, found: &mut Vec<Unread<'static>>) {
    unread_keys("response.", response, RESPONSE, found);
    // Only these of the others may look like calls, since they declare tools.
    found.retain(|unread| match unread.name.strip_prefix("key:response.") {
        Some(key) => !OF_REQUEST.contains(&key),
        None => true,
    });
    if let Some(Value::Array(output)) = response.get("output") {
        unread_items("response.output", output, Kinds::OBJECT, SAID, found);
    }
}

/// The parts of a complete item that are not understood.
pub(super) fn of_item(kind: OutputItemKind, item: &Value) -> Vec<Unread<'static>> {
    let mut found = Vec::new();
    match kind {
        OutputItemKind::Message => {
            unread_keys("item.", item, MESSAGE, &mut found);
            of_content(item, &mut found);
        }
        OutputItemKind::Call(CallSide::Function) => {
            unread_keys("item.", item, FUNCTION_CALL, &mut found);
        }
        OutputItemKind::Call(_) | OutputItemKind::Approval => {
            unread_keys("item.", item, OTHER_CALL, &mut found);
        }
        OutputItemKind::Result => unread_keys("item.", item, OUTPUT, &mut found),
        OutputItemKind::Reasoning => found.extend(Unread::key("item:reasoning", item)),
        // A list of tools has their names, and no call.
        OutputItemKind::Silent => {}
        OutputItemKind::Unknown => {
            found.push(Unread::item(format!("item:{}", type_of(item)), item));
        }
    }
    found
}

/// Adds the parts of the content of a message that are not understood to `found`.
fn of_content(item: &Value, found: &mut Vec<Unread<'static>>) {
    let Some(Value::Array(parts)) = item.get("content") else {
        return;
    };
    unread_items("item.content", parts, Kinds::OBJECT, TEXT, found);
    for part in parts {
        let kind = type_of(part);
        let name = format!("part:{kind}");
        let key = if kind == "refusal" { "refusal" } else { "text" };
        match (kind, part.get(key)) {
            // Reasoning is no text, whatever part it is in.
            ("reasoning_text" | "summary_text", _) => {}
            (_, Some(Value::String(_))) => found.extend(Unread::key(name, part)),
            (_, Some(text)) if !text.is_null() => {
                found.push(Unread::other_kind(format!("{name}.{key}"), TEXT, text));
            }
            _ => {
                let unread = Unread::item(name, part);
                if unread.facts != Facts::NONE {
                    found.push(unread);
                }
            }
        }
    }
}
