//! Asks another program to end, as Ctrl-C does.

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
