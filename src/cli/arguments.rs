//! The command line, and which function executes each command.

use ananke::context::Context;
use clap::{CommandFactory as _, Parser, Subcommand};

use super::audit::{AuditCommand, audit};
use super::check::{CheckOptions, check};
use super::compare::{CompareOptions, compare};
use super::completions::{CompletionsOptions, ManOptions, completions, man};
use super::contract::{ContractOptions, contract};
use super::convert::{ConvertOptions, convert};
use super::coverage::{CoverageOptions, coverage};
use super::exit::Exit;
use super::explain::{ExplainOptions, explain};
use super::freeze::{FreezeOptions, freeze};
use super::init::{InitOptions, init};
use super::list::{ListOptions, list};
use super::mock::{MockCommand, mock};
use super::mutate::{MutateOptions, mutate};
use super::record::{RecordOptions, record};
use super::run::run;
use super::run_options::RunOptions;
use super::schema::{SchemaOptions, schema};
use super::shrink::{ShrinkOptions, shrink};
use super::tools::{ToolsOptions, tools};
use super::verify::{VerifyOptions, verify};
use super::watch::{WatchOptions, watch};

/// A test runner for AI agents that call tools: conversations in YAML, deterministic verdicts.
#[derive(Debug, Parser)]
#[command(
    name = "ananke",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run tests against the agent of the project config
    #[command(visible_alias = "test")]
    Run(Box<RunOptions>),
    /// Run tests, and run again what a change of files touches
    Watch(Box<WatchOptions>),
    /// Validate all test and config files without running them
    Check(CheckOptions),
    /// Show which rules apply to each turn of a test, or explain an error code
    Explain(ExplainOptions),
    /// Compare two runs using their reports
    Compare(CompareOptions),
    /// Run tests, and show which tools, outcomes, values of arguments and answers to interrupts they exercise
    Coverage(Box<CoverageOptions>),
    /// Show the tools of a server, the skills of an agent, or the client tools of a target
    Tools(ToolsOptions),
    /// Call the tools of a server of MCP without any test, and report what is wrong with them
    Audit(AuditCommand),
    /// Report which recorded calls the tools of a target would refuse now
    Contract(ContractOptions),
    /// List the tests
    List(ListOptions),
    /// Convert a case file (JSONL) to a YAML test file
    Convert(ConvertOptions),
    /// Talk to an agent, and write the conversation as a test with its recording
    Record(RecordOptions),
    /// Write a recorded conversation as a static test, with its recording
    Freeze(FreezeOptions),
    /// Write the smallest conversation that violates the rule that a recording violates, as a scripted agent with its test
    Shrink(ShrinkOptions),
    /// Verify conversations that something else recorded: traces of OpenTelemetry, lists of messages, recordings
    Verify(Box<VerifyOptions>),
    /// Change what was recorded, and report which changes no rule notices
    Mutate(MutateOptions),
    /// Answer requests over HTTP as a scripted agent of the config does, or as a recorded agent did
    Mock(MockCommand),
    /// Print the JSON Schema of a file, for editors
    Schema(SchemaOptions),
    /// Write a first project: a config, a test and a scripted agent, or a test of your own agent
    Init(InitOptions),
    /// Print a script that completes the command line, for your shell
    Completions(CompletionsOptions),
    /// Print a page for `man`
    Man(ManOptions),
}

impl CommandLine {
    /// Executes the command.
    pub(crate) fn execute(&self, context: &Context) -> Exit {
        match &self.command {
            Command::Run(options) => run(options, context),
            Command::Watch(options) => watch(options, context),
            Command::Check(options) => check(options, context),
            Command::Explain(options) => explain(options, context),
            Command::Compare(options) => compare(options, context),
            Command::Coverage(options) => coverage(options, context),
            Command::Tools(options) => tools(options, context),
            Command::Audit(options) => audit(options, context),
            Command::Contract(options) => contract(options, context),
            Command::List(options) => list(options, context),
            Command::Convert(options) => convert(options, context),
            Command::Record(options) => record(options, context),
            Command::Freeze(options) => freeze(options, context),
            Command::Shrink(options) => shrink(options, context),
            Command::Verify(options) => verify(options, context),
            Command::Mutate(options) => mutate(options, context),
            Command::Mock(options) => mock(options, context),
            Command::Schema(options) => schema(options),
            Command::Init(options) => init(options, context),
            Command::Completions(options) => completions(options, Self::command()),
            Command::Man(options) => man(options, Self::command()),
        }
    }
}
