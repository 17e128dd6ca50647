//! Durations, times, names and paths as reports write them.

pub(super) mod checkpoints;
pub(super) mod links;
pub(super) mod measured;
pub(super) mod names;
pub(super) mod rerun;
pub(super) mod ruling;
pub(super) mod run_facts;
pub(super) mod stability;
pub(super) mod tokens;
pub(super) mod walks;
