//! The command line: one file per command, each with its own options; uses the library like any other program.

mod arguments;
mod baseline;
mod check;
mod colour;
mod compare;
mod comparison_file;
mod execution_options;
mod exit;
mod explain;
mod interrupt;
mod last_run;
mod list;
mod load;
mod named_path;
mod output_thread;
mod outputs;
mod print;
mod print_problems;
mod recording_options;
mod report_files;
mod report_options;
mod reporters;
mod retry_options;
mod run;
mod run_facts;
mod schema;
mod screen;
mod selection_options;
mod servers;
mod setup;
mod snapshots;
mod strictness;
mod time_value;

pub(crate) use arguments::CommandLine;
