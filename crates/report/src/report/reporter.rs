//! The trait of reports, which receive the events of a run one by one.

use std::io;

use ananke_engine::run::{EventReceiver, RunEvent};
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
pub async fn deliver(
    mut events: EventReceiver,
    mut reporters: Vec<Box<dyn Reporter>>,
) -> io::Result<()> {
    let mut errors = Vec::new();
    while let Some(event) = events.recv().await {
        reporters.retain_mut(|reporter| {
            reporter
                .event(&event)
                .map_err(|error| errors.push(error))
                .is_ok()
        });
    }
    errors.extend(
        reporters
            .into_iter()
            .filter_map(|reporter| reporter.finish().err()),
    );
    match errors.len() {
        0 => Ok(()),
        1 => Err(errors.remove(0)),
        _ => {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Err(io::Error::other(lines.join("\nerror: ")))
        }
    }
}
