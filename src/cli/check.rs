//! `ananke check`: load everything, run nothing.

use std::io::Write as _;

use ananke::context::Context;
use ananke::plan::raise_versions;
use ananke::redact::Redactor;

use super::arguments::CheckOptions;
use super::exit::Exit;
use super::problems::{self, Purpose};
use ananke::text::escape;

/// Loads what is selected and says whether it is well.
pub(super) fn check(options: &CheckOptions, context: &Context) -> Exit {
    if options.fix && !fix(options, context) {
        return Exit::Failure;
    }
    let purpose =
        Purpose { deny_warnings: options.strictness.deny_warnings, checks: true, ..Purpose::default() };
    match problems::load(&options.selection, purpose, context, &Redactor::default()) {
        Ok(plan) => {
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

/// Mends what can be mended and says what was; `false` where a file could not be written.
fn fix(options: &CheckOptions, context: &Context) -> bool {
    let selection = problems::selection(&options.selection, Purpose::default());
    match raise_versions(context, &selection) {
        Ok(raised) => {
            let mut stdout = std::io::stdout().lock();
            for (file, version) in raised {
                let _ = writeln!(stdout, "{}: raised to version {version}", escape::line(&file));
            }
            true
        }
        Err(problem) => {
            problems::print(&[problem], options.selection.color, context, &Redactor::default());
            false
        }
    }
}
