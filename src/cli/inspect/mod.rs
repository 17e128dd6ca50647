//! The commands that look at an agent and its tools: `audit`, `contract` and `tools`.
//!
//! **Invariant:** no test is run.

mod audit;
mod audit_reports;
mod contract;
mod tools;

pub(crate) use audit::AuditCommand;
pub(crate) use contract::ContractOptions;
pub(crate) use tools::ToolsOptions;
