//! The command line: one file per command, each with its own options; uses the library like any other program.
//!
//! Every command is run in one frame: its options are `CommandOptions`, and what it returns as `Failed` is printed there, with its
//! exit code. `interrupt` has the runtime and the signals of work that waits, `runtime` the runtime of work that is short.
//!
//! `run` decides what there is to run (`test_input`, `generate`), and `carry_out` runs it: `services` are up for as long as
//! anything is asked. In a run, signals are received (`interrupt`), and each output stream is written (`output_thread`), by a
//! thread that does nothing else. After it, walks that failed are frozen (`failed_walks`). `options/` has the options that
//! commands share, `output/` all that commands write. `probe` finds out what an agent speaks of which only a URL or a program
//! is known. `session/` is for programs in other languages.
//!
//! **Invariant:** only this folder and `main.rs` know clap; the second signal ends the program whatever any thread does.

mod agent_project;
mod arguments;
mod audit;
mod audit_reports;
mod baseline;
mod candidates;
mod carry_out;
mod check;
mod compare;
mod completions;
mod contract;
mod convert;
mod coverage;
mod exit;
mod explain;
mod failed;
mod failed_walks;
mod freeze;
mod freeze_trace;
mod generate;
mod habits;
mod init;
mod interrupt;
mod kept_runs;
mod last_run;
mod line_reading;
mod list;
mod list_rules;
mod listed_test;
mod load;
mod mock;
mod mutate;
mod options;
mod output;
mod probe;
mod record;
mod report;
mod report_recording;
mod run;
mod run_facts;
mod runtime;
mod schema;
mod services;
mod session;
mod shard;
mod show;
mod shrink;
mod terminal_person;
mod test_input;
mod tools;
mod verify;
mod watch;

pub(crate) use candidates::complete;
pub(crate) use habits::parse;
