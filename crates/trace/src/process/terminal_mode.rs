//! How the terminal is set: a line that is read with editing sets it otherwise, and the program may end meanwhile.

/// How the terminal was set before anything was read from it.
#[derive(Default)]
pub struct TerminalMode {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl TerminalMode {
    /// How the terminal is set now.
    #[cfg(unix)]
    pub fn now() -> Self {
        Self {
            before: rustix::termios::tcgetattr(std::io::stdin()).ok(),
        }
    }

    /// How the terminal is set now.
    #[cfg(not(unix))]
    pub fn now() -> Self {
        Self {}
    }

    /// Whether there is still a terminal: one that hung up has no mode.
    #[cfg(unix)]
    pub fn is_known() -> bool {
        rustix::termios::tcgetattr(std::io::stdin()).is_ok()
    }

    /// Whether there is still a terminal.
    #[cfg(not(unix))]
    pub fn is_known() -> bool {
        true
    }

    /// Sets the terminal as it was.
    pub fn restore(&self) {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            let action = rustix::termios::OptionalActions::Now;
            let _gone = rustix::termios::tcsetattr(std::io::stdin(), action, before);
        }
    }
}
