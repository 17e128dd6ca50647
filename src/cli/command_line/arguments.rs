//! The command line, and the options of each command, which run it.

use std::fmt::Write as _;

use ananke::context::Context;
use clap::{CommandFactory as _, Parser, Subcommand};

use super::completions::{CompletionsOptions, ManOptions, man};
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed};
use crate::cli::inform::{
    CheckOptions, CompareOptions, ExplainOptions, ListOptions, RenderOptions, SchemaOptions,
    ShowOptions, explain,
};
use crate::cli::inspect::{AuditCommand, ContractOptions, ToolsOptions};
use crate::cli::make::{
    ConvertOptions, FreezeOptions, InitOptions, MockCommand, ModelCommand, MutateOptions,
    RecordOptions, ShrinkOptions,
};
use crate::cli::options::RunOptions;
use crate::cli::runs::{CoverageOptions, VerifyOptions, WatchOptions};
use crate::cli::session::SessionCommand;

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
    ("Servers", &["tools", "audit", "contract", "mock", "model"]),
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
pub(crate) fn command() -> clap::Command {
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
    /// Re-run affected tests when files change
    Watch(Box<WatchOptions>),
    /// Show the results of a previous run
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
    /// Replace the model that an agent's own code asks
    Model(ModelCommand),
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
        self.command.options().execute(context)
    }
}

impl Command {
    /// The options that run it.
    fn options(&self) -> &dyn CommandOptions {
        match self {
            Self::Run(options) => &**options,
            Self::Watch(options) => &**options,
            Self::Show(options) => options,
            Self::Check(options) => options,
            Self::Explain(options) => options,
            Self::Compare(options) => options,
            Self::Report(options) => options,
            Self::Coverage(options) => &**options,
            Self::Tools(options) => options,
            Self::Audit(options) => options,
            Self::Contract(options) => options,
            Self::List(options) => options,
            Self::Convert(options) => options,
            Self::Record(options) => options,
            Self::Freeze(options) => options,
            Self::Shrink(options) => options,
            Self::Verify(options) => &**options,
            Self::Mutate(options) => options,
            Self::Mock(options) => options,
            Self::Model(options) => options,
            Self::Session(options) => options,
            Self::Schema(options) => options,
            Self::Init(options) => options,
            Self::Completions(options) => options,
            Self::Man(options) => options,
        }
    }
}

// These two are about the command line itself.

impl CommandOptions for ExplainOptions {
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        explain(self, &abouts(), context)
    }

    fn colour(&self) -> Colour {
        self.color
    }
}

impl CommandOptions for ManOptions {
    fn run(&self, _: &Context) -> Result<Exit, Failed> {
        man(self, command())
    }
}
