//! What encrypted values of known servers say about results.

use serde_json::Value;

/// Whether the value of a result says that the call failed; `Some(true)` if it was denied.
///
/// Only pydantic-ai's format is known. The protocol itself has no field for a call that failed.
pub(super) fn failure(encrypted_value: &str) -> Option<bool> {
    let value: Value = serde_json::from_str(encrypted_value).ok()?;
    match value.get("pydantic_ai")?.get("outcome")?.as_str()? {
        "failed" | "retried" => Some(false),
        "denied" => Some(true),
        _ => None,
    }
}
