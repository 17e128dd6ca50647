//! The report that programs read: one JSON object a line, a result as each test ends and a summary as the last line.
//!
//! The lines are types of their own (`view`), which the schema is generated from. **Invariant:** every line stands for
//! itself and is written whole; only what JSON itself escapes is escaped.

mod from_outcome;
mod view;

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::Value;

use super::snapshots::Snapshots;
use super::{Reporter, text};
use crate::context::Scratch;
use crate::outcome::{Outcome, Totals, Verdict};
use crate::redact::Sealed;
use crate::run::RunEvent;
use crate::schema::generate_of;
use view::{Line, SummaryLine};

/// The JSON Schema of one line.
pub fn schema() -> Value {
    generate_of::<Line<'static>>("ananke result line")
}

/// Writes a line as each test ends.
pub struct JsonLinesReport {
    out: Out,
    selected: usize,
    started_unix_ms: u64,
    totals: Totals,
    total_turns: usize,
    snapshots: Snapshots,
    /// What the run came to and how long it took, where it came to its end.
    ended: Option<(Verdict, u64)>,
}

enum Out {
    /// A stream somebody reads along; `None` once the reader has gone away.
    Stream(Option<Box<dyn Write + Send>>),
    /// A file that appears at its place when it is complete.
    File { scratch: Scratch, destination: PathBuf },
}

impl JsonLinesReport {
    /// A report on `out`. A reader that goes away ends the writing, not the run.
    pub fn stream(out: Box<dyn Write + Send>) -> Self {
        Self::new(Out::Stream(Some(out)))
    }

    /// A report that will stand at `path`, whose folders are made. Until it is complete there is only a hidden file
    /// beside it.
    ///
    /// # Errors
    /// Where nothing can be written beside `path`, or `path` is a folder.
    pub fn create(path: impl Into<PathBuf>) -> io::Result<Self> {
        let destination = path.into();
        let scratch = Scratch::beside(&destination, "part")?;
        Ok(Self::new(Out::File { scratch, destination }))
    }

    fn new(out: Out) -> Self {
        let totals = Totals::default();
        let snapshots = Snapshots::default();
        Self { out, selected: 0, started_unix_ms: 0, totals, total_turns: 0, snapshots, ended: None }
    }

    fn case(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.totals.add(outcome);
        self.total_turns += outcome.turns.len();
        self.snapshots.add(outcome);
        self.line(&Line::Result(Box::new(from_outcome::result(outcome))))
    }

    fn line(&mut self, line: &Line<'_>) -> io::Result<()> {
        let line = serde_json::to_string(line)?;
        // What JSON leaves as it is could still steer a terminal or give an order to a build server that reads along.
        let line = text::json(&line).into_owned() + "\n";
        match &mut self.out {
            Out::File { scratch, destination: _ } => scratch.file.write_all(line.as_bytes()),
            Out::Stream(stream) => {
                let Some(out) = stream else { return Ok(()) };
                match out.write_all(line.as_bytes()).and_then(|()| out.flush()) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                        *stream = None;
                        Ok(())
                    }
                    result => result,
                }
            }
        }
    }
}

impl Reporter for JsonLinesReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        match &**event {
            RunEvent::RunStarted { tests, unix_ms } => {
                self.selected = *tests;
                self.started_unix_ms = *unix_ms;
            }
            RunEvent::CaseStarted { .. }
            | RunEvent::TurnStarted { .. }
            | RunEvent::Retrying { .. }
            | RunEvent::CaseEnded { .. } => {}
            RunEvent::CaseFinished(outcome) => self.case(outcome)?,
            RunEvent::ObsoleteSnapshots { left, deleted } => self.snapshots.obsolete(left, deleted),
            RunEvent::RunFinished { verdict, elapsed_us } => {
                self.ended = Some((verdict.clone(), *elapsed_us));
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let Self { selected, totals, total_turns, started_unix_ms, ref ended, .. } = *self;
        let ended = ended.as_ref().map(|(verdict, elapsed_us)| (verdict, *elapsed_us));
        let summary = from_outcome::summary(selected, &totals, total_turns, started_unix_ms, ended);
        let summary = SummaryLine { snapshots: from_outcome::snapshots(&self.snapshots), ..summary };
        self.line(&Line::Summary(summary))?;
        match self.out {
            Out::File { scratch, destination } => scratch.put_in_place(&destination),
            Out::Stream(_) => Ok(()),
        }
    }
}
