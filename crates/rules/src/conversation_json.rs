//! A conversation as JSON, for scripts and judges: nothing of a protocol, no times, nothing truncated or masked.
//!
//! The part of a trace that a rule looks at flows in, a mapping flows out; docs/scripts.md says what each key means.

use serde_json::{Map, Value, json};

use super::evaluation::{Exclusions, RuleScope, View};
use ananke_model::model::TextOf;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{
    Author, Message, MessageKind, ToolCall, ToolResult, Trace, TraceItem, TurnRanges,
};

/// The conversation, as far as the rule sees it.
pub(super) fn conversation(view: &View<'_>) -> Map<String, Value> {
    let mut messages = Vec::new();
    let mut calls = Vec::new();
    for item in view.trace.log() {
        match *item {
            TraceItem::Message(index) => {
                let said = &view.trace.messages[index];
                if view.includes_text(said) || view.includes_user_text(said) {
                    messages.push(message(said));
                }
            }
            TraceItem::Call(index) if view.counts_or_was_answered(index) => {
                calls.push(call(&view.trace.calls[index]));
            }
            TraceItem::Call(_)
            | TraceItem::Result { .. }
            | TraceItem::Answer { .. }
            | TraceItem::State(_)
            | TraceItem::ModelCall(_) => {}
        }
    }
    Map::from_iter([
        ("output".to_owned(), Value::String(view.text(TextOf::Final))),
        (
            "input".to_owned(),
            input(view).map_or(Value::Null, Value::from),
        ),
        ("expected".to_owned(), Value::Null),
        ("messages".to_owned(), messages.into()),
        ("tool_calls".to_owned(), calls.into()),
    ])
}

/// The whole conversation, whatever any rule looks at.
pub fn whole_conversation(trace: &Trace) -> Map<String, Value> {
    let (exclusions, redactor) = (Exclusions::default(), Redactor::default());
    conversation(&View {
        trace,
        scope: RuleScope::Test,
        exclusions: &exclusions,
        redactor: &redactor,
    })
}

/// The same as text: what was said, called and answered, one after the other.
pub(super) fn transcript(view: &View<'_>) -> String {
    let trace = view.trace;
    let part = |item: &TraceItem| match *item {
        TraceItem::Message(index) => {
            let message = &trace.messages[index];
            let role = match () {
                () if view.includes_user_text(message) => "user",
                () if view.includes_text(message) => "assistant",
                () => return None,
            };
            Some(format!("{role}: {}", message.text))
        }
        TraceItem::Call(index) => {
            let call = &trace.calls[index];
            let is_shown = view.counts(index) && !call.name.is_empty();
            is_shown.then(|| format!("call: {}({})", call.name, call.args_value()))
        }
        TraceItem::Result { call: index, .. } => {
            let name = &trace.calls[index].name;
            let is_shown = view.counts_or_was_answered(index) && !name.is_empty();
            let result = item.result(trace).filter(|_| is_shown)?;
            Some(format!("result of {name}: {}", result.text))
        }
        TraceItem::Answer { .. } | TraceItem::State(_) | TraceItem::ModelCall(_) => None,
    };
    let parts: Vec<String> = trace.log().iter().filter_map(part).collect();
    parts.join("\n")
}

/// The message of the user in the turn, or in the last turn of the test in which they said something.
fn input<'t>(view: &View<'t>) -> Option<&'t str> {
    let said = |turn: &'t TurnRanges| {
        turn.input
            .message_id
            .is_some()
            .then_some(turn.input.text.as_str())
    };
    view.turns().rev().find_map(|(_, turn)| said(turn))
}

fn message(message: &Message) -> Value {
    let role = if message.role == MessageKind::User {
        "user"
    } else {
        "assistant"
    };
    json!({
        "role": role,
        "content": message.text,
        "turn": message.turn + 1,
        "subagent": subagent(&message.author),
    })
}

fn call(call: &ToolCall) -> Value {
    let result = call.result();
    let status = match result {
        None if call.is_pending() => "pending",
        Some(result) if result.is_denied => "denied",
        _ => "executed",
    };
    json!({
        "id": call.wire_id,
        "name": call.name,
        "args": call.args_value(),
        "result": result.map(ToolResult::value),
        "is_error": result.is_some_and(|result| result.is_denied || result.is_error == Some(true)),
        "status": status,
        "turn": call.counted_in + 1,
        "subagent": subagent(&call.author),
    })
}

fn subagent(author: &Author) -> Option<&str> {
    match author {
        Author::Agent => None,
        Author::Subagent(id) => Some(id),
    }
}
