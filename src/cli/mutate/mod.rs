//! `ananke mutate`: changes what was recorded, and reports which changes no rule notices.

mod changed_files;
mod earlier_survivors;
mod mutate_command;
mod recording_files;

pub(crate) use mutate_command::MutateOptions;
