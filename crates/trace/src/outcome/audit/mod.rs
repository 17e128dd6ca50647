//! The findings of an audit of tools, as reports show them.
//!
//! **Invariant:** a check keeps its name and its meaning.

mod check;
mod report;
mod tool_outcomes;

pub use check::{AuditCheck, CheckLevel};
pub use report::{Audit, AuditCounts, AuditFinding, AuditedTool, MAY_CHANGE_DATA};
