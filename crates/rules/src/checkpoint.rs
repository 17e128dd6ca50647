//! Checkpoints: what a conversation must come by that is simulated.

use super::inherit::TurnRules;

/// Something that a conversation must come by.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledCheckpoint {
    /// Its id.
    pub id: String,
    /// The description of the checkpoint.
    pub description: Option<String>,
    /// The rules that pass on the turn that reaches it.
    pub rules: TurnRules,
    /// The checkpoints that must be reached before, or in the same turn.
    pub after: Vec<String>,
    /// Whether the test fails without it.
    pub is_required: bool,
}
