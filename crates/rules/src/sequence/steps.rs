//! The steps of a sequence while a test runs.

use super::step::Step;
use crate::steps::Kinds;
use ananke_model::model::SequenceMode;

/// The steps with their patterns compiled.
#[derive(Debug)]
pub(super) struct Steps {
    /// The expectation of the rule, in words.
    pub(super) expected: String,
    pub(super) mode: SequenceMode,
    pub(super) kinds: Kinds,
    pub(super) all: Vec<Step>,
}
