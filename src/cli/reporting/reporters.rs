//! The reports that a run writes, and their places.
//!
//! **Why:** Formats are chosen by file names and options, so they are put together here, by the command. A report knows
//! no option and no other report, and what two of them may not both do (print to one stream, write one file) is decided
//! before the run.

use std::fs;
use std::path::Path;

use crate::cli::frame::{Colour, Failed, colouring, is_dumb, say};
use crate::cli::options::{AgentAnswers, ReportFile, ReportOptions};
use crate::cli::output::{ForceOption, OutputFiles, OutputKind, Outputs, named_path};
use ananke::context::{Context, Destination, OutputStream};
use ananke::model::ReportFormat;
use ananke::plan::{CaseEntry, Plan};
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
    /// All of them.
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

/// Whether the area with the running tests is shown below what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiveDisplay {
    /// It is, on a terminal.
    On,
    /// It is not: a person types there.
    Off,
}

/// The reports of the command line and of the config; those for the terminal come first.
///
/// # Errors
/// If one cannot be written, or may not be.
pub(crate) fn reporters<'a>(
    options: &'a ReportOptions,
    plan: &'a Plan,
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
        reporters.push(Box::new(ExchangeReport::new(
            Box::new(outputs.stderr.clone()),
            colour,
        )));
    }
    let file_options = file_options(plan.settings.junit_profile, context);
    let shown = |path: &'a Path| {
        path.strip_prefix(&context.working_directory)
            .unwrap_or(path)
    };
    let of_config = plan
        .reports
        .iter()
        .map(|(path, format)| (shown(path), *format));
    let mut paths: Vec<_> = of_command_line(options).chain(of_config).collect();
    // A pipe waits for its reader: it does so when the other reports are complete.
    let is_stream = |path: &Path| {
        matches!(
            Destination::of(&context.working_directory.join(path)),
            Ok(Destination::Stream(_))
        )
    };
    paths.sort_by_key(|(path, _)| is_stream(path));
    let named = paths
        .iter()
        .map(|(path, format)| (*path, OutputKind::Report(*format)));
    let files = OutputFiles::of(context, options.force);
    files
        .in_project(&plan.config.folder)
        .check_named(named, context)?;
    for (shown, format) in paths {
        let (path, name) = named_path(shown, context);
        reporters.push(report_or_error(format, path, name, &file_options));
    }
    if let Some(step) = JobStep::of(context) {
        // The runner reads both streams.
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

/// The report files that a command names which writes those of an earlier run.
///
/// # Errors
/// If one cannot be written, or may not be.
pub(crate) fn file_reports(
    files: &[ReportFile],
    force: ForceOption,
    options: &FileOptions,
    context: &Context,
) -> Result<Vec<Box<dyn Reporter>>, Failed> {
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

/// The usual durations in `history` of the tests of `plan`, whose ids are masked by `redactor`.
pub(crate) fn usual_durations(
    history: &RunHistory,
    plan: &Plan,
    redactor: &Redactor,
) -> UsualDurations {
    let usual = |case: &CaseEntry| {
        let id = redactor.text(&case.id()).into_owned();
        let usual = history.usual_duration(&id)?;
        Some((id, usual))
    };
    let tests = plan.cases.iter().filter(|case| case.test.skip.is_none());
    tests.filter_map(usual).collect()
}

/// The reports on standard output and standard error.
fn terminal_reporters(
    options: &ReportOptions,
    colour: Colour,
    context: &Context,
    outputs: &Outputs,
    display: LiveDisplay,
    usual: impl FnOnce() -> UsualDurations,
) -> Reporters {
    let stdout = || Box::new(outputs.stdout.clone());
    if options.json {
        let colour = colouring(colour, OutputStream::Stderr, context);
        let servers = ServerReport::new(
            Box::new(outputs.stderr.clone()),
            colour,
            context.size_of(OutputStream::Stderr),
        );
        let stream = JsonLinesReport::stream(stdout());
        return Reporters::without_live(vec![Box::new(stream), Box::new(servers)]);
    }
    if options.answers != AgentAnswers::InReport {
        let console = console(options, OutputStream::Stderr, colour, context);
        let report = ConsoleReport::new(Box::new(outputs.stderr.clone()), console);
        let report = report.in_log(context.clock.clone());
        let mut reporters: Vec<Box<dyn Reporter>> = vec![Box::new(report)];
        if options.answers == AgentAnswers::Printed {
            reporters.push(Box::new(AnswerReport::new(stdout())));
        }
        return Reporters::without_live(reporters);
    }
    let console = console(options, OutputStream::Stdout, colour, context);
    // The area with the running tests stays below what is printed, but not below another stream.
    let has_room = display == LiveDisplay::On && !options.debug;
    if has_room && context.is_terminal(OutputStream::Stdout) && !is_dumb(context) {
        let tests = console.verbosity != Verbosity::Quiet;
        let look = LiveOptions {
            colour: console.colour,
            tests,
            size: console.size,
        };
        let live = LiveArea::new(stdout(), context.clock.clone(), look, usual()).tick();
        let report = ConsoleReport::new(Box::new(live.above()), console);
        return Reporters {
            reporters: vec![Box::new(report), Box::new(live.clone())],
            live: Some(live),
        };
    }
    let report = ConsoleReport::new(stdout(), console);
    // A person may think about an answer: that does not make the test slow.
    let report = match display {
        LiveDisplay::On => report.in_log(context.clock.clone()),
        LiveDisplay::Off => report,
    };
    Reporters::without_live(vec![Box::new(report)])
}

fn console(
    options: &ReportOptions,
    stream: OutputStream,
    colour: Colour,
    context: &Context,
) -> ConsoleOptions {
    let verbosity = match (options.quiet, options.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let colour = colouring(colour, stream, context);
    ConsoleOptions {
        durations: options.durations.unwrap_or(0),
        keeping: options.keeping.clone(),
        colour,
        verbosity,
        size: context.size_of(stream),
        told: options.told.clone(),
    }
}

/// The report files of the command line.
fn of_command_line(options: &ReportOptions) -> impl Iterator<Item = (&Path, ReportFormat)> {
    let junit = options
        .junit
        .iter()
        .map(|path| (path.as_path(), ReportFormat::Junit));
    junit.chain(
        options
            .output
            .iter()
            .map(|file| (file.path.as_path(), file.format)),
    )
}

/// Names the report files that are there when no test can run, so that they are not taken for those of this run.
pub(crate) fn note_earlier_reports(options: &ReportOptions, context: &Context) {
    for (path, _) in of_command_line(options) {
        let file = fs::metadata(context.working_directory.join(path));
        // An empty one has only reserved the name.
        if file.is_ok_and(|file| file.is_file() && file.len() > 0) {
            let path = path.display();
            say(&format!(
                "note: `{path}` is unchanged: this run wrote no report"
            ));
        }
    }
}
