//! What can be said on the command line.

use std::path::PathBuf;
use std::time::Duration;

use super::compare::ComparisonFile;
use super::reports::ReportFile;
use ananke::plan::Filter;
use ananke::variables::{is_name, is_reserved};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// A test runner for tool-using AI agents: YAML scenarios in, a deterministic verdict out.
#[derive(Debug, Parser)]
#[command(name = "ananke", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run tests against the agent of the project config
    #[command(alias = "test")]
    Run(RunOptions),
    /// Load and check everything, run nothing
    Check(CheckOptions),
    /// Tell which rules are in force on each turn of a test, or what the name of a problem means
    Explain(ExplainOptions),
    /// Tell what changed between two runs, from their reports
    Compare(CompareOptions),
    /// List the tests
    List(ListOptions),
    /// Print the JSON Schema of a file, for editors
    Schema(SchemaOptions),
}

/// Which tests.
#[derive(Debug, Args)]
pub(crate) struct SelectionOptions {
    /// Test files and folders; without one, every test of the project
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The project config, instead of the nearest `ananke.config.yaml`
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// The target under test, one of the config's `targets`; a test that names its own keeps it
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Only tests that this takes: words of the path or name, or `tag(smoke) and not name(/slow/)`
    #[arg(long, value_name = "EXPRESSION", value_parser = Filter::parse)]
    pub(crate) filter: Option<Filter>,
    /// Only tests with this tag; of several, any of them
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Only the test with this id, or the row of a test; may be repeated
    #[arg(long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Give a variable a text, over what hooks give; may be repeated
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) variables: Vec<(String, String)>,
    /// Selecting no test is fine
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) selection: SelectionOptions,
    #[command(flatten)]
    pub(crate) going: GoingOptions,
    #[command(flatten)]
    pub(crate) retrying: RetryOptions,
    #[command(flatten)]
    pub(crate) reports: ReportOptions,
    #[command(flatten)]
    pub(crate) strictness: Strictness,
    #[command(flatten)]
    pub(crate) recordings: RecordingOptions,
    /// Only those of the selected tests that did not pass when they ran last
    #[arg(long)]
    pub(crate) last_failed: bool,
    /// Write the snapshots that are missing or differ, and delete those that no rule refers to; `changed` or `missing`
    /// only those. Without it, missing ones are written, and under `CI` none
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub(crate) update_snapshots: Option<Update>,
    /// Leave out hooks; `--var` can give what they would
    #[arg(long)]
    pub(crate) no_hooks: bool,
    /// Print the ids of the tests that would run, one a line, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Which snapshots are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Update {
    /// Those that are missing and those that differ; those that no rule refers to are deleted
    All,
    /// Those that differ
    Changed,
    /// Those that are missing
    Missing,
}

/// What is kept of a run, or played instead of it.
#[derive(Debug, Args)]
pub(crate) struct RecordingOptions {
    /// Record every test below this folder: what hooks gave, and what the agent sent and when
    #[arg(long, value_name = "DIR", group = "recordings_folder")]
    pub(crate) record: Option<PathBuf>,
    /// Play the recordings of this folder: no network, no hooks, the verdicts and times of then
    #[arg(long, value_name = "DIR", group = "recordings_folder")]
    pub(crate) replay: Option<PathBuf>,
    /// Record the tests that have no recording, and play the others
    #[arg(long, requires = "recordings_folder")]
    pub(crate) record_missing: bool,
    /// Play a recording although what is sent is not what was sent then
    #[arg(long, requires = "recordings_folder")]
    pub(crate) replay_loose: bool,
}

/// How a run is told.
#[derive(Debug, Args)]
pub(crate) struct ReportOptions {
    /// Write a report, its kind by the file's ending: `.xml` JUnit, `.html` a page to read, `.json` one value, `.jsonl` a
    /// line a test, `.md` Markdown, `.tap` TAP; may be repeated
    #[arg(short, long, value_name = "FILE", value_parser = ReportFile::parse)]
    pub(crate) output: Vec<ReportFile>,
    /// Write a JUnit XML report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Tell at the end what changed since the run of this report (`.json` or `.jsonl`); no verdict changes
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// What JUnit reports hold
    #[arg(long, value_enum, default_value_t = JunitProfile::Default, value_name = "PROFILE")]
    pub(crate) junit_profile: JunitProfile,
    /// Print JSON instead of text: a line as each test ends, and a summary
    #[arg(long, conflicts_with_all = ["quiet", "verbose", "dry_run"])]
    pub(crate) json: bool,
    /// Print the transcript of every turn
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print only what failed, and the summary
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JunitProfile {
    /// What most readers use: file and line, properties and a transcript for each test
    Default,
    /// What the schemas of Jenkins' xUnit plugin and of Windy Road allow
    Strict,
}

/// How a run goes.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct GoingOptions {
    /// Run so many tests at once; reports are the same as of one after the other
    #[arg(long, value_name = "N", default_value = "1", value_parser = parallel)]
    pub(crate) parallel: usize,
    /// Stop the run at the first test that does not pass
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Cut a turn at the first rule that breaks, instead of judging it whole
    #[arg(long)]
    pub(crate) stop_early: bool,
    /// Fail a turn whose events come in an order that the protocol forbids, instead of warning of it
    #[arg(long)]
    pub(crate) strict_protocol: bool,
    /// How much of the agent's time a whole test may take, each of its attempts anew: `30s`, `5m`, `1m 30s`
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) timeout: Option<Duration>,
}

/// What becomes of a test that does not pass.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct RetryOptions {
    /// Try a test that does not pass up to N times again, each time with hooks and a new thread
    #[arg(long, value_name = "N", default_value = "0", value_parser = retries)]
    pub(crate) retries: u32,
    /// Try a test again also where its thread is fixed, so that the agent may remember the attempt before
    #[arg(long)]
    pub(crate) retry_dirty: bool,
    /// What a test is worth that passes only when it is tried again
    #[arg(long, value_enum, default_value_t = Flaky::Pass, value_name = "VERDICT")]
    pub(crate) flaky: Flaky,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Flaky {
    /// It has passed, and is marked
    Pass,
    /// It fails the run
    Fail,
}

/// A test that needs more retries than this is not tested by its rules any more.
const MOST_RETRIES: u32 = 100;

fn retries(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 0..=MOST_RETRIES) => Ok(count),
        _ => Err(format!("expected a whole number from 0 to {MOST_RETRIES}")),
    }
}

/// More tests at once than this help nobody and exhaust the machine's sockets.
const MOST_AT_ONCE: usize = 1024;

fn parallel(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=MOST_AT_ONCE) => Ok(count),
        _ => Err(format!("expected a whole number from 1 to {MOST_AT_ONCE}")),
    }
}

fn time(text: &str) -> Result<Duration, String> {
    match any_time(text)? {
        duration if duration.is_zero() => Err("a test cannot take no time at all".to_owned()),
        duration => Ok(duration),
    }
}

fn any_time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; write it like `30s` or `5m`"))
}

#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    /// The report of the earlier run: what `-o FILE.json`, `-o FILE.jsonl` or `--json` wrote
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The report of the later run
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// What else counts as a regression, beside tests that newly fail
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KINDS")]
    pub(crate) fail_on: Vec<FailOn>,
    /// A test is slower from so many times its time before on, where `--slower-by` holds as well
    #[arg(long, value_name = "RATIO", default_value = "1.5", value_parser = ratio)]
    pub(crate) slower: f64,
    /// A test is slower from so much more time on: `250ms`, `2s`
    #[arg(long, value_name = "TIME", default_value = "250ms", value_parser = any_time)]
    pub(crate) slower_by: Duration,
    /// Write it to a file as well, its form by the file's ending: `.md` Markdown, `.html` a page, `.json` as `--json`;
    /// may be repeated
    #[arg(short, long, value_name = "FILE", value_parser = ComparisonFile::parse)]
    pub(crate) output: Vec<ComparisonFile>,
    /// Print one JSON object, for programs
    #[arg(long)]
    pub(crate) json: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Tests that take longer
    Slower,
    /// Tests that call other tools, or in another order
    Tools,
    /// Tests whose last run ends in another way
    Ending,
    /// Tests that now pass only on a retry
    Flaky,
    /// Tests that ran and are skipped now
    Skipped,
    /// Tests that are gone
    Removed,
}

fn ratio(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(ratio) if (1.0..=1_000_000.0).contains(&ratio) => Ok(ratio),
        _ => Err("expected a number from 1 up, like `1.5`".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) selection: SelectionOptions,
    #[command(flatten)]
    pub(crate) strictness: Strictness,
    /// Fix what is certain, then check: versions older than their keys, mistyped keys and values
    #[arg(long)]
    pub(crate) fix: bool,
}

/// What is good enough.
#[derive(Debug, Args)]
pub(crate) struct Strictness {
    /// Treat warnings as errors: nothing runs while there is one
    #[arg(long)]
    pub(crate) deny_warnings: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainOptions {
    /// A test file, a code such as `bad-pattern`, or a rule of the protocol such as `text-not-open`
    #[arg(value_name = "FILE|NAME")]
    pub(crate) subject: String,
    /// Only the test of the file with this id; may be repeated
    #[arg(long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Only tests of the file that this takes, as in `ananke run`
    #[arg(long, value_name = "EXPRESSION", value_parser = Filter::parse)]
    pub(crate) filter: Option<Filter>,
    /// Only the test as a whole and this turn, counted from 1
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<usize>,
    /// The target under test, one of the config's `targets`; a test that names its own keeps it
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// The project config, instead of the nearest `ananke.config.yaml`
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// Colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    pub(crate) color: Colour,
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    pub(crate) selection: SelectionOptions,
    /// Print one JSON array, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaOptions {
    /// Which file the schema is for
    #[arg(value_enum)]
    pub(crate) file: SchemaFile,
    /// Only what this schema version knows
    #[arg(long, value_name = "V")]
    pub(crate) schema_version: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaFile {
    /// `ananke.config.yaml`
    Config,
    /// A test file
    Test,
    /// What `run --json` prints and `-o FILE.json` writes
    Report,
    /// What `compare --json` prints
    Comparison,
}

/// `NAME=VALUE`; everything after the first `=` is the value.
fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected `NAME=VALUE`")?;
    if is_reserved(name) {
        return Err(format!("`{name}` is reserved"));
    }
    if !is_name(name) {
        return Err(format!("`{name}` is no variable name: letters, digits and `_`, no digit first"));
    }
    Ok((name.to_owned(), value.to_owned()))
}
