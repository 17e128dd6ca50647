//! The reports that a run writes, and their places.
//!
//! **Why:** Formats are chosen by file names and options, so they are put together here, by the command. A report knows no option
//! and no other report, and what two of them may not both do (print to one stream, write one file) is decided before the run.

use std::fs;
use std::path::Path;

use crate::cli::frame::{Colour, Failed, colouring, is_dumb, say};
use crate::cli::options::{AgentAnswers, ReportFile, ReportOptions};
use crate::cli::output::{ForceOption, OutputFiles, OutputKind, Outputs, named_path};
use ananke::context::{Context, Destination, OutputStream};
use ananke::model::ReportFormat;
use ananke::plan::Plan;
use ananke::report::ci::github::{GithubReport, JobStep};
use ananke::report::file::json::JsonLinesReport;
use ananke::report::file::junit::JunitProfile;
use ananke::report::file::{FileOptions, NamedReport, report_or_error};
use ananke::report::terminal::{
    AnswerReport, ConsoleOptions, ConsoleReport, ExchangeReport, LiveArea, LiveOptions,
    ServerReport, UsualDurations, Verbosity,
};
use ananke::settings::JunitDialect;
use ananke::{
    redact::Redactor, report::Reporter, report::ci::BuildJob, report::history::RunHistory,
};

/// The reports of a run.
pub(crate) struct Reporters {
    pub(crate) reporters: Vec<Box<dyn Reporter>>,
    /// The one that also shows what comes before the tests, where there is a terminal.
    pub(crate) live: Option<LiveArea>,
}

impl Reporters {
    fn without_live(reporters: Vec<Box<dyn Reporter>>) -> Self {
        Self {
            reporters,
            live: None,
        }
    }
}

/// The area with the running tests, below what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiveDisplay {
    /// Shown, if there is a terminal.
    On,
    /// Not shown, because a person types there.
    Off,
}

/// The reports that the command line and the config choose, those for the terminal first. Only a live display calls `usual`.
///
/// # Errors
/// If a file may not be written, such as one that exists and is not a report.
pub(crate) fn reporters(
    options: &ReportOptions,
    plan: &Plan,
    colour: Colour,
    context: &Context,
    outputs: &Outputs,
    display: LiveDisplay,
    usual: impl FnOnce() -> UsualDurations,
) -> Result<Reporters, Failed> {
    let Reporters {
        mut reporters,
        live,
    } = terminal_reporters(options, colour, context, outputs, display, usual);
    if options.debug {
        let colour = colouring(colour, OutputStream::Stderr, context);
        let stderr = Box::new(outputs.stderr.clone());
        reporters.push(Box::new(ExchangeReport::new(stderr, colour)));
    }

    // Messages show a path as the user would type it: one of the config becomes relative if it is in the working directory.
    let mut paths = of_command_line(options);
    for (path, format) in &plan.reports {
        let relative = path.strip_prefix(&context.working_directory);
        paths.push((relative.unwrap_or(path), *format));
    }
    // Writing to a pipe waits for its reader. So pipes come last (`false` sorts first), when the other reports are complete. An
    // invalid path sorts like a file, and its error is reported like that of a file.
    paths.sort_by_key(|(path, _)| {
        let destination = Destination::of(&context.working_directory.join(path));
        matches!(destination, Ok(Destination::Stream(_)))
    });

    // All files are checked before one of them is created, so that a wrong name leaves no other file.
    let named = paths.iter();
    let named = named.map(|(path, format)| (*path, OutputKind::Report(*format)));
    let mut files = OutputFiles::of(context, options.force).in_project(&plan.config.folder);
    files.check_named(named, context)?;
    // A file that cannot be created becomes a report that returns the error at the end: the tests run nevertheless.
    let file_options = file_options(plan.settings.junit_profile, context);
    for (given_path, format) in paths {
        let (path, name) = named_path(given_path, context);
        reporters.push(report_or_error(format, path, name, &file_options));
    }
    // A job of GitHub Actions reads annotations from either stream, so they go where the text for people goes.
    if let Some(step) = JobStep::of(context) {
        let out = outputs.of(options.people());
        reporters.push(Box::new(GithubReport::new(Box::new(out.clone()), step)));
    }
    Ok(Reporters { reporters, live })
}

/// The way in which a run in `context` writes its report files.
pub(crate) fn file_options(dialect: JunitDialect, context: &Context) -> FileOptions {
    FileOptions {
        junit_profile: JunitProfile::from(dialect),
        job: BuildJob::of(context),
    }
}

/// The report files that a command line names, for a command that writes the reports of an earlier run again.
///
/// # Errors
/// If a file cannot be created, or may not be replaced.
pub(crate) fn file_reports(
    files: &[ReportFile],
    force: ForceOption,
    options: &FileOptions,
    context: &Context,
) -> Result<Vec<Box<dyn Reporter>>, Failed> {
    // All files are checked before one of them is created, so that a wrong name leaves no other file.
    let named = files.iter().map(ReportFile::named);
    OutputFiles::of(context, force).check_named(named, context)?;
    let mut reports: Vec<Box<dyn Reporter>> = Vec::new();
    for ReportFile { path, format } in files {
        let (path, name) = named_path(path, context);
        let report = NamedReport::create(*format, path, name, options)?;
        reports.push(Box::new(report));
    }
    Ok(reports)
}

/// The usual duration of each test of `plan` that runs, by its id. A test that is not in the `history` of runs has none.
pub(crate) fn usual_durations(
    history: &RunHistory,
    plan: &Plan,
    redactor: &Redactor,
) -> UsualDurations {
    let tests = plan.cases.iter().filter(|case| case.test.skip.is_none());
    tests
        .filter_map(|case| {
            // An id may contain a secret. The history has ids as reports show them, with secrets masked.
            let id = redactor.text(&case.id()).into_owned();
            let usual = history.usual_duration(&id)?;
            Some((id, usual))
        })
        .collect()
}

/// The reports on standard output and standard error, and the live area with the running tests, if there is one.
fn terminal_reporters(
    options: &ReportOptions,
    colour: Colour,
    context: &Context,
    outputs: &Outputs,
    display: LiveDisplay,
    usual: impl FnOnce() -> UsualDurations,
) -> Reporters {
    let stdout = Box::new(outputs.stdout.clone());
    // With `--json`, stdout is for programs alone. Notes about servers that are started, which people wait for, go to stderr.
    if options.json {
        let colour = colouring(colour, OutputStream::Stderr, context);
        let size = context.size_of(OutputStream::Stderr);
        let servers = ServerReport::new(Box::new(outputs.stderr.clone()), colour, size);
        let stream = JsonLinesReport::stream(stdout);
        return Reporters::without_live(vec![Box::new(stream), Box::new(servers)]);
    }
    // Commands that print answers of the agent, or a result of their own, to stdout have the report on stderr.
    if options.answers != AgentAnswers::InReport {
        let console = console(options, OutputStream::Stderr, colour, context);
        let report = ConsoleReport::new(Box::new(outputs.stderr.clone()), console);
        // A report in a log mentions tests that run for long, since no live area shows them.
        let report = report.in_log(context.clock.clone());
        let mut reporters: Vec<Box<dyn Reporter>> = vec![Box::new(report)];
        if options.answers == AgentAnswers::Printed {
            reporters.push(Box::new(AnswerReport::new(stdout)));
        }
        return Reporters::without_live(reporters);
    }
    let console = console(options, OutputStream::Stdout, colour, context);
    // A live area below the report needs a terminal with a cursor. With `--debug`, text on stderr would be mixed into the area.
    let has_room = display == LiveDisplay::On && !options.debug;
    if has_room && context.is_terminal(OutputStream::Stdout) && !is_dumb(context) {
        let look = LiveOptions {
            colour: console.colour,
            tests: console.verbosity != Verbosity::Quiet,
            size: console.size,
        };
        // `tick` redraws the area at intervals. The report prints above it, and both get the events of the run.
        let live = LiveArea::new(stdout, context.clock.clone(), look, usual()).tick();
        let report = ConsoleReport::new(Box::new(live.above()), console);
        return Reporters {
            reporters: vec![Box::new(report), Box::new(live.clone())],
            live: Some(live),
        };
    }
    let report = ConsoleReport::new(stdout, console);
    // A plain report mentions tests that run for long.
    let report = match display {
        LiveDisplay::On => report.in_log(context.clock.clone()),
        // The display is off where a person types the messages of the test, who may take time.
        LiveDisplay::Off => report,
    };
    Reporters::without_live(vec![Box::new(report)])
}

/// The options of the report for people on `stream`.
fn console(
    options: &ReportOptions,
    stream: OutputStream,
    colour: Colour,
    context: &Context,
) -> ConsoleOptions {
    let verbosity = if options.quiet {
        Verbosity::Quiet
    } else if options.verbose {
        Verbosity::Verbose
    } else {
        Verbosity::Normal
    };
    ConsoleOptions {
        // Without `--durations`, the report lists no slow tests.
        durations: options.durations.unwrap_or(0),
        keeping: options.keeping.clone(),
        colour: colouring(colour, stream, context),
        verbosity,
        size: context.size_of(stream),
        // Warnings that were printed before the run are not repeated.
        told: options.told.clone(),
    }
}

/// The report files of the command line.
fn of_command_line(options: &ReportOptions) -> Vec<(&Path, ReportFormat)> {
    let mut files = Vec::new();
    if let Some(path) = &options.junit {
        files.push((path.as_path(), ReportFormat::Junit));
    }
    for file in &options.output {
        files.push((file.path.as_path(), file.format));
    }
    files
}

/// Prints a note for each file of an earlier run when no test can run, so that it is not taken for a report of this run.
pub(crate) fn note_earlier_reports(options: &ReportOptions, context: &Context) {
    for (path, _) in of_command_line(options) {
        // An empty file is no report: it only reserves the name.
        if let Ok(file) = fs::metadata(context.working_directory.join(path))
            && file.is_file()
            && file.len() > 0
        {
            let path = path.display();
            say(&format!(
                "note: `{path}` is unchanged: this run wrote no report"
            ));
        }
    }
}
