//! `ananke mutate`: changes what was recorded, and reports which changes no rule notices.

mod earlier_survivors;
mod mutate_command;
mod mutated_files;

pub(crate) use mutate_command::MutateOptions;
