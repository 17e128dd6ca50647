//! `ananke compare`: what changed between two runs, or between several on each side.

use std::path::PathBuf;
use std::time::Duration;

use ananke::compare::{ChangeKind, Comparison, ComparisonRules, Noise, ReportPath};
use ananke::{context::Context, redact::Redactor, report::CommandDocument, text::parse_duration};
use clap::{Args, ValueEnum};

use crate::cli::frame::{Colour, CommandOptions, Exit, Failed};
use crate::cli::output::{DocumentFile, DocumentForm, DocumentOutput, ForceOption, named_path};
use crate::cli::reporting::command_facts;

#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    /// The report of the earlier run, written by `-o FILE.json`, `-o FILE.jsonl` or `--json`
    #[arg(value_name = "BEFORE", required_unless_present_any = ["earlier", "later"])]
    pub(crate) before: Option<PathBuf>,
    /// The report of the later run
    #[arg(value_name = "AFTER", required_unless_present_any = ["earlier", "later"])]
    pub(crate) after: Option<PathBuf>,
    /// Compare several earlier runs, instead of BEFORE
    #[arg(id = "earlier", long = "before", value_name = "FILE", num_args = 1.., requires = "later", conflicts_with_all = ["before", "after"])]
    pub(crate) earlier: Vec<PathBuf>,
    /// Compare several later runs, instead of AFTER
    #[arg(id = "later", long = "after", value_name = "FILE", num_args = 1.., requires = "earlier", conflicts_with_all = ["before", "after"])]
    pub(crate) later: Vec<PathBuf>,
    /// What else counts as a regression, in addition to tests that newly fail or were not run
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KINDS")]
    pub(crate) fail_on: Vec<FailOn>,
    /// Minimum ratio for a test to count as slower (together with `--slower-by`)
    #[arg(long, value_name = "RATIO", default_value = "1.5", value_parser = ratio)]
    pub(crate) slower: f64,
    /// Minimum difference for a test to count as slower (together with `--slower`): `250ms`, `2s`
    #[arg(long, value_name = "TIME", default_value = "250ms", value_parser = parse_duration)]
    pub(crate) slower_by: Duration,
    /// Also write the comparison to a file; the file extension selects the format: `.md` Markdown, `.html` HTML,
    /// `.json` as `--json`; repeatable
    #[arg(short, long, value_name = "FILE", value_parser = DocumentFile::parse::<Comparison>)]
    pub(crate) output: Vec<DocumentFile>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) form: DocumentForm,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Tests that are slower
    Slower,
    /// Tests that call different tools, or in a different order
    Tools,
    /// Tests whose final outcome changed
    Ending,
    /// Tests that now pass only on a retry
    Flaky,
    /// Tests that ran and are skipped now; also those that were not run and failed before
    Skipped,
    /// Tests that no longer exist
    Removed,
    /// Tests that pass in a smaller share of their runs
    Rate,
}

fn ratio(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(ratio) if (1.0..=1_000_000.0).contains(&ratio) => Ok(ratio),
        _ => Err("expected a number from 1 up, like `1.5`".to_owned()),
    }
}

impl CommandOptions for CompareOptions {
    /// Compares two reports, and says with the exit code whether something became worse.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let rules = ComparisonRules {
            noise: Noise {
                ratio: self.slower,
                by: self.slower_by,
            },
            also: self.fail_on.iter().copied().map(ChangeKind::from).collect(),
        };
        let named = |one: &Option<PathBuf>, several: &[PathBuf]| -> Vec<ReportPath> {
            let paths = one.iter().chain(several);
            paths.map(|path| named_path(path, context)).collect()
        };
        let before = named(&self.before, &self.earlier);
        let after = named(&self.after, &self.later);
        let comparison = Comparison::of(&before, &after, &rules)
            .map_err(|found| Failed::Problems(found, Redactor::default()))?;
        for (path, _) in before.iter().chain(&after) {
            context.files.note(path);
        }
        let facts = Redactor::default().seal(command_facts(std::env::args_os(), context));
        let output = DocumentOutput {
            form: self.form,
            colour: self.color,
            files: &self.output,
            force: self.force,
            context,
        };
        output.write(&CommandDocument {
            facts: &facts,
            found: &comparison,
            conclusion: comparison.conclusion(),
        })
    }

    fn colour(&self) -> Colour {
        self.color
    }
}

impl From<FailOn> for ChangeKind {
    fn from(kind: FailOn) -> Self {
        match kind {
            FailOn::Slower => Self::Slower,
            FailOn::Tools => Self::Tools,
            FailOn::Ending => Self::Ending,
            FailOn::Flaky => Self::Flaky,
            FailOn::Skipped => Self::Skipped,
            FailOn::Removed => Self::Removed,
            FailOn::Rate => Self::LowerRate,
        }
    }
}
