//! The report for people at a terminal: a line per file, under it the tests that did not just pass and what failed, and a summary.

use std::io;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anstyle::Style;

use super::reported_file::ReportedFile;
use super::rerun::rerun;
use super::result::RunResult;
use super::run_log::{RunLog, TestLine};
use super::servers;
use crate::report::layout::Page;
use crate::report::layout::counts;
use crate::report::layout::{Palette, mark};
use crate::report::reporter::Reporter;
use crate::report::run_totals::RunTotals;
use crate::report::slowest::Slowest;
use crate::report::stream::Stream;
use crate::report::transcript::attempts;
use crate::report::transcript::{TranscriptScope, TranscriptStyle, transcript};
use crate::report::words::names;
use crate::report::words::ruling;
use crate::report::words::run_facts;
use crate::report::words::tokens;
use crate::report::words::{stability, walks};
use ananke_base::context::{At, Clock, Colouring, TerminalSize};
use ananke_base::text::{duration, escape, truncate};
use ananke_engine::run::RunEvent;
use ananke_trace::outcome::{Outcome, Status};
use ananke_trace::process::in_one_line;
use ananke_trace::redact::Sealed;

/// The longest reason of a skipped test that is shown, in bytes.
const LONGEST_REASON: usize = 1000;

/// How often it is looked whether a test runs for long.
const TICK: Duration = Duration::from_secs(1);

/// How much is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// The tests that failed and the summary.
    Quiet,
    /// A line per file; under it the tests that did not just pass, their warnings, and excerpts of those that failed.
    #[default]
    Normal,
    /// Every turn of every test, with the rules that passed.
    Verbose,
}

/// How the console is written.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleOptions {
    /// How many of the slowest tests the end lists.
    pub durations: usize,
    /// Whether there is colour; the text says everything without.
    pub colour: Colouring,
    /// How much is printed.
    pub verbosity: Verbosity,
    /// The size of the terminal: lines are wrapped at its width, and not wrapped if it is not known.
    pub size: fn() -> Option<TerminalSize>,
}

impl Default for ConsoleOptions {
    fn default() -> Self {
        Self {
            durations: 0,
            colour: Colouring::Plain,
            verbosity: Verbosity::default(),
            size: || None,
        }
    }
}

/// Writes for people. A reader that goes away ends the printing, not the run.
pub struct ConsoleReport {
    printer: Arc<Mutex<Printer>>,
    clock: Option<Arc<dyn Clock>>,
    verbosity: Verbosity,
    size: fn() -> Option<TerminalSize>,
    palette: Palette,
    /// The file whose tests are reported now.
    file: Option<ReportedFile>,
    /// The last thing that was printed before the file.
    before: Before,
    /// Whether the test before has a block of text: an empty line follows it.
    after_block: bool,
    run: RunTotals,
    result: RunResult,
    slowest: Slowest,
}

/// The last thing that was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A line that says all about a file.
    Line,
    /// A file with lines of its tests, or what a server said.
    Block,
}

/// The output of a console, and in a log what is printed about tests before they are reported.
struct Printer {
    out: Stream,
    log: Option<RunLog>,
}

impl Printer {
    /// Notes that `text` is printed, if it is not empty.
    fn note(&mut self, text: &str, now: At) {
        if let Some(log) = self.log.as_mut().filter(|_| !text.is_empty()) {
            log.print(now);
        }
    }
}

impl ConsoleReport {
    /// A report on `out`.
    pub fn new(out: Box<dyn Write + Send>, options: ConsoleOptions) -> Self {
        Self {
            printer: Arc::new(Mutex::new(Printer {
                out: Stream::new(out),
                log: None,
            })),
            clock: None,
            slowest: Slowest::new(options.durations),
            verbosity: options.verbosity,
            size: options.size,
            palette: Palette::new(options.colour),
            file: None,
            before: Before::Nothing,
            after_block: false,
            run: RunTotals::default(),
            result: RunResult::default(),
        }
    }

    /// The same in a log: a test that runs for long is mentioned, and of tests that run in parallel each has a line as soon as it
    /// ends.
    #[must_use]
    pub fn in_log(self, clock: Arc<dyn Clock>) -> Self {
        if self.verbosity == Verbosity::Quiet {
            return self;
        }
        lock(&self.printer).log = Some(RunLog::new(self.palette));
        let printer = Arc::downgrade(&self.printer);
        let watch = Arc::clone(&clock);
        thread::spawn(move || {
            loop {
                thread::sleep(TICK);
                let Some(printer) = printer.upgrade() else {
                    return;
                };
                let mut printer = lock(&printer);
                let now = watch.now();
                let slow = printer
                    .log
                    .as_mut()
                    .map(|log| log.slow(now))
                    .unwrap_or_default();
                printer.note(&slow, now);
                // What cannot be printed is reported with the next event.
                let _is_gone = printer.out.print(&slow);
            }
        });
        Self {
            clock: Some(clock),
            ..self
        }
    }

    fn case(&mut self, outcome: &Outcome, line: &TestLine) -> String {
        self.result.add(outcome);
        self.slowest.add(outcome, || {
            truncate::bytes(&outcome.test.id, 400).into_owned()
        });
        if self.verbosity == Verbosity::Quiet && !outcome.fails_the_run() {
            return String::new();
        }
        let mut page = self.page();
        if !self
            .file
            .as_ref()
            .is_some_and(|file| file.contains(outcome))
        {
            self.close_file(&mut page);
        }
        let story = self.story(outcome);
        let mut file = self
            .file
            .take()
            .unwrap_or_else(|| ReportedFile::of(outcome));
        if story.is_empty() && self.has_just_passed(outcome) {
            file.add(outcome, &line.index);
        } else if !line.is_printed || !story.is_empty() || outcome.status() == Status::Skipped {
            let has_index = !line.is_printed && !outcome.could_not_start();
            let index = if has_index { line.index.as_str() } else { "" };
            if !file.is_headed() {
                if self.before != Before::Nothing {
                    page.end();
                }
                file.write_heading(&self.palette, &mut page);
            } else if self.after_block {
                page.end();
            }
            self.test_line(&mut page, index, outcome);
            page.lines(&story);
            self.after_block = !story.is_empty();
        }
        self.file = Some(file);
        page.into_text()
    }

    /// A test that the line of its file says all about.
    fn has_just_passed(&self, outcome: &Outcome) -> bool {
        outcome.status() == Status::Passed
            && self.verbosity == Verbosity::Normal
            && !outcome.is_flaky()
            && outcome.test.quarantine.is_none()
            && stability::flip(outcome).is_none()
            && stability::all_passed(outcome).is_none()
            && walks::all_passed(outcome).is_none()
    }

    /// Writes what is still to be said of the file whose tests have ended.
    fn close_file(&mut self, page: &mut Page) {
        let Some(file) = self.file.take() else {
            return;
        };
        let is_after_block = if file.is_headed() {
            self.after_block
        } else {
            self.before == Before::Block
        };
        if is_after_block && file.has_passed() {
            page.end();
        }
        file.write_passed(&self.palette, page);
        self.after_block = false;
        self.before = match self.before {
            _ if file.is_headed() => Before::Block,
            before if !file.has_passed() => before,
            _ => Before::Line,
        };
    }

    fn test_line(&self, page: &mut Page, index: &str, outcome: &Outcome) {
        let style = self.palette.of(outcome.status());
        if !index.is_empty() {
            page.space(2);
            page.put(self.palette.faint, index);
        }
        page.sign(
            if index.is_empty() { 2 } else { 1 },
            style,
            mark(outcome.status()),
        );
        let title = names::title(outcome);
        page.put(Style::new(), &escape::line(&truncate::bytes(&title, 200)));
        if !matches!(outcome.status(), Status::Passed | Status::Failed) {
            page.space(2);
            page.put(style, outcome.status().words());
        }
        let is_short = outcome.status() == Status::Skipped || self.is_one_line(outcome);
        if let Some((_, why)) = outcome.headline().filter(|_| is_short) {
            let longest = if outcome.status() == Status::Skipped {
                LONGEST_REASON
            } else {
                200
            };
            page.put(
                self.palette.faint,
                &format!(
                    ": {}",
                    escape::line(&truncate::bytes(&in_one_line(why), longest))
                ),
            );
        }
        let flaky = outcome.is_flaky().then(|| "flaky".to_owned());
        let flaky = flaky.or_else(|| stability::flip(outcome));
        let quarantine = outcome.test.quarantine.as_ref().map(ToString::to_string);
        for mark in flaky.into_iter().chain(quarantine) {
            page.space(2);
            page.put(
                self.palette.warning,
                &escape::line(&truncate::bytes(&mark, 200)),
            );
        }
        if let Some(all_passed) = stability::all_passed(outcome)
            .or_else(|| walks::all_passed(outcome))
            .filter(|_| self.verbosity != Verbosity::Verbose)
        {
            page.space(2);
            page.put(self.palette.faint, &all_passed);
        }
        let ran = !outcome.transcript.turns.is_empty() || outcome.status() == Status::Passed;
        let took = outcome.transcript.duration();
        if let Some(took) = took.filter(|_| ran && outcome.status() != Status::Skipped) {
            page.space(2);
            page.put(self.palette.faint, &duration::rounded(took));
        }
        page.end();
    }

    /// A test that the line of `outcome` says all about it: a failure in quarantine is known, and so is why no test could start.
    fn is_one_line(&self, outcome: &Outcome) -> bool {
        let is_known = outcome.test.quarantine.is_some() || outcome.could_not_start();
        outcome.status().fails_the_run() && is_known && self.verbosity != Verbosity::Verbose
    }

    fn story(&self, outcome: &Outcome) -> String {
        if self.is_one_line(outcome) {
            return String::new();
        }
        let width = TerminalSize::width(self.size);
        let style = TranscriptStyle {
            palette: self.palette,
            indent: 4,
            width,
            ..TranscriptStyle::for_files(TranscriptScope::Everything)
        };
        let style = match self.verbosity {
            Verbosity::Verbose => TranscriptStyle {
                held: true,
                ..style
            },
            _ => TranscriptStyle {
                scope: TranscriptScope::Excerpt,
                item: 400,
                whole: 8 << 10,
                ..style
            },
        };
        let is_whole = style.scope == TranscriptScope::Everything;
        // The line of a skipped test says why.
        let is_left_out =
            outcome.status() == Status::Skipped && outcome.transcript.turns.is_empty();
        let has_warnings = !outcome.verdict.warnings.is_empty()
            || outcome
                .transcript
                .turns
                .iter()
                .any(|turn| !turn.warnings.is_empty());
        let has_story =
            (is_whole && !is_left_out) || outcome.status().fails_the_run() || has_warnings;
        attempts(outcome, style)
            + &if has_story {
                transcript(outcome, style)
            } else {
                String::new()
            }
    }

    /// What failed, and as the last line what a person looks for first. The verdict and the time are there if the run came
    /// to its end.
    fn summary(&mut self) -> String {
        let mut page = self.page();
        self.close_file(&mut page);
        let palette = &self.palette;
        let RunTotals {
            selected,
            totals,
            snapshots,
            end,
            ..
        } = &self.run;
        if self.before != Before::Nothing {
            page.end();
        }
        self.result
            .write(end.as_ref().map(|end| &end.verdict), palette, &mut page);
        let facts = &self.run.facts;
        let rerun =
            rerun(&facts.command, facts.config.as_deref()).filter(|_| self.result.has_failed());
        if let Some(rerun) = rerun {
            page.put(palette.faint, "run them again: ");
            page.line(Style::new(), &escape::line(&rerun));
            page.end();
        }
        self.write_slowest(&mut page);
        snapshots.write(palette, &mut page);
        self.write_facts(&mut page);
        if let Some(tokens) = tokens::of_run(self.run.tokens) {
            page.line(palette.faint, &format!("tokens: {tokens}"));
        }
        if let Some(judged) = ruling::totals(totals.judged) {
            page.line(palette.faint, &judged);
        }
        if let Some(flip_rate) = stability::flip_rate(totals) {
            page.line(palette.strong, &flip_rate);
        }
        if end.as_ref().is_some_and(|end| end.interrupted) {
            page.put(palette.warning, "interrupted: ");
        }
        counts::write(&mut page, palette, totals, *selected);
        page.put(palette.faint, &run_facts::took(&self.run));
        page.end();
        page.into_text()
    }

    /// What the run was made with, for those who did not start it: in the log of a CI job, or if everything is printed.
    fn write_facts(&self, page: &mut Page) {
        let facts = &self.run.facts;
        let is_in_job = facts.commit.is_some() || facts.job_url.is_some();
        if self.verbosity == Verbosity::Quiet || !is_in_job && self.verbosity == Verbosity::Normal {
            return;
        }
        let facts = run_facts::made_with(facts);
        let facts = facts
            .iter()
            .map(|fact| format!("{} {}", fact.name, fact.value));
        let facts = facts.collect::<Vec<_>>().join(", ");
        page.line(self.palette.faint, &escape::line(&facts));
    }

    fn write_slowest(&self, page: &mut Page) {
        if self.slowest.tests().is_empty() {
            return;
        }
        page.line(self.palette.strong, "slowest");
        for (us, id) in self.slowest.tests() {
            page.space(2);
            page.put(
                self.palette.faint,
                &format!("{:>9}", duration::rounded(*us)),
            );
            page.space(2);
            page.hang();
            page.line(Style::new(), &escape::line(id));
        }
        page.end();
    }

    fn page(&self) -> Page {
        Page::of_width(TerminalSize::width(self.size))
    }
}

impl Reporter for ConsoleReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.run.add(event);
        let printer = Arc::clone(&self.printer);
        let mut printer = lock(&printer);
        let mut early = String::new();
        if let (Some(log), Some(clock)) = (&mut printer.log, &self.clock) {
            early = log.event(event, clock.now());
        }
        let text = match &**event {
            RunEvent::ServerEnded { what, printed } => {
                let mut page = self.page();
                self.close_file(&mut page);
                if self.before != Before::Nothing {
                    page.end();
                }
                self.before = Before::Nothing;
                let block =
                    servers::ended(what, printed, &self.palette, TerminalSize::width(self.size));
                format!("{}{block}\n", page.into_text())
            }
            RunEvent::CaseFinished(outcome) => {
                let log = printer.log.as_ref();
                let line = log.map(|log| log.line_of_ended(outcome.status()));
                self.case(outcome, &line.unwrap_or_default())
            }
            RunEvent::RunFinished { .. } => self.summary(),
            _ => early,
        };
        if let Some(clock) = &self.clock {
            printer.note(&text, clock.now());
        }
        printer.out.print(&text)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.run.end.is_some() {
            return Ok(());
        }
        let text = self.summary();
        lock(&self.printer).out.print(&text)
    }
}

fn lock(printer: &Mutex<Printer>) -> MutexGuard<'_, Printer> {
    printer.lock().unwrap_or_else(PoisonError::into_inner)
}
