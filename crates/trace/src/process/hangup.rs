//! Whether this process was started so that it outlives its terminal, as by `nohup`.

use std::fs;

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
