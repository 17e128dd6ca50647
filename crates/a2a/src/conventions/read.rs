//! Reads what comes by the conventions that a target names.

use serde_json::Value;

use super::super::config::ToolCallConvention;
use super::{ConventionChange, adk, gemini, traceability};

/// The change of a call; `None` if it is a part like any other.
pub(in super::super) fn of_part(
    conventions: &[ToolCallConvention],
    part: &Value,
) -> Option<ConventionChange> {
    conventions
        .contains(&ToolCallConvention::Adk)
        .then(|| adk::read(part))
        .flatten()
}

/// Whether the data of a part that no convention reads have the form of a call.
pub(in super::super) fn is_like_call(data: &Value) -> bool {
    adk::is_like_call(data)
}

/// The changes of calls in a status update.
pub(in super::super) fn of_status(
    conventions: &[ToolCallConvention],
    update: &Value,
) -> Vec<ConventionChange> {
    if conventions.contains(&ToolCallConvention::Gemini) {
        gemini::read(update)
    } else {
        Vec::new()
    }
}

/// The changes of calls in the metadata of `holder`: a message, an artifact, a task or an update.
pub(in super::super) fn of_metadata(
    conventions: &[ToolCallConvention],
    holder: &Value,
) -> Vec<ConventionChange> {
    match holder.get("metadata") {
        Some(metadata) if conventions.contains(&ToolCallConvention::Traceability) => {
            traceability::read(metadata)
        }
        _ => Vec::new(),
    }
}
