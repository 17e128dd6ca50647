//! The run of an answer: the purpose of its request, its state with the event that led to it, and its end: the `outcome` of a
//! `RUN_FINISHED`. Failures of results that known servers report in encrypted values.

use serde_json::Value;

use super::event_kind::EventRef;
use super::warnings::Warnings;
use ananke_trace::trace::{Fact, Facts, Interrupt, RunEnd, Unread, read_json};

/// The state of the newest run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RunState {
    #[default]
    NotStarted,
    Open(EventRef),
    Finished(EventRef),
    Failed(EventRef),
}

impl RunState {
    /// Whether a terminal event has ended it.
    pub(super) fn has_ended(self) -> bool {
        matches!(self, Self::Finished(_) | Self::Failed(_))
    }
}

/// The end that `outcome` describes; `None` if it is none that the protocol has.
pub(super) fn run_end(outcome: &Value, warnings: &mut Warnings) -> Option<RunEnd> {
    let kind = outcome.get("type").unwrap_or(outcome);
    Some(match kind.as_str() {
        Some("success") => RunEnd::Finished,
        Some("cancelled") => RunEnd::Cancelled,
        Some("interrupt") => {
            let interrupts = outcome
                .get("interrupts")
                .and_then(Value::as_array)
                .map_or(&[][..], Vec::as_slice);
            let named: Vec<Interrupt> = interrupts.iter().filter_map(interrupt).collect();
            if named.is_empty() || named.len() < interrupts.len() {
                warnings.add("a `RUN_FINISHED` is interrupted without naming its interrupts");
            }
            RunEnd::Interrupted(named)
        }
        _ => return None,
    })
}

/// The parts of an outcome that name interrupts and have another form.
pub(super) fn unread_interrupts(outcome: &Value) -> Vec<Unread<'static>> {
    let facts = Facts::of(&[Fact::Interrupts]);
    let unread = |key: &str, value| Unread::other_kind(format!("key:outcome.{key}"), facts, value);
    let interrupts = match outcome.get("interrupts") {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(interrupts)) => interrupts,
        Some(value) => return vec![unread("interrupts", value)],
    };
    let mut found = Vec::new();
    for value in interrupts {
        if interrupt(value).is_none() {
            found.push(unread("interrupts[]", value));
        }
        for key in ["reason", "message", "toolCallId", "tool_call_id"] {
            if let Some(value) = value.get(key)
                && !(value.is_null() || value.is_string())
            {
                found.push(unread(&format!("interrupts[].{key}"), value));
            }
        }
    }
    found
}

fn interrupt(value: &Value) -> Option<Interrupt> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let id = match value.get("id")? {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.to_string(),
        _ => return None,
    };
    let call = text("toolCallId").or_else(|| text("tool_call_id"));
    Some(Interrupt {
        id,
        reason: text("reason"),
        message: text("message"),
        call,
    })
}

/// Whether the value of a result says that the call failed; `Some(true)` if it was denied.
///
/// Only pydantic-ai's format is known. The protocol itself has no field for a call that failed.
pub(super) fn failure(encrypted_value: &str) -> Option<bool> {
    let value = read_json(encrypted_value).ok()?.value;
    match value.get("pydantic_ai")?.get("outcome")?.as_str()? {
        "failed" | "retried" => Some(false),
        "denied" => Some(true),
        _ => None,
    }
}

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestPurpose {
    /// The agent does something.
    Run,
    /// The agent replays its thread.
    Connect,
}
