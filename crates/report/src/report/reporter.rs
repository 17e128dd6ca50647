//! The trait of reports, which receive the events of a run one by one, and the stream that some are printed on.
//!
//! **Why:** A report receives one event at a time and must not hold up the next, so all of them share one loop and one
//! rule for errors: a report that cannot be written is given up, and the run and the other reports go on.

use std::io::{self, Write};

use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// Writes one report while the run goes.
pub trait Reporter: Send {
    /// Takes the next event.
    ///
    /// # Errors
    /// If the report cannot be written.
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()>;

    /// Completes the report; called once, after the last event, also if the run was aborted.
    ///
    /// # Errors
    /// If the report cannot be written.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Delivers every event of a run to every reporter, and completes the reports at the end. A report that cannot be written is
/// given up: an incomplete one replaces nothing.
///
/// # Errors
/// The reports that cannot be written, one per line; the others are completed.
pub fn deliver(
    events: impl IntoIterator<Item = Sealed<RunEvent>>,
    reporters: Vec<Box<dyn Reporter>>,
) -> io::Result<()> {
    let mut delivery = Delivery::to(reporters);
    for event in events {
        delivery.event(&event);
    }
    delivery.finish()
}

/// The reporters of a run that can still be written.
struct Delivery {
    reporters: Vec<Box<dyn Reporter>>,
    errors: Vec<io::Error>,
}

impl Delivery {
    fn to(reporters: Vec<Box<dyn Reporter>>) -> Self {
        Self {
            reporters,
            errors: Vec::new(),
        }
    }

    fn event(&mut self, event: &Sealed<RunEvent>) {
        let Self { reporters, errors } = self;
        reporters.retain_mut(|reporter| match reporter.event(event) {
            Ok(()) => true,
            Err(error) => {
                errors.push(error);
                false
            }
        });
    }

    /// Completes the reports that can still be written. The result has the errors of the whole run, several of them as one.
    fn finish(self) -> io::Result<()> {
        let mut errors = self.errors;
        // A report that cannot be completed does not keep the others from it.
        for reporter in self.reporters {
            if let Err(error) = reporter.finish() {
                errors.push(error);
            }
        }
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            // The caller prints `error: ` before the first line, so the others get it here.
            _ => {
                let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
                Err(io::Error::other(lines.join("\nerror: ")))
            }
        }
    }
}

/// A stream that a report is printed on. A reader that goes away ends the printing, not the run.
pub(crate) struct Stream(Option<Box<dyn Write + Send>>);

impl Stream {
    pub(crate) fn new(out: Box<dyn Write + Send>) -> Self {
        Self(Some(out))
    }

    /// Writes `text`, and flushes the stream, so that a reader sees it at once.
    ///
    /// # Errors
    /// If the text cannot be written although there is a reader.
    pub(crate) fn print(&mut self, text: &str) -> io::Result<()> {
        // An earlier call found that the reader is gone. Nothing is printed any more, and that is no error.
        let Some(out) = &mut self.0 else {
            return Ok(());
        };
        let result = match out.write_all(text.as_bytes()) {
            Ok(()) => out.flush(),
            Err(error) => Err(error),
        };
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.0 = None;
                Ok(())
            }
            result => result,
        }
    }
}
