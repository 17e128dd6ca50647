//! What a program gets and prints: all of its stdin, stdout up to a limit, of stderr the end.

use std::future::pending;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// The most that a program may print to stdout (SPEC 3).
pub(super) const MOST_OUTPUT: usize = 8 << 20;

/// How much of the end of stderr is kept, in bytes.
const KEPT_ERRORS: usize = 4 << 10;

/// How many lines of stderr are told.
const TOLD_LINES: usize = 10;

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

/// Our ends of a program's pipes and what came through them.
pub(super) struct Streams {
    stdin: Option<Feed>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    pub(super) output: Vec<u8>,
    pub(super) errors: Tail,
}

/// What a program gets, and how much of it went through.
struct Feed {
    stdin: ChildStdin,
    input: Vec<u8>,
    written: usize,
}

/// The end of a text that may be long.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Streams {
    pub(super) fn new(
        input: Option<(ChildStdin, Vec<u8>)>,
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
    ) -> Self {
        let stdin = input.map(|(stdin, input)| Feed { stdin, input, written: 0 });
        Self { stdin, stdout, stderr, output: Vec::new(), errors: Tail::default() }
    }

    /// Writes and reads until all ends are reached or there is too much. Nothing is lost where it is dropped and called
    /// again.
    pub(super) async fn read(&mut self) -> Reading {
        let (mut from_stdout, mut from_stderr) = (vec![0; CHUNK], vec![0; CHUNK]);
        while self.stdin.is_some() || self.stdout.is_some() || self.stderr.is_some() {
            tokio::select! {
                is_over = fed(self.stdin.as_mut()) => if is_over { self.stdin = None },
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

/// Writes some bytes; answers whether that was all, or nobody reads them any more.
async fn fed(feed: Option<&mut Feed>) -> bool {
    let Some(Feed { stdin, input, written }) = feed else { return pending().await };
    match stdin.write(&input[*written..]).await {
        // A program need not read what it gets.
        Ok(0) | Err(_) => true,
        Ok(count) => {
            *written += count;
            *written == input.len()
        }
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

impl Tail {
    fn push(&mut self, more: &[u8]) {
        self.bytes.extend_from_slice(more);
        if self.bytes.len() > 2 * KEPT_ERRORS {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let surplus = self.bytes.len().saturating_sub(KEPT_ERRORS);
        self.is_cut |= surplus > 0;
        self.bytes.drain(..surplus);
    }

    /// The last lines, without empty ones at their end.
    pub(super) fn last_lines(mut self) -> String {
        self.cut();
        let text = String::from_utf8_lossy(&self.bytes);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let told = &lines[lines.len().saturating_sub(TOLD_LINES)..];
        let mark = if self.is_cut && told.len() == lines.len() { "…" } else { "" };
        format!("{mark}{}", told.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(parts: &[&str]) -> String {
        let mut tail = Tail::default();
        for part in parts {
            tail.push(part.as_bytes());
        }
        tail.last_lines()
    }

    #[test]
    fn keeps_the_last_lines() {
        assert_eq!(tail(&[]), "");
        assert_eq!(tail(&["one\ntw", "o\n\n"]), "one\ntwo");
        let many: Vec<String> = (1..=12).map(|line| format!("{line}\n")).collect();
        assert_eq!(tail(&[&many.concat()]), "3\n4\n5\n6\n7\n8\n9\n10\n11\n12");
    }

    #[test]
    fn is_bounded_and_says_where_it_was_cut() {
        let long = "é".repeat(KEPT_ERRORS);
        let told = tail(&["x", &long, &long]);
        assert!(told.starts_with('…') && told.len() <= KEPT_ERRORS + '…'.len_utf8(), "{} bytes", told.len());
        let mut tail = Tail::default();
        for _ in 0..10_000 {
            tail.push(&[b'a'; 100]);
            assert!(tail.bytes.len() <= 2 * KEPT_ERRORS + 100);
        }
    }
}
