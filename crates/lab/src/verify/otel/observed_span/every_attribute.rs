//! Every attribute with every kind of value: it is read, unread, or a gap that is not shown, and never vanishes (SPEC 13).

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
    let mut add = |key: &str, value: Value| attributes.push(json!({ "key": key, "value": value }));
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
    let span = json!({ "traceId": "t", "spanId": "s", "name": "span", "attributes": attributes });
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
