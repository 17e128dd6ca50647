//! The walks of CONTRIBUTING.md name files and symbols that exist.
//!
//! A row of a table there begins with a path. The names in code beside it are in that file, or in one of that folder; in
//! a file that is still to be made (its name is in capitals) they cannot be, but its folder exists.

use std::fs;
use std::path::Path;

/// The texts between single backticks of `line`.
fn code(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// Whether a name in a path stands for one of the reader's choice: `PROTOCOL`, `RULE.rs`.
fn is_placeholder(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    !stem.is_empty() && stem.chars().all(|character| character.is_ascii_uppercase())
}

/// Everything that is written in a file, or in the files of a folder.
fn text(path: &Path) -> Option<String> {
    if path.is_file() {
        return fs::read_to_string(path).ok();
    }
    let files = fs::read_dir(path)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file());
    Some(
        files
            .filter_map(|path| fs::read_to_string(path).ok())
            .collect(),
    )
}

/// Whether `name` is a word of `text`.
fn has_word(text: &str, name: &str) -> bool {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
        .any(|word| word == name)
}

/// What is wrong with the rows of `page`, whose paths are from `root`; and how many rows there are.
pub(crate) fn wrong(page: &str, root: &Path) -> (Vec<String>, usize) {
    let mut problems = Vec::new();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    for row in rows.clone() {
        let code = code(row);
        let Some((path, names)) = code.split_first() else {
            continue;
        };
        let existing: Vec<&str> = path
            .trim_end_matches('/')
            .split('/')
            .take_while(|name| !is_placeholder(name))
            .collect();
        let existing = existing.join("/");
        let Some(text) = text(&root.join(&existing)) else {
            problems.push(format!("`{path}`: there is no `{existing}`"));
            continue;
        };
        let is_new = existing != path.trim_end_matches('/');
        let missing = names
            .iter()
            .filter(|name| !is_new && !name.contains('-') && !has_word(&text, name));
        problems.extend(missing.map(|name| format!("`{path}` does not contain `{name}`")));
    }
    (problems, rows.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_not_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let check = |row: &str| wrong(row, root).0.len();
        assert_eq!(check("| `src/lib.rs` | `Workspace` |"), 0);
        assert_eq!(check("| `src/lib.rs` | `Workspac` |"), 1);
        assert_eq!(check("| `src/nothing.rs` | |"), 1);
        assert_eq!(check("| `crates/PROTOCOL/src/` | a `Protocol` |"), 0);
        assert_eq!(check("| `src/agentss/PROTOCOL/` | |"), 1);
    }
}
