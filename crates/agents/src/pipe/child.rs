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
    /// The output that came later than the caller waited, for the next call.
    postponed: Option<PipeNext>,
    stderr: Arc<Mutex<Tail>>,
    /// Asks the reader of stderr to say when it has read what is there.
    stderr_reader: mpsc::UnboundedSender<oneshot::Sender<()>>,
    clock: Arc<dyn Clock>,
    keeper: ProgramKeeper,
}

impl ChildPipe {
    /// The pipe to a program that was just started. Tasks of their own read its stdout and stderr and write its stdin, so that a
    /// program that does not read or never stops printing blocks no test.
    pub(super) fn new(started: Started, max_line_bytes: usize, clock: Arc<dyn Clock>) -> Self {
        let Started {
            stdin,
            stdout,
            stderr,
            process,
        } = started;
        let keeper = ProgramKeeper::new(process);
        // All of stderr is read and its end kept in `tail`, since a program waits once the pipe to it is full. Through `requests`,
        // the task is asked to confirm that it has read what is there.
        let tail = Arc::new(Mutex::new(Tail::of(STDERR_BYTES)));
        let (stderr_reader, requests) = mpsc::unbounded_channel();
        let task = stderr.map(|pipe| tokio::spawn(keep_end(pipe, Arc::clone(&tail), requests)));
        // The channel of lines has no bound of its own: `room` counts bytes, since lines differ in size by far.
        let (lines_sender, lines) = mpsc::unbounded_channel();
        let room = Arc::new(Semaphore::new(AHEAD));
        let reader = LineReader {
            max_line_bytes,
            clock: Arc::clone(&clock),
            lines: lines_sender,
            room: Arc::clone(&room),
            over: keeper.over(),
            stderr: task,
        };
        if let Some(stdout) = stdout {
            tokio::spawn(reader.read(stdout));
        }
        // Sending never waits: lines that the program does not read yet stay in the channel.
        let (stdin_sender, stdin_lines) = mpsc::unbounded_channel();
        if let Some(stdin) = stdin {
            tokio::spawn(write_lines(stdin, stdin_lines));
        }
        Self {
            stdin: Some(stdin_sender),
            lines,
            room,
            postponed: None,
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

    /// The next output of the program. Waits for it until the moment `until`, if none is there yet.
    fn next(&mut self, until: At) -> BoxFuture<'_, PipeNext> {
        Box::pin(async move {
            // Output that is there already is taken without a look at the clock: the moment at which it came decides whether it
            // is late, and not the moment at which it is taken.
            let ready = self.postponed.take().or_else(|| self.lines.try_recv().ok());
            let next = match ready {
                Some(next) => next,
                None => match timeout(until.since(self.clock.now()), self.lines.recv()).await {
                    Ok(Some(next)) => next,
                    // The reading task is gone without having sent an end, so the exit status is not known.
                    Ok(None) => PipeNext::End(self.clock.now(), None),
                    Err(_elapsed) => return PipeNext::Late,
                },
            };
            match next {
                // Output that came too late may be in time for the next call, which can wait longer.
                PipeNext::Line(at, _) | PipeNext::TooLarge(at) | PipeNext::End(at, _)
                    if at > until =>
                {
                    self.postponed = Some(next);
                    PipeNext::Late
                }
                // The end comes once through the channel, so a copy is kept: every later call returns the same exit status.
                next @ PipeNext::End(..) => {
                    self.postponed = Some(next.clone());
                    next
                }
                // The reading task waits once too many bytes are in the channel. The room that this line took is free again.
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
    /// Reads lines, stamps each, and sends it to the pipe, until stdout ends or the pipe is dropped.
    async fn read(mut self, stdout: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(stdout);
        // At most this many bytes are read at once: the largest line and its end. If they have no line end, the line is too
        // large.
        let most = u64::try_from(self.max_line_bytes)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        // A process that the program started and left behind may keep stdout open for ever. So reading also ends a short time
        // after the program.
        let mut over = self.over.clone();
        let mut stop_reading = Box::pin(async move {
            over.status().await;
            sleep(LINGER).await;
        });
        loop {
            let mut line = Vec::new();
            let count = tokio::select! {
                biased;
                count = async { (&mut reader).take(most).read_until(b'\n', &mut line).await } => count,
                // No bytes mean the end, as at the end of stdout.
                () = &mut stop_reading => Ok(0),
            };
            // The stamp is taken before the line waits for room below.
            let at = self.clock.now();
            let next = match count {
                Ok(1..) if line.last() == Some(&b'\n') => {
                    line.pop();
                    line.pop_if(|last| *last == b'\r');
                    PipeNext::Line(at, line)
                }
                Ok(_) if line.len() > self.max_line_bytes => PipeNext::TooLarge(at),
                // The last line of a program may have no end.
                Ok(1..) => PipeNext::Line(at, line),
                // An error of reading is the end too, since nothing can be read after it.
                Ok(_) | Err(_) => PipeNext::End(at, self.status().await),
            };
            let is_last = !matches!(next, PipeNext::Line(..));

            // The line takes room, which the pipe gives back when a test has read it. So a program that prints faster than it is
            // read has to wait, and does not fill the memory.
            let room = tokio::select! {
                biased;
                () = self.lines.closed() => return,
                room = self.room.acquire_many(cost(&next)) => room.map(tokio::sync::SemaphorePermit::forget),
            };
            if room.is_err() || self.lines.send(next).is_err() || is_last {
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

/// Reads a program's stderr to its end, and keeps the last part in `tail`. Each of `requests` is answered once everything that
/// the program has printed so far is in `tail`.
async fn keep_end(
    mut stderr: impl AsyncRead + Unpin,
    tail: Arc<Mutex<Tail>>,
    mut requests: mpsc::UnboundedReceiver<oneshot::Sender<()>>,
) {
    let mut bytes = [0; 4 << 10];
    loop {
        // Reading comes first: a request is answered only when there is nothing to read.
        tokio::select! {
            biased;
            count = stderr.read(&mut bytes) => match count {
                Ok(count @ 1..) => locked(&tail).push(&bytes[..count]),
                // At the end, open requests are dropped with their channel, which answers them as well.
                Ok(0) | Err(_) => return,
            },
            Some(answer) = requests.recv() => {
                // The sender of the request may have stopped waiting.
                let _is_gone = answer.send(());
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
        // The program prints a line, repeats the line that it gets, and ends with text on stderr and a last line without an end.
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
