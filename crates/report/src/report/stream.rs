//! A stream that a report is printed on.

use std::io::{self, Write};

/// A stream that a report is printed on. A reader that goes away ends the printing, not the run.
pub(crate) struct Stream(Option<Box<dyn Write + Send>>);

impl Stream {
    pub(crate) fn new(out: Box<dyn Write + Send>) -> Self {
        Self(Some(out))
    }

    /// Writes `text` at once.
    ///
    /// # Errors
    /// If it cannot be written although there is a reader.
    pub(crate) fn print(&mut self, text: &str) -> io::Result<()> {
        let Some(out) = &mut self.0 else {
            return Ok(());
        };
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.0 = None;
                Ok(())
            }
            result => result,
        }
    }
}
