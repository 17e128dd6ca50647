//! The options about reports, and the files they go to.

use std::path::{Path, PathBuf};

use clap::Args;

use super::ReportForm;
use crate::cli::frame::Failed;
use crate::cli::output::{ForceOption, OutputKind};
use ananke::model::ReportFormat;
use ananke::{context::OutputStream, report::RunKeeping, text::escape};

/// How a run is reported.
#[derive(Clone, Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct ReportOptions {
    /// Write a report; the file extension selects the format: `.xml` JUnit, `.html` HTML, `.json` JSON, `.jsonl` JSON
    /// lines, `.md` Markdown, `.tap` TAP; repeatable
    #[arg(short, long, value_name = "FILE", value_parser = ReportFile::parse)]
    pub(crate) output: Vec<ReportFile>,
    /// Who writes the first `-o` file: a format (`html`, `json`, `markdown`, …), or an agent of the config, which is asked
    /// for the report
    #[arg(short, long, value_name = "NAME")]
    pub(crate) reporter: Option<String>,
    /// Write a JUnit XML report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Compare with an earlier report (`.json` or `.jsonl`) at the end; verdicts do not change
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) form: ReportForm,
    /// Print the N slowest tests at the end
    #[arg(long, value_name = "N")]
    pub(crate) durations: Option<usize>,
    /// Print JSON lines instead of text: one object per test and a final summary
    #[arg(long, conflicts_with_all = ["quiet", "verbose"])]
    pub(crate) json: bool,
    /// Print the transcript of every turn, and the rules that passed
    #[arg(short, long, conflicts_with = "quiet", overrides_with = "verbose")]
    pub(crate) verbose: bool,
    /// Print what is sent and received to stderr as it comes, with secrets masked
    #[arg(long)]
    pub(crate) debug: bool,
    /// Print only what failed, and the summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The state of the run that is kept: `ananke show` can show it.
    #[arg(skip)]
    pub(crate) keeping: RunKeeping,
    /// The warnings about files that were printed before the run, masked.
    #[arg(skip)]
    pub(crate) told: Vec<String>,
    /// The place where the answers of the agent are printed.
    #[arg(skip)]
    pub(crate) answers: AgentAnswers,
}

impl ReportOptions {
    /// Refuses a `-r` that names who writes a file, when there is none.
    ///
    /// # Errors
    /// The remedy depends on the name.
    pub(crate) fn refuse_reporter_without_file(&self) -> Result<(), Failed> {
        let Some(name) = self.reporter.as_ref().filter(|_| self.output.is_empty()) else {
            return Ok(());
        };
        let shown = escape::line(name);
        Err(match ReportFormat::named(name) {
            Some(format) => Failed::usage(format!(
                "`{shown}` is a format of reports, and no file is named"
            ))
            .help(format!(
                "write the report with `-o report.{}`",
                format.extension()
            )),
            None => Failed::usage(format!(
                "`-r {shown}` has the report written, and no file is named"
            ))
            .help("name it with `-o FILE`"),
        })
    }

    /// The stream of what is for people: standard output belongs to programs with `--json`, and to answers that are printed.
    pub(crate) fn people(&self) -> OutputStream {
        let is_taken = self.json || self.answers != AgentAnswers::InReport;
        if is_taken {
            OutputStream::Stderr
        } else {
            OutputStream::Stdout
        }
    }
}

/// The place where the answers of the agent are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AgentAnswers {
    /// In the report for people, as far as it has them.
    #[default]
    InReport,
    /// On standard output, alone.
    Printed,
    /// Nowhere: standard output is for what another command prints.
    Omitted,
}

/// A file that a report goes to.
#[derive(Clone, Debug)]
pub(crate) struct ReportFile {
    pub(crate) path: PathBuf,
    pub(crate) format: ReportFormat,
}

impl ReportFile {
    /// The file as it is named, and its kind.
    pub(crate) fn named(&self) -> (&Path, OutputKind) {
        (&self.path, OutputKind::Report(self.format))
    }

    /// Takes a path whose extension names the format.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let format = ReportFormat::of(&path);
        let known = || {
            format!(
                "the file extension names the format: {}",
                ReportFormat::extensions()
            )
        };
        Ok(Self {
            format: format.ok_or_else(known)?,
            path,
        })
    }
}
