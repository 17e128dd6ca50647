//! Reports, one a file; each streams and sees nothing but sealed [`RunEvent`]s.

pub mod console;
pub mod junit;

use std::io;

use crate::redact::Sealed;
use crate::run::RunEvent;

/// Writes one report while the run goes.
pub trait Reporter: Send {
    /// Takes the next event.
    ///
    /// # Errors
    /// Where the report cannot be written.
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()>;

    /// Completes the report; called once, after the last event, also when the run was cut short.
    ///
    /// # Errors
    /// Where the report cannot be written.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
