//! The process groups that run, so that the program can kill them all before it ends at once, and its guard if it cannot.
//!
//! **Invariant:** a number is in the list only while its leader holds it: a group is taken out before its leader is reaped.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

use super::guard::Guard;

static GROUPS: Mutex<RunningGroups> = Mutex::new(RunningGroups {
    leaders: BTreeSet::new(),
    guard: Guard::none(),
    is_closed: false,
});

struct RunningGroups {
    /// The leaders of the groups that run.
    leaders: BTreeSet<i32>,
    guard: Guard,
    /// Whether every group was killed since the program ends: no other begins.
    is_closed: bool,
}

impl RunningGroups {
    fn lock() -> MutexGuard<'static, Self> {
        GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&mut self, leader: Pid) {
        let _is_gone = kill_process_group(leader, Signal::KILL);
        self.leaders.remove(&leader.as_raw_pid());
        self.guard.ends(leader.as_raw_pid());
    }
}

/// From the first group on, `program` with the argument `guard` kills the groups if this program is killed.
pub fn guard_with(program: PathBuf) {
    RunningGroups::lock().guard = Guard::of(program);
}

/// Starts the leader of a group. It is in the list before anything can see that it runs.
///
/// # Errors
/// If it cannot be started, or if the program is about to end.
pub(super) fn start(command: &mut Command) -> io::Result<(Child, Option<Pid>)> {
    let mut groups = RunningGroups::lock();
    if groups.is_closed {
        return Err(io::Error::other("the program ends"));
    }
    let child = command.spawn()?;
    let number = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(Pid::from_raw);
    // Every process and the first one have the numbers below: no program has them, and none may ever be signalled.
    let leader = number.filter(|leader| leader.as_raw_pid() > 1);
    if let Some(leader) = leader {
        groups.leaders.insert(leader.as_raw_pid());
        groups.guard.begins(leader.as_raw_pid());
    }
    Ok((child, leader))
}

/// Kills every process of the group of this leader. A group that is empty already is fine.
pub(super) fn kill(leader: Pid) {
    RunningGroups::lock().kill(leader);
}

/// Kills every process of every group that runs, and lets no other begin: the program ends.
pub fn kill_every_group() {
    let mut groups = RunningGroups::lock();
    groups.is_closed = true;
    for leader in groups.leaders.clone().into_iter().filter_map(Pid::from_raw) {
        groups.kill(leader);
    }
}
