//! `ananke coverage`: what the tests exercise of the agent.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ananke::context::{Context, write_file};
use ananke::coverage::stubs;
use ananke::model::resume_type_name;
use ananke::outcome::coverage::{CoverageReport, CoverageState};
use ananke::report::file::not_written;
use ananke::report::{CommandDocument, CoverageGate, Documented as _, coverage_conclusion};
use clap::{Args, Parser, ValueEnum};

use super::carry_out::MeasuredRun;
use super::run::run_measured;
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed};
use crate::cli::options::{AgentAnswers, RunOptions, SelectionOptions, parallel};
use crate::cli::output::{
    DocumentFile, DocumentForm, DocumentOutput, ForceOption, OutputKind, extensions_in_words,
    named_path,
};

/// The text after the options in the help of `ananke coverage`.
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
    #[command(flatten)]
    pub(crate) form: DocumentForm,
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
pub(crate) enum CoverageFile {
    /// The document.
    Document(DocumentFile),
    /// A skipped test for each outcome, value and answer that occurs in no test.
    Stubs(PathBuf),
}

/// The options of a run, by themselves.
#[derive(Parser)]
struct PlainRun {
    #[command(flatten)]
    options: RunOptions,
}

impl CoverageFile {
    /// The file as it is named, and its kind. Tests are no report that may be replaced unasked: they may be completed.
    fn named(&self) -> (&Path, OutputKind) {
        match self {
            Self::Document(file) => file.named(),
            Self::Stubs(path) => (path, OutputKind::Source),
        }
    }

    /// Takes a path whose extension names the format.
    fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        if matches!(extension.as_deref(), Some("yaml" | "yml")) {
            return Ok(Self::Stubs(path));
        }
        let document = DocumentFile::parse::<CoverageReport>(text).map(Self::Document);
        document.map_err(|_unknown| {
            let formats = CoverageReport::FORMATS.iter();
            extensions_in_words(formats.map(|format| format.extension()).chain(["yaml"]))
        })
    }
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim_end().parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("expected a percentage from 0 to 100, like `80`".to_owned()),
    }
}

impl CommandOptions for CoverageOptions {
    /// Runs the selected tests, and says what they cover.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let named = |file: &CoverageFile| {
            let (path, kind) = file.named();
            (path.to_owned(), kind)
        };
        let measured = Arc::new(MeasuredRun {
            files: self.output.iter().map(named).collect(),
            ..MeasuredRun::default()
        });
        let mut run = PlainRun::parse_from(["ananke", "--quiet"]).options;
        run.selection = self.selection.clone();
        run.recordings.replay.clone_from(&self.replay);
        run.reports.answers = AgentAnswers::Omitted;
        run.execution.given.parallel = self.parallel;
        run.reports.force = self.force;
        let ran = run_measured(run, &measured, context)
            .unwrap_or_else(|failed| failed.report(self.colour(), context));
        let Some(facts) = measured
            .facts
            .get()
            .filter(|_| !matches!(ran, Exit::Interrupted | Exit::Usage))
        else {
            return Ok(ran);
        };
        let report = measured.collector.report();
        let mut files = Vec::new();
        for file in &self.output {
            match file {
                CoverageFile::Document(file) => files.push(file.clone()),
                CoverageFile::Stubs(path) => write_stubs(&report, path, context)?,
            }
        }
        let gate = self.fail_under.map(|least| CoverageGate {
            state: match self.count {
                Counted::Exercised => CoverageState::Exercised,
                Counted::Asserted => CoverageState::Asserted,
            },
            least,
        });
        let output = DocumentOutput {
            form: self.form,
            colour: self.colour(),
            files: &files,
            force: self.force,
            context,
        };
        output.write(&CommandDocument {
            facts,
            found: &report,
            conclusion: coverage_conclusion(&report, u8::try_from(ran.number()).unwrap_or(1), gate),
        })
    }

    fn colour(&self) -> Colour {
        self.selection.color
    }
}

/// Writes a test for each hole, if there is one.
fn write_stubs(report: &CoverageReport, given: &Path, context: &Context) -> io::Result<()> {
    let Some(stubs) = stubs(report, resume_type_name()) else {
        return Ok(());
    };
    let (path, shown) = named_path(given, context);
    write_file(&path, stubs.as_bytes()).map_err(|error| not_written(&shown, &path, &error))
}
