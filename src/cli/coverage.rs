//! `ananke coverage`: what the tests exercise of the agent.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ananke::context::{Context, write_file};
use ananke::coverage::{CoverageCollector, CoverageReport, CoverageState};
use ananke::model::{ReportFormat, TurnKind, turn_type_name};
use ananke::report::file::not_written;
use ananke::report::{coverage_page, coverage_text};
use clap::{Args, Parser, ValueEnum};

use super::execution_options::parallel;
use super::exit::Exit;
use super::named_path::named_path;
use super::output_files::{ForceOption, OutputFiles, OutputKind};
use super::print::{print, say};
use super::report_options::AgentAnswers;
use super::run::run_measured;
use super::run_options::RunOptions;
use super::selection_options::SelectionOptions;

/// What follows the options in the help of `ananke coverage`.
const AFTER_HELP: &str = "\
Examples:
  ananke coverage                           Run every test, and show what is covered
  ananke coverage --replay recordings       … without the agent
  ananke coverage -o coverage.html          Also write a page
  ananke coverage -o holes.test.yaml        Also write a skipped test for each hole
  ananke coverage --fail-under 80           Fail if less than 80 % is exercised

Exit codes:
  0    Enough is covered, and every test passed
  1    Less than `--fail-under` is covered, a test failed, or a file or the run has a problem
  2    Invalid command line
  130  Interrupted";

#[derive(Debug, Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct CoverageOptions {
    #[command(flatten)]
    pub(crate) selection: SelectionOptions,
    /// Replay recordings from this directory, instead of asking the agent
    #[arg(long, value_name = "DIR")]
    pub(crate) replay: Option<PathBuf>,
    /// Run N tests at the same time (default: 1)
    #[arg(short = 'j', long, value_name = "N", value_parser = parallel)]
    pub(crate) parallel: Option<usize>,
    /// Fail if less than this share of outcomes, values and answers is covered, in percent
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) fail_under: Option<f64>,
    /// What counts for `--fail-under`
    #[arg(long, value_enum, value_name = "STATE", default_value_t = Counted::Exercised, requires = "fail_under")]
    pub(crate) count: Counted,
    /// Also write the coverage to a file; the file extension selects the format: `.html` HTML, `.json` as `--json`,
    /// `.yaml` a skipped test for each outcome, value and answer that occurs in no test; repeatable
    #[arg(short, long, value_name = "FILE", value_parser = CoverageFile::parse)]
    pub(crate) output: Vec<CoverageFile>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// What counts as covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Counted {
    /// What occurs in a test
    Exercised,
    /// What occurs in a test whose rules notice a change of it
    Asserted,
}

/// A file that the coverage goes to.
#[derive(Clone, Debug)]
pub(crate) struct CoverageFile {
    path: PathBuf,
    form: CoverageFormat,
}

#[derive(Clone, Copy, Debug)]
enum CoverageFormat {
    Html,
    Json,
    Stubs,
}

/// The options of a run, by themselves.
#[derive(Parser)]
struct PlainRun {
    #[command(flatten)]
    options: RunOptions,
}

impl CoverageFile {
    /// Takes a path whose extension names the format.
    fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        let form = match extension.as_deref() {
            Some("html") => CoverageFormat::Html,
            Some("json") => CoverageFormat::Json,
            Some("yaml" | "yml") => CoverageFormat::Stubs,
            _ => {
                return Err(
                    "the file extension names the format: `.html`, `.json` or `.yaml`".to_owned(),
                );
            }
        };
        Ok(Self { path, form })
    }

    /// Writes the file. Stubs are no report that may be replaced unasked: they may be completed.
    fn write(&self, report: &CoverageReport, destination: &Path, shown: &str) -> io::Result<()> {
        let text = match self.form {
            CoverageFormat::Html => coverage_page(report),
            CoverageFormat::Json => report.json()? + "\n",
            CoverageFormat::Stubs => {
                let Some(stubs) = report.stubs(turn_type_name(TurnKind::Resume)) else {
                    return Ok(());
                };
                stubs
            }
        };
        write_file(destination, text.as_bytes())
            .map_err(|error| not_written(shown, destination, &error))
    }
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim_end().parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("expected a percentage from 0 to 100, like `80`".to_owned()),
    }
}

/// Runs the selected tests, and says what they cover.
pub(super) fn coverage(options: &CoverageOptions, context: &Context) -> Exit {
    let collector = Arc::new(CoverageCollector::default());
    let mut run = PlainRun::parse_from(["ananke", "--quiet"]).options;
    run.selection = options.selection.clone();
    run.recordings.replay.clone_from(&options.replay);
    run.reports.answers = AgentAnswers::Omitted;
    run.going.parallel = options.parallel;
    let ran = run_measured(run, &collector, context);
    if ran == Exit::Interrupted || ran == Exit::Usage {
        return ran;
    }
    let report = collector.report();
    let files = OutputFiles::of(context, options.force);
    for file in &options.output {
        let (path, shown) = named_path(&file.path, context);
        let kind = match file.form {
            CoverageFormat::Html => OutputKind::Report(ReportFormat::Html),
            CoverageFormat::Json => OutputKind::Report(ReportFormat::Json),
            CoverageFormat::Stubs => OutputKind::Source,
        };
        let may_be_written = files
            .check(&path, &file.path, kind)
            .map_err(io::Error::from);
        if let Err(error) = may_be_written.and_then(|()| file.write(&report, &path, &shown)) {
            return complain(&error.to_string());
        }
    }
    let text = if options.json {
        report.json().map(|json| json + "\n")
    } else {
        Ok(coverage_text(&report))
    };
    let text = match text {
        Ok(text) => text,
        Err(error) => return complain(&error.to_string()),
    };
    let printed = print(ran, |out| out.write_all(text.as_bytes()));
    match options
        .fail_under
        .and_then(|least| missed(&report, options.count, least))
    {
        Some(message) => complain(&message),
        None => printed,
    }
}

/// What is wrong if too little is covered.
fn missed(report: &CoverageReport, count: Counted, least: f64) -> Option<String> {
    let (share, state) = match count {
        Counted::Exercised => (report.totals.exercised_percent, CoverageState::Exercised),
        Counted::Asserted => (report.totals.asserted_percent, CoverageState::Asserted),
    };
    let message = format!(
        "{share} % is {}, and `--fail-under` demands {least} %",
        state.as_str()
    );
    (share < least).then_some(message)
}

fn complain(message: &str) -> Exit {
    say(&format!("error: {message}"));
    Exit::Failure
}
