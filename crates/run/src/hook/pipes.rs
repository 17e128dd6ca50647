//! The pipes of a program: its input, its stdout up to a limit, and the end of its stderr.

use std::future::pending;

use tokio::io::AsyncWriteExt as _;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use ananke_trace::process::{Tail, read_some};

/// The most that a program may print to stdout (SPEC 3).
pub(super) const MOST_OUTPUT: usize = 8 << 20;

/// The number of bytes of the end of stderr that are kept.
const KEPT_ERRORS: usize = 4 << 10;

/// The number of lines of stderr that an error shows.
pub(super) const SHOWN_LINES: usize = 10;

/// The number of bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// The reason that reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadStop {
    /// All pipes are closed.
    AtEnd,
    /// Stdout exceeds its limit.
    TooMuch,
}

/// Our ends of a program's pipes, and what was read from them.
pub(super) struct Pipes {
    stdin: Option<Feed>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    pub(super) output: Vec<u8>,
    pub(super) errors: Tail,
}

/// The input of a program, and how much of it is written.
struct Feed {
    stdin: ChildStdin,
    input: Vec<u8>,
    written: usize,
}

impl Pipes {
    /// Our ends of a program's pipes, before anything is written or read. `input` is for its stdin.
    pub(super) fn new(
        input: Option<(ChildStdin, Vec<u8>)>,
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
    ) -> Self {
        let stdin = input.map(|(stdin, input)| Feed {
            stdin,
            input,
            written: 0,
        });
        Self {
            stdin,
            stdout,
            stderr,
            output: Vec::new(),
            // Only the end of stderr is kept, since errors show its last lines alone.
            errors: Tail::of(KEPT_ERRORS),
        }
    }

    /// Writes stdin, and reads stdout and stderr, until all pipes are closed or stdout exceeds its limit. The caller may drop the
    /// future and call again: nothing is lost, since all progress is in `self`.
    pub(super) async fn read(&mut self) -> ReadStop {
        let mut from_stdout = vec![0; CHUNK];
        let mut from_stderr = vec![0; CHUNK];
        // All three pipes at once: a program that waits for us at one of them does not read from or write to the others, and
        // would wait for ever. A pipe that is done becomes `None`.
        while self.stdin.is_some() || self.stdout.is_some() || self.stderr.is_some() {
            tokio::select! {
                is_done = write_some(self.stdin.as_mut()) => if is_done { self.stdin = None },
                count = read_some(self.stdout.as_mut(), &mut from_stdout) => match count {
                    0 => self.stdout = None,
                    count if self.output.len() + count > MOST_OUTPUT => {
                        // The new bytes are dropped. Stdout is closed, so that a later call does not add bytes after the gap.
                        self.stdout = None;
                        return ReadStop::TooMuch;
                    }
                    count => self.output.extend_from_slice(&from_stdout[..count]),
                },
                count = read_some(self.stderr.as_mut(), &mut from_stderr) => match count {
                    0 => self.stderr = None,
                    count => self.errors.push(&from_stderr[..count]),
                },
            }
        }
        ReadStop::AtEnd
    }
}

/// Writes some bytes of the input; returns `true` once all of it is written, or the program no longer reads.
async fn write_some(feed: Option<&mut Feed>) -> bool {
    let Some(Feed {
        stdin,
        input,
        written,
    }) = feed
    else {
        // A branch of a `select!` must not be ready if it has nothing to do, so this one waits for ever.
        return pending().await;
    };
    match stdin.write(&input[*written..]).await {
        // A program that closes its stdin without reading all of it is not wrong, so that this is not an error.
        Ok(0) | Err(_) => true,
        Ok(count) => {
            *written += count;
            *written == input.len()
        }
    }
}
