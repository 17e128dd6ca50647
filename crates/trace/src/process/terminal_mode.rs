//! The mode of the terminal: a line that is read with editing sets it otherwise, and the program may end meanwhile.

#[cfg(unix)]
use std::io::stdin;
use std::sync::Arc;

#[cfg(unix)]
use rustix::process::getpgrp;
#[cfg(unix)]
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use std::fs;

/// The mode of the terminal before anything was read from it.
#[derive(Default)]
pub struct TerminalMode {
    #[cfg(unix)]
    before: Option<Termios>,
}

/// The treatment of the keys that a person types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// Nothing of them is shown; whole lines can be read.
    Hidden,
    /// Nothing of them is shown; each can be read at once.
    Keys,
}

impl TerminalMode {
    /// The mode of the terminal now.
    #[cfg(unix)]
    pub fn now() -> Self {
        Self {
            before: tcgetattr(stdin()).ok(),
        }
    }

    /// The mode of the terminal now.
    #[cfg(not(unix))]
    pub fn now() -> Self {
        Self {}
    }

    /// Whether there is still a terminal: one that hung up has no mode.
    #[cfg(unix)]
    pub fn is_known() -> bool {
        tcgetattr(stdin()).is_ok()
    }

    /// Whether there is still a terminal.
    #[cfg(not(unix))]
    pub fn is_known() -> bool {
        true
    }

    /// Sets how keys are treated, until the result is dropped. Ctrl-C stays a signal.
    pub fn set(self: &Arc<Self>, typing: Typing) -> SetTyping {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            let mut mode = before.clone();
            mode.local_modes.remove(LocalModes::ECHO);
            if typing == Typing::Keys {
                mode.local_modes.remove(LocalModes::ICANON);
            }
            put(&mode);
        }
        #[cfg(not(unix))]
        let _ = typing;
        SetTyping(Arc::clone(self))
    }

    /// Sets the terminal as it was.
    pub fn restore(&self) {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            put(before);
        }
    }
}

/// Sets the terminal. A program in the background must not: the system would stop it. A terminal that does not control this
/// program stops nothing.
#[cfg(unix)]
fn put(mode: &Termios) {
    if tcgetpgrp(stdin()).map_or(true, |group| group == getpgrp()) {
        let _gone = tcsetattr(stdin(), OptionalActions::Now, mode);
    }
}

/// The terminal is set otherwise while this exists.
#[must_use]
pub struct SetTyping(Arc<TerminalMode>);

impl Drop for SetTyping {
    fn drop(&mut self) {
        self.0.restore();
    }
}

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
