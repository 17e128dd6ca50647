//! Signals of other programs: an interrupt for one, as Ctrl-C sends it, and whether this one ignores that its terminal goes away.

use std::fs;

/// Interrupts the process with this number, if it is there.
#[cfg(unix)]
pub fn interrupt(number: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        let _gone = kill_process(pid, Signal::INT);
    }
}

/// Interrupts the process with this number: not on this system.
#[cfg(not(unix))]
pub fn interrupt(_: u32) {}

/// The bit of SIGHUP among the signals of a process.
const HANGUP: u64 = 1;

/// Whether SIGHUP is ignored, as it was inherited; `None` if the system does not say.
pub fn is_hangup_ignored() -> Option<bool> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    Some(u64::from_str_radix(ignored.trim(), 16).ok()? & HANGUP != 0)
}
