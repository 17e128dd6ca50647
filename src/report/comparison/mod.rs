//! What changed between two runs, from their reports: which tests fail newly, call other tools, take longer.
//!
//! Flows in: two reports, read back by `reader` as `digest`s, or one and the events of the run that goes (`baseline`).
//! Flows out: a [`Comparison`], told to people by `console`,
//! `markdown` and `html` and to programs by `view`. **Invariant:** two reports of
//! one run have nothing to tell.

mod baseline;
mod change;
mod console;
mod digest;
mod html;
mod markdown;
mod reader;
mod tools;
mod view;
mod words;

use std::path::Path;

use indexmap::IndexMap;

pub use baseline::{Baseline, BaselineReport};
use change::Change;
pub use change::{Kind, Noise};
use digest::{Digest, Whole};
pub use view::schema;

use crate::diagnostic::Diagnostic;
use crate::outcome::Status;

/// What makes a comparison.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// From when on a test is slower.
    pub noise: Noise,
    /// What counts as a regression beside tests that fail newly.
    pub also: Vec<Kind>,
}

/// What changed from one run to another.
#[derive(Debug)]
pub struct Comparison {
    before: Side,
    after: Side,
    /// In the order of the second report; then what only the first has, in its order.
    changes: Vec<Change>,
    /// Tests of the first report that the second run was not to run.
    not_run: usize,
    agents_time: AgentsTime,
    also: Vec<Kind>,
}

/// One of the two runs.
#[derive(Clone, Debug)]
struct Side {
    /// What messages call its report.
    name: String,
    whole: Whole,
}

/// The agent's time in the tests that passed both times.
#[derive(Clone, Copy, Debug, Default)]
struct AgentsTime {
    tests: usize,
    before_us: u64,
    after_us: u64,
}

impl Comparison {
    /// Compares the reports in two files, which messages call by the names beside them.
    ///
    /// # Errors
    /// What is wrong with either.
    pub fn of(before: (&Path, &str), after: (&Path, &str), rules: &Rules) -> Result<Self, Vec<Diagnostic>> {
        let known = match Known::read(before.0, before.1) {
            Ok(known) => known,
            Err(problem) => {
                let other = reader::read(after.0, after.1, &mut |_| {}).err();
                return Err([problem].into_iter().chain(other).collect());
            }
        };
        let mut comparing = Comparing::new(known, rules.noise);
        let whole = reader::read(after.0, after.1, &mut |test| comparing.take(test));
        let side = Side { name: after.1.to_owned(), whole: whole.map_err(|problem| vec![problem])? };
        Ok(comparing.finish(side, true, &rules.also))
    }

    /// How many tests changed in this way.
    fn count(&self, kind: Kind) -> usize {
        self.changes.iter().filter(|change| change.kinds.contains(&kind)).count()
    }

    /// How many regressions there are of each kind that has any.
    fn regressions(&self) -> Vec<(Kind, usize)> {
        let count = |kind: &Kind| {
            let of_kind = |change: &&Change| change.regressions(&self.also).any(|other| other == *kind);
            (*kind, self.changes.iter().filter(of_kind).count())
        };
        Kind::ALL.iter().map(count).filter(|(_, count)| *count > 0).collect()
    }

    /// Whether something became worse.
    pub fn is_regression(&self) -> bool {
        !self.regressions().is_empty()
    }
}

/// A report that another run is compared with.
#[derive(Clone, Debug)]
struct Known {
    side: Side,
    tests: IndexMap<String, Digest>,
}

impl Known {
    fn read(path: &Path, name: &str) -> Result<Self, Diagnostic> {
        let mut tests = IndexMap::new();
        let whole = reader::read(path, name, &mut |test| {
            tests.insert(test.id.clone(), test);
        })?;
        Ok(Self { side: Side { name: name.to_owned(), whole }, tests })
    }
}

/// A comparison in the making: the tests of the second run come one after the other.
struct Comparing {
    before: Side,
    /// Those that did not come yet.
    open: IndexMap<String, Option<Digest>>,
    noise: Noise,
    changes: Vec<Change>,
    agents_time: AgentsTime,
}

impl Comparing {
    fn new(known: Known, noise: Noise) -> Self {
        let open = known.tests.into_iter().map(|(id, test)| (id, Some(test))).collect();
        let agents_time = AgentsTime::default();
        Self { before: known.side, open, noise, changes: Vec::new(), agents_time }
    }

    fn take(&mut self, after: Digest) {
        let Some(before) = self.open.get_mut(&after.id).and_then(Option::take) else {
            self.changes.push(Change::appeared(after));
            return;
        };
        if (before.status, after.status) == (Status::Passed, Status::Passed) {
            self.agents_time.tests += 1;
            self.agents_time.before_us += before.duration_us;
            self.agents_time.after_us += after.duration_us;
        }
        self.changes.extend(Change::between(before, after, self.noise));
    }

    /// The comparison; what did not come is told as removed where the second run was one of everything.
    fn finish(mut self, after: Side, of_everything: bool, also: &[Kind]) -> Comparison {
        let gone = self.open.into_values().flatten();
        let not_run = if of_everything {
            self.changes.extend(gone.map(Change::disappeared));
            0
        } else {
            gone.count()
        };
        let Self { before, changes, agents_time, .. } = self;
        Comparison { before, after, changes, not_run, agents_time, also: also.to_vec() }
    }
}
