//! The report for people at a terminal: a line per test under its file, what failed with it, and a summary.

use std::io;
use std::io::Write;

use anstyle::Style;

use super::result::RunResult;
use super::servers;
use crate::context::{Colouring, TerminalSize};
use crate::outcome::{Outcome, Status};
use crate::redact::Sealed;
use crate::report::layout::Page;
use crate::report::layout::counts;
use crate::report::layout::{Palette, mark};
use crate::report::reporter::Reporter;
use crate::report::run_totals::{RunClose, RunTotals};
use crate::report::stream::Stream;
use crate::report::transcript::earlier_attempts;
use crate::report::transcript::{TranscriptScope, TranscriptStyle, transcript};
use crate::report::words::{duration, names};
use crate::run::RunEvent;
use crate::text::{escape, truncate};

/// How much is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// The tests that failed and the summary.
    Quiet,
    /// A line per test, with its warnings, and excerpts of those that failed.
    #[default]
    Normal,
    /// Every turn of every test, with the rules that hold.
    Verbose,
}

/// How the console is written.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleOptions {
    /// Whether there is colour; the text says everything without.
    pub colour: Colouring,
    /// How much is printed.
    pub verbosity: Verbosity,
    /// The size of the terminal: lines are wrapped at its width, and not wrapped if it is not known.
    pub size: fn() -> Option<TerminalSize>,
}

impl Default for ConsoleOptions {
    fn default() -> Self {
        Self { colour: Colouring::Plain, verbosity: Verbosity::default(), size: || None }
    }
}

/// Writes for people. A reader that goes away ends the printing, not the run.
pub struct ConsoleReport {
    out: Stream,
    verbosity: Verbosity,
    size: fn() -> Option<TerminalSize>,
    palette: Palette,
    /// The file whose heading was printed last.
    file: Option<String>,
    /// Whether the test before has a block of text: an empty line follows it.
    after_block: bool,
    run: RunTotals,
    result: RunResult,
}

impl ConsoleReport {
    /// A report on `out`.
    pub fn new(out: Box<dyn Write + Send>, options: ConsoleOptions) -> Self {
        Self {
            out: Stream::new(out),
            verbosity: options.verbosity,
            size: options.size,
            palette: Palette::new(options.colour),
            file: None,
            after_block: false,
            run: RunTotals::default(),
            result: RunResult::default(),
        }
    }

    fn case(&mut self, outcome: &Outcome) -> String {
        self.result.add(outcome);
        if self.verbosity == Verbosity::Quiet && !outcome.fails_the_run() {
            return String::new();
        }
        let story = self.story(outcome);
        let mut page = self.page();
        let same_file = self.file.as_deref() == Some(outcome.test.file.as_str());
        if self.file.is_some() && (!same_file || self.after_block) {
            page.end();
        }
        if !same_file {
            page.line(self.palette.strong, &escape::line(&outcome.test.file));
            self.file = Some(outcome.test.file.clone());
        }
        self.test_line(&mut page, outcome);
        page.lines(&story);
        self.after_block = !story.is_empty();
        page.into_text()
    }

    fn test_line(&self, page: &mut Page, outcome: &Outcome) {
        let style = self.palette.of(outcome.status());
        page.sign(2, style, mark(outcome.status()));
        let title = names::title(outcome);
        page.put(Style::new(), &escape::line(&truncate::bytes(&title, 200)));
        if matches!(outcome.status(), Status::Error | Status::Timeout | Status::Skipped) {
            page.space(2);
            page.put(style, outcome.status().as_str());
        }
        if let Some((_, why)) = outcome.headline().filter(|_| outcome.status() == Status::Skipped) {
            page.put(self.palette.faint, &format!(": {}", escape::line(&truncate::bytes(why, 200))));
        }
        let flaky = outcome.is_flaky().then(|| "flaky".to_owned());
        let quarantine = outcome.test.quarantine.as_ref().map(ToString::to_string);
        for mark in flaky.into_iter().chain(quarantine) {
            page.space(2);
            page.put(self.palette.warning, &escape::line(&truncate::bytes(&mark, 200)));
        }
        let ran = !outcome.transcript.turns.is_empty() || outcome.status() == Status::Passed;
        if ran && outcome.status() != Status::Skipped {
            page.space(2);
            page.put(self.palette.faint, &duration::for_people(outcome.transcript.duration_us));
        }
        page.end();
    }

    fn story(&self, outcome: &Outcome) -> String {
        let width = TerminalSize::width(self.size);
        let style = TranscriptStyle {
            palette: self.palette,
            indent: 4,
            width,
            ..TranscriptStyle::for_files(TranscriptScope::Everything)
        };
        let style = match self.verbosity {
            Verbosity::Verbose => TranscriptStyle { held: true, ..style },
            _ => TranscriptStyle { scope: TranscriptScope::Excerpt, item: 400, whole: 8 << 10, ..style },
        };
        let is_whole = style.scope == TranscriptScope::Everything;
        // The line of a skipped test says why.
        let is_left_out = outcome.status() == Status::Skipped && outcome.transcript.turns.is_empty();
        let has_warnings = !outcome.verdict.warnings.is_empty()
            || outcome.transcript.turns.iter().any(|turn| !turn.warnings.is_empty());
        let has_story = (is_whole && !is_left_out) || outcome.status().fails_the_run() || has_warnings;
        earlier_attempts(outcome, style) + &if has_story { transcript(outcome, style) } else { String::new() }
    }

    /// What failed, and as the last line what a person looks for first. The verdict and the time are there if the run came
    /// to its end.
    fn summary(&self) -> String {
        let palette = &self.palette;
        let RunTotals { selected, totals, snapshots, end, .. } = &self.run;
        let mut page = self.page();
        if self.file.is_some() {
            page.end();
        }
        self.result.write(end.as_ref().map(|end| &end.verdict), palette, &mut page);
        snapshots.write(palette, &mut page);
        counts::write(&mut page, palette, totals, *selected);
        if let Some(RunClose { elapsed_us, .. }) = end {
            page.put(palette.faint, &format!(" in {}", duration::for_people(*elapsed_us)));
        }
        page.end();
        page.into_text()
    }

    fn page(&self) -> Page {
        Page::of_width(TerminalSize::width(self.size))
    }
}

impl Reporter for ConsoleReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.run.add(event);
        let text = match &**event {
            RunEvent::ServerEnded { what, printed } => {
                let before = if self.file.take().is_some() { "\n" } else { "" };
                let block = servers::ended(what, printed, &self.palette, TerminalSize::width(self.size));
                format!("{before}{block}\n")
            }
            RunEvent::CaseFinished(outcome) => self.case(outcome),
            RunEvent::RunFinished { .. } => self.summary(),
            _ => return Ok(()),
        };
        self.out.print(&text)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.run.end.is_some() {
            return Ok(());
        }
        let text = self.summary();
        self.out.print(&text)
    }
}
