//! The exchanges with agents, line by line, for `--debug`.

use std::io::{self, Write};

use crate::report::layout::{Page, Palette};
use crate::report::{Reporter, reporter::Stream};
use ananke_base::context::Colouring;
use ananke_base::message::Lane;
use ananke_base::text::{duration, escape, truncate};
use ananke_trace::outcome::{ExchangePart, RunEvent};
use ananke_trace::redact::Sealed;

/// Prints what is sent and received, each line with its time and its test.
pub struct ExchangeReport {
    out: Stream,
    palette: Palette,
}

impl ExchangeReport {
    /// A report on `out`.
    pub fn new(out: Box<dyn Write + Send>, colour: Colouring) -> Self {
        Self {
            out: Stream::new(out),
            palette: Palette::new(colour),
        }
    }

    /// `   12 ms a.test.yaml::pays  → POST http://127.0.0.1:8000/agent`; a helper's lane follows the id.
    fn line(&self, page: &mut Page, (id, lane, after_us): (&str, &Lane, u64), text: &str) {
        page.put(
            self.palette.faint,
            &format!("{:>9}", duration::rounded(after_us)),
        );
        page.space(1);
        page.put(self.palette.faint, &escape::line(&truncate::bytes(id, 200)));
        if let Lane::Helper { .. } = lane {
            page.space(1);
            page.put(self.palette.faint, &lane.to_string());
        }
        page.space(2);
        page.plain(&escape::line(text));
        page.end();
    }
}

impl Reporter for ExchangeReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        let RunEvent::Exchange {
            id,
            lane,
            after_us,
            part,
        } = &**event
        else {
            return Ok(());
        };
        let mut page = Page::default();
        for text in lines(part) {
            self.line(&mut page, (id, lane, *after_us), &text);
        }
        self.out.print(&page.into_text())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

fn headers(sign: &str, headers: &[(String, String)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, value) in headers {
        lines.push(format!("{sign} {name}: {value}"));
    }
    lines
}

/// A part in lines: `→` is sent, `←` is received.
fn lines(part: &ExchangePart) -> Vec<String> {
    match part {
        ExchangePart::Request { line, headers: own } => {
            let mut lines = vec![format!("→ {line}")];
            lines.extend(headers("→", own));
            lines
        }
        ExchangePart::Sent(body) if body.is_empty() => Vec::new(),
        ExchangePart::Sent(body) => vec![format!("→ {body}")],
        ExchangePart::Response(status) => vec![format!("← HTTP {status}")],
        ExchangePart::Headers(own) => headers("←", own),
        ExchangePart::Late(missing) => vec![format!("timeout: {missing}")],
        ExchangePart::Event(event) => vec![format!("← {event}")],
        ExchangePart::Taken(words) => vec![format!("  {words}")],
        ExchangePart::LeftOut(count) => vec![format!("← … {count} more events")],
        ExchangePart::Closed => vec!["the exchange is over".to_owned()],
    }
}
