//! The process group of a program: everything it starts and does not move elsewhere itself.
//!
//! The leader is killed or seen to have ended before it is reaped, so the group's number cannot have become another's.

use std::io;
use std::os::unix::process::ExitStatusExt as _;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{Child, Command};
use tokio::signal::unix::{self, SignalKind};

use super::{ExitStatus, running_groups};

/// Prepared before the leader starts, so that its end cannot be missed.
pub(super) struct GroupSetup(unix::Signal);

/// A program and what it started.
pub(super) struct Group {
    /// `None` once it was killed: its number is never used again.
    leader: Option<Pid>,
    ends: unix::Signal,
}

impl GroupSetup {
    /// Makes the process that `command` will start the leader of a group of its own.
    pub(super) fn prepare(command: &mut Command) -> io::Result<Self> {
        command.process_group(0);
        unix::signal(SignalKind::child()).map(Self)
    }

    /// Starts the leader.
    pub(super) fn start(self, command: &mut Command) -> io::Result<(Child, Group)> {
        let (child, leader) = running_groups::start(command)?;
        Ok((
            child,
            Group {
                leader,
                ends: self.0,
            },
        ))
    }
}

impl Group {
    /// Waits until the leader has ended; does not reap it.
    pub(super) async fn leader_ends(&mut self, child: &mut Child) {
        let Some(leader) = self.leader else {
            let _ = child.wait().await;
            return;
        };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while let Ok(None) = waitid(WaitId::Pid(leader), options) {
            if self.ends.recv().await.is_none() {
                let _ = child.wait().await;
                return;
            }
        }
    }

    /// Asks every process of the group to end; `false` if that is not possible.
    pub(super) fn terminate(&self) -> bool {
        self.leader
            .is_some_and(|leader| kill_process_group(leader, Signal::TERM).is_ok())
    }

    /// Kills every process of the group. A group that is empty already is fine.
    pub(super) fn kill(&mut self) {
        if let Some(leader) = self.leader.take() {
            running_groups::kill(leader);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The exit status of a process that has ended.
pub(super) fn exit_status(status: std::process::ExitStatus) -> ExitStatus {
    match (status.code(), status.signal()) {
        (Some(code), _) => ExitStatus::Exit(code),
        (None, signal) => ExitStatus::Signal(signal.unwrap_or_default()),
    }
}
