//! The answer to an interrupt.

use serde_json::Value;

/// The answer to an interrupt.
#[derive(Clone, Debug, PartialEq)]
pub struct InterruptAnswer {
    /// The interrupt's id.
    pub id: String,
    /// Whether it is answered, and not cancelled.
    pub is_resolved: bool,
    /// The answer.
    pub payload: Option<Value>,
}
