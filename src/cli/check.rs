//! `ananke check`: load everything, run nothing.

use ananke::context::Context;
use ananke::diagnostic::Code;
use ananke::plan::{Fixed, Selection};
use ananke::project::RunSettings;
use ananke::redact::Redactor;
use ananke::text::escape;
use clap::Args;

use super::exit::Exit;
use super::load::load;
use super::print::print;
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
    if options.fix && fix(options, context) != Exit::Success {
        return Exit::Failure;
    }
    let settings = RunSettings {
        deny_warnings: options.strictness.deny_warnings,
        ..RunSettings::default()
    };
    let selection = Selection {
        checks: true,
        settings,
        ..options.selection.selection()
    };
    match load(&selection, options.selection.color, context) {
        Ok((plan, _)) => {
            let (tests, files) = (plan.cases.len(), plan.files);
            let counted = |count: usize, word: &str| {
                format!("{count} {word}{}", if count == 1 { "" } else { "s" })
            };
            print(Exit::Success, |out| {
                writeln!(
                    out,
                    "{} in {}: no errors",
                    counted(tests, "test"),
                    counted(files, "file")
                )?;
                plan.obsolete.iter().try_for_each(|snapshot| {
                    let file = escape::line(&snapshot.shown);
                    writeln!(out, "obsolete snapshot, which no rule refers to: {file}")
                })
            })
        }
        Err(exit) => exit,
    }
}

/// Applies fixes and prints them.
fn fix(options: &CheckOptions, context: &Context) -> Exit {
    let selection = Selection {
        checks: true,
        ..options.selection.selection()
    };
    match ananke::plan::fix(context, &selection) {
        Ok(fixed) => print(Exit::Success, |out| {
            let (count, left) = (fixed.done.len(), fixed.left);
            fixed.done.into_iter().try_for_each(
                |Fixed {
                     code,
                     file,
                     line,
                     before,
                     after,
                 }| {
                    let file = escape::line(&file);
                    match code {
                        Code::NewerKey => {
                            let version = after.trim_start_matches("version: ").trim_end();
                            let version = version.trim_matches(['"', '\'']);
                            writeln!(out, "{file}: raised to version {version}")
                        }
                        _ => writeln!(out, "{file}:{line}: `{before}` is now `{after}`"),
                    }
                },
            )?;
            writeln!(out, "{count} fixed, {left} left\n")
        }),
        Err(problem) => {
            print_problems(
                &[problem],
                options.selection.color,
                context,
                &Redactor::default(),
            );
            Exit::Failure
        }
    }
}
