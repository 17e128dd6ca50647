//! What the paths of a selection name: files and directories, and single tests by their ids.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::entry::CaseEntry;
use super::filter::has_id;
use crate::project::ProjectFiles;
use ananke_base::context::{Context, absolute};
use ananke_base::text::escape;

/// The file extensions of what is certainly meant as a path.
const EXTENSIONS: &[&str] = &["json", "jsonl", "yaml", "yml"];

/// What the paths of a command name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NamedTests {
    /// Files and directories of which every test is meant.
    pub(super) paths: Vec<PathBuf>,
    /// Files of which single tests are meant.
    pub(super) files: Vec<PathBuf>,
    /// The tests, as they are written.
    pub(super) tests: Vec<NamedTest>,
    /// Whether one of them may be in any file: its id names none.
    pub(super) is_anywhere: bool,
}

/// A test that is named instead of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedTest {
    /// As it is written.
    pub(super) written: String,
    /// The file, and the name of the test in it.
    place: Option<(PathBuf, String)>,
}

impl NamedTests {
    /// Separates paths and ids: what exists is a path, and so is what looks like one. The file before `::` is looked for
    /// in the working directory and in `folder`, which ids are relative to.
    pub(super) fn of(written: &[PathBuf], context: &Context, folder: &Path) -> Self {
        let mut named = Self::default();
        for path in written {
            let text = path.to_string_lossy().into_owned();
            let place = place(&text, context, folder);
            let is_path = context.files.look(&absolute(context, path)).is_ok();
            let extension = path.extension().and_then(OsStr::to_str);
            let has_extension = extension.is_some_and(|extension| EXTENSIONS.contains(&extension));
            let is_like_path =
                !text.contains("::") && (has_extension || text.contains(['/', '\\']));
            if is_path || (is_like_path && place.is_none()) {
                named.paths.push(path.clone());
                continue;
            }
            match &place {
                Some((file, _)) => named.files.push(file.clone()),
                None => named.is_anywhere = true,
            }
            named.tests.push(NamedTest {
                written: text,
                place,
            });
        }
        named
    }

    /// The files that are named, found by `discover`: those of the whole project if nothing is, or a test may be in any.
    pub(super) fn files(
        &self,
        mut discover: impl FnMut(&[PathBuf]) -> ProjectFiles,
    ) -> ProjectFiles {
        let paths = [&*self.paths, &self.files].concat();
        let mut found = discover(&paths);
        if self.is_anywhere && !paths.is_empty() {
            found.extend(discover(&[]));
        }
        found
    }

    /// Whether a test is named, or is in what is named.
    pub(super) fn contains(&self, case: &CaseEntry, context: &Context) -> bool {
        self.tests.is_empty()
            || self.tests.iter().any(|test| test.is(case))
            || self
                .paths
                .iter()
                .any(|path| case.test.path.starts_with(absolute(context, path)))
    }
}

impl NamedTest {
    /// Whether `case` is the test, or one of its rows.
    pub(super) fn is(&self, case: &CaseEntry) -> bool {
        let name = &case.test.name;
        let is_in_place = self.place.as_ref().is_some_and(|(file, written)| {
            *file == case.test.path
                && (is_shown_as(name, written)
                    || case
                        .row
                        .as_ref()
                        .is_some_and(|row| is_shown_as(&format!("{name}[{}]", row.label), written)))
        });
        is_in_place
            || has_id(case, &self.written)
            || is_shown_as(&case.test.id, &self.written)
            || is_shown_as(&case.id(), &self.written)
    }
}

/// Whether reports show `text` as `written`.
fn is_shown_as(text: &str, written: &str) -> bool {
    text == written || escape::line(text) == written
}

/// The file in front of one `::` of `text`, and what is after it.
fn place(text: &str, context: &Context, folder: &Path) -> Option<(PathBuf, String)> {
    text.match_indices("::").find_map(|(at, separator)| {
        let file = Path::new(&text[..at]);
        let places = [absolute(context, file), folder.join(file)];
        let found = places
            .into_iter()
            .find(|path| context.files.is_file(path))?;
        Some((found, text[at + separator.len()..].to_owned()))
    })
}
