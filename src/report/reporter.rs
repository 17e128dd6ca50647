//! What a report is: something that takes the events of a run one by one.

use std::io;

use crate::redact::Sealed;
use crate::run::{EventReceiver, RunEvent};

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

/// Delivers every event of a run to every reporter, and completes the reports at the end.
///
/// # Errors
/// The first report that cannot be written; the others are completed all the same.
pub async fn deliver(mut events: EventReceiver, mut reporters: Vec<Box<dyn Reporter>>) -> io::Result<()> {
    let mut first_error = Ok(());
    while let Some(event) = events.recv().await {
        for reporter in &mut reporters {
            let taken = reporter.event(&event);
            first_error = first_error.and(taken);
        }
    }
    for reporter in reporters {
        let finished = reporter.finish();
        first_error = first_error.and(finished);
    }
    first_error
}
