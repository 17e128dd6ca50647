//! The commands that run nothing and ask no agent: they print what is written and what is known of earlier runs.
//!
//! **Invariant:** nothing is sent to anybody.

mod check;
mod compare;
mod explain;
mod list;
mod list_rules;
mod report;
mod schema;
mod show;

pub(crate) use check::CheckOptions;
pub(crate) use compare::CompareOptions;
pub(crate) use explain::{ExplainOptions, explain};
pub(crate) use list::ListOptions;
pub(crate) use report::RenderOptions;
pub(crate) use schema::SchemaOptions;
pub(crate) use show::ShowOptions;
