//! The directory of what ananke remembers of a project's runs, next to the config. It is never committed: it ignores
//! itself.

use std::io;
use std::path::Path;

use ananke_base::context::write_file;

/// The name of the directory.
pub(crate) const FOLDER: &str = ".ananke";

/// Creates the directory in `project`, the directory of the config, with what keeps it out of version control.
///
/// # Errors
/// If nothing can be written there.
pub(crate) fn make_own_folder(project: &Path) -> io::Result<()> {
    let ignored = project.join(FOLDER).join(".gitignore");
    if ignored.exists() {
        return Ok(());
    }
    write_file(
        &ignored,
        b"# What ananke remembers of its last runs on this machine.\n*\n",
    )
}
