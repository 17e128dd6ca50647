//! What a hook prints: stdout up to a limit, of stderr the end.

use std::future::pending;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStderr, ChildStdout};

use crate::process::Tail;

/// The most that a hook may print to stdout (SPEC 3).
pub(super) const MOST_OUTPUT: usize = 8 << 20;

/// How much of the end of stderr is kept, in bytes.
const KEPT_ERRORS: usize = 4 << 10;

/// How many lines of stderr are told.
pub(super) const TOLD_LINES: usize = 10;

/// How much is read at once.
const CHUNK: usize = 16 << 10;

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Nobody holds the other ends any more.
    AtEnd,
    /// There is more on stdout than may be.
    TooMuch,
}

/// Our ends of a hook's pipes and what came through them.
pub(super) struct Streams {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    pub(super) output: Vec<u8>,
    pub(super) errors: Tail,
}

impl Streams {
    pub(super) fn new(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>) -> Self {
        Self { stdout, stderr, output: Vec::new(), errors: Tail::of(KEPT_ERRORS) }
    }

    /// Reads until both ends are reached or there is too much. Nothing is lost where it is dropped and called again.
    pub(super) async fn read(&mut self) -> Reading {
        let (mut from_stdout, mut from_stderr) = (vec![0; CHUNK], vec![0; CHUNK]);
        while self.stdout.is_some() || self.stderr.is_some() {
            tokio::select! {
                count = some(self.stdout.as_mut(), &mut from_stdout) => match count {
                    0 => self.stdout = None,
                    count if self.output.len() + count > MOST_OUTPUT => return Reading::TooMuch,
                    count => self.output.extend_from_slice(&from_stdout[..count]),
                },
                count = some(self.stderr.as_mut(), &mut from_stderr) => match count {
                    0 => self.stderr = None,
                    count => self.errors.push(&from_stderr[..count]),
                },
            }
        }
        Reading::AtEnd
    }
}

/// Reads some bytes; 0 at the end, and never where there is nothing to read from.
async fn some(stream: Option<&mut (impl AsyncRead + Unpin)>, buffer: &mut [u8]) -> usize {
    match stream {
        // A pipe that cannot be read has nothing more to say.
        Some(stream) => stream.read(buffer).await.unwrap_or_default(),
        None => pending().await,
    }
}
