//! The causes that end a run before its time, for people: a server that ended while the tests ran, with its last output,
//! or an agent that answers no test.

use std::io::{self, Write};

use super::no_answer::no_answer;
use crate::report::layout::{Page, Palette, mark};
use crate::report::{Reporter, reporter::Stream};
use ananke_base::context::{Colouring, TerminalSize};
use ananke_base::text::escape;
use ananke_trace::outcome::{RunEvent, Status};
use ananke_trace::redact::Sealed;

/// Reports to people what ends a run before its time, in addition to a report for programs.
pub struct ServerReport {
    out: Stream,
    palette: Palette,
    size: fn() -> Option<TerminalSize>,
}

impl ServerReport {
    /// A report on `out`, wrapped at the width of the terminal, if there is one.
    pub fn new(
        out: Box<dyn Write + Send>,
        colour: Colouring,
        size: fn() -> Option<TerminalSize>,
    ) -> Self {
        Self {
            out: Stream::new(out),
            palette: Palette::new(colour),
            size,
        }
    }
}

impl Reporter for ServerReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        let width = TerminalSize::width(self.size);
        match &**event {
            RunEvent::ServerEnded { what, printed } => {
                self.out.print(&ended(what, printed, &self.palette, width))
            }
            RunEvent::NoAnswer(found) => self.out.print(&no_answer(found, &self.palette, width)),
            _ => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// The block for people.
pub(crate) fn ended(what: &str, printed: &str, palette: &Palette, width: Option<usize>) -> String {
    let mut page = Page::of_width(width);
    page.put(palette.failed, mark(Status::Error));
    page.space(1);
    page.hang();
    page.line(
        palette.strong,
        &escape::line(&format!("{what} while the tests ran")),
    );
    page.lines(&last_words(printed, width));
    page.into_text()
}

/// The last lines of a server under a heading; empty if there are none.
pub fn last_words(printed: &str, width: Option<usize>) -> String {
    let mut page = Page::of_width(width);
    if !printed.is_empty() {
        page.plain("  what it printed last:");
        for line in printed.lines() {
            page.end();
            page.space(4);
            page.hang();
            page.plain(&escape::line(line));
        }
        page.end();
    }
    page.into_text()
}
