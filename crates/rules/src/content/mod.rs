//! Rules about values: the last message, the state and how a run ends.
//!
//! **Invariant:** the conditions on values are those of `values`, wherever the value is.

pub(crate) mod outcome;
pub(crate) mod output;
mod path_condition;
pub(crate) mod state;
