//! What is told at once of a server that ended while the tests ran: which one, how, and what it printed last.

use std::io::{self, Write};

use super::page::Page;
use super::palette::{Palette, mark};
use super::{Reporter, text};
use crate::outcome::Status;
use crate::redact::Sealed;
use crate::run::RunEvent;

/// Tells people of servers that end, beside a report for programs.
pub struct ServerReport {
    out: Box<dyn Write + Send>,
    palette: Palette,
}

impl ServerReport {
    /// A report on `out`.
    pub fn new(out: Box<dyn Write + Send>, coloured: bool) -> Self {
        Self { out, palette: if coloured { Palette::coloured() } else { Palette::default() } }
    }
}

impl Reporter for ServerReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        if let RunEvent::ServerEnded { what, printed } = &**event {
            // A reader that has gone away ends the printing, nothing else.
            let _ = self.out.write_all(told(what, printed, &self.palette).as_bytes());
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// The block for people.
pub(super) fn told(what: &str, printed: &str, palette: &Palette) -> String {
    let mut page = Page::default();
    page.put(palette.failed, mark(Status::Error));
    page.space(1);
    page.put(palette.strong, &text::line(&format!("{what} while the tests ran")));
    page.end();
    page.plain(&last_words(printed));
    page.0
}

/// The last lines of a server below a heading of theirs; nothing where there are none.
pub fn last_words(printed: &str) -> String {
    let mut page = Page::default();
    if !printed.is_empty() {
        page.plain("  what it printed last:");
        for line in printed.lines() {
            page.end();
            page.space(4);
            page.plain(&text::line(line));
        }
        page.end();
    }
    page.0
}
