//! Rules about values: the last message, the state and how a run ends.
//!
//! **Invariant:** `value_condition` has the conditions of every rule here that looks at values, and `value_matcher` alone
//! compares them.

pub(crate) mod embedded_json;
pub(crate) mod outcome;
pub(crate) mod output;
pub(crate) mod state;
mod value_condition;
mod value_matcher;

pub(crate) use value_matcher::text_of;
