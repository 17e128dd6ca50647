//! The process groups that run, so that the program can kill them all before it ends at once, and its guard if it cannot.
//!
//! **Invariant:** a number is in the list only while its leader holds it: a group is taken out before its leader is reaped.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

use super::guard::Guard;

static GROUPS: Mutex<RunningGroups> =
    Mutex::new(RunningGroups { leaders: BTreeSet::new(), guard: Guard::none() });

struct RunningGroups {
    /// The leaders of the groups that run.
    leaders: BTreeSet<i32>,
    guard: Guard,
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

/// The group of this leader runs.
pub(super) fn add(leader: Pid) {
    let mut groups = RunningGroups::lock();
    groups.leaders.insert(leader.as_raw_pid());
    groups.guard.begins(leader.as_raw_pid());
}

/// Kills every process of the group of this leader. A group that is empty already is fine.
pub(super) fn kill(leader: Pid) {
    RunningGroups::lock().kill(leader);
}

/// Kills every process of every group that runs.
pub fn kill_every_group() {
    let mut groups = RunningGroups::lock();
    for leader in groups.leaders.clone().into_iter().filter_map(Pid::from_raw) {
        groups.kill(leader);
    }
}
