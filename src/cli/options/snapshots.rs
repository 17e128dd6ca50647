//! The snapshots that a run may write: by the command line, and by the environment.

use clap::ValueEnum;

use ananke::assertion::Writing;
use ananke::context::Context;

/// Which snapshots are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Update {
    /// Missing and changed snapshots; unused ones are deleted
    All,
    /// Changed snapshots
    Changed,
    /// Missing snapshots
    Missing,
}

/// Whether the program runs on a CI server, as the environment variable `CI` says.
pub(crate) fn is_on_server(context: &Context) -> bool {
    context
        .variable("CI")
        .is_some_and(|ci| !ci.is_empty() && ci != "false" && ci != "0")
}

/// The snapshots that are written.
///
/// # Errors
/// If snapshots are to be written on a CI server; the text says so.
pub(crate) fn writing(update: Option<Update>, context: &Context) -> Result<Writing, String> {
    let on_server = is_on_server(context);
    match (update, on_server) {
        (Some(_), true) => Err(
            "`--update-snapshots` does not go with the environment variable `CI`: what it wrote would be lost\n\
             help: run it on your own machine and commit the files, or unset `CI`"
                .to_owned(),
        ),
        (None, true) => Ok(Writing::default()),
        (None | Some(Update::Missing), false) => Ok(Writing { missing: true, ..Writing::default() }),
        (Some(Update::Changed), false) => Ok(Writing { changed: true, ..Writing::default() }),
        (Some(Update::All), false) => Ok(Writing { missing: true, changed: true, obsolete: true }),
    }
}
