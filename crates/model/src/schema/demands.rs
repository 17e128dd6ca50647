//! The keys that a schema demands.

use serde_json::Value;

/// The keys that a schema demands.
pub(super) fn demands(schema: &Value) -> impl Iterator<Item = &str> {
    schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Whether a schema demands keys and nothing else.
pub(super) fn is_demand(schema: &Value) -> bool {
    schema
        .as_object()
        .is_some_and(|schema| schema.keys().all(|key| key == "required" || key == "title"))
}
