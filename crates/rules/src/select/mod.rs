//! Conditions that select the calls a rule is about: by name, arguments and result.
//!
//! **Invariant:** all conditions of an entry must match, and what does not match can be said in words (`mismatches`).

mod arguments;
#[cfg(test)]
pub(crate) mod fakes;
mod json_subset;
mod lookalike;
mod mismatches;
mod path_conditions;
mod path_patterns;
mod result;
mod selector;
mod suffixed_names;
mod tool_name;
mod written_name;
mod written_pattern;

pub(crate) use crate::values::CallCount;
pub(crate) use arguments::ArgumentReading;
pub(crate) use mismatches::Mismatches;
pub use path_conditions::PathConditions;
pub(crate) use path_patterns::PathPatterns;
pub(crate) use selector::{NotMatchKeys, Selector};
pub use suffixed_names::suffixed_pattern;
pub(crate) use tool_name::{RuleTool, ToolName, tool_name};
pub(crate) use written_name::WrittenName;
