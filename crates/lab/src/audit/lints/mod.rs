//! What is unclear in the declarations of tools to the model that reads them. No tool is called for it.
//!
//! `schema_places` finds the parameters of a tool at any depth, `promises` reads the parameters of which a description speaks, and
//! `tool_lints` are the checks.
//!
//! **Invariant:** a finding is certain or is not reported: it contains what to write, and is found without a call.

mod promises;
mod schema_places;
mod tool_lints;

pub use tool_lints::lint_tools;
