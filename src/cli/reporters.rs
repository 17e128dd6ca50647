//! Which reports a run writes, and where.

use std::io;
use std::path::{Path, PathBuf};

use ananke::context::{Context, OutputStream};
use ananke::model::ReportFormat;
use ananke::report::Reporter;
use ananke::report::ci::BuildJob;
use ananke::report::ci::github::{GithubReport, JobStep};
use ananke::report::file::json::JsonLinesReport;
use ananke::report::file::junit::JunitProfile;
use ananke::report::file::{FileOptions, create_report};
use ananke::report::terminal::ServerReport;
use ananke::report::terminal::{ConsoleOptions, ConsoleReport, Verbosity};
use ananke::report::terminal::{LiveArea, LiveOptions};

use super::colour::{Colour, colouring, is_dumb};
use super::outputs::Outputs;
use super::report_options::{self, ReportOptions};

/// The reports of a run.
pub(super) struct Reporters {
    /// All of them.
    pub(super) reporters: Vec<Box<dyn Reporter>>,
    /// The one that also shows what comes before the tests, where there is a terminal.
    pub(super) live: Option<LiveArea>,
}

/// The reports of the command line and of the config; those for the terminal come first.
pub(super) fn reporters(
    options: &ReportOptions,
    of_config: &[(PathBuf, ReportFormat)],
    colour: Colour,
    context: &Context,
    outputs: &Outputs,
) -> io::Result<Reporters> {
    let Reporters { mut reporters, live } = terminal_reporters(options, colour, context, outputs);
    let file_options = FileOptions {
        junit_profile: match options.junit_profile {
            report_options::JunitProfileOption::Default => JunitProfile::Default,
            report_options::JunitProfileOption::Strict => JunitProfile::Strict,
        },
        job: BuildJob::of(context),
    };
    let junit = options.junit.iter().map(|path| (path, ReportFormat::Junit));
    let by_extension = options.output.iter().map(|file| (&file.path, file.format));
    let of_config = of_config.iter().map(|(path, format)| (path, *format));
    for (path, format) in junit.chain(by_extension).chain(of_config) {
        let report = create_report(format, &context.working_directory.join(path), &file_options);
        reporters.push(report.map_err(|error| unwritable(path, context, &error))?);
    }
    if let Some(step) = JobStep::of(context) {
        // Lines of JSON are for programs: the runner reads the other stream as well.
        let out = if options.json { &outputs.stderr } else { &outputs.stdout };
        reporters.push(Box::new(GithubReport::new(Box::new(out.clone()), step)));
    }
    Ok(Reporters { reporters, live })
}

/// The reports on standard output and standard error.
fn terminal_reporters(
    options: &ReportOptions,
    colour: Colour,
    context: &Context,
    outputs: &Outputs,
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
        return Reporters { reporters: vec![Box::new(stream), Box::new(servers)], live: None };
    }
    let console = console(options, colour, context);
    // The area with the running tests stays below what is printed.
    if context.is_terminal(OutputStream::Stdout) && !is_dumb(context) {
        let tests = console.verbosity != Verbosity::Quiet;
        let look = LiveOptions { colour: console.colour, tests, size: console.size };
        let live = LiveArea::new(stdout(), context.clock.clone(), look).tick();
        let report = ConsoleReport::new(Box::new(live.above()), console);
        return Reporters { reporters: vec![Box::new(report), Box::new(live.clone())], live: Some(live) };
    }
    let report = ConsoleReport::new(stdout(), console);
    Reporters { reporters: vec![Box::new(report)], live: None }
}

fn console(options: &ReportOptions, colour: Colour, context: &Context) -> ConsoleOptions {
    let verbosity = match (options.quiet, options.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let colour = colouring(colour, OutputStream::Stdout, context);
    ConsoleOptions { colour, verbosity, size: context.size_of(OutputStream::Stdout) }
}

fn unwritable(path: &Path, context: &Context, error: &io::Error) -> io::Error {
    let folder = path.parent().filter(|folder| context.working_directory.join(folder).is_file());
    let reason = match folder {
        Some(folder) => format!("`{}` is a file, not a folder", folder.display()),
        None => error.to_string(),
    };
    io::Error::new(error.kind(), format!("cannot write `{}`: {reason}", path.display()))
}
