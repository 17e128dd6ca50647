//! Calls to the tools of an agent without any test, with arguments made from their schemas, and what is wrong with what they
//! declare and answer (feature `json-schema`).
//!
//! `lints` find what is unclear in the declarations, without any call. `made_arguments` makes the arguments of a tool out of
//! `made_value`s, a `prober` makes the calls through the target's own session, and `judgement` says what is wrong with a call,
//! `declarations` with what is declared. It knows no protocol: what is peculiar to one is a violation or a warning of its decoder.
//!
//! **Invariant:** the same seed and the same declarations give the same calls; their number and their time are bounded; a
//! tool that may change data is not called unasked.

#[expect(
    clippy::module_inception,
    reason = "the function that the folder is about"
)]
mod audit;
mod declarations;
mod judgement;
mod lints;
mod made_arguments;
mod made_value;
mod permitted_tools;
mod prober;
mod tool_tests;

pub use audit::{AuditOptions, AuditStep, audit};
pub use lints::lint_tools;
pub use permitted_tools::PermittedTools;
pub use tool_tests::test_file;
