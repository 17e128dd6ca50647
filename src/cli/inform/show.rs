//! `ananke show`: what came of a kept run, without the agent and without running anything.

use std::io;
use std::path::{Path, PathBuf};

use ananke::context::{Context, OutputStream, PathKind, absolute, iso8601};
use ananke::outcome::{Outcome, RunEvent};
use ananke::plan::file_hash;
use ananke::project::locate;
use ananke::redact::Redactor;
use ananke::report::Reporter;
use ananke::report::history::later_runs_not_kept;
use ananke::report::store::{KeptRun, KeptTest, RUNS, kept_runs};
use ananke::report::terminal::{ConsoleOptions, ConsoleReport, Verbosity};
use ananke::source::{reason, remedy};
use ananke::text::{any_of, duration, escape, nearest};
use clap::{Args, value_parser};

use crate::cli::frame::{
    Colour, CommandOptions, Exit, Failed, colouring, print, say, streams, unless_gone,
};
use crate::cli::options::ReportFile;
use crate::cli::output::ForceOption;
use crate::cli::reporting::{HOW_TO_KEEP, file_reports};

/// The text after the options in the help of `ananke show`.
const AFTER_HELP: &str = "\
Examples:
  ananke show                       The failures of the last run
  ananke show 3                     The third of them in full
  ananke show specs/pay.test.yaml:12
                                    The test at this line in full, passed or failed
  ananke show 3 --turn 2            One turn of it, with every event that the agent sent
  ananke show --run 2 -o run.html   A report of the run before the last one

Exit codes:
  0    It was shown
  1    There is no such run or test, or the kept run cannot be read
  2    Invalid command line";

/// The most ids that are offered for a name of several tests.
const MOST_IDS: usize = 10;

#[derive(Clone, Debug, Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct ShowOptions {
    /// A failure by its number, or a test: `FILE:LINE`, a name or an id (default: all failures)
    #[arg(value_name = "N | WHAT")]
    pub(crate) what: Option<String>,
    /// The run: 1 is the last one, 2 the one before
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    pub(crate) run: u32,
    /// Only this turn of the test, with every event that the agent sent in it
    #[arg(long, value_name = "N", requires = "what", conflicts_with = "output")]
    pub(crate) turn: Option<u32>,
    /// Write a report instead; the file extension selects the format, as for `ananke run`; repeatable
    #[arg(short, long, value_name = "FILE", value_parser = ReportFile::parse)]
    pub(crate) output: Vec<ReportFile>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    /// The project config (default: the nearest `ananke.config.yaml`)
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

impl CommandOptions for ShowOptions {
    /// Shows what is asked for of a kept run.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let config = locate(context, self.config.as_deref(), &[])
            .map_err(|problem| Failed::Problems(vec![problem], Redactor::default()))?;
        if let Some(named) = &self.config {
            must_be_readable(&config, named, context)?;
        }
        let project = config.parent().unwrap_or(Path::new("")).to_owned();
        let run = open(&project, self.run)?;
        let shown = Shown {
            options: self,
            context,
            project,
            run,
        };
        shown.show()?;
        Ok(Exit::Success)
    }

    fn colour(&self) -> Colour {
        self.color
    }
}

/// Checks that there is the config at `path`, which the command line calls `named`.
///
/// # Errors
/// If it cannot be read.
fn must_be_readable(path: &Path, named: &Path, context: &Context) -> Result<(), Failed> {
    let error = match context.files.look(path) {
        Ok(PathKind::File(_) | PathKind::Other) => return Ok(()),
        Ok(PathKind::Directory) => io::ErrorKind::IsADirectory.into(),
        Err(error) => error,
    };
    let message = format!("`{}` cannot be read: {}", named.display(), reason(&error));
    Err(Failed::new(message).help(remedy(&error)))
}

/// The kept run `number`, counted from 1 from the newest.
fn open(project: &Path, number: u32) -> Result<KeptRun, Failed> {
    let paths = kept_runs(project);
    let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
    let Some(path) = paths.get(index) else {
        return Err(match paths.len() {
            0 => Failed::new("no run is kept yet").help(HOW_TO_KEEP),
            1 => Failed::new(format!("there is no run {number}: 1 run is kept")),
            count => Failed::new(format!("there is no run {number}: {count} runs are kept")),
        });
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let shown = format!("{RUNS}/{name}");
    KeptRun::open(path, &shown).map_err(|error| {
        let before = if paths.len() > index + 1 {
            format!("`--run {}` shows the run before it, and ", number + 1)
        } else {
            String::new()
        };
        Failed::new(format!("`{shown}` {error}"))
            .help(format!("{before}`ananke run` keeps a new one"))
    })
}

/// A kept run that is shown.
struct Shown<'a> {
    options: &'a ShowOptions,
    context: &'a Context,
    /// The directory of the config.
    project: PathBuf,
    run: KeptRun,
}

impl Shown<'_> {
    fn show(&self) -> Result<(), Failed> {
        let run = &self.run;
        self.note_run();
        let one = self.options.what.as_deref();
        let one = one.map(|what| self.test(what)).transpose()?;
        let is_report = !self.options.output.is_empty();
        let shown: Vec<&KeptTest> = match one {
            Some(test) => vec![test],
            None if is_report => run.tests.iter().collect(),
            None => run.failures(),
        };
        self.note_changed_files(&shown);
        match (one, self.options.turn) {
            _ if is_report => self.write_reports(one),
            (Some(test), Some(turn)) => self.print_turn(test, turn),
            (Some(test), None) => {
                let mut console = self.console(Verbosity::Verbose);
                Ok(unless_gone(self.deliver(&mut console, test))?)
            }
            (None, _) => {
                let console = Box::new(self.console(Verbosity::Normal).of_kept_run());
                Ok(unless_gone(self.report(vec![console], None))?)
            }
        }
    }

    /// Says on standard error what may surprise of the run: another project, a part of it, another than the last.
    fn note_run(&self) {
        let KeptRun {
            heading,
            shown,
            head,
            is_truncated,
            ..
        } = &self.run;
        let project = self.project.display().to_string();
        if heading.project != project {
            say(&format!(
                "note: this run was kept in another directory: `{}`",
                heading.project
            ));
        }
        if *is_truncated {
            say(&format!(
                "note: `{shown}` ends in the middle: what follows is what was kept until then"
            ));
        } else if head.close.is_none() {
            say("note: this run did not come to its end");
        }
        if self.options.run == 1 {
            self.note_later_runs();
        } else {
            let began = iso8601(head.started_unix_ms);
            let command = head.facts.command.join(" ");
            say(&format!("note: the run of {began}: `{command}`"));
        }
    }

    /// Says on standard error how many runs were made since the last one that is kept.
    fn note_later_runs(&self) {
        let name = Path::new(&self.run.shown).file_name().unwrap_or_default();
        let later = later_runs_not_kept(&self.project, &name.to_string_lossy());
        match later {
            0 => {}
            1 => say("note: the last run is not kept: this is the one before it"),
            count => say(&format!(
                "note: the last {count} runs are not kept: this is the one before them"
            )),
        }
    }

    /// Says on standard error which files of these tests are not as they were.
    fn note_changed_files(&self, tests: &[&KeptTest]) {
        let facts = &self.run.head.facts;
        let mut files: Vec<&str> = tests.iter().map(|test| test.path.as_str()).collect();
        files.dedup();
        for file in files {
            let Some(then) = facts.files.get(file).filter(|hash| !hash.is_empty()) else {
                continue;
            };
            let path = self.project.join(file);
            match file_hash(&path) {
                Some(now) if now == *then => {}
                Some(_) => say(&format!("note: `{file}` changed since this run")),
                None if path.exists() => {}
                None => say(&format!("note: `{file}` is not there any more")),
            }
        }
    }

    /// The test that `what` names.
    fn test(&self, what: &str) -> Result<&KeptTest, Failed> {
        if let Ok(number) = what.parse::<usize>() {
            let index = number.checked_sub(1);
            let failures = self.run.failures();
            let found = index.and_then(|index| failures.get(index).copied());
            return found.ok_or_else(|| {
                let has = match failures.len() {
                    0 => "none".to_owned(),
                    1 => "1, number 1".to_owned(),
                    count => format!("1 to {count}"),
                };
                Failed::new(format!("there is no failure {number}: this run has {has}"))
            });
        }
        let tests = &self.run.tests;
        let is_shown_as = |text: &str| text == what || escape::line(text) == what;
        if let Some(test) = tests.iter().find(|test| is_shown_as(&test.id)) {
            return Ok(test);
        }
        let named: Vec<&KeptTest> = tests
            .iter()
            .filter(|test| is_shown_as(&test.name))
            .collect();
        match named.as_slice() {
            [test] => return Ok(test),
            [] => {}
            several => return Err(ambiguous(what, several)),
        }
        if let Some((file, line)) = place(what) {
            return self.test_at(what, file, line);
        }
        let known = tests
            .iter()
            .flat_map(|test| [test.id.as_str(), test.name.as_str()]);
        let help = nearest(what, known).map_or_else(
            || "`ananke show` prints the failures of a kept run; name a test by its number there, by `FILE:LINE`, its name or its id".to_owned(),
            |nearest| format!("did you mean `{nearest}`?"),
        );
        Err(Failed::new(format!("no test of this run is called `{what}`")).help(help))
    }

    /// The test that the line belongs to: the last that begins at it or before it.
    fn test_at(&self, what: &str, file: &str, line: u32) -> Result<&KeptTest, Failed> {
        let given = absolute(self.context, Path::new(file));
        let is_in_file = |test: &&KeptTest| {
            test.file == file || test.path == file || self.project.join(&test.path) == given
        };
        let in_file = self.run.tests.iter().filter(is_in_file);
        let before = in_file.clone().filter(|test| test.line <= line);
        let begins = before.map(|test| test.line).max();
        let found: Vec<&KeptTest> = in_file
            .clone()
            .filter(|test| Some(test.line) == begins)
            .collect();
        match (found.as_slice(), in_file.count()) {
            ([test], _) => Ok(test),
            ([], 0) => Err(Failed::new(format!(
                "this run has no test of the file `{file}`"
            ))),
            ([], _) => Err(Failed::new(format!("this run has no test at `{what}`"))),
            (several, _) => Err(ambiguous(what, several)),
        }
    }

    fn outcome(&self, test: &KeptTest) -> io::Result<Outcome> {
        let shown = &self.run.shown;
        let outcome = self.run.outcome(test);
        outcome.map_err(|error| {
            let message = format!(
                "`{shown}` {error}: `{}` is lost\nhelp: `ananke run` keeps a new one",
                test.id
            );
            io::Error::other(message)
        })
    }

    /// Hands the outcome of a test to a report. It was masked before it was kept.
    fn deliver(&self, report: &mut dyn Reporter, test: &KeptTest) -> io::Result<()> {
        let event = RunEvent::from(self.outcome(test)?);
        report.event(&Redactor::default().seal(event))
    }

    fn console(&self, verbosity: Verbosity) -> ConsoleReport {
        let options = ConsoleOptions {
            colour: colouring(self.options.color, OutputStream::Stdout, self.context),
            verbosity,
            size: self.context.size_of(OutputStream::Stdout),
            ..ConsoleOptions::default()
        };
        let (stdout, _) = streams();
        ConsoleReport::new(Box::new(stdout), options)
    }

    /// Hands the run, or `one` of its tests, to reports, and completes them. A test that is lost is named, and the others are
    /// reported.
    fn report(
        &self,
        mut reports: Vec<Box<dyn Reporter>>,
        one: Option<&KeptTest>,
    ) -> io::Result<()> {
        let mut head = self.run.head.clone();
        let tests = match one {
            Some(test) => {
                head.selected = 1;
                std::slice::from_ref(test)
            }
            None => &self.run.tests,
        };
        // Everything was masked before it was kept.
        let redactor = Redactor::default();
        let mut lost: Option<io::Error> = None;
        head.events(
            |take| {
                for test in tests {
                    match self.outcome(test) {
                        Ok(outcome) => take(outcome)?,
                        Err(error) => {
                            lost.get_or_insert(error);
                        }
                    }
                }
                Ok(())
            },
            &mut |event| {
                let event = redactor.seal(event);
                reports
                    .iter_mut()
                    .try_for_each(|report| report.event(&event))
            },
        )?;
        reports.into_iter().try_for_each(Reporter::finish)?;
        lost.map_or(Ok(()), Err)
    }

    /// Writes the report files that are named, in the way of the run.
    fn write_reports(&self, one: Option<&KeptTest>) -> Result<(), Failed> {
        let ShowOptions { output, force, .. } = self.options;
        let files = &self.run.heading.files;
        let reports = file_reports(output, *force, files, self.context)?;
        Ok(unless_gone(self.report(reports, one))?)
    }

    /// Prints one turn of a test, and what the agent sent in it.
    fn print_turn(&self, test: &KeptTest, number: u32) -> Result<(), Failed> {
        let outcome = self.outcome(test)?;
        let turns = &outcome.transcript.turns;
        if !turns.iter().any(|turn| turn.number == number) {
            let last = turns.last().map_or(0, |turn| turn.number);
            return Err(Failed::new(match last {
                0 => format!("`{}` has no turn", test.id),
                1 => format!("`{}` has no turn {number}: it has 1", test.id),
                last => format!("`{}` has no turn {number}: it has 1 to {last}", test.id),
            }));
        }
        let run = outcome.run.max(1);
        let mut console = self.console(Verbosity::Verbose).of_turn(number);
        let event = Redactor::default().seal(RunEvent::from(outcome));
        console.event(&event)?;
        let recording = match self.run.recording(test, run) {
            Ok(recording) => recording,
            Err(error) => {
                say(&format!("note: the events are not shown: {error}"));
                return Ok(());
            }
        };
        if recording.is_edited() {
            say("warning: the events were changed after they were kept: their hash does not match");
        }
        let events = recording.received_in(number);
        print(|out| {
            writeln!(out, "\n    events of turn {number}: {}", events.len())?;
            events.iter().try_for_each(|(at, text)| {
                let line = escape::line(text);
                let at = duration::rounded(*at);
                writeln!(out, "    {at:>9}  {line}")
            })
        })?;
        Ok(())
    }
}

/// The error of a name that several tests have.
fn ambiguous(what: &str, tests: &[&KeptTest]) -> Failed {
    let listed = tests.iter().take(MOST_IDS);
    let mut ids: Vec<String> = listed.map(|test| format!("`{}`", test.id)).collect();
    if let Some(more) = tests.len().checked_sub(MOST_IDS).filter(|more| *more > 0) {
        ids.push(format!("one of {more} more"));
    }
    let message = format!("`{what}` is {} tests of this run", tests.len());
    Failed::new(message).help(format!("name one of them by its id: {}", any_of(&ids)))
}

/// The file and the line of `FILE:LINE` or `FILE:LINE:COLUMN`.
fn place(what: &str) -> Option<(&str, u32)> {
    let (before, last) = what.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let with_column = before.rsplit_once(':');
    let line = with_column.and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(line.unwrap_or((before, last)))
}
