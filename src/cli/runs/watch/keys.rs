//! The keys that a person types while `ananke watch` goes on.
//!
//! **Invariant:** nothing of them is shown, and the terminal is set as it was when this is dropped.

use std::collections::VecDeque;
use std::io::{self, Read as _};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ananke::context::{Context, OutputStream};
use ananke::process::{SetTyping, TerminalMode, Typing};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::cli::frame::print_now;

/// The time for which a reader waits after the end of a line that is no end of the terminal.
const AFTER_END: Duration = Duration::from_millis(100);

/// The first byte of every sequence of an arrow key or a function key.
const ESCAPE: u8 = 0x1b;

/// The second byte of a sequence that has more than one.
const INTRODUCERS: [u8; 2] = [b'[', b'O'];

/// The help for the keys.
pub(super) const HELP: [&str; 7] = [
    "a      run all tests",
    "f      run the tests that did not pass",
    "p      choose tests by an expression, as `--filter` does",
    "r      run the same tests again",
    "Enter  show the failures of the last run that is kept",
    "q      quit",
    "?      this help",
];

/// The keys in a few words.
pub(super) const SHORT_HELP: &str =
    "a all · f failed · p filter · r again · Enter show · q quit · ? help";

/// A key that does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchKey {
    All,
    Failed,
    Filter,
    Again,
    Show,
    Quit,
    Help,
}

impl WatchKey {
    fn of(byte: u8) -> Option<Self> {
        Some(match byte.to_ascii_lowercase() {
            b'a' => Self::All,
            b'f' => Self::Failed,
            b'p' => Self::Filter,
            b'r' => Self::Again,
            b'\n' | b'\r' => Self::Show,
            b'q' => Self::Quit,
            b'?' | b'h' => Self::Help,
            _ => return None,
        })
    }
}

/// The keys that a person types.
pub(super) struct WatchKeys {
    mode: Arc<TerminalMode>,
    set: Option<SetTyping>,
    /// The bytes that the terminal gave at once; empty at the end of a line that is no end of the terminal.
    typed: UnboundedReceiver<Vec<u8>>,
    waiting: VecDeque<WatchKey>,
}

impl WatchKeys {
    /// The keys from now on, if a person is at a terminal on which the output is seen.
    pub(super) fn listen(context: &Context) -> Option<Self> {
        let is_terminal = cfg!(unix) && context.is_terminal(OutputStream::Stdout);
        if !is_terminal || !context.has_person() {
            return None;
        }
        let mode = Arc::new(TerminalMode::now());
        let (sender, typed) = unbounded_channel();
        thread::spawn(move || {
            let mut bytes = [0; 1024];
            loop {
                let count = match io::stdin().read(&mut bytes) {
                    Ok(0) if TerminalMode::is_known() => {
                        thread::sleep(AFTER_END);
                        0
                    }
                    Ok(0) | Err(_) => return,
                    Ok(count) => count,
                };
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Some(Self {
            set: Some(mode.set(Typing::Keys)),
            mode,
            typed,
            waiting: VecDeque::new(),
        })
    }

    /// The next key that does something.
    pub(super) async fn next(&mut self) -> WatchKey {
        loop {
            if let Some(key) = self.waiting.pop_front() {
                return key;
            }
            let typed = self.chunk().await;
            self.waiting.extend(keys(&typed));
        }
    }

    /// Forgets what was typed until now.
    pub(super) fn forget(&mut self) {
        self.waiting.clear();
        while self.typed.try_recv().is_ok() {}
    }

    /// A line that is typed after `prompt`, with what the terminal offers to edit it.
    pub(super) async fn line(&mut self, prompt: &str) -> String {
        self.forget();
        self.set = None;
        let _lost = print_now(prompt);
        let mut line = Vec::new();
        loop {
            let typed = self.chunk().await;
            line.extend_from_slice(&typed);
            if typed.is_empty() || line.contains(&b'\n') {
                break;
            }
        }
        self.set = Some(self.mode.set(Typing::Keys));
        String::from_utf8_lossy(&line).trim().to_owned()
    }

    /// The bytes that the terminal gives next; never returns once it is gone.
    async fn chunk(&mut self) -> Vec<u8> {
        match self.typed.recv().await {
            Some(typed) => typed,
            None => std::future::pending().await,
        }
    }
}

/// The keys among what was typed. The letters of an arrow key or a function key are none.
fn keys(typed: &[u8]) -> Vec<WatchKey> {
    let mut keys = Vec::new();
    let mut bytes = typed.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != ESCAPE {
            keys.extend(WatchKey::of(byte));
        } else if bytes.next_if(|next| INTRODUCERS.contains(next)).is_some() {
            while bytes.next_if(|next| !matches!(next, b'@'..=b'~')).is_some() {}
            bytes.next();
        } else {
            bytes.next();
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_is_no_letter() {
        assert_eq!(
            keys(b"aF?zz\r1"),
            [
                WatchKey::All,
                WatchKey::Failed,
                WatchKey::Help,
                WatchKey::Show
            ]
        );
        for sequence in [
            "\u{1b}[A",
            "\u{1b}OP",
            "\u{1b}[1;5A",
            "\u{1b}[15~",
            "\u{1b}a",
        ] {
            let typed = format!("f{sequence}q");
            assert_eq!(
                keys(typed.as_bytes()),
                [WatchKey::Failed, WatchKey::Quit],
                "{typed:?}"
            );
        }
        assert_eq!(keys(b"\x1b"), []);
        assert_eq!(keys(b"\x1b["), []);
        assert_eq!(
            keys(b"p\x1b[A\x1b[Ba\xff"),
            [WatchKey::Filter, WatchKey::All]
        );
    }
}
