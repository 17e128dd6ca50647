//! `ananke mutate`: changes what was recorded, and reports which changes no rule notices.

mod changed_files;
mod earlier_survivors;
mod mutate_command;
mod mutation_file;
mod recording_files;
mod report_json;
mod report_text;

pub(crate) use mutate_command::{MutateOptions, mutate};
