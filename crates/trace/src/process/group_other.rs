//! Systems without process groups: only the program itself can be killed, not what it started.

use std::io;
use std::path::PathBuf;

use tokio::process::{Child, Command};

use super::ExitStatus;

/// Prepared before the leader starts: nothing.
pub(super) struct GroupSetup;

/// A program.
pub(super) struct Group;

impl GroupSetup {
    /// Nothing needs to be prepared.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) fn prepare(_: &mut Command) -> io::Result<Self> {
        Ok(Self)
    }

    /// Starts the program.
    #[expect(clippy::unused_self, reason = "elsewhere it is used")]
    pub(super) fn start(self, command: &mut Command) -> io::Result<(Child, Group)> {
        command.spawn().map(|child| (child, Group))
    }
}

impl Group {
    /// Waits until the program has ended.
    pub(super) async fn leader_ends(&mut self, child: &mut Child) {
        let _ = child.wait().await;
    }

    /// A program cannot be asked to end: always `false`.
    #[expect(clippy::unused_self, reason = "elsewhere it is used")]
    pub(super) fn terminate(&self) -> bool {
        false
    }

    /// Does nothing: the owner of the child kills it.
    pub(super) fn kill(&mut self) {}
}

/// Does nothing: the system ends them with this program.
pub fn kill_every_group() {}

/// Does nothing: there are no groups that a guard could kill.
pub fn guard_with(_: PathBuf) {}

/// The exit status of a process that has ended.
pub(super) fn exit_status(status: std::process::ExitStatus) -> ExitStatus {
    ExitStatus::Exit(status.code().unwrap_or(-1))
}
