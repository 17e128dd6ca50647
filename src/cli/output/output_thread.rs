//! Standard output and standard error of a run, each written by a thread of its own: a reader that takes nothing holds up no
//! test and no signal. A run has both (`Outputs`).
//!
//! What is printed in quick succession is written at once: to wake a thread for each line costs more than to print it.
//!
//! **Invariant:** what is printed stays in order; at most 64 MiB wait; a write beyond that blocks until there is room or the
//! run is interrupted.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::cli::frame::streams;
use ananke::context::{OutputStream, READER_PATIENCE};
use ananke::run::{Reason, Stopper};
use ananke::text::escape;

/// The most bytes that may wait.
const WAITING: usize = 64 << 20;

/// The most waiting bytes with which a note is printed that nothing waits for; beyond that it is lost.
const MOST_NOTES: usize = 1 << 20;

/// The time for which a reader that reads nothing is waited for once the run is interrupted.
const PATIENCE: Duration = Duration::from_secs(2);

/// The number of bytes that are written at once: a reader that takes them reads.
const PART: usize = 4 << 10;

/// The interval at which a blocked write checks whether the run was interrupted.
const TICK: Duration = Duration::from_millis(50);

/// The longest time for which output waits for more.
const COLLECTED: Duration = Duration::from_millis(2);

/// A stream that a thread of its own writes. Clones are the same stream.
#[derive(Clone)]
pub(crate) struct OutputThread(Arc<SharedOutput>);

struct SharedOutput {
    /// The name in messages.
    name: &'static str,
    state: Mutex<OutputState>,
    changed: Condvar,
    /// The end of the run waits until everything is written.
    finishing: Condvar,
    stopper: Stopper,
}

struct OutputState {
    /// The output, until the thread starts.
    out: Option<Box<dyn Write + Send>>,
    waiting: Vec<u8>,
    is_writing: bool,
    is_finishing: bool,
    failed: Option<io::Error>,
    /// The number of parts that were written.
    parts: u64,
}

impl OutputThread {
    /// A stream to `out`, which messages call `name`, in a run that `stopper` stops.
    pub(crate) fn new(name: &'static str, out: Box<dyn Write + Send>, stopper: Stopper) -> Self {
        let state = OutputState {
            out: Some(out),
            waiting: Vec::new(),
            is_writing: false,
            is_finishing: false,
            failed: None,
            parts: 0,
        };
        let (state, changed, finishing) = (Mutex::new(state), Condvar::new(), Condvar::new());
        Self(Arc::new(SharedOutput {
            name,
            state,
            changed,
            finishing,
            stopper,
        }))
    }

    /// Prints a line, escaped, without waiting for anything: one that finds much of others waiting is lost.
    pub(crate) fn note(&self, line: &str) {
        if self.0.state().waiting.len() < MOST_NOTES {
            // It has room, so that it does not wait.
            let _lost = writeln!(self.clone(), "{}", escape::line(line));
        }
    }

    /// Waits until everything is written; not for long if the run is interrupted, or if nothing is read any more.
    ///
    /// # Errors
    /// If a write failed for another reason than a closed pipe.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut state = self.0.state();
        state.is_finishing = true;
        self.0.finishing.notify_all();
        let mut patience = PATIENCE;
        let mut unread = READER_PATIENCE;
        let mut parts = state.parts;
        while (state.is_writing || !state.waiting.is_empty()) && !patience.is_zero() {
            if self.0.is_interrupted() {
                patience = patience.saturating_sub(TICK);
            }
            unread = if state.parts == parts {
                unread.saturating_sub(TICK)
            } else {
                READER_PATIENCE
            };
            parts = state.parts;
            if unread.is_zero() {
                state.is_finishing = false;
                let name = self.0.name;
                let seconds = READER_PATIENCE.as_secs();
                let message =
                    format!("cannot write to {name}: nothing read from it for {seconds} s");
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            state = self.0.wait(state);
        }
        state.is_finishing = false;
        match state
            .failed
            .take()
            .filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
        {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

impl SharedOutput {
    fn state(&self) -> MutexGuard<'_, OutputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, and not longer than a tick.
    fn wait<'a>(&self, state: MutexGuard<'a, OutputState>) -> MutexGuard<'a, OutputState> {
        self.changed
            .wait_timeout(state, TICK)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    fn is_interrupted(&self) -> bool {
        self.stopper.reason() == Some(Reason::Interrupted)
    }

    /// Writes what waits, for ever.
    fn write(&self, mut out: Box<dyn Write + Send>) {
        loop {
            let mut state = self.state();
            while state.waiting.is_empty() {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            let collects =
                |state: &mut OutputState| !state.is_finishing && state.waiting.len() < WAITING;
            let collected = self
                .finishing
                .wait_timeout_while(state, COLLECTED, collects);
            let mut state = collected.unwrap_or_else(PoisonError::into_inner).0;
            let text = std::mem::take(&mut state.waiting);
            state.is_writing = true;
            drop(state);
            let mut parts = text.chunks(PART);
            let written = parts
                .try_for_each(|part| {
                    out.write_all(part)?;
                    self.state().parts += 1;
                    Ok(())
                })
                .and_then(|()| out.flush())
                .map_err(|error| {
                    io::Error::new(
                        error.kind(),
                        format!("cannot write to {}: {error}", self.name),
                    )
                });
            let mut state = self.state();
            state.is_writing = false;
            state.failed = written.err().or(state.failed.take());
            self.changed.notify_all();
        }
    }
}

impl Write for OutputThread {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.state();
        while state.waiting.len() >= WAITING && state.failed.is_none() && !self.0.is_interrupted() {
            state = self.0.wait(state);
        }
        if let Some(error) = &state.failed {
            return Err(io::Error::new(error.kind(), error.to_string()));
        }
        if state.waiting.len() >= WAITING {
            // The reader has stopped and the run is ending: the text is lost.
            return Ok(bytes.len());
        }
        if let Some(out) = state.out.take() {
            let shared = Arc::clone(&self.0);
            thread::Builder::new()
                .name("output".to_owned())
                .spawn(move || shared.write(out))?;
        }
        let is_first = state.waiting.is_empty();
        state.waiting.extend_from_slice(bytes);
        if is_first {
            self.0.changed.notify_all();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The streams of a run.
#[derive(Clone)]
pub(crate) struct Outputs {
    pub(crate) stdout: OutputThread,
    pub(crate) stderr: OutputThread,
}

impl Outputs {
    /// Those of the program, in a run that `stopper` stops.
    pub(crate) fn of_program(stopper: &Stopper) -> Self {
        let (stdout, stderr) = streams();
        Self {
            stdout: OutputThread::new("standard output", Box::new(stdout), stopper.clone()),
            stderr: OutputThread::new("standard error", Box::new(stderr), stopper.clone()),
        }
    }

    /// One of the two.
    pub(crate) fn of(&self, stream: OutputStream) -> &OutputThread {
        match stream {
            OutputStream::Stdout => &self.stdout,
            OutputStream::Stderr => &self.stderr,
        }
    }

    /// Waits until everything is written.
    ///
    /// # Errors
    /// If a write to standard output failed for another reason than a closed pipe.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let (of_stderr, of_stdout) = thread::scope(|scope| {
            let of_stderr = scope.spawn(|| self.stderr.finish());
            let of_stdout = self.stdout.finish();
            (of_stderr.join(), of_stdout)
        });
        // What standard error does not take cannot be reported anywhere.
        match of_stderr {
            Ok(Err(error)) if error.kind() == io::ErrorKind::TimedOut => Ok(()),
            _ => of_stdout,
        }
    }
}
