//! The command line, and which function executes each command.

use std::fmt::Write as _;

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
use super::report::{RenderOptions, report};
use super::run::run;
use super::run_options::RunOptions;
use super::schema::{SchemaOptions, schema};
use super::session::{SessionCommand, session};
use super::show::{ShowOptions, show};
use super::shrink::{ShrinkOptions, shrink};
use super::tools::{ToolsOptions, tools};
use super::verify::{VerifyOptions, verify};
use super::watch::{WatchOptions, watch};

/// The commands by what people want to do.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Test", &["run", "watch", "show", "check", "list"]),
    ("Write", &["init", "record", "freeze", "convert"]),
    (
        "Judge",
        &[
            "compare", "report", "coverage", "mutate", "shrink", "verify", "explain",
        ],
    ),
    ("Servers", &["tools", "audit", "contract", "mock"]),
    ("Set up", &["session", "schema", "completions", "man"]),
];

/// The flags of `run` and `watch` that `-h` shows. `--help` shows all.
pub(super) const COMMON: [&str; 19] = [
    "paths",
    "target",
    "filter",
    "tags",
    "last_failed",
    "variables",
    "input",
    "parallel",
    "fail_fast",
    "timeout",
    "retries",
    "runs",
    "output",
    "junit",
    "json",
    "verbose",
    "quiet",
    "record",
    "replay",
];

/// The help of the whole program: its commands are in groups, which clap does not know.
const HELP: &str = "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}\n\n`ananke COMMAND -h` shows what a command takes, `ananke explain WORD` a key, a code or a word.";

/// The command line, as it is parsed, completed and described.
pub(super) fn command() -> clap::Command {
    let command = CommandLine::command();
    let mut groups = Vec::new();
    for (title, names) in GROUPS {
        let mut lines = format!("{title}:\n");
        for name in names {
            let about = command
                .find_subcommand(name)
                .and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _written = writeln!(lines, "  {name:<12} {about}");
        }
        groups.push(lines.trim_end().to_owned());
    }
    command
        .help_template(HELP)
        .after_help(groups.join("\n\n"))
        .mut_subcommand("run", with_short_help)
        .mut_subcommand("watch", with_short_help)
}

/// The names of all commands with what they do, for `explain`.
fn abouts() -> Vec<(String, String)> {
    let command = CommandLine::command();
    let about = |sub: &clap::Command| {
        let about = sub.get_about().map(ToString::to_string);
        (sub.get_name().to_owned(), about.unwrap_or_default())
    };
    command.get_subcommands().map(about).collect()
}

/// The names of all commands, in the order of the help.
pub(super) fn command_names() -> Vec<&'static str> {
    GROUPS
        .iter()
        .flat_map(|(_, names)| names.iter().copied())
        .collect()
}

/// The command whose `-h` shows only what is used most.
fn with_short_help(command: clap::Command) -> clap::Command {
    command.mut_args(|argument| {
        let is_rare = !COMMON.contains(&argument.get_id().as_str());
        let is_hidden = argument.is_hide_short_help_set() || is_rare;
        argument.hide_short_help(is_hidden)
    })
}

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
    /// Run tests
    #[command(visible_alias = "test")]
    Run(Box<RunOptions>),
    /// Run tests, and again what a change of files touches
    Watch(Box<WatchOptions>),
    /// Show what came of a run, without running it again
    Show(ShowOptions),
    /// Validate all files without running them
    Check(CheckOptions),
    /// Explain a key, a code or a word, or the rules of a test
    Explain(ExplainOptions),
    /// Compare two runs by their reports
    Compare(CompareOptions),
    /// Write other reports of a run, or those of all its shards
    Report(RenderOptions),
    /// Run tests, and show what they exercise
    Coverage(Box<CoverageOptions>),
    /// Show the tools of a server, an agent or a target
    Tools(ToolsOptions),
    /// Call the tools of a server, and report what is wrong
    Audit(AuditCommand),
    /// Report which recorded calls a server would refuse now
    Contract(ContractOptions),
    /// List the tests
    List(ListOptions),
    /// Convert a case file (JSONL) to a YAML test file
    Convert(ConvertOptions),
    /// Talk to an agent, and write the conversation as a test
    Record(RecordOptions),
    /// Write a recorded conversation as a static test
    Freeze(FreezeOptions),
    /// Write the smallest conversation that violates the same rule
    Shrink(ShrinkOptions),
    /// Apply rules to conversations that something else recorded
    Verify(Box<VerifyOptions>),
    /// Change what was recorded, and report what no rule notices
    Mutate(MutateOptions),
    /// Serve a scripted agent, or a recorded one, over HTTP
    Mock(MockCommand),
    /// Hold conversations and run tests for a program in another language
    Session(SessionCommand),
    /// Print the JSON Schema of a file, for editors
    Schema(SchemaOptions),
    /// Write a first project, for your agent or an example
    Init(InitOptions),
    /// Print a script that completes commands, for your shell
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
            Command::Show(options) => show(options, context),
            Command::Check(options) => check(options, context),
            Command::Explain(options) => explain(options, &abouts(), context),
            Command::Compare(options) => compare(options, context),
            Command::Report(options) => report(options, context),
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
            Command::Session(options) => session(options, context),
            Command::Schema(options) => schema(options),
            Command::Init(options) => init(options, context),
            Command::Completions(options) => completions(options),
            Command::Man(options) => man(options, command()),
        }
    }
}
