//! A test that a command names by its id or its name.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::filter::has_id;
use super::named_place::NamedPlace;
use crate::loaded::CaseEntry;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::text::{any_of, escape, nearest};

/// The most ids that are offered for a name of several tests.
const MOST_IDS: usize = 10;

/// A test that is named instead of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedTest {
    /// The argument as it is written.
    written: String,
    /// The file, and the name of the test in it.
    place: Option<(PathBuf, String)>,
}

impl NamedTest {
    /// The test that `written` names: the file before `::` is looked for.
    pub(super) fn of(written: &str, place: &NamedPlace<'_>) -> Self {
        let separators = written.match_indices("::");
        let mut places = separators.filter_map(|(at, separator)| {
            let file = place.find(Path::new(&written[..at]))?;
            let is_file = place.context.files.is_file(&file);
            is_file.then(|| (file, written[at + separator.len()..].to_owned()))
        });
        Self {
            place: places.next(),
            written: written.to_owned(),
        }
    }

    /// Its file; `None` if it may be in any.
    pub(super) fn file(&self) -> Option<&Path> {
        self.place.as_ref().map(|(file, _)| file.as_path())
    }

    /// The positions of those `cases` that it is: the one with this id, else the only one with this name, or the rows of it.
    ///
    /// # Errors
    /// If there is none, or several have the name.
    pub(super) fn find(&self, cases: &[CaseEntry]) -> Result<Vec<usize>, Diagnostic> {
        let positions = |is_meant: &dyn Fn(&CaseEntry) -> bool| -> Vec<usize> {
            let all = cases.iter().enumerate();
            all.filter(|(_, case)| is_meant(case))
                .map(|(at, _)| at)
                .collect()
        };
        let by_id = positions(&|case| self.has_id(case));
        if !by_id.is_empty() {
            return Ok(by_id);
        }
        let by_name = positions(&|case| is_called(case, &self.written));
        let mut tests: Vec<&CaseEntry> = by_name.iter().filter_map(|at| cases.get(*at)).collect();
        tests.dedup_by(|one, other| one.is_of_same_test(other));
        match tests.as_slice() {
            [] => Err(unknown_test(&self.written, cases)),
            [_] => Ok(by_name),
            several => Err(self.ambiguous(several)),
        }
    }

    /// True if `case` is the test with this id, or one of its rows.
    fn has_id(&self, case: &CaseEntry) -> bool {
        let is_in_place = self
            .place
            .as_ref()
            .is_some_and(|(file, name)| *file == case.test.path && is_called(case, name));
        is_in_place
            || has_id(case, &self.written)
            || is_shown_as(&case.test.id, &self.written)
            || is_shown_as(&case.id(), &self.written)
    }

    fn ambiguous(&self, tests: &[&CaseEntry]) -> Diagnostic {
        let message = format!(
            "{} tests have the name `{}`, expected a name that one test has",
            tests.len(),
            self.written
        );
        let id = |case: &CaseEntry| {
            if case.test.name == self.written {
                format!("`{}`", case.test.id)
            } else {
                format!("`{}`", case.id())
            }
        };
        let listed = tests.iter().take(MOST_IDS);
        let mut ids: Vec<String> = listed.map(|case| id(case)).collect();
        if let Some(more) = tests.len().checked_sub(MOST_IDS).filter(|more| *more > 0) {
            ids.push(format!("one of {more} more"));
        }
        Diagnostic::error(Code::NoTests, message)
            .help(format!("name one of them by its id: {}", any_of(&ids)))
    }
}

/// True if the test, or the row of it, has this name.
fn is_called(case: &CaseEntry, written: &str) -> bool {
    let name = &case.test.name;
    is_shown_as(name, written)
        || case
            .row
            .as_ref()
            .is_some_and(|row| is_shown_as(&format!("{name}[{}]", row.label), written))
}

/// True if reports show `text` as `written`.
fn is_shown_as(text: &str, written: &str) -> bool {
    text == written || escape::line(text) == written
}

/// The problem of an argument that names neither a test nor a path.
fn unknown_test(written: &str, cases: &[CaseEntry]) -> Diagnostic {
    if written.contains("::") {
        return unknown_id(written, cases);
    }
    let message = format!("there is no file, no directory and no test `{written}`");
    let problem = Diagnostic::error(Code::NoTests, message);
    if let Some(nearest) = nearest(written, ids(cases).chain(names_and_paths(cases))) {
        return problem.help(format!("did you mean `{nearest}`?"));
    }
    let of_file = cases.iter().find(|case| is_stem(&case.test.file, written));
    let is_word = written.chars().all(char::is_alphanumeric);
    let is_part = || is_word && ids(cases).any(|id| id.contains(written));
    problem.help(match of_file {
        Some(case) => format!("did you mean `{}`?", escape::line(&case.test.file)),
        None if is_part() => {
            format!("`-k {written}` runs the tests whose ids contain it")
        }
        None => "`ananke list` prints the ids of the tests with their files".to_owned(),
    })
}

/// Whether `written` is the path of `file`, or its name, without its extension.
fn is_stem(file: &str, written: &str) -> bool {
    let is_before_extension = |path: &str| {
        path.strip_prefix(written)
            .is_some_and(|rest| rest.starts_with('.'))
    };
    let name = Path::new(file).file_name().and_then(|name| name.to_str());
    !written.is_empty() && (is_before_extension(file) || name.is_some_and(is_before_extension))
}

/// The problem of an id that no test has.
pub(super) fn unknown_id(id: &str, cases: &[CaseEntry]) -> Diagnostic {
    let problem = Diagnostic::error(Code::NoTests, format!("no test has the id `{id}`"));
    problem.help(match nearest_id(id, cases) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`ananke list` prints the ids".to_owned(),
    })
}

/// The id that was most likely meant.
pub(super) fn nearest_id(written: &str, cases: &[CaseEntry]) -> Option<String> {
    nearest(written, ids(cases)).map(Cow::into_owned)
}

fn ids(cases: &[CaseEntry]) -> impl Iterator<Item = Cow<'_, str>> {
    let all = cases.iter();
    all.flat_map(|case| [Cow::Borrowed(case.test.id.as_str()), case.id()])
}

/// The names of tests, of their files, and of the directories of these.
fn names_and_paths(cases: &[CaseEntry]) -> impl Iterator<Item = Cow<'_, str>> {
    cases.iter().flat_map(|case| {
        let above = Path::new(&case.test.file)
            .ancestors()
            .filter_map(Path::to_str);
        let names = [case.test.name.as_str()].into_iter().chain(above);
        names.map(Cow::Borrowed)
    })
}
