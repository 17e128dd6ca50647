//! The options that several commands share, and those of a run: each file has one group of them, and what they come to.
//!
//! **Invariant:** an option is defined once, with its help and its bounds.

mod access_options;
mod input_options;
mod people_options;
mod recording_options;
mod report_options;
mod run_options;
mod selection_options;
mod setting_options;
mod shard_environment;
mod shard_options;
pub(super) mod snapshots;

pub(crate) use access_options::{AccessOptions, PermissionOptions};
pub(crate) use recording_options::{RecordingOptions, check_writable, recordings};
pub(crate) use report_options::{AgentAnswers, ReportFile, ReportOptions};
pub(crate) use run_options::RunOptions;
pub(crate) use selection_options::{RecordedSelection, SelectionOptions, variable};
pub(crate) use setting_options::{ReportForm, Strictness, parallel};
pub(crate) use shard_options::{ShardOptions, with_joined_shard};
