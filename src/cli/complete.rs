//! Answers a shell that completes a command line.

use std::ffi::OsString;
use std::path::Path;

use ananke::context::Context;
use clap_complete::env::CompleteEnv;

use super::arguments::command;
use super::candidates::with_candidates;
use super::completions::VARIABLE;

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
