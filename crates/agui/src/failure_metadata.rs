//! The failures of results that known servers report in encrypted values.

use ananke_trace::trace::read_json;

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
