//! The outside world as a run gets it: environment, files (the disk, or unsaved text instead of it), working directory,
//! clock, ids, terminals.
//!
//! Everything in the library that would read a global takes it from [`Context`] instead, so that a run can be repeated to the
//! byte, and a test can use its own clock and ids. Nothing here knows what the values are used for. With it come the calendar
//! (`day`, `date_or_time`), paths and names of files, files that are being written (`destination`, `scratch`), and computing that is given up
//! after a time (`interruption`).
//!
//! **Invariant:** nothing else in the library reads a global; the `disallowed-methods` of clippy refuse it.

mod clock;
mod date_or_time;
mod day;
mod destination;
mod digest;
mod environment;
mod files;
mod ids;
pub mod interruption;
mod paths;
mod patient_copy;
mod scratch;
mod terminal;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

pub use clock::{At, Clock, ManualClock, SystemClock};
pub use date_or_time::DateOrTime;
pub use day::{Day, http_date, iso8601, unix_micros};
pub use destination::Destination;
pub use digest::{digest, digest_number, fingerprint};
pub use environment::Environment;
pub use files::{Files, OpenFile, PathKind, lock};
pub use ids::{CaseKey, Ids, RandomIds, SequentialIds};
pub use paths::{absolute, absolute_at, absolute_from, display_name, is_device};
pub use patient_copy::READER_PATIENCE;
pub use scratch::{Scratch, private_file, write_file};
pub use terminal::{Colouring, OutputStream, TerminalSize};

/// The outside world of one run, filled once by `main` (or by a test).
#[derive(Clone)]
pub struct Context {
    /// The environment variables, for `${ENV.NAME}` and for programs that are started.
    pub environment: Arc<Environment>,
    /// The files that are read.
    pub files: Files,
    /// The folder the program was started in; relative paths of the command line start here.
    pub working_directory: PathBuf,
    /// The user's home folder, for `~` at the start of a path.
    pub home: Option<PathBuf>,
    /// Arrival times and wall-clock stamps.
    pub clock: Arc<dyn Clock>,
    /// Generated ids: threads, runs, messages.
    pub ids: Arc<dyn Ids>,
    /// Whether standard input is a terminal.
    pub stdin_is_terminal: bool,
    /// Whether standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// Whether standard error is a terminal.
    pub stderr_is_terminal: bool,
    /// The size of the terminal that is written to, asked each time: it may change while tests run. `None` if it is not
    /// known.
    pub terminal_size: fn() -> Option<TerminalSize>,
    /// The number of tasks that can run at once.
    pub parallelism: NonZeroUsize,
}

impl Context {
    /// A context of `working_directory` alone, for programs that only check, and for tests: no environment, no terminal,
    /// a clock that does not advance, and ids that are counted.
    pub fn isolated(working_directory: impl Into<PathBuf>) -> Self {
        Self {
            environment: Arc::default(),
            files: Files::default(),
            working_directory: working_directory.into(),
            home: None,
            clock: Arc::new(ManualClock::default()),
            ids: Arc::new(SequentialIds::default()),
            stdin_is_terminal: false,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            terminal_size: || None,
            parallelism: NonZeroUsize::MIN,
        }
    }

    /// The environment variable `name`, where it is set and is valid Unicode.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.text(name)
    }

    /// Whether a stream is a terminal.
    pub fn is_terminal(&self, stream: OutputStream) -> bool {
        match stream {
            OutputStream::Stdout => self.stdout_is_terminal,
            OutputStream::Stderr => self.stderr_is_terminal,
        }
    }

    /// Whether a person is there who can be asked: what is asked is seen, and what is typed is read.
    pub fn has_person(&self) -> bool {
        self.stdin_is_terminal && self.stdout_is_terminal && self.stderr_is_terminal
    }

    /// The size of the terminal behind a stream, asked each time; never known if it is no terminal.
    pub fn size_of(&self, stream: OutputStream) -> fn() -> Option<TerminalSize> {
        if self.is_terminal(stream) {
            self.terminal_size
        } else {
            || None
        }
    }

    /// The Unix time now, in milliseconds.
    pub fn unix_ms(&self) -> u64 {
        self.clock.unix_ms(self.clock.now())
    }
}
