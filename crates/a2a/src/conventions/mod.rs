//! Conventions by which agents show their tool calls: the protocol itself has none. Each is read only if a target names it.

mod adk;
mod call_change;
mod gemini;
mod read;
mod traceability;

pub(super) use call_change::ConventionChange;
pub(super) use read::{of_metadata, of_part, of_status};
