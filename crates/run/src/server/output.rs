//! The output of a server: read as it comes, so that it never waits for us; the end is kept, and its lines are
//! searched.

use std::sync::{Arc, Mutex, MutexGuard};

use regex::Regex;
use tokio::process::{ChildStderr, ChildStdout};

use ananke_base::context::lock;
use ananke_trace::process::{Tail, read_some};
use ananke_trace::redact::truncated;

/// The number of bytes of the end that are kept.
const KEPT: usize = 64 << 10;

/// The number of lines of the end that are shown.
const SHOWN_LINES: usize = 20;

/// The number of characters of a line that are shown.
const SHOWN_OF_LINE: usize = 400;

/// The number of bytes of a line that are searched.
const SEARCHED: usize = 8 << 10;

/// The number of bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// The end of what a server has printed. Clones are one end.
#[derive(Clone, Debug)]
pub(super) struct Printed(Arc<Mutex<Tail>>);

/// Our ends of a server's pipes.
pub(super) struct ServerOutput {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    chunks: [Vec<u8>; 2],
    printed: Printed,
    search: Option<LineSearch>,
}

/// Looks for a line.
struct LineSearch {
    pattern: Arc<Regex>,
    /// The line that has not ended yet.
    line: Vec<u8>,
}

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Something, and the line that was looked for is not there yet.
    More,
    /// The line that was looked for.
    Found,
    /// The other ends are closed.
    AtEnd,
}

impl Printed {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Tail::of(KEPT))))
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        lock(&self.0)
    }

    /// The last lines, without what was meant for a terminal.
    pub(super) fn last_lines(&self) -> String {
        let text = self.tail().lines();
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].iter();
        let shown: Vec<String> = last
            .map(|line| truncated(&plain(line), SHOWN_OF_LINE))
            .collect();
        shown.join("\n")
    }
}

impl ServerOutput {
    /// Our ends of a server's pipes. All output is added to `printed`. With a `matcher`, the lines of stdout are searched for the
    /// first one that matches.
    pub(super) fn new(
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
        printed: Printed,
        matcher: Option<Arc<Regex>>,
    ) -> Self {
        let search = matcher.map(|pattern| LineSearch {
            pattern,
            line: Vec::new(),
        });
        Self {
            stdout,
            stderr,
            // One buffer for each pipe, since both are read at the same time.
            chunks: [vec![0; CHUNK], vec![0; CHUNK]],
            printed,
            search,
        }
    }

    /// Reads the next output of stdout or stderr, and adds it to `printed`. The caller may drop the future and call again:
    /// nothing is lost, since a read that was not finished has taken no bytes.
    pub(super) async fn read(&mut self) -> Read {
        let Self {
            stdout,
            stderr,
            chunks: [from_stdout, from_stderr],
            ..
        } = self;
        if stdout.is_none() && stderr.is_none() {
            return Read::AtEnd;
        }
        tokio::select! {
            count = read_some(stdout.as_mut(), from_stdout) => {
                // No bytes mean that the other end is closed.
                if count == 0 {
                    self.stdout = None;
                }
                let bytes = &self.chunks[0][..count];
                self.printed.tail().push(bytes);
                if let Some(search) = &mut self.search
                    && search.finds(bytes)
                {
                    // A server becomes ready once, so that the search is over, and its later output costs no matching.
                    self.search = None;
                    return Read::Found;
                }
            }
            // Lines of stderr are kept and not searched: only stdout says that a server is ready.
            count = read_some(stderr.as_mut(), from_stderr) => {
                if count == 0 {
                    self.stderr = None;
                }
                self.printed.tail().push(&self.chunks[1][..count]);
            }
        }
        Read::More
    }

    /// Reads until the other ends are closed.
    pub(super) async fn drain(&mut self) {
        while self.read().await != Read::AtEnd {}
    }
}

impl LineSearch {
    /// Searches the lines that `bytes` complete, and returns whether one of them matches. The rest, without a line end, is kept
    /// in `line` until the next bytes come.
    fn finds(&mut self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.add(&rest[..end]);
            rest = &rest[end + 1..];
            // Patterns are written for the visible text, without colours and without the CR of a Windows line end.
            let line = plain(&String::from_utf8_lossy(&self.line));
            self.line.clear();
            if self.pattern.is_match(line.trim_end_matches('\r')) {
                // The caller searches no further, so the rest is not kept.
                return true;
            }
        }
        self.add(rest);
        false
    }

    /// Adds to the line that has not ended, as far as it is searched.
    fn add(&mut self, more: &[u8]) {
        let room = SEARCHED.saturating_sub(self.line.len()).min(more.len());
        self.line.extend_from_slice(&more[..room]);
    }
}

/// `line` without the escape sequences by which programs control a terminal: colours, titles, movements of the cursor.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        // Every sequence begins with ESC.
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            // A control sequence (ECMA-48, 5.4): parameters, and one character from `@` to `~`, which ends them.
            Some('[') => {
                for next in characters.by_ref() {
                    if matches!(next, '@'..='~') {
                        break;
                    }
                }
            }
            // An operating system command, such as a title. It ends with BEL, or with the string terminator, which is ESC and a
            // backslash.
            Some(']') => {
                while let Some(next) = characters.next() {
                    if next == '\u{7}'
                        || (next == '\u{1b}' && characters.next_if_eq(&'\\').is_some())
                    {
                        break;
                    }
                }
            }
            // Any other sequence consists of ESC and one character, which has been read.
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_for_a_terminal_is_left_out() {
        for (line, expected) in [
            ("plain, ünd so", "plain, ünd so"),
            ("\u{1b}[1;32mINFO\u{1b}[0m: up", "INFO: up"),
            (
                "\u{1b}]0;title\u{7}up \u{1b}]8;;http://a\u{1b}\\link",
                "up link",
            ),
            ("up\u{1b}", "up"),
            ("up\u{1b}[1;", "up"),
            ("\u{1b}(Bup", "Bup"),
        ] {
            assert_eq!(plain(line), expected);
        }
    }

    #[test]
    fn a_line_is_found_however_it_comes_in_pieces() {
        let text = format!(
            "starting\n{}\n\u{1b}[32mlistening\u{1b}[0m on 8000\r\nmore\n",
            "x".repeat(20_000)
        );
        let pattern = Arc::new(Regex::new("^listening on \\d+$").unwrap());
        for size in [1, 7, 1000, text.len()] {
            let mut search = LineSearch {
                pattern: Arc::clone(&pattern),
                line: Vec::new(),
            };
            assert!(
                text.as_bytes()
                    .chunks(size)
                    .any(|chunk| search.finds(chunk)),
                "{size}"
            );
        }
        let mut search = LineSearch {
            pattern: Arc::new(Regex::new("x{9}").unwrap()),
            line: Vec::new(),
        };
        assert!(!search.finds(&vec![b'x'; 20_000]), "no line has ended");
        assert_eq!(search.line.len(), SEARCHED);
    }
}
