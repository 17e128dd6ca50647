//! The process groups that run, so that the program can kill them all before it ends at once.
//!
//! **Invariant:** a number is in the list only while its leader holds it: a group is taken out before its leader is reaped.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

/// The leaders of the groups that run.
static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn leaders() -> MutexGuard<'static, BTreeSet<i32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The group of this leader runs.
pub(super) fn add(leader: Pid) {
    leaders().insert(leader.as_raw_pid());
}

/// Kills every process of the group of this leader. A group that is empty already is fine.
pub(super) fn kill(leader: Pid) {
    let mut leaders = leaders();
    leaders.remove(&leader.as_raw_pid());
    let _is_gone = kill_process_group(leader, Signal::KILL);
}

/// Kills every process of every group that runs.
pub fn kill_every_group() {
    for leader in std::mem::take(&mut *leaders()).into_iter().filter_map(Pid::from_raw) {
        let _is_gone = kill_process_group(leader, Signal::KILL);
    }
}
