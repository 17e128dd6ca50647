//! The files of the repository, as the rules of the house see them.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// A file: its path with `/`, and its text.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    #[cfg(test)]
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }
}

/// The directory of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file of the repository.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The path of every file of the repository that is not ignored, with `/`, sorted.
pub(crate) fn paths() -> Vec<String> {
    let walk = ignore::WalkBuilder::new(root())
        .hidden(false)
        .sort_by_file_path(Path::cmp)
        .build();
    let files = walk
        .map(|entry| entry.expect("the repository can be read"))
        .filter(|entry| entry.path().is_file());
    let named = files.filter_map(|entry| {
        let path = entry
            .path()
            .strip_prefix(root())
            .ok()?
            .to_str()?
            .replace('\\', "/");
        let ours = !path.starts_with(".git/") && path != ".git" && !path.starts_with("target/");
        ours.then_some(path)
    });
    named.collect()
}

/// Every text file of the repository that is not ignored, sorted by path. They are read once for all rules.
pub(crate) fn repository() -> Vec<File> {
    static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
        let read = |path: String| {
            Some(File {
                text: fs::read_to_string(root().join(&path)).ok()?,
                path,
            })
        };
        paths().into_iter().filter_map(read).collect()
    });
    FILES.clone()
}

/// Whether `path` is a document.
pub(crate) fn is_page(path: &str) -> bool {
    has_extension(path, "md") || path == "llms.txt"
}

/// Whether `path` is one of Rust's.
pub(crate) fn is_rust(path: &str) -> bool {
    has_extension(path, "rs")
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| found == extension)
}

/// The place of a file of code, its crate first: `crates/agui/src/http/mod.rs` is `agui/http/mod.rs`, `src/plan.rs` is
/// `ananke/plan.rs`, `src/cli/run.rs` is `command/cli/run.rs`. `None` for anything else, such as tests and benchmarks.
pub(crate) fn place(path: &str) -> Option<String> {
    if !is_rust(path) {
        return None;
    }
    if let Some(rest) = path.strip_prefix("src/") {
        let is_command = rest == "main.rs" || rest.starts_with("cli/");
        let krate = if is_command { "command" } else { "ananke" };
        return Some(format!("{krate}/{rest}"));
    }
    let (krate, rest) = path.strip_prefix("crates/")?.split_once("/src/")?;
    Some(format!("{krate}/{rest}"))
}

/// The files of code, with their [`place`]s as paths.
pub(crate) fn code() -> Vec<File> {
    let files = repository().into_iter().filter_map(|file| {
        let path = place(&file.path)?;
        Some(File { path, ..file })
    });
    files.collect()
}

/// Every file of Rust that is ours, tests and benchmarks included.
pub(crate) fn rust_files() -> Vec<File> {
    let is_ours = |path: &str| {
        place(path).is_some() || path.starts_with("tests/") || path.starts_with("benches/")
    };
    repository()
        .into_iter()
        .filter(|file| is_rust(&file.path) && is_ours(&file.path))
        .collect()
}
