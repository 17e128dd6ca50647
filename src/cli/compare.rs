//! `ananke compare`: what changed between two runs.

use std::path::PathBuf;
use std::time::Duration;

use ananke::compare::{ChangeKind, Comparison, ComparisonRules, Noise};
use ananke::{context::Context, redact::Redactor, report::CommandDocument, text::parse_duration};
use clap::{Args, ValueEnum};

use super::exit::Exit;
use super::failed::{CommandOptions, Failed};
use super::output::{Colour, DocumentFile, DocumentForm, DocumentOutput, ForceOption, named_path};
use super::run_facts::command_facts;

#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    /// The report of the earlier run, written by `-o FILE.json`, `-o FILE.jsonl` or `--json`
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The report of the later run
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// What else counts as a regression, in addition to tests that newly fail
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
    /// Tests that ran and are skipped now
    Skipped,
    /// Tests that no longer exist
    Removed,
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
        let [before, after] = [&self.before, &self.after].map(|path| named_path(path, context));
        let comparison = Comparison::of((&before.0, &before.1), (&after.0, &after.1), &rules)
            .map_err(|found| Failed::Problems(found, Redactor::default()))?;
        context.files.note(&before.0);
        context.files.note(&after.0);
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
        }
    }
}
