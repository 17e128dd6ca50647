//! Words of the project that a shell completes: names of targets, tags, and ids of tests; and the answer to a shell that
//! completes a command line.
//!
//! The shell asks this program, which reads the project as a run does. Nothing is sent, and what is wrong is not said: there are no
//! candidates then.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use ananke::plan::{Plan, Selection, plan};
use ananke::{context::Context, redact::Redactor, text::natural_order};
use clap::Command;
use clap::builder::ValueHint;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::CompleteEnv;

use super::arguments::command;
use super::completions::VARIABLE;

/// The command whose arguments are completed with what the project has in the outside world that `context` makes.
fn with_candidates(mut command: Command, context: fn() -> Context) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    for name in names {
        command = command.mut_subcommand(name, |sub| {
            sub.mut_args(|argument| match argument.get_id().as_str() {
                "target" => argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                    targets(typed, context)
                })),
                "tags" => argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                    tags(typed, context)
                })),
                "ids" => argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                    ids(typed, context)
                })),
                "paths" => argument
                    .value_hint(ValueHint::AnyPath)
                    .add(ArgValueCompleter::new(move |typed: &OsStr| {
                        paths_and_ids(typed, context)
                    })),
                _ => argument,
            })
        });
    }
    command
}

/// The tests of the project in the working directory, if it can be read.
fn project(context: fn() -> Context) -> Option<Plan> {
    plan(&context(), &Selection::default(), &Redactor::default()).plan
}

/// The names that begin as what is typed, each once.
fn beginning(current: &OsStr, names: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    let typed = current.to_str().unwrap_or_default();
    let mut names: Vec<String> = names
        .into_iter()
        .filter(|name| name.starts_with(typed))
        .collect();
    names.sort_by(|one, other| natural_order(one, other));
    names.dedup();
    names.into_iter().map(CompletionCandidate::new).collect()
}

fn targets(current: &OsStr, context: fn() -> Context) -> Vec<CompletionCandidate> {
    let plan = project(context);
    let names = plan.iter().flat_map(|plan| plan.config.target_names());
    beginning(current, names.map(str::to_owned))
}

fn tags(current: &OsStr, context: fn() -> Context) -> Vec<CompletionCandidate> {
    let plan = project(context);
    let tags = plan
        .iter()
        .flat_map(|plan| &plan.cases)
        .flat_map(|case| case.test.about.tags.clone());
    beginning(current, tags)
}

fn ids(current: &OsStr, context: fn() -> Context) -> Vec<CompletionCandidate> {
    let plan = project(context);
    let ids = plan.iter().flat_map(|plan| &plan.cases);
    beginning(current, ids.map(|case| case.id().into_owned()))
}

/// Files; and ids once a file is complete, or if no file begins so.
fn paths_and_ids(current: &OsStr, context: fn() -> Context) -> Vec<CompletionCandidate> {
    let has_file = current.to_str().is_some_and(|typed| typed.contains("::"));
    let files = if has_file {
        Vec::new()
    } else {
        PathCompleter::any().complete(current)
    };
    if files.is_empty() {
        ids(current, context)
    } else {
        files
    }
}

/// Answers a shell that completes `arguments` in `working_directory`, if one asks; whether it did. The project is read in the
/// outside world that `context` makes.
///
/// # Errors
/// If the answer cannot be made or printed.
pub(crate) fn complete(
    arguments: &[OsString],
    context: fn() -> Context,
    working_directory: &Path,
) -> clap::error::Result<bool> {
    CompleteEnv::with_factory(|| with_candidates(command(), context))
        .var(VARIABLE)
        .try_complete(arguments, Some(working_directory))
}
