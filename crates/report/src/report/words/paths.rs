//! Paths of files that messages name, for readers in another directory than the run.

use std::path::{Component, Path, PathBuf};

/// The place of `shown`, a path as in messages, in a run that was started in `working_directory`: without `.` and `..`,
/// and whether it exists or not.
pub(crate) fn absolute(working_directory: &Path, shown: &str) -> PathBuf {
    let mut absolute = PathBuf::new();
    for part in working_directory.join(shown).components() {
        match part {
            Component::ParentDir => {
                absolute.pop();
            }
            Component::CurDir => {}
            part => absolute.push(part),
        }
    }
    absolute
}

/// `absolute` as it is named from `folder`; `None` where it is elsewhere.
pub(crate) fn from(folder: &Path, absolute: &Path) -> Option<String> {
    absolute.strip_prefix(folder).ok().map(with_slashes)
}

/// A path as all platforms read it.
pub(crate) fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
