//! Finds the test files of a project and their snapshots.

use std::collections::BTreeSet;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use super::config_file::{CONFIG_NAME, nearest};
use super::own_output::has_own_output;
use super::unreached_tests::{SearchedFolders, Unreached, UnreachedTests};
use ananke_base::context::{Context, absolute, display_name};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::source::reason;
use ananke_base::text::natural_path_order;
use ananke_trace::golden;

/// Directories of installed packages and of builds, in which no tests are looked for.
const OF_TOOLS: [&str; 5] = ["node_modules", "venv", "target", "dist", "__pycache__"];

/// The most files and directories that are looked at for a config that may be below.
const MOST_WALKED: usize = 10_000;

/// The globs without a setting (SPEC 1).
pub(crate) fn default_specs() -> Vec<String> {
    vec!["**/*.test.yaml".to_owned(), "**/*.test.yml".to_owned()]
}

/// The files of a project in its folders.
#[derive(Debug, Default)]
pub(crate) struct ProjectFiles {
    /// The test files, in the natural order of their paths and each once.
    pub(crate) files: Vec<PathBuf>,
    /// The files that may be snapshots of theirs.
    pub(crate) snapshots: BTreeSet<PathBuf>,
}

impl ProjectFiles {
    /// Adds what another search found.
    pub(crate) fn extend(&mut self, more: Self) {
        let files = mem::take(&mut self.files);
        self.files = in_order(files.into_iter().chain(more.files));
        self.files.dedup();
        self.snapshots.extend(more.snapshots);
    }
}

/// The test files of the project in `folder`, or of those only what is at `paths`: a file that is named is a test file
/// whatever its name. With a `config` that was named, a path may belong to another project.
pub(crate) fn discover(
    context: &Context,
    paths: &[PathBuf],
    config: Option<&Path>,
    folder: &Path,
    specs: &[String],
    problems: &mut Vec<Diagnostic>,
) -> ProjectFiles {
    let is_named = |name: &&str| {
        specs
            .iter()
            .any(|glob| glob.split('/').any(|part| part == *name))
    };
    let mut search = TestSearch {
        context,
        folder,
        globs: glob_set(specs, LetterCase::AsWritten),
        any_case: glob_set(specs, LetterCase::Any),
        of_tools: OF_TOOLS
            .into_iter()
            .filter(|name| !is_named(name))
            .collect(),
        files: BTreeSet::new(),
        snapshots: BTreeSet::new(),
        unreached: UnreachedTests::default(),
    };
    if paths.is_empty() {
        search.walk(folder, problems);
    }
    for named in paths {
        let path = absolute(context, named);
        if config.is_none()
            && let Some(other) =
                nearest(&context.files, &path).filter(|nearest| nearest.parent() != Some(folder))
        {
            problems.push(other_config(context, named, folder, &other));
        } else if context.files.is_directory(&path) {
            search.walk(&path, problems);
        } else {
            search.snapshots.extend(snapshots_of(context, &path));
            search.files.insert(path);
        }
    }
    problems.extend(search.unreached.note(context));
    ProjectFiles {
        files: in_order(search.files),
        snapshots: search.snapshots,
    }
}

fn in_order(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = paths.into_iter().collect();
    paths.sort_by(|one, other| natural_path_order(one, other));
    paths
}

fn other_config(context: &Context, named: &Path, folder: &Path, other: &Path) -> Diagnostic {
    let message = format!(
        "`{}` belongs to `{}`, this run to `{}`",
        named.display(),
        display_name(context, other),
        display_name(context, &folder.join(CONFIG_NAME))
    );
    Diagnostic::error(Code::OtherConfig, message)
        .help("one run has one config: run them one after the other")
}

/// True if the globs of the project in `folder` match the file at `path`.
pub(crate) fn is_spec(path: &Path, folder: &Path, specs: &[String]) -> bool {
    glob_set(specs, LetterCase::AsWritten).is_match(path.strip_prefix(folder).unwrap_or(path))
}

/// The directories of the project in `folder` in which files may matter to its tests: without those that git ignores, hidden
/// ones, those of tools, and those with a config of their own.
pub fn directories(context: &Context, folder: &Path) -> Vec<PathBuf> {
    let entries = Walker::below(context, folder, &OF_TOOLS).entries.flatten();
    let directories = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
    directories.map(ignore::DirEntry::into_path).collect()
}

/// A search in the directories of a project.
struct TestSearch<'a> {
    context: &'a Context,
    /// The directory of the project, from which the globs count.
    folder: &'a Path,
    /// The names of test files.
    globs: GlobSet,
    /// The same in any letter case.
    any_case: GlobSet,
    /// The names of directories that are skipped.
    of_tools: Vec<&'static str>,
    /// The test files that were found.
    files: BTreeSet<PathBuf>,
    /// The files that were found and may be snapshots.
    snapshots: BTreeSet<PathBuf>,
    /// The files that look like tests and are none of them.
    unreached: UnreachedTests,
}

/// The letter case in which a glob matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LetterCase {
    AsWritten,
    Any,
}

impl TestSearch<'_> {
    /// Whether the name of the file at `path` is that of a test in another letter case.
    fn is_spec_in_other_case(&self, path: &Path) -> bool {
        let name = path.strip_prefix(self.folder).unwrap_or(path);
        let bytes = name.as_os_str().as_encoded_bytes();
        // Most names need no second look.
        bytes.iter().any(u8::is_ascii_uppercase)
            && self.any_case.is_match(name)
            && !self.globs.is_match(name)
    }

    fn is_spec(&self, path: &Path) -> bool {
        let name = path.strip_prefix(self.folder).unwrap_or(path);
        self.globs.is_match(name) && !has_own_output(&self.context.files, path)
    }

    /// Below `start`, without what `.gitignore` names, hidden directories, those of tools and those with a config of their
    /// own.
    fn walk(&mut self, start: &Path, problems: &mut Vec<Diagnostic>) {
        let context = self.context;
        let is_own = |path: &&Path| {
            let mut between = path
                .ancestors()
                .skip(1)
                .take_while(|folder| *folder != start);
            path.starts_with(start)
                && !between.any(|folder| context.files.is_file(&folder.join(CONFIG_NAME)))
        };
        let unsaved = context.files.unsaved().filter(is_own);
        let unsaved = unsaved.filter(|path| self.is_spec(path));
        let unsaved: Vec<PathBuf> = unsaved.map(Path::to_path_buf).collect();
        self.files.extend(unsaved);
        let mut folders = Vec::new();
        let Walker { entries, nested } = Walker::below(context, start, &self.of_tools);
        for entry in entries {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {
                    folders.push(entry.into_path());
                }
                Ok(entry) => problems.extend(self.add(&entry)),
                Err(error) => problems.push(unreadable(context, start, &error)),
            }
        }
        let ignored = self.left_out(&folders);
        let help = "take it out of `.gitignore`, or name it on the command line";
        problems.extend(not_run(context, &ignored, "`.gitignore` excludes it", help));
        let nested: Vec<PathBuf> = nested
            .lock()
            .map(|nested| nested.iter().cloned().collect())
            .unwrap_or_default();
        let mut unreached = mem::take(&mut self.unreached);
        let searched = SearchedFolders {
            start,
            entered: &folders,
            nested: &nested,
            of_tools: &self.of_tools,
        };
        unreached.look(&searched, |path| {
            self.is_spec(path) || self.is_spec_in_other_case(path)
        });
        self.unreached = unreached;
        let of_nested = self.left_out(&nested);
        let reason = "it belongs to a separate ananke project, whose config is in its directory";
        let help = "run that project by itself, or exclude its directory in `specs`";
        problems.extend(not_run(context, &of_nested, reason, help));
    }

    /// Adds what is no directory, if it is a test file or may be a snapshot. The name of a test may be that of something else:
    /// the problem.
    fn add(&mut self, entry: &ignore::DirEntry) -> Option<Diagnostic> {
        let path = entry.path();
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file())
            || (entry.path_is_symlink() && path.is_file());
        if is_file && self.is_spec(path) {
            self.files.insert(path.to_path_buf());
        } else if is_file && golden::is_named(path) {
            self.snapshots.insert(path.to_path_buf());
        } else if is_file && self.is_spec_in_other_case(path) {
            self.unreached
                .add(path.to_path_buf(), Unreached::LetterCase);
        } else if !is_file && !path.is_dir() && self.is_spec(path) {
            return Some(no_file(self.context, path));
        }
        None
    }

    /// The files in `folders` that look like a test file and are none of the project.
    fn left_out(&self, folders: &[PathBuf]) -> Vec<PathBuf> {
        let files = &self.context.files;
        let is_hidden = |path: &Path| {
            path.file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
        };
        let inside = folders.iter().flat_map(|folder| files.list(folder));
        let like_tests = inside
            .filter(|path| self.is_spec(path) && !is_hidden(path) && !self.files.contains(path));
        in_order(like_tests.filter(|path| files.is_file(path)))
    }
}

/// The problem with a link to nothing, a pipe or the like that is called as a test.
fn no_file(context: &Context, path: &Path) -> Diagnostic {
    let reason = match context.files.look(path) {
        Ok(_) => "it is no file".to_owned(),
        Err(error) => format!("it is a link, and {}", reason(&error)),
    };
    let name = display_name(context, path);
    Diagnostic::error(
        Code::Unreadable,
        format!("`{name}` cannot be read: {reason}"),
    )
    .help("remove it, or give it a name that `specs` of the config does not match")
}

/// A warning about files that are not run, because of `reason`.
fn not_run(context: &Context, paths: &[PathBuf], reason: &str, help: &str) -> Option<Diagnostic> {
    let (first, rest) = paths.split_first()?;
    let first = display_name(context, first);
    let (more, verb) = match rest.len() {
        0 => (String::new(), "is"),
        more => (format!(" and {more} more"), "are"),
    };
    let message = format!("`{first}`{more} {verb} not run: {reason}");
    Some(Diagnostic::warning(Code::LeftOut, message).help(help))
}

/// The files below a directory, without what `.gitignore` names, hidden directories, those of tools and those with a config of their
/// own.
struct Walker {
    entries: ignore::Walk,
    /// The directories with a config of their own, as far as the walk has come.
    nested: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Walker {
    fn below(context: &Context, start: &Path, of_tools: &[&'static str]) -> Self {
        let of_tools = of_tools.to_vec();
        let (own, files_of) = (start.to_path_buf(), context.files.clone());
        let nested = Arc::new(Mutex::new(BTreeSet::new()));
        let found = Arc::clone(&nested);
        let entries = WalkBuilder::new(start)
            .require_git(false)
            .git_global(false)
            .git_exclude(false)
            .ignore(false)
            .filter_entry(move |entry| {
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                let is_nested = is_folder
                    && entry.path() != own
                    && files_of.is_file(&entry.path().join(CONFIG_NAME));
                if is_nested && let Ok(mut found) = found.lock() {
                    found.insert(entry.path().to_path_buf());
                }
                let is_of_tools = is_folder
                    && entry.path() != own
                    && of_tools.iter().any(|name| entry.file_name() == *name);
                !is_nested && !is_of_tools
            })
            .build();
        Self { entries, nested }
    }
}

/// The first configs below `folder`, at most `most`, in the order of their paths.
pub(super) fn configs_below(context: &Context, folder: &Path, most: usize) -> Vec<PathBuf> {
    let directories = Walker::below(context, folder, &OF_TOOLS);
    let _walked = directories.entries.take(MOST_WALKED).count();
    let found = directories
        .nested
        .lock()
        .map(|found| in_order(found.iter().cloned()));
    found
        .unwrap_or_default()
        .into_iter()
        .take(most)
        .map(|folder| folder.join(CONFIG_NAME))
        .collect()
}

/// The snapshots of one test file.
fn snapshots_of(context: &Context, test_file: &Path) -> Vec<PathBuf> {
    let mut paths = context.files.list(&golden::folder(test_file));
    paths.retain(|path| golden::is_named(path));
    paths
}

fn unreadable(context: &Context, start: &Path, error: &ignore::Error) -> Diagnostic {
    let place = display_name(context, place(error).unwrap_or(start));
    let reason = error
        .io_error()
        .map_or_else(|| error.to_string(), ToString::to_string);
    Diagnostic::error(
        Code::Unreadable,
        format!("`{place}` cannot be read: {reason}"),
    )
}

fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            place(err)
        }
        _ => None,
    }
}

/// The set of `patterns`; those that are no glob were reported by the config.
fn glob_set(patterns: &[String], case: LetterCase) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .case_insensitive(case == LetterCase::Any)
            .build();
        if let Ok(glob) = glob {
            builder.add(glob);
        }
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}
