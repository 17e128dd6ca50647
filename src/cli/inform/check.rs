//! `ananke check`: load everything, run nothing.

use std::collections::BTreeSet;

use ananke::context::Context;
use ananke::diagnostic::{Code, Diagnostic};
use ananke::plan::{Fixed, Plan, Selection};
use ananke::provider::{ModelProblemKind, RecordedProject};
use ananke::redact::Redactor;
use ananke::text::escape;
use clap::Args;

use crate::cli::contact::services::recordings_of;
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, print};
use crate::cli::options::{SelectionOptions, Strictness};
use crate::cli::select::load;

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

impl CommandOptions for CheckOptions {
    /// Loads what is selected and says whether it is well.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        if self.fix {
            fix(self, context)?;
        }
        let selection = Selection {
            checks: true,
            settings: self.strictness.given,
            ..self.selection.selection()
        };
        let (plan, redactor) = load(&selection, self.colour(), context)?;
        // Recordings come last, because the tests that replay them are known only if nothing else is wrong.
        let orphaned = check_recordings(&plan, &selection, redactor, context)?;
        let (tests, files) = (plan.cases.len(), plan.files);
        let counted = |count: usize, word: &str| {
            format!("{count} {word}{}", if count == 1 { "" } else { "s" })
        };
        print(|out| {
            writeln!(
                out,
                "{} in {}: no errors",
                counted(tests, "test"),
                counted(files, "file")
            )?;
            plan.obsolete.iter().try_for_each(|snapshot| {
                let file = escape::line(&snapshot.shown);
                writeln!(out, "obsolete snapshot, which no rule refers to: {file}")
            })?;
            for file in &orphaned {
                writeln!(
                    out,
                    "orphaned recording of a model, which no test replays: {file}"
                )?;
            }
            Ok(())
        })?;
        Ok(Exit::Success)
    }

    fn colour(&self) -> Colour {
        self.selection.color
    }
}

/// Checks the recordings of models, of which those that no test replays are returned.
///
/// # Errors
/// If one cannot be read, or has a key.
fn check_recordings(
    plan: &Plan,
    selection: &Selection,
    redactor: Redactor,
    context: &Context,
) -> Result<Vec<String>, Failed> {
    let mut project = RecordedProject {
        models: &plan.models,
        tests: None,
    };
    // A test that was not selected may replay what the others do not.
    if selection.paths.is_empty() && !selection.chooses() {
        let tests = project.tests.insert(BTreeSet::new());
        for case in &plan.cases {
            tests.insert(case.id().into_owned());
        }
    }
    let checked = recordings_of(plan, context).check(&project);
    if checked.problems.is_empty() {
        return Ok(checked.orphaned);
    }
    let mut problems = Vec::new();
    for problem in checked.problems {
        let code = match problem.kind {
            ModelProblemKind::RecordedSecret => Code::RecordedSecret,
            _ => Code::ModelRecording,
        };
        let help = problem.help.unwrap_or_default();
        problems.push(Diagnostic::error(code, problem.message).help(help));
    }
    Err(Failed::Problems(problems, redactor))
}

/// Applies fixes and prints them.
fn fix(options: &CheckOptions, context: &Context) -> Result<(), Failed> {
    let selection = Selection {
        checks: true,
        ..options.selection.selection()
    };
    let fixed = ananke::plan::fix(context, &selection)
        .map_err(|problem| Failed::Problems(vec![problem], Redactor::default()))?;
    print(|out| {
        let (count, left) = (fixed.done.len(), fixed.left);
        for Fixed {
            code,
            file,
            line,
            before,
            after,
        } in fixed.done
        {
            let file = escape::line(&file);
            if code == Code::NewerKey {
                let version = after.trim_start_matches("version: ").trim_end();
                let version = version.trim_matches(['"', '\'']);
                writeln!(out, "{file}: raised to version {version}")?;
            } else {
                writeln!(out, "{file}:{line}: `{before}` is now `{after}`")?;
            }
        }
        writeln!(out, "{count} fixed, {left} left\n")
    })?;
    Ok(())
}
