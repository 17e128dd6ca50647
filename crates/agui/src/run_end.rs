//! The end of a run: the `outcome` of a `RUN_FINISHED`.

use serde_json::Value;

use super::warnings::Warnings;
use ananke_trace::trace::{Interrupt, RunEnd};

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

fn interrupt(value: &Value) -> Option<Interrupt> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let call = text("toolCallId").or_else(|| text("tool_call_id"));
    Some(Interrupt {
        id: text("id")?,
        reason: text("reason"),
        message: text("message"),
        call,
    })
}
