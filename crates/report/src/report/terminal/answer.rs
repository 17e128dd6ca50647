//! The answer of an agent to a direct message, alone, so that another program can read it.

use std::io::{self, Write};

use crate::report::{Reporter, reporter::Stream};
use ananke_base::text::escape;
use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// Prints the last message of each test.
pub struct AnswerReport {
    out: Stream,
}

impl AnswerReport {
    /// A report on `out`.
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self {
            out: Stream::new(out),
        }
    }
}

impl Reporter for AnswerReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        let RunEvent::CaseFinished(outcome) = &**event else {
            return Ok(());
        };
        match outcome.transcript.last_message() {
            Some(answer) => self.out.print(&format!(
                "{}\n",
                escape::terminal(answer.trim_end_matches('\n'))
            )),
            None => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
