//! The report for people at a terminal: a line per file, under it the tests that did not just pass and what failed, and a summary.
//!
//! A failure is printed when it happens, everything else in the order of the plan. **Invariant:** each is printed once.

mod console_options;
mod summary;

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};

use anstyle::Style;

pub use console_options::{ConsoleOptions, Verbosity};

use super::reported_file::{PassedDirectory, PassedPlace, ReportedFile, put_not_needed};
use super::told_warnings::ToldWarnings;
use super::{no_answer::no_answer, result::RunResult, run_log::RunLog, servers};
use crate::report::failure_numbers::FailureNumbers;
use crate::report::layout::{Page, Palette, mark};
use crate::report::transcript::{
    Headline, TranscriptScope, TranscriptStyle, attempts, headline, transcript,
};
use crate::report::words::{stability, title, walks};
use crate::report::{Reporter, RunKeeping, reporter::Stream, slowest::Slowest};
use crate::run_document::RunTotals;
use ananke_base::context::{At, Clock, TerminalSize};
use ananke_base::text::{duration, escape, truncate};
use ananke_trace::outcome::{Outcome, RunEvent, SkipCause, Status, StatusChange};
use ananke_trace::process::in_one_line;
use ananke_trace::redact::Sealed;

/// The longest reason of a skipped test that is shown, in bytes.
const LONGEST_REASON: usize = 1000;

/// The column of a headline.
const HEADLINE: usize = 2;

/// The interval at which slow tests are looked for.
const TICK: Duration = Duration::from_secs(1);

/// Writes for people. A reader that goes away ends the printing, not the run.
pub struct ConsoleReport {
    printer: Arc<Mutex<Printer>>,
    clock: Option<Arc<dyn Clock>>,
    verbosity: Verbosity,
    keeping: RunKeeping,
    /// Whether a kept run is shown again, of which only the failures are.
    shows_only_failures: bool,
    /// The number of the only turn that is shown, if not all are.
    only_turn: Option<u32>,
    size: fn() -> Option<TerminalSize>,
    palette: Palette,
    /// The warnings about files that were printed.
    told: ToldWarnings,
    /// The file whose tests are reported now.
    file: Option<ReportedFile>,
    /// The directory whose files passed, in a log.
    directory: Option<PassedDirectory>,
    /// The file whose path is the last heading: lines of its tests can follow.
    heading: Option<String>,
    /// The last thing that was printed.
    before: Before,
    /// The numbers of the tests that fail the run; one that has a number is printed.
    failures: FailureNumbers,
    /// The number of tests that were not run, by the reason that the run ended.
    not_run: BTreeMap<String, usize>,
    run: RunTotals,
    result: RunResult,
    slowest: Slowest,
}

/// The last thing that was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A line that says all about a file.
    File,
    /// The line of a test under the path of its file.
    Test,
    /// The line of a test that failed as one before.
    Failure,
    /// A test with a block of text.
    Block,
}

/// The output of a console, and in a log what is printed about tests while they run.
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
            keeping: options.keeping,
            shows_only_failures: false,
            only_turn: None,
            size: options.size,
            palette: Palette::new(options.colour),
            file: None,
            directory: None,
            heading: None,
            before: Before::Nothing,
            failures: FailureNumbers::default(),
            not_run: BTreeMap::new(),
            run: RunTotals::default(),
            result: RunResult::default(),
            told: ToldWarnings::of(options.told),
        }
    }

    /// The same of a kept run: of its tests, only those are printed that failed the run.
    #[must_use]
    pub fn of_kept_run(self) -> Self {
        Self {
            shows_only_failures: true,
            ..self
        }
    }

    /// The same, which shows of each test this turn alone, counted from 1.
    #[must_use]
    pub fn of_turn(self, number: u32) -> Self {
        Self {
            only_turn: Some(number),
            ..self
        }
    }

    /// The same in a log: a test that runs for long is mentioned.
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

    /// A failure as soon as it happens; `index` is how many tests have ended, in a log.
    fn failure(&mut self, outcome: &Outcome, index: &str) -> String {
        let as_in = self.failures.print(outcome);
        if self.verbosity == Verbosity::Quiet {
            return String::new();
        }
        let mut page = self.page();
        self.write_failure(&mut page, outcome, index, as_in.as_deref());
        page.into_text()
    }

    /// The next test in the order of the plan.
    fn case(&mut self, outcome: &Outcome, index: &str) -> String {
        let is_printed = self.failures.was_printed(outcome);
        let number = self.failures.number(outcome);
        self.result.add(outcome, number);
        self.slowest.add(outcome, || {
            truncate::bytes(&outcome.test.id, 400).into_owned()
        });
        if self.shows_only_failures && number.is_none() {
            return String::new();
        }
        if outcome.verdict.end().skip_cause() == Some(SkipCause::RunStopped) {
            let why = outcome.verdict.end().skip_reason().unwrap_or_default();
            let why = why.split_once(": ").map_or(why, |(_, why)| why);
            *self.not_run.entry(why.to_owned()).or_default() += 1;
            if self.verbosity != Verbosity::Verbose {
                return String::new();
            }
        }
        // The list at the end has what failed.
        if self.verbosity == Verbosity::Quiet {
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
        let mut file = self
            .file
            .take()
            .unwrap_or_else(|| ReportedFile::of(outcome));
        if is_printed {
            file.note_line();
        } else if number.is_some() {
            let as_in = self.failures.print(outcome);
            self.failures.was_printed(outcome);
            self.write_failure(&mut page, outcome, index, as_in.as_deref());
            file.note_line();
        } else {
            let story = self.story(outcome);
            if story.is_empty() && self.has_just_passed(outcome) {
                file.add(outcome, index);
            } else {
                self.write_test(&mut page, outcome, index, &story);
                file.note_line();
            }
        }
        self.file = Some(file);
        page.into_text()
    }

    /// Writes a test with a line of its own under the path of its file, which is written unless it is the last heading.
    fn write_test(&mut self, page: &mut Page, outcome: &Outcome, index: &str, story: &str) {
        let file = &outcome.test.file;
        if self.heading.as_ref() == Some(file) {
            if self.before == Before::Block {
                page.end();
            }
        } else {
            if self.before != Before::Nothing {
                page.end();
            }
            page.line(self.palette.strong, &escape::line(file));
            self.heading = Some(file.clone());
        }
        let index = if outcome.could_not_start() { "" } else { index };
        self.test_line(page, index, outcome);
        page.lines(story);
        self.before = if story.is_empty() {
            Before::Test
        } else {
            Before::Block
        };
    }

    /// Writes a test that fails the run: what is wrong, where, and the lines that this rests on; one line if it failed as the test
    /// `as_in` before it.
    fn write_failure(
        &mut self,
        page: &mut Page,
        outcome: &Outcome,
        index: &str,
        as_in: Option<&str>,
    ) {
        if self.verbosity == Verbosity::Verbose || self.is_one_line(outcome) {
            let story = self.story(outcome);
            return self.write_test(page, outcome, index, &story);
        }
        let follows_line = self.before == Before::Failure && as_in.is_some();
        if self.before != Before::Nothing && !follows_line {
            page.end();
        }
        page.sign(0, self.palette.of(outcome.status()), mark(outcome.status()));
        page.hang();
        if as_in.is_none() {
            let message =
                escape::terminal(&truncate::bytes(&headline(outcome), LONGEST_REASON)).into_owned();
            page.block(HEADLINE, self.palette.strong, &message);
            page.end();
            page.space(HEADLINE);
            page.hang();
        }
        let (file, line) = outcome.place();
        page.put(self.palette.faint, &escape::line(&format!("{file}:{line}")));
        page.space(2);
        let title = title(outcome);
        page.put(Style::new(), &escape::line(&truncate::bytes(&title, 200)));
        self.status(page, outcome);
        if let Some(first) = as_in {
            page.space(2);
            let words = format!("as in {}", escape::line(first));
            page.put(self.palette.faint, &words);
        }
        self.facts(page, outcome);
        if !index.is_empty() {
            page.space(2);
            // Its width is for a column of them: here a line would break in it.
            page.put(self.palette.faint, &index.replace(' ', ""));
        }
        page.end();
        if as_in.is_none() {
            page.lines(&self.story(outcome));
        }
        self.heading = None;
        self.before = if as_in.is_none() {
            Before::Block
        } else {
            Before::Failure
        };
    }

    /// A test that the line of its file says all about.
    fn has_just_passed(&self, outcome: &Outcome) -> bool {
        outcome.status() == Status::Passed
            && self.verbosity == Verbosity::Normal
            && !outcome.is_flaky()
            && outcome.test.quarantine.is_none()
            && outcome.change.is_none()
            && stability::flip(outcome).is_none()
            && stability::all_passed(outcome).is_none()
            && walks::all_passed(outcome).is_none()
    }

    /// A block about the whole run, with an empty line around it.
    fn notice(&mut self, block: &str) -> String {
        let mut page = self.page();
        self.close_file(&mut page);
        self.close_directory(&mut page);
        if self.before != Before::Nothing {
            page.end();
        }
        page.lines(block);
        page.end();
        (self.before, self.heading) = (Before::Nothing, None);
        page.into_text()
    }

    /// Writes what is still to be said of the file whose tests have ended.
    fn close_file(&mut self, page: &mut Page) {
        let Some(file) = self.file.take().filter(ReportedFile::has_passed) else {
            return;
        };
        let is_headed = self.heading.as_deref() == Some(file.path());
        if self.clock.is_some() && self.verbosity == Verbosity::Normal && !is_headed {
            match &mut self.directory {
                Some(directory) if directory.contains(&file) => directory.add(file),
                _ => {
                    self.close_directory(page);
                    self.directory = Some(PassedDirectory::of(file));
                }
            }
            return;
        }
        let (place, is_separate) = if is_headed {
            (PassedPlace::UnderHeading, self.before == Before::Block)
        } else {
            let is_after_tests =
                matches!(self.before, Before::Test | Before::Failure | Before::Block);
            (PassedPlace::Alone, is_after_tests)
        };
        if is_separate {
            page.end();
        }
        file.write_passed(place, &self.palette, page);
        if is_headed {
            self.before = Before::Test;
        } else {
            (self.before, self.heading) = (Before::File, None);
        }
    }

    /// Writes what is still to be said of the directory whose files have ended, in a log.
    fn close_directory(&mut self, page: &mut Page) {
        let Some(directory) = self.directory.take() else {
            return;
        };
        if matches!(self.before, Before::Test | Before::Failure | Before::Block) {
            page.end();
        }
        directory.write(&self.palette, page);
        (self.before, self.heading) = (Before::File, None);
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
        let title = title(outcome);
        page.put(Style::new(), &escape::line(&truncate::bytes(&title, 200)));
        self.status(page, outcome);
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
        self.facts(page, outcome);
        page.end();
    }

    /// The status of a test whose sign does not say it.
    fn status(&self, page: &mut Page, outcome: &Outcome) {
        if !matches!(outcome.status(), Status::Passed | Status::Failed) {
            page.space(2);
            let style = self.palette.of(outcome.status());
            page.put(style, outcome.status().words());
        }
    }

    /// The rest of a test's line: its change, that it is flaky or in quarantine, and its time.
    fn facts(&self, page: &mut Page, outcome: &Outcome) {
        // That a failure is known is the rule, and the end of the report counts it.
        let change = outcome.change;
        if let Some(change) = change.filter(|change| *change != StatusChange::Known) {
            page.space(2);
            page.put(self.palette.of_change(change), change.as_str());
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
        if self.verbosity != Verbosity::Verbose {
            put_not_needed(outcome.transcript.not_needed(), &self.palette, page);
        }
        let ran = !outcome.transcript.turns.is_empty() || outcome.status() == Status::Passed;
        let took = outcome.transcript.duration();
        if let Some(took) = took.filter(|_| ran && outcome.status() != Status::Skipped) {
            page.space(2);
            page.put(self.palette.faint, &duration::rounded(took));
        }
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
                lists_passed: true,
                only_turn: self.only_turn,
                ..style
            },
            _ => TranscriptStyle {
                scope: TranscriptScope::Excerpt,
                headline: if outcome.fails_the_run() {
                    Headline::Above
                } else {
                    Headline::Inside
                },
                indent: if outcome.fails_the_run() { 3 } else { 4 },
                item: 240,
                whole: 6 << 10,
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

    fn page(&self) -> Page {
        Page::of_width(TerminalSize::width(self.size))
    }
}

impl Reporter for ConsoleReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.run.add(event);
        let printer = Arc::clone(&self.printer);
        let mut printer = lock(&printer);
        if let (Some(log), Some(clock)) = (&mut printer.log, &self.clock) {
            log.event(event, clock.now());
        }
        let index = || printer.log.as_ref().map(RunLog::index).unwrap_or_default();
        let text = match &**event {
            RunEvent::ServerEnded { what, printed } => {
                let width = TerminalSize::width(self.size);
                self.notice(&servers::ended(what, printed, &self.palette, width))
            }
            RunEvent::NoAnswer(found) => {
                let width = TerminalSize::width(self.size);
                self.notice(&no_answer(found, &self.palette, width))
            }
            RunEvent::CaseEnded {
                failed: Some(outcome),
                ..
            } => {
                let shown = self.told.without(outcome);
                self.failure(&shown, &index())
            }
            RunEvent::CaseFinished(outcome) => {
                let shown = self.told.without(outcome);
                self.case(&shown, &index())
            }
            RunEvent::RunFinished(_) => self.summary(),
            _ => String::new(),
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
