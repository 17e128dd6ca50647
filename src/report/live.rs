//! The live area of a terminal: the tests that run and the turn each is in, below what is printed.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Reporter, text};
use crate::redact::Sealed;
use crate::run::RunEvent;

/// How many running tests are shown; the rest is counted.
const SHOWN: usize = 8;

/// How often the times in the area move on.
const TICK: Duration = Duration::from_millis(200);

/// Shows what runs. Nothing of it stays on the terminal when the run is over.
pub struct LiveArea {
    area: MultiProgress,
    total: ProgressBar,
    running: BTreeMap<String, Running>,
    coloured: bool,
}

/// A running test.
struct Running {
    bar: ProgressBar,
    /// Which retry it is in, and why; empty at its first attempt.
    retry: String,
}

/// A writer whose output appears above the area.
struct Above<W> {
    area: MultiProgress,
    out: W,
}

impl LiveArea {
    /// An area on standard error, which must be the same terminal as standard output.
    pub fn new(coloured: bool) -> Self {
        let area = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        let total = area.add(ProgressBar::no_length());
        Self { area, total, running: BTreeMap::new(), coloured }
    }

    /// A writer for what is printed above the area.
    pub fn above(&self, out: impl Write + Send + 'static) -> impl Write + Send + 'static {
        Above { area: self.area.clone(), out }
    }

    fn style(&self, template: &str) -> ProgressStyle {
        let plain = template.replace(".dim", "").replace(".cyan", "");
        let template = if self.coloured { template } else { &plain };
        // A template that cannot be read would be a mistake of this file; the default shows the same in other form.
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
    }

    fn started(&mut self, id: &str) {
        if self.running.len() >= SHOWN {
            return;
        }
        let bar = self.area.insert_before(&self.total, ProgressBar::new_spinner());
        bar.set_style(self.style("  {spinner:.cyan} {wide_msg} {elapsed:.dim}"));
        bar.set_message(text::line(&text::bounded(id, 200)).into_owned());
        bar.enable_steady_tick(TICK);
        self.running.insert(id.to_owned(), Running { bar, retry: String::new() });
    }

    fn retrying(&mut self, id: &str, retry: &str) {
        if let Some(running) = self.running.get_mut(id) {
            running.retry = format!("  {}", text::line(&text::bounded(retry, 200)));
            let id = text::line(&text::bounded(id, 200)).into_owned();
            running.bar.set_message(id + &running.retry);
        }
    }

    fn turn(&self, id: &str, turn: usize, of: usize) {
        if let Some(Running { bar, retry }) = self.running.get(id) {
            bar.set_message(format!("{}  turn {turn} of {of}{retry}", text::line(&text::bounded(id, 200))));
        }
    }

    fn ended(&mut self, id: &str) {
        if let Some(Running { bar, .. }) = self.running.remove(id) {
            bar.finish_and_clear();
            self.area.remove(&bar);
        }
        self.total.inc(1);
    }
}

impl Reporter for LiveArea {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        match &**event {
            RunEvent::RunStarted { tests, .. } => {
                self.total.set_length(*tests as u64);
                self.total.set_style(self.style("  {pos} of {len} tests  {elapsed:.dim}"));
                self.total.enable_steady_tick(TICK);
            }
            RunEvent::CaseStarted { id } => self.started(id),
            RunEvent::TurnStarted { id, turn, of } => self.turn(id, *turn, *of),
            RunEvent::Retrying { id, retry, of, status, why } => {
                self.retrying(id, &format!("retry {retry} of {of} ({}: {why})", status.as_str()));
            }
            RunEvent::CaseEnded { id } => self.ended(id),
            RunEvent::ServerEnded { .. }
            | RunEvent::CaseFinished(_)
            | RunEvent::ObsoleteSnapshots { .. }
            | RunEvent::RunFinished { .. } => {}
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        for Running { bar, .. } in self.running.values() {
            bar.finish_and_clear();
        }
        self.total.finish_and_clear();
        self.area.clear()
    }
}

impl<W: Write> Write for Above<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Self { area, out } = self;
        area.suspend(|| out.write_all(bytes).and_then(|()| out.flush())).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
