//! Paths as people write them, and as messages show them; names that some file systems keep for devices.

use std::path::{Component, Path, PathBuf};

use super::Context;

/// `path` relative to the working directory, with `~` at its start as the home directory, without `.` and `..` parts.
pub fn absolute(context: &Context, path: &Path) -> PathBuf {
    absolute_from(context, &context.working_directory, path)
}

/// The same, relative to `folder`.
pub fn absolute_from(context: &Context, folder: &Path, path: &Path) -> PathBuf {
    absolute_at(context.home.as_deref(), folder, path)
}

/// The same for a user with this home directory.
pub fn absolute_at(home: Option<&Path>, folder: &Path, path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    let home = home.map(|home| home.to_string_lossy().into_owned());
    let expanded = shellexpand::tilde_with_context(&text, || home);
    let joined = folder.join(expanded.as_ref());
    let mut plain = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The name of `path` in messages: relative to the working directory if it is inside it, with `/`.
pub fn display_name(context: &Context, path: &Path) -> String {
    let shown = path
        .strip_prefix(&context.working_directory)
        .unwrap_or(path);
    let without_extension = shown.with_extension("");
    let shown = if context.files.is_given(path) {
        &without_extension
    } else {
        shown
    };
    let text = shown.to_string_lossy().replace('\\', "/");
    if text.is_empty() {
        ".".to_owned()
    } else {
        text
    }
}

/// Names that some file systems keep for devices, whatever ending follows.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Whether `name`, in lower case and without an ending, names a device somewhere.
pub fn is_device(name: &str) -> bool {
    let is_port = |kind: &str| {
        name.strip_prefix(kind)
            .is_some_and(|number| number.len() == 1)
    };
    RESERVED.contains(&name) || is_port("com") || is_port("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_known() {
        assert!(["con", "aux", "com1", "lpt9"].into_iter().all(is_device));
        assert!(
            !["cone", "com", "com10", "computer", ""]
                .into_iter()
                .any(is_device)
        );
    }
}
