//! What can be said on the command line.

use std::path::PathBuf;

use ananke::plan::Filter;
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
    /// Tell which rules are in force on each turn of a test, or what the code of a problem means
    Explain(ExplainOptions),
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
    /// Only tests whose path or name holds every one of these words
    #[arg(long, value_name = "WORDS", value_parser = Filter::parse)]
    pub(crate) filter: Option<Filter>,
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
    /// Write a JUnit XML report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Print the transcript of every turn
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print only what failed, and the summary
    #[arg(long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) strictness: Strictness,
    /// Print the ids of the tests that would run, one a line, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) selection: SelectionOptions,
    #[command(flatten)]
    pub(crate) strictness: Strictness,
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
    /// A test file, or a code such as `bad-pattern`
    #[arg(value_name = "FILE|CODE")]
    pub(crate) subject: String,
    /// Only the test as a whole and this turn, counted from 1
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<usize>,
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
}
