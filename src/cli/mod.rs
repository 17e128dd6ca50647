//! The command line: one file per command, each with its own options; uses the library like any other program.
//!
//! Rooms in the order in which they may know each other: every command runs in one `frame`, which prints what failed; `output` is
//! what commands write, `options` are those that they share, `contact` is whom they talk to, and `reporting` is how a run is
//! reported and remembered. `select` has the tests that they are about. The commands: `runs` run tests, `session` is for programs in
//! other languages, `inform` runs nothing, `make` writes files of a project, `inspect` looks at an agent and its tools.
//! `command_line` knows all of them.
//!
//! In a run, signals are received (`interrupt`), and each output stream is written (`output_thread`), by a thread that does nothing
//! else.
//!
//! **Invariant:** only this folder and `main.rs` know clap; the second signal ends the program whatever any thread does.

mod command_line;
mod contact;
mod frame;
mod inform;
mod inspect;
mod make;
mod options;
mod output;
mod reporting;
mod runs;
mod select;
mod session;

pub(crate) use command_line::{complete, parse};
