//! Programs as processes: started without a shell, each in a group of its own, and ended with all that they started.
//!
//! Flows in: a [`Program`] with its words, environment and folder. Flows out: its pipes, and a [`Process`] that can be
//! waited for and ended. A process that is dropped is killed, and its whole group with it.

mod exit_status;
#[cfg_attr(unix, path = "group_unix.rs")]
#[cfg_attr(not(unix), path = "group_other.rs")]
mod group;
mod start;
mod tail;

use crate::context::Environment;
use std::path::Path;
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::redact::truncated;
pub use exit_status::ExitStatus;
use group::Group;
pub use start::{StartError, start};
pub use tail::Tail;

/// How long a killed process may take to go.
const REAP: Duration = Duration::from_secs(2);

/// How many characters of a command are shown.
const SHOWN_COMMAND: usize = 200;

/// A program that can be started.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// Its whole environment.
    pub environment: &'a Environment,
    /// The folder it runs in.
    pub folder: &'a Path,
    /// The folder as shown in messages.
    pub folder_name: &'a str,
}

/// A program that has just been started.
pub struct Started {
    /// Our end of its stdin, where it takes input.
    pub stdin: Option<ChildStdin>,
    /// Our end of its stdout.
    pub stdout: Option<ChildStdout>,
    /// Our end of its stderr.
    pub stderr: Option<ChildStderr>,
    /// The running program.
    pub process: Process,
}

/// A running program and what it started.
pub struct Process {
    // Dropped before the child: the group is killed while its leader still holds the number.
    group: Group,
    child: Child,
}

impl Process {
    /// Waits until the program has ended. What it started may still run.
    pub async fn ends(&mut self) {
        self.group.leader_ends(&mut self.child).await;
    }

    /// Asks the program and what it started to end; kills it where it cannot be asked.
    pub fn terminate(&mut self) {
        if !self.group.terminate() {
            let _ = self.child.start_kill();
        }
    }

    /// Kills the program, if it still runs, and all that it started. Returns its exit status if it ends within two seconds.
    pub async fn end(&mut self) -> Option<ExitStatus> {
        self.group.kill();
        let _ = self.child.start_kill();
        match timeout(REAP, self.child.wait()).await {
            Ok(Ok(status)) => Some(group::exit_status(status)),
            _ => None,
        }
    }
}

/// The words of a command as a list.
pub fn shown(argv: &[String]) -> String {
    let words: Vec<String> =
        argv.iter().map(|word| serde_json::Value::from(word.as_str()).to_string()).collect();
    truncated(&format!("[{}]", words.join(", ")), SHOWN_COMMAND)
}
