//! The streams of a run: standard output and standard error.

use std::io;

use ananke::context::OutputStream;
use ananke::run::Stopper;

use super::output_thread::OutputThread;
use super::print::streams;

/// The streams of a run.
#[derive(Clone)]
pub(super) struct Outputs {
    pub(super) stdout: OutputThread,
    pub(super) stderr: OutputThread,
}

impl Outputs {
    /// Those of the program, in a run that `stopper` stops.
    pub(super) fn of_program(stopper: &Stopper) -> Self {
        let (stdout, stderr) = streams();
        Self {
            stdout: OutputThread::new("standard output", Box::new(stdout), stopper.clone()),
            stderr: OutputThread::new("standard error", Box::new(stderr), stopper.clone()),
        }
    }

    /// One of the two.
    pub(super) fn of(&self, stream: OutputStream) -> &OutputThread {
        match stream {
            OutputStream::Stdout => &self.stdout,
            OutputStream::Stderr => &self.stderr,
        }
    }

    /// Waits until everything is written.
    ///
    /// # Errors
    /// If a write to standard output failed for another reason than a closed pipe.
    pub(super) fn finish(&self) -> io::Result<()> {
        // What standard error does not take cannot be reported anywhere.
        let _lost = self.stderr.finish();
        self.stdout.finish()
    }
}
