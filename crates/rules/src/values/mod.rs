//! Conditions on values: one vocabulary, wherever a rule looks at a value.
//!
//! What is written flows in, conditions that a value meets or not come out. **Invariant:** a value that is missing, or that a
//! bound cannot compare, meets nothing that is required, negated or not.

mod bound;
mod compiled_condition;
mod contradiction;
mod count;
mod expected_value;
mod schema;

pub(crate) use compiled_condition::{CompiledCondition, Purpose};
pub(crate) use count::CallCount;
pub(crate) use expected_value::{ExpectedValue, text_of, type_name};
