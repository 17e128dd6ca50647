//! The directory of what ananke remembers of a project's runs, next to the config. It is never committed: it ignores
//! itself.

use std::path::Path;
use std::{fs, io};

use ananke_base::context::{Scratch, write_file};
use ananke_base::source::reason;

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

/// Creates the directory for a run that begins, if files can be made in it.
///
/// # Errors
/// The warning of a run of which nothing is kept or remembered: what is there instead of the directory, and what to do.
pub fn prepare_own_folder(project: &Path) -> Result<(), String> {
    let prepared = make_own_folder(project)
        .and_then(|()| Scratch::beside(&project.join(FOLDER).join("probe"), "part"));
    let Err(error) = prepared else {
        return Ok(());
    };
    let path = project.join(FOLDER);
    let found = fs::symlink_metadata(&path).ok();
    let (found, help) = match found.map(|found| found.file_type()) {
        Some(kind) if kind.is_symlink() && !path.is_dir() => (
            "is a link to something that is not a directory".to_owned(),
            "remove the link, or create the directory that it names".to_owned(),
        ),
        Some(kind) if !kind.is_dir() && !kind.is_symlink() => (
            "is not a directory".to_owned(),
            "remove or rename it: ananke creates a directory with this name".to_owned(),
        ),
        _ => (
            format!("cannot be written ({})", reason(&error)),
            format!(
                "ananke writes to `{}`: is it yours, and has its disk room?",
                path.display()
            ),
        ),
    };
    Err(format!(
        "warning: `{FOLDER}` {found}: nothing of this run is kept, and the next `--last-failed` runs every test\nhelp: {help}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_place_of_the_directory_is_named() {
        let project = std::env::temp_dir().join(format!("ananke-own-{}", std::process::id()));
        let _is_new = fs::remove_dir_all(&project);
        fs::create_dir_all(&project).unwrap();
        let own = project.join(FOLDER);
        assert_eq!(prepare_own_folder(&project), Ok(()));
        let left: Vec<_> = fs::read_dir(&own).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        fs::remove_dir_all(&own).unwrap();
        fs::write(&own, "mine").unwrap();
        assert_eq!(
            prepare_own_folder(&project).unwrap_err(),
            "warning: `.ananke` is not a directory: nothing of this run is kept, and the next `--last-failed` runs every test\n\
             help: remove or rename it: ananke creates a directory with this name"
        );
        assert_eq!(fs::read_to_string(&own).unwrap(), "mine");
        fs::remove_file(&own).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("nowhere", &own).unwrap();
            let warning = prepare_own_folder(&project).unwrap_err();
            assert!(
                warning.contains("`.ananke` is a link to something that is not a directory"),
                "{warning}"
            );
            // A link to a directory is one.
            fs::create_dir(project.join("nowhere")).unwrap();
            assert_eq!(prepare_own_folder(&project), Ok(()));
        }
        let missing = project.join("a file");
        fs::write(&missing, "").unwrap();
        let warning = prepare_own_folder(&missing).unwrap_err();
        assert!(
            warning.contains("`.ananke` cannot be written ("),
            "{warning}"
        );
        fs::remove_dir_all(&project).unwrap();
    }
}
