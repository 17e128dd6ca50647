//! Conventions by which agents show their tool calls: the protocol itself has none.
//!
//! **Invariant:** a convention is read only if the target names it; a call is reported once, however often it is announced.

mod adk;
mod call_change;
mod gemini;
mod read;
mod traceability;

pub(super) use call_change::ConventionChange;
pub(super) use read::{is_like_call, of_metadata, of_part, of_status};
