//! Files that look like tests and that the search for tests does not reach: below linked and ignored directories, and with another
//! letter case in their names. They are not run; they are named, so that none vanishes without a word (SPEC 10).
//!
//! Flows in: the directories that were searched. Flows out: one note. **Invariant:** no directory is entered twice, whatever
//! links lead to it, and no more than a bounded number of entries is looked at.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::config_file::CONFIG_NAME;
use ananke_base::context::{Context, display_name};
use ananke_base::diagnostic::{Code, Diagnostic};

/// The most entries of directories that are looked at.
const MOST_ENTRIES: usize = 10_000;

/// The file in the directory of a virtual environment of Python.
const VIRTUAL_ENVIRONMENT: &str = "pyvenv.cfg";

/// The reason that a file is not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unreached {
    /// Below a link to a directory.
    Linked,
    /// Below a directory that `.gitignore` excludes.
    Ignored,
    /// The globs match it in another letter case.
    LetterCase,
}

/// The files that look like tests and are not reached, and why.
#[derive(Debug, Default)]
pub(super) struct UnreachedTests {
    files: BTreeMap<PathBuf, Unreached>,
    /// Whether there were too many entries to look at all.
    is_partial: bool,
}

/// The directories of one search.
pub(super) struct SearchedFolders<'a> {
    /// The directory in which it began.
    pub(super) start: &'a Path,
    /// Those that it entered.
    pub(super) entered: &'a [PathBuf],
    /// Those with a config of their own, which it knows.
    pub(super) nested: &'a [PathBuf],
    /// The names of directories of tools, in which no tests are looked for.
    pub(super) of_tools: &'a [&'static str],
}

impl UnreachedTests {
    /// Adds the file at `path`.
    pub(super) fn add(&mut self, path: PathBuf, why: Unreached) {
        self.files.insert(path, why);
    }

    /// Adds the files for which `is_like_test` is true in the directories that a search met and did not enter.
    pub(super) fn look(
        &mut self,
        searched: &SearchedFolders<'_>,
        is_like_test: impl Fn(&Path) -> bool,
    ) {
        let entered: HashSet<&Path> = searched.entered.iter().map(PathBuf::as_path).collect();
        let real_start = fs::canonicalize(searched.start).ok();
        let is_entered = |real: &Path| {
            let start = real_start.as_deref();
            let below = start.and_then(|start| real.strip_prefix(start).ok());
            // An empty path at the end would add a separator.
            below.is_some_and(|below| {
                let is_start = below.as_os_str().is_empty();
                is_start || entered.contains(&*searched.start.join(below))
            })
        };

        // What was entered is known: only the directories in it that were not are of interest.
        let mut waiting = Vec::new();
        for folder in searched.entered {
            let met = directories_in(folder, searched.of_tools);
            waiting.extend(
                met.into_iter()
                    .filter(|(path, _)| !entered.contains(&**path)),
            );
        }
        waiting.retain(|(path, _)| !searched.nested.contains(path));
        waiting.reverse();

        // Each is entered once, by what it is behind all links.
        let mut seen = BTreeSet::new();
        let mut left = MOST_ENTRIES;
        while let Some((folder, why)) = waiting.pop() {
            let Ok(real) = fs::canonicalize(&folder) else {
                continue;
            };
            let is_other =
                [CONFIG_NAME, VIRTUAL_ENVIRONMENT].map(|name| folder.join(name).is_file());
            if is_other.contains(&true) || is_entered(&real) || !seen.insert(real) {
                continue;
            }
            for path in entries(&folder) {
                if left == 0 {
                    self.is_partial = true;
                    return;
                }
                left -= 1;
                if is_like_test(&path) && path.is_file() {
                    self.add(path, why);
                }
            }
            for (path, further) in directories_in(&folder, searched.of_tools) {
                // What is below a link stays below it.
                waiting.push((path, why.min(further)));
            }
        }
    }

    /// The note that names them; `None` if there are none.
    pub(super) fn note(&self, context: &Context) -> Option<Diagnostic> {
        let (first, why) = self.files.first_key_value()?;
        let shown = display_name(context, first);
        let mut counts: BTreeMap<Unreached, (usize, &Path)> = BTreeMap::new();
        for (path, why) in &self.files {
            counts.entry(*why).or_insert((0, path)).0 += 1;
        }
        let message = if self.files.len() == 1 {
            format!(
                "`{shown}` looks like a test and is not run: it {}",
                why.of_one()
            )
        } else {
            let reasons = counts
                .iter()
                .map(|(why, (count, _))| format!("{count} {}", why.of_many()));
            let reasons = reasons.collect::<Vec<_>>().join(", ");
            let more = self.files.len() - 1;
            format!("`{shown}` and {more} more look like tests and are not run: {reasons}")
        };
        let mut note = Diagnostic::note(Code::LeftOut, message);
        for (why, (_, first)) in counts {
            note = note.help(why.help(first, context));
        }
        if self.is_partial {
            note = note.help("there are more directories, in which nothing was looked for");
        }
        Some(note)
    }
}

impl Unreached {
    /// The end of the sentence about one file.
    fn of_one(self) -> &'static str {
        match self {
            Self::Linked => "is below a linked directory",
            Self::Ignored => "is below a directory that `.gitignore` excludes",
            Self::LetterCase => "has another letter case than `specs`",
        }
    }

    /// The words after the number of files.
    fn of_many(self) -> &'static str {
        match self {
            Self::Linked => "below a linked directory",
            Self::Ignored => "below a directory that `.gitignore` excludes",
            Self::LetterCase => "in another letter case than `specs`",
        }
    }

    /// The remedy for files of which `first` is one.
    fn help(self, first: &Path, context: &Context) -> String {
        match self {
            Self::Linked => "name the linked directory on the command line".to_owned(),
            Self::Ignored => {
                "take the directory out of `.gitignore`, or name it on the command line".to_owned()
            }
            Self::LetterCase => {
                let name = first.file_name().unwrap_or_default().to_string_lossy();
                let shown = display_name(context, first);
                format!("rename `{shown}` to `{}`", name.to_lowercase())
            }
        }
    }
}

/// The paths of what is in `folder` and not hidden, sorted; none if it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_hidden = |path: &PathBuf| {
        let name = path.file_name().map(OsStr::as_encoded_bytes);
        name.is_some_and(|name| name.starts_with(b"."))
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| !is_hidden(path));
    paths.sort();
    paths
}

/// The directories in `folder`, also those behind links, without hidden ones and those of tools.
fn directories_in(folder: &Path, of_tools: &[&'static str]) -> Vec<(PathBuf, Unreached)> {
    let is_of_tools = |path: &Path| {
        let name = path.file_name();
        of_tools.iter().any(|tool| name == Some(OsStr::new(tool)))
    };
    let mut directories = Vec::new();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if is_hidden || is_of_tools(&path) {
            continue;
        }
        if kind.is_dir() {
            directories.push((path, Unreached::Ignored));
        } else if kind.is_symlink() && path.is_dir() {
            directories.push((path, Unreached::Linked));
        }
    }
    directories.sort();
    directories
}
