//! `ananke check`: load everything, run nothing.

use std::io::Write as _;

use ananke::context::Context;
use ananke::redact::Redactor;

use super::arguments::CheckOptions;
use super::exit::Exit;
use super::problems::{self, Purpose};

/// Loads what is selected and says whether it is well.
pub(super) fn check(options: &CheckOptions, context: &Context) -> Exit {
    let purpose = Purpose { deny_warnings: options.strictness.deny_warnings, ..Purpose::default() };
    match problems::load(&options.selection, purpose, context, &Redactor::default()) {
        Ok(plan) => {
            let (tests, files) = (plan.cases.len(), plan.files);
            let counted =
                |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
            let mut stdout = std::io::stdout().lock();
            let _ = writeln!(stdout, "{} in {}: no errors", counted(tests, "test"), counted(files, "file"));
            Exit::Success
        }
        Err(exit) => exit,
    }
}
