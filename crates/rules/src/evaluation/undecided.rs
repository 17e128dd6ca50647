//! Values that a schema neither takes nor refuses: a rule that compares one neither passes nor fails.
//!
//! **Invariant:** rules compare values with schemas through [`schema_mismatches`] alone.

use std::cell::Cell;

use serde_json::Value;

use ananke_model::schema::{SchemaMismatch, ValueSchema};

thread_local! {
    /// The first reason since the last rule was asked. Conditions are compared deep within rules, whose answers have two values.
    static REASON: Cell<Option<String>> = const { Cell::new(None) };
}

/// In which ways `value` does not fit. If that cannot be known there are none, and the rule that runs is not decided by it.
pub(crate) fn schema_mismatches(schema: &ValueSchema, value: &Value) -> Vec<SchemaMismatch> {
    schema.mismatches(value).unwrap_or_else(|undecided| {
        let reason = REASON.take().unwrap_or(undecided.message);
        REASON.set(Some(reason));
        Vec::new()
    })
}

/// The reason why something that the rule has compared since the last call is not decided.
pub(crate) fn take_reason() -> Option<String> {
    REASON.take()
}
