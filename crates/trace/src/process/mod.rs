//! Programs as processes: started without a shell, each in a group of its own, and ended with all that they started.
//!
//! Flows in: a [`Program`] with its words, environment and folder; `compiled_command` has the keys that every program of a
//! config has. Flows out: its pipes, the end of what it prints (`tail`), and a [`Process`] that can be waited for and ended;
//! or why it cannot be started (`start`). The `guard`, a second process of this program, kills the groups if the program
//! itself is killed.
//!
//! **Invariant:** a process that is dropped is killed with its whole group; a group is killed by system call while its leader
//! still holds the number, and no number below 2 ever is.

mod compiled_command;
mod exit_status;
#[cfg_attr(unix, path = "group_unix.rs")]
#[cfg_attr(not(unix), path = "group_other.rs")]
mod group;
#[cfg(unix)]
mod guard;
mod host_name;
mod launch;
mod open_files;
#[expect(clippy::module_inception, reason = "the type that the folder is about")]
mod process;
#[cfg(unix)]
mod running_groups;
mod start;
mod tail;
mod terminal_mode;

pub use compiled_command::{CompiledCommand, WrittenCommand};
pub use exit_status::{ENDED, ExitStatus};
#[cfg(not(unix))]
pub use group::{guard_with, kill_every_group};
#[cfg(unix)]
pub use guard::{GUARD, guard};
pub use host_name::host_name;
pub use launch::Launch;
pub use open_files::{
    LoweredParallel, OUT_OF_FILES_HELP, is_out_of_files, raise_open_files_limit,
    report_file_size_limit, tests_within_open_files_limit,
};
pub use process::{Foreground, Process, Program, Started, interrupt, read_some, shown};
#[cfg(unix)]
pub use running_groups::{guard_with, kill_every_group};
pub use start::{StartError, start, start_in_foreground};
pub use tail::{Tail, in_one_line, stderr_ends};
pub use terminal_mode::{SetTyping, TerminalMode, Typing, is_hangup_ignored};
