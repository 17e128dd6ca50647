//! `ananke check`: load everything, run nothing.

use std::io::Write as _;

use ananke::context::Context;
use ananke::diagnostic::Code;
use ananke::plan::{Fixed, Selection};
use ananke::redact::Redactor;
use ananke::text::escape;
use clap::Args;

use super::exit::Exit;
use super::load::load;
use super::print_problems::print_problems;
use super::selection_options::SelectionOptions;
use super::strictness::Strictness;

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) selection: SelectionOptions,
    #[command(flatten)]
    pub(crate) strictness: Strictness,
    /// Fix versions older than their keys, and mistyped keys and values, then check
    #[arg(long)]
    pub(crate) fix: bool,
}

/// Loads what is selected and says whether it is well.
pub(super) fn check(options: &CheckOptions, context: &Context) -> Exit {
    if options.fix && !fix(options, context) {
        return Exit::Failure;
    }
    let deny_warnings = options.strictness.deny_warnings;
    let selection = Selection { checks: true, deny_warnings, ..options.selection.selection() };
    match load(&selection, options.selection.color, context) {
        Ok((plan, _)) => {
            let (tests, files) = (plan.cases.len(), plan.files);
            let counted =
                |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
            let mut stdout = std::io::stdout().lock();
            let _ = writeln!(stdout, "{} in {}: no errors", counted(tests, "test"), counted(files, "file"));
            for snapshot in &plan.obsolete {
                let file = escape::line(&snapshot.shown);
                let _ = writeln!(stdout, "obsolete snapshot, which no rule refers to: {file}");
            }
            Exit::Success
        }
        Err(exit) => exit,
    }
}

/// Applies fixes and prints them; `false` if a file could not be written.
fn fix(options: &CheckOptions, context: &Context) -> bool {
    let selection = Selection { checks: true, ..options.selection.selection() };
    match ananke::plan::fix(context, &selection) {
        Ok(fixed) => {
            let mut stdout = std::io::stdout().lock();
            for Fixed { code, file, line, before, after } in fixed {
                let file = escape::line(&file);
                let _ = match code {
                    Code::NewerKey => {
                        writeln!(stdout, "{file}: raised to version {}", after.trim_matches(['"', '\'']))
                    }
                    _ => writeln!(stdout, "{file}:{line}: `{before}` is now `{after}`"),
                };
            }
            true
        }
        Err(problem) => {
            print_problems(&[problem], options.selection.color, context, &Redactor::default());
            false
        }
    }
}
