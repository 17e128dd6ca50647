//! `ananke report`: other reports of a run, from those that it wrote; of several shards, those of one run (SPEC 17).

use std::io;
use std::path::{Path, PathBuf};

use ananke::context::{Context, OutputStream};
use ananke::outcome::RunEvent;
use ananke::project::locate;
use ananke::redact::Redactor;
use ananke::report::ci::github::{GithubReport, JobStep};
use ananke::report::history::{HistoryReport, RunBeginning, run_name};
use ananke::report::terminal::{ConsoleOptions, ConsoleReport, Verbosity};
use ananke::report::{Reporter, prepare_own_folder};
use ananke::run_document::MergedRun;
use clap::Args;

use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, colouring, say, streams};
use crate::cli::options::{ReportFile, ReportForm};
use crate::cli::output::{ForceOption, named_path};
use crate::cli::reporting::{file_options, file_reports};

/// The text after the options in the help of `ananke report`.
const AFTER_HELP: &str = "\
Examples:
  ananke report run.json -o run.html -o run.md
                                    Other reports of a run
  ananke report part-*.json -o junit.xml
                                    The report of the run that these shards are of

Exit codes:
  0    As the run ended: every test passed
  1    A test did not pass, or the reports are not those of one run
  2    Invalid command line
  3    As the run ended: undecided
  4    As the run ended: nothing failed, and something is not shown
  130  As the run ended: it was interrupted";

#[derive(Debug, Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct RenderOptions {
    /// Reports that a run wrote with `-o FILE.json`, `-o FILE.jsonl` or `--json`: of one run, or of all its shards
    #[arg(value_name = "REPORT", required = true)]
    pub(crate) reports: Vec<PathBuf>,
    /// Write a report; the file extension selects the format, as for `ananke run`; repeatable
    #[arg(short, long, value_name = "FILE", value_parser = ReportFile::parse)]
    pub(crate) output: Vec<ReportFile>,
    #[command(flatten)]
    pub(crate) form: ReportForm,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    /// Print the transcript of every turn, and the rules that passed
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print only what failed, and the summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

impl CommandOptions for RenderOptions {
    /// Writes the reports that are asked for of the run that the named ones are of; the exit code is that of this run.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let named = self.reports.iter().map(|path| named_path(path, context));
        let run = MergedRun::open(named.collect())
            .map_err(|problems| Failed::Problems(problems, Redactor::default()))?;
        for path in &self.reports {
            context.files.note(&named_path(path, context).0);
        }
        let mut reporters = reporters(self, context)?;
        if run.is_merged() {
            reporters.extend(memory(context));
        }
        render(&run, reporters).map_err(|error| match error.kind() {
            // A reader that goes away ends the printing alone.
            io::ErrorKind::BrokenPipe => Failed::REPORTED,
            _ => error.into(),
        })
    }

    fn colour(&self) -> Colour {
        self.color
    }
}

fn render(run: &MergedRun, mut reporters: Vec<Box<dyn Reporter>>) -> io::Result<Exit> {
    let mut exit = Exit::Failure;
    // Everything was masked before it was written.
    let redactor = Redactor::default();
    run.events(&mut |event| {
        if let RunEvent::RunFinished(end) = &event {
            exit = if end.interrupted {
                Exit::Interrupted
            } else {
                Exit::of(&end.verdict)
            };
        }
        let event = redactor.seal(event);
        reporters
            .iter_mut()
            .try_for_each(|report| report.event(&event))
    })?;
    reporters.into_iter().try_for_each(Reporter::finish)?;
    Ok(exit)
}

fn reporters(options: &RenderOptions, context: &Context) -> Result<Vec<Box<dyn Reporter>>, Failed> {
    let console = ConsoleOptions {
        colour: colouring(options.color, OutputStream::Stdout, context),
        verbosity: match (options.quiet, options.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        },
        size: context.size_of(OutputStream::Stdout),
        ..ConsoleOptions::default()
    };
    let (stdout, _) = streams();
    let mut reporters: Vec<Box<dyn Reporter>> =
        vec![Box::new(ConsoleReport::new(Box::new(stdout), console))];
    let settings = options.form.given.effective();
    let file_options = file_options(settings.junit_profile, context);
    let files = file_reports(&options.output, options.force, &file_options, context)?;
    reporters.extend(files);
    if let Some(step) = JobStep::of(context) {
        let (stdout, _) = streams();
        reporters.push(Box::new(GithubReport::new(Box::new(stdout), step)));
    }
    Ok(reporters)
}

/// The memory of the project that the program is started in: the history learns how long the tests of all shards took, and
/// `--last-failed` which of them failed. None if it is started in no project.
fn memory(context: &Context) -> Option<Box<dyn Reporter>> {
    let Ok(config) = locate(context, None, &[]) else {
        return None;
    };
    let project = config.parent().unwrap_or(Path::new("")).to_owned();
    if let Err(warning) = prepare_own_folder(&project) {
        say(&warning);
        return None;
    }
    let run = RunBeginning {
        began: run_name(context.unix_ms()),
        ..RunBeginning::default()
    };
    let history = HistoryReport::begin(project, &run, Box::new(streams().1));
    Some(Box::new(history))
}
