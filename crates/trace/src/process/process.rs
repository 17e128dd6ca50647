//! A program that can be started, and one that runs: it can be waited for and ended with all that it started, and its pipes
//! are read.

use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::ExitStatus;
use super::group::{self, Group};
use crate::redact::truncated;
use ananke_base::context::Environment;

/// The most characters of a command that are shown.
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

/// The words of a command as a list.
pub fn shown(argv: &[String]) -> String {
    let words: Vec<String> = argv
        .iter()
        .map(|word| serde_json::Value::from(word.as_str()).to_string())
        .collect();
    truncated(&format!("[{}]", words.join(", ")), SHOWN_COMMAND)
}

/// The time that a killed process may take to end.
const REAP: Duration = Duration::from_secs(2);

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
    pub(super) group: Group,
    pub(super) child: Child,
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

/// A program that has the terminal of this one. It is killed when it is dropped, and what it started is not.
pub struct Foreground {
    pub(super) child: Child,
}

impl Foreground {
    /// The exit status, once it has ended.
    ///
    /// # Errors
    /// If the system does not say.
    pub async fn ends(&mut self) -> std::io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        Ok(group::exit_status(status))
    }

    /// Interrupts the program, as Ctrl-C does.
    pub fn interrupt(&self) {
        if let Some(number) = self.child.id() {
            interrupt(number);
        }
    }

    /// Asks the program to end.
    #[cfg_attr(
        not(unix),
        expect(clippy::unused_self, reason = "elsewhere it is used")
    )]
    pub fn terminate(&self) {
        // Elsewhere there is no signal that asks: the program ends with this one.
        #[cfg(unix)]
        if let Some(number) = self.child.id() {
            signal(number, rustix::process::Signal::TERM);
        }
    }
}

/// Reads some bytes: 0 at the end. Never returns if there is nothing to read from.
pub async fn read_some(pipe: Option<&mut (impl AsyncRead + Unpin)>, buffer: &mut [u8]) -> usize {
    match pipe {
        // A pipe that cannot be read is at its end.
        Some(pipe) => pipe.read(buffer).await.unwrap_or_default(),
        None => std::future::pending().await,
    }
}

/// Interrupts the process with this number, if it is there.
#[cfg(unix)]
pub fn interrupt(number: u32) {
    signal(number, rustix::process::Signal::INT);
}

#[cfg(unix)]
fn signal(number: u32, signal: rustix::process::Signal) {
    use rustix::process::{Pid, kill_process};
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _gone = kill_process(pid, signal);
    }
}

/// Interrupts the process with this number: not on this system.
#[cfg(not(unix))]
pub fn interrupt(_: u32) {}
