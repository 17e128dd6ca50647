//! The last verdict of each test, and which tests did not end, for `--last-failed`.
//!
//! **Invariant:** where a line of the history is missing or cannot be read, nothing is known, until a run of all tests: a test
//! that failed is never taken for one that passed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, Write as _};
use std::path::Path;

use super::HISTORY;
use super::history_file::{MOST_READ, file_end, is_marked_lost};
use super::history_line::{HistoryLine, RunBeginning, RunKind};
use crate::report::own_folder::FOLDER;
use ananke_base::context::Scratch;
use ananke_trace::outcome::Status;

/// The memory of builds of ananke before the history had the beginnings of runs, in the same directory.
const OF_EARLIER_BUILDS: &str = "last-run.json";

/// The last results of the tests in the runs before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastVerdicts {
    /// The newest line of each test that the project has, as far as the runs show it.
    pub(super) tests: BTreeMap<String, LastVerdict>,
    /// The tests that did not end, of each run that was killed, was interrupted or goes on. A test that has ended in a later run is
    /// not among them.
    pub(super) unfinished: BTreeMap<String, BTreeSet<String>>,
    /// True if any run is known.
    has_runs: bool,
    /// True if a line cannot be read, so that the others are not all there is.
    pub(super) is_lost: bool,
}

/// The newest line of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LastVerdict {
    /// The number of the line, from 0.
    pub(super) line: usize,
    has_passed: bool,
}

/// The reason that nothing is known of the runs before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// No run was made yet.
    NoRun,
    /// All runs were made by builds of ananke that remembered them otherwise.
    EarlierBuild,
    /// The file is there and cannot be used.
    Unusable,
    /// A run could not write what came of its tests.
    Lost,
    /// Nothing can be written there: the last run could not write anything either.
    Unwritable,
}

impl LastVerdicts {
    /// The last results that the project in `folder` has stored.
    ///
    /// # Errors
    /// If it remembers nothing.
    pub fn read(folder: &Path) -> Result<Self, Unknown> {
        if is_marked_lost(folder) {
            return Err(Unknown::Lost);
        }
        let known = Self::written(folder)?;
        if known.is_lost {
            return Err(Unknown::Lost);
        }
        let probe = Scratch::beside(&folder.join(HISTORY), "part");
        let written = probe.and_then(|mut probe| probe.file.write_all(b"{}"));
        match written {
            Ok(()) => Ok(known),
            Err(_) => Err(Unknown::Unwritable),
        }
    }

    /// The last results of the project in `folder`, as far as they are known.
    pub fn known(folder: &Path) -> Self {
        Self::written(folder).unwrap_or_default()
    }

    fn written(folder: &Path) -> Result<Self, Unknown> {
        let end = file_end(folder, MOST_READ).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                if folder.join(FOLDER).join(OF_EARLIER_BUILDS).exists() {
                    Unknown::EarlierBuild
                } else {
                    Unknown::NoRun
                }
            }
            _ => Unknown::Unusable,
        })?;
        let mut known = Self::default();
        for (at, line) in end.lines().enumerate() {
            known.note(at, HistoryLine::read(line).as_ref());
        }
        known.is_lost |= end.has_more;
        if known.has_runs {
            Ok(known)
        } else if known.tests.is_empty() {
            Err(Unknown::Unusable)
        } else {
            Err(Unknown::EarlierBuild)
        }
    }

    /// Takes in the next line, whose number is `at`; `None` is one that cannot be read.
    pub(super) fn note(&mut self, at: usize, line: Option<&HistoryLine>) {
        match line {
            Some(HistoryLine::Began(run)) => self.begin(run),
            Some(HistoryLine::Test(test)) => {
                // A test that is in no file cannot be run by its id.
                if test.kind == RunKind::Given {
                    return;
                }
                self.end(&test.id);
                let verdict = LastVerdict {
                    line: at,
                    has_passed: test.status == Status::Passed,
                };
                match self.tests.get_mut(&*test.id) {
                    Some(known) => *known = verdict,
                    None => _ = self.tests.insert(test.id.to_string(), verdict),
                }
            }
            Some(HistoryLine::Ended(run)) => _ = self.unfinished.remove(&*run.ended),
            // Earlier builds wrote other lines.
            None => self.is_lost |= self.has_runs,
        }
    }

    fn begin(&mut self, run: &RunBeginning) {
        self.has_runs = true;
        for gone in &run.gone {
            self.tests.remove(gone);
            self.end(gone);
        }
        if run.all {
            // The others were deleted, and what was lost is found out again.
            let all: HashSet<&String> = run.selected.iter().chain(&run.skipped).collect();
            self.tests.retain(|id, _| all.contains(id));
            for tests in self.unfinished.values_mut() {
                tests.retain(|id| all.contains(id));
            }
            self.is_lost = false;
        }
        let selected = run.selected.iter().cloned().collect();
        self.unfinished.insert(run.began.clone(), selected);
    }

    /// The test `id` is not unfinished any more.
    fn end(&mut self, id: &str) {
        for tests in self.unfinished.values_mut() {
            tests.remove(id);
        }
    }

    /// Whether every test passed.
    pub fn is_clean(&self) -> bool {
        let mut unfinished = self.unfinished.values();
        unfinished.all(BTreeSet::is_empty) && self.tests.values().all(|last| last.has_passed)
    }

    /// Whether the test `id` did not pass when it ran last, or did not end.
    pub fn failed(&self, id: &str) -> bool {
        self.is_failing(id) || self.is_unfinished(id)
    }

    /// Whether the test `id` did not begin, or did not end, in a run that did not come to its end.
    pub fn is_unfinished(&self, id: &str) -> bool {
        self.unfinished.values().any(|tests| tests.contains(id))
    }

    /// Whether the test `id` did not pass when it ran last.
    pub fn is_failing(&self, id: &str) -> bool {
        self.tests.get(id).is_some_and(|last| !last.has_passed)
    }

    /// The tests that did not pass when they ran last, of which `exists` is false.
    pub fn failed_without(&self, exists: impl Fn(&str) -> bool) -> Vec<String> {
        let failing = self.tests.iter().filter(|(_, last)| !last.has_passed);
        let gone = failing.filter(|(id, _)| !exists(id));
        gone.map(|(id, _)| id.clone()).collect()
    }
}
