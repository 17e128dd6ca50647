//! A program that is running, written to and read line by line.
//!
//! Tasks of their own write its stdin, stamp each line of its stdout before anything looks at it, and keep the end of its
//! stderr. So a program that reads nothing delays nothing here. All of them end with the program.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader,
};
use tokio::process::ChildStdin;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::program_keeper::{ProgramKeeper, ProgramOver};
use super::{Pipe, PipeNext};
use crate::error::TargetError;
use ananke_base::context::{At, Clock};
use ananke_trace::process::{ExitStatus, Started, Tail};

/// The number of bytes of lines that are read ahead before the program has to wait.
const AHEAD: usize = 8 << 20;

/// The room of a line apart from its bytes.
const LINE_COST: usize = 128;

/// The number of bytes of stderr that are kept.
const STDERR_BYTES: usize = 4 << 10;

/// The number of lines of stderr that are shown.
const STDERR_LINES: usize = 10;

/// The time for which output may still come when the program is over: a process that left its group may hold the pipes for ever.
const LINGER: Duration = Duration::from_millis(150);

/// The time that a program which has closed its output may take to end, and its stderr to be read, so that errors can say
/// why.
const ENDING: Duration = Duration::from_secs(2);

/// A program that is running.
pub(super) struct ChildPipe {
    /// Takes the lines for its stdin, which is closed when there is none.
    stdin: Option<mpsc::UnboundedSender<Vec<u8>>>,
    lines: mpsc::UnboundedReceiver<PipeNext>,
    room: Arc<Semaphore>,
    /// The part that came later than it was asked for.
    held: Option<PipeNext>,
    stderr: Arc<Mutex<Tail>>,
    /// Asks the reader of stderr to say when it has read what is there.
    stderr_reader: mpsc::UnboundedSender<oneshot::Sender<()>>,
    clock: Arc<dyn Clock>,
    keeper: ProgramKeeper,
}

impl ChildPipe {
    pub(super) fn new(started: Started, max_line_bytes: usize, clock: Arc<dyn Clock>) -> Self {
        let Started {
            stdin,
            stdout,
            stderr,
            process,
        } = started;
        let keeper = ProgramKeeper::new(process);
        // The end of stderr is always read, since a program that fills the pipe would wait.
        let tail = Arc::new(Mutex::new(Tail::of(STDERR_BYTES)));
        let (stderr_reader, asked) = mpsc::unbounded_channel();
        let kept = stderr.map(|stderr| tokio::spawn(keep_end(stderr, Arc::clone(&tail), asked)));
        // The channel of lines has no bound of its own: `room` counts bytes, since lines differ in size by far.
        let (lines_sender, lines) = mpsc::unbounded_channel();
        let room = Arc::new(Semaphore::new(AHEAD));
        let reader = LineReader {
            max_line_bytes,
            clock: Arc::clone(&clock),
            lines: lines_sender,
            room: Arc::clone(&room),
            over: keeper.over(),
            stderr: kept,
        };
        if let Some(stdout) = stdout {
            tokio::spawn(reader.read(stdout));
        }
        let (stdin_sender, to_write) = mpsc::unbounded_channel();
        if let Some(stdin) = stdin {
            tokio::spawn(write_lines(stdin, to_write));
        }
        Self {
            stdin: Some(stdin_sender),
            lines,
            room,
            held: None,
            stderr: tail,
            stderr_reader,
            clock,
            keeper,
        }
    }
}

impl Pipe for ChildPipe {
    fn send(&mut self, line: &[u8]) -> Result<At, TargetError> {
        let at = self.clock.now();
        if let Some(stdin) = &self.stdin {
            // What a program does not read that closed its stdin, or ended, it says by what it prints.
            let _unread = stdin.send([line, b"\n"].concat());
        }
        Ok(at)
    }

    fn close(&mut self) -> At {
        self.stdin = None;
        self.clock.now()
    }

    fn next(&mut self, until: At) -> BoxFuture<'_, PipeNext> {
        Box::pin(async move {
            // It counts when it came, not when it is looked at.
            let next = match self.held.take().or_else(|| self.lines.try_recv().ok()) {
                Some(next) => next,
                None => match timeout(until.since(self.clock.now()), self.lines.recv()).await {
                    Ok(Some(next)) => next,
                    Ok(None) => PipeNext::End(self.clock.now(), None),
                    Err(_elapsed) => return PipeNext::Late,
                },
            };
            match next {
                PipeNext::Line(at, _) | PipeNext::TooLarge(at) | PipeNext::End(at, _)
                    if at > until =>
                {
                    self.held = Some(next);
                    PipeNext::Late
                }
                // Nothing else comes: who asks again gets to know how the program ended, too.
                next @ PipeNext::End(..) => {
                    self.held = Some(next.clone());
                    next
                }
                next => {
                    self.room.add_permits(cost(&next) as usize);
                    next
                }
            }
        })
    }

    fn start_turn(&mut self) {
        locked(&self.stderr).clear();
    }

    fn catch_up(&mut self) -> BoxFuture<'_, ()> {
        let (is_read, read) = oneshot::channel();
        let _has_ended = self.stderr_reader.send(is_read);
        // A program that never stops printing is not waited for.
        Box::pin(async move { _ = timeout(LINGER, read).await })
    }

    fn last_stderr(&self) -> String {
        locked(&self.stderr).last_lines(STDERR_LINES)
    }

    fn end_in_words(&self) -> Option<String> {
        self.keeper.over().in_words()
    }

    fn terminate(&mut self) {
        self.keeper.terminate();
    }

    fn end(&mut self) -> BoxFuture<'_, ()> {
        self.stdin = None;
        Box::pin(self.keeper.end())
    }
}

/// Writes lines until the program reads no more; its stdin is closed after the last.
async fn write_lines(mut stdin: ChildStdin, mut lines: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if stdin
            .write_all(&line)
            .await
            .and(stdin.flush().await)
            .is_err()
        {
            return;
        }
    }
}

/// Reads what a program prints to stdout.
struct LineReader {
    max_line_bytes: usize,
    clock: Arc<dyn Clock>,
    lines: mpsc::UnboundedSender<PipeNext>,
    room: Arc<Semaphore>,
    over: ProgramOver,
    /// Keeps the end of stderr.
    stderr: Option<JoinHandle<()>>,
}

impl LineReader {
    /// Reads lines to the end, or until the receiver is dropped.
    async fn read(mut self, stdout: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(stdout);
        // One byte more than a whole line with its end shows that it is too large.
        let most = u64::try_from(self.max_line_bytes)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let mut over = self.over.clone();
        let mut cut_off = Box::pin(async move {
            over.status().await;
            sleep(LINGER).await;
        });
        loop {
            let mut line = Vec::new();
            let read = tokio::select! {
                biased;
                read = async { (&mut reader).take(most).read_until(b'\n', &mut line).await } => read,
                () = &mut cut_off => Ok(0),
            };
            let at = self.clock.now();
            let next = match read {
                Ok(1..) if line.last() == Some(&b'\n') => {
                    line.pop();
                    line.pop_if(|last| *last == b'\r');
                    PipeNext::Line(at, line)
                }
                Ok(_) if line.len() > self.max_line_bytes => PipeNext::TooLarge(at),
                Ok(1..) => PipeNext::Line(at, line),
                Ok(_) | Err(_) => PipeNext::End(at, self.status().await),
            };
            let is_last = !matches!(next, PipeNext::Line(..));
            let wanted = tokio::select! {
                biased;
                () = self.lines.closed() => return,
                room = self.room.acquire_many(cost(&next)) => room.map(tokio::sync::SemaphorePermit::forget),
            };
            if wanted.is_err() || self.lines.send(next).is_err() || is_last {
                return;
            }
        }
    }

    /// The exit status of the program whose output is at its end, when all of its stderr has been read.
    async fn status(&mut self) -> Option<ExitStatus> {
        let status = timeout(ENDING, self.over.status()).await.ok().flatten();
        if let Some(stderr) = self.stderr.take()
            && status.is_some()
        {
            let _is_held = timeout(ENDING, stderr).await;
        }
        status
    }
}

/// The room that something takes; a line larger than all of it takes all.
fn cost(next: &PipeNext) -> u32 {
    let bytes = if let PipeNext::Line(_, line) = next {
        line.len()
    } else {
        0
    };
    u32::try_from((bytes + LINE_COST).min(AHEAD)).unwrap_or(u32::MAX)
}

fn locked(tail: &Mutex<Tail>) -> MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the end of a program's stderr, and answers those who ask when nothing more is there to read.
async fn keep_end(
    mut stderr: impl AsyncRead + Unpin,
    tail: Arc<Mutex<Tail>>,
    mut asked: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
) {
    let mut bytes = [0; 4 << 10];
    loop {
        tokio::select! {
            biased;
            read = stderr.read(&mut bytes) => match read {
                Ok(read @ 1..) => locked(&tail).push(&bytes[..read]),
                Ok(0) | Err(_) => return,
            },
            Some(is_read) = asked.recv() => {
                let _is_gone = is_read.send(());
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;
    use std::process::Stdio;

    use super::*;
    use ananke_base::context::{Context, SystemClock};
    use ananke_trace::process::{self, Program};

    fn start(script: &str) -> (Box<dyn Pipe>, Arc<dyn Clock>) {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        let program = Program {
            argv: &["/bin/sh", "-c", script].map(str::to_owned),
            environment: &Context::isolated("/").environment,
            folder: Path::new("/"),
            folder_name: "/",
        };
        let started = process::start(&program, Stdio::piped()).expect("a shell");
        let pipe = ChildPipe::new(started, 20, Arc::clone(&clock));
        (Box::new(pipe), clock)
    }

    fn text(next: PipeNext) -> String {
        match next {
            PipeNext::Line(_, line) => String::from_utf8_lossy(&line).into_owned(),
            PipeNext::TooLarge(_) => "too large".to_owned(),
            PipeNext::End(_, Some(status)) => status.to_string(),
            PipeNext::End(_, None) => "end".to_owned(),
            PipeNext::Late => "late".to_owned(),
        }
    }

    /// Longer than anything here takes.
    fn later(clock: &Arc<dyn Clock>) -> At {
        clock.now().plus(Duration::from_secs(30))
    }

    #[tokio::test]
    async fn lines_go_in_and_come_out() {
        let (mut pipe, clock) =
            start("echo ready; read line; echo \"got $line\"; echo why >&2; printf end; exit 3");
        let until = later(&clock);
        assert_eq!(text(pipe.next(until).await), "ready");
        let sent = pipe.send(b"hello").expect("a program takes every line");
        let next = pipe.next(until).await;
        assert!(
            matches!(&next, PipeNext::Line(at, _) if *at >= sent),
            "stamped when it came"
        );
        assert_eq!(text(next), "got hello");
        assert_eq!(text(pipe.next(until).await), "end");
        assert_eq!(
            text(pipe.next(until).await),
            ExitStatus::Exit(3).to_string()
        );
        assert_eq!(pipe.last_stderr(), "why", "all of it was read by then");
        assert_eq!(
            text(pipe.next(until).await),
            ExitStatus::Exit(3).to_string(),
            "who asks again gets the same"
        );
    }

    #[tokio::test]
    async fn what_is_too_large_or_too_late_is_said_so() {
        let (mut pipe, clock) =
            start("read line; echo 01234567890123456789; echo 012345678901234567890; sleep 60");
        assert_eq!(text(pipe.next(clock.now()).await), "late");
        pipe.send(b"go on").expect("a program takes every line");
        let until = later(&clock);
        assert_eq!(text(pipe.next(until).await), "01234567890123456789");
        assert_eq!(text(pipe.next(until).await), "too large");
    }

    #[tokio::test]
    async fn a_program_that_reads_nothing_holds_up_nobody() {
        let (mut pipe, clock) = start("echo ready; exec sleep 60");
        let until = later(&clock);
        pipe.send(&vec![b'x'; 4 << 20])
            .expect("a program takes every line");
        assert_eq!(text(pipe.next(until).await), "ready");
        pipe.end().await;
        assert_eq!(
            text(pipe.next(until).await),
            "was ended by signal 9 (SIGKILL)"
        );
    }

    #[tokio::test]
    async fn the_end_of_stdin_is_seen() {
        let (mut pipe, clock) = start("cat; exit 4");
        pipe.send(b"hello").expect("a program takes every line");
        pipe.close();
        let until = later(&clock);
        assert_eq!(text(pipe.next(until).await), "hello");
        assert_eq!(text(pipe.next(until).await), "ended with exit code 4");
    }

    #[tokio::test]
    async fn a_process_that_holds_stdout_does_not_delay_the_end() {
        let (mut pipe, clock) = start("sleep 60 & exit 2");
        assert_eq!(
            text(pipe.next(later(&clock)).await),
            "ended with exit code 2"
        );
    }
}
