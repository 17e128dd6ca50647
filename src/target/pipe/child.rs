//! A program that is running, read line by line.
//!
//! A task of its own reads stdout and stamps every line before anything looks at it; another keeps the end of stderr. Both
//! end with the program.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::ChildStdin;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::pipe::{Pipe, PipeNext};
use crate::context::{At, Clock};
use crate::process::{Process, Started, Tail};
use crate::target::error::TargetError;

/// How many lines may wait for a slow reader before the program has to.
const LINES_AHEAD: usize = 64;

/// How many bytes of stderr are kept.
const STDERR_BYTES: usize = 4 << 10;

/// How many lines of stderr are shown.
const STDERR_LINES: usize = 10;

/// A program that is running.
pub(super) struct ChildPipe {
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<PipeNext>,
    /// What came later than it was asked for.
    held: Option<PipeNext>,
    stderr: Arc<Mutex<Tail>>,
    clock: Arc<dyn Clock>,
    /// Dropped with the pipe, and its group with it.
    _process: Process,
}

impl ChildPipe {
    pub(super) fn new(started: Started, max_line_bytes: usize, clock: Arc<dyn Clock>) -> Self {
        let Started { stdin, stdout, stderr, process } = started;
        let (sender, lines) = mpsc::channel(LINES_AHEAD);
        if let Some(stdout) = stdout {
            tokio::spawn(read_lines(stdout, max_line_bytes, Arc::clone(&clock), sender));
        }
        let tail = Arc::new(Mutex::new(Tail::of(STDERR_BYTES)));
        if let Some(stderr) = stderr {
            tokio::spawn(keep_end(stderr, Arc::clone(&tail)));
        }
        Self { stdin, lines, held: None, stderr: tail, clock, _process: process }
    }
}

impl Pipe for ChildPipe {
    fn send<'a>(&'a mut self, line: &'a [u8]) -> BoxFuture<'a, Result<At, TargetError>> {
        Box::pin(async move {
            let at = self.clock.now();
            let written = match &mut self.stdin {
                Some(stdin) => {
                    stdin.write_all(&[line, b"\n"].concat()).await.and(stdin.flush().await).is_ok()
                }
                None => false,
            };
            if written {
                return Ok(at);
            }
            self.stdin = None;
            Err(TargetError::new("the agent no longer reads what it is sent")
                .with_help("did it end? What it printed to stderr may say why"))
        })
    }

    fn next(&mut self, until: At) -> BoxFuture<'_, PipeNext> {
        Box::pin(async move {
            // It counts when it came, not when it is looked at.
            let next = match self.held.take().or_else(|| self.lines.try_recv().ok()) {
                Some(next) => next,
                None => match timeout(until.since(self.clock.now()), self.lines.recv()).await {
                    Ok(Some(next)) => next,
                    Ok(None) => PipeNext::End(self.clock.now()),
                    Err(_elapsed) => return PipeNext::Late,
                },
            };
            match next {
                PipeNext::Line(at, _) | PipeNext::TooLarge(at) | PipeNext::End(at) if at > until => {
                    self.held = Some(next);
                    PipeNext::Late
                }
                next => next,
            }
        })
    }

    fn last_stderr(&self) -> String {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).last_lines(STDERR_LINES)
    }
}

/// Reads lines to the end, or until the receiver is dropped.
async fn read_lines(
    stdout: impl AsyncRead + Unpin,
    max_line_bytes: usize,
    clock: Arc<dyn Clock>,
    lines: mpsc::Sender<PipeNext>,
) {
    let mut reader = BufReader::new(stdout);
    // One more than a whole line with its end tells that it is too large.
    let most = u64::try_from(max_line_bytes).unwrap_or(u64::MAX).saturating_add(1);
    loop {
        let mut line = Vec::new();
        let read = (&mut reader).take(most).read_until(b'\n', &mut line).await;
        let at = clock.now();
        let next = match read {
            Ok(1..) if line.last() == Some(&b'\n') => {
                line.pop();
                line.pop_if(|last| *last == b'\r');
                PipeNext::Line(at, line)
            }
            Ok(_) if line.len() > max_line_bytes => PipeNext::TooLarge(at),
            Ok(1..) => PipeNext::Line(at, line),
            Ok(_) | Err(_) => PipeNext::End(at),
        };
        let is_last = !matches!(next, PipeNext::Line(..));
        if lines.send(next).await.is_err() || is_last {
            return;
        }
    }
}

async fn keep_end(mut stderr: impl AsyncRead + Unpin, tail: Arc<Mutex<Tail>>) {
    let mut bytes = [0; 4 << 10];
    while let Ok(read @ 1..) = stderr.read(&mut bytes).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&bytes[..read]);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use crate::context::Environment;
    use std::time::Duration;

    use super::super::launcher::ProgramLauncher;
    use super::super::pipe::{PipeLauncher as _, PipeProgram};
    use super::*;
    use crate::context::SystemClock;

    fn start(script: &str) -> (Box<dyn Pipe>, Arc<dyn Clock>) {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        let program = PipeProgram {
            argv: ["/bin/sh", "-c", script].map(str::to_owned).into(),
            environment: Environment::default(),
            folder: "/".into(),
            folder_name: "/".to_owned(),
            max_line_bytes: 20,
        };
        let pipe = ProgramLauncher::new(Arc::clone(&clock)).start(&program).expect("a shell");
        (pipe, clock)
    }

    fn text(next: PipeNext) -> String {
        match next {
            PipeNext::Line(_, line) => String::from_utf8_lossy(&line).into_owned(),
            PipeNext::TooLarge(_) => "too large".to_owned(),
            PipeNext::End(_) => "end".to_owned(),
            PipeNext::Late => "late".to_owned(),
        }
    }

    #[tokio::test]
    async fn lines_go_in_and_come_out() {
        let (mut pipe, clock) = start("echo ready; read line; echo \"got $line\"; echo why >&2; printf end");
        let until = clock.now().plus(Duration::from_secs(10));
        assert_eq!(text(pipe.next(until).await), "ready");
        let sent = pipe.send(b"hello").await.expect("it reads");
        let next = pipe.next(until).await;
        assert!(matches!(&next, PipeNext::Line(at, _) if *at >= sent), "stamped when it came");
        assert_eq!(text(next), "got hello");
        assert_eq!([text(pipe.next(until).await), text(pipe.next(until).await)], ["end", "end"]);
        assert_eq!(pipe.last_stderr(), "why");
    }

    #[tokio::test]
    async fn what_is_too_large_or_too_late_is_said_so() {
        let (mut pipe, clock) =
            start("sleep 0.2; echo 01234567890123456789; echo 012345678901234567890; sleep 9");
        assert_eq!(text(pipe.next(clock.now()).await), "late");
        let until = clock.now().plus(Duration::from_secs(10));
        assert_eq!(text(pipe.next(until).await), "01234567890123456789");
        assert_eq!(text(pipe.next(until).await), "too large");
    }
}
