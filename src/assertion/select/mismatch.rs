//! In which ways a call is not what a rule selects, in words.

use super::json_subset::{Difference, Differences};

/// How many ways are told of one call.
const TOLD: usize = 10;

/// The ways in which a call does not fit, in the order of the rule's conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Misfits {
    told: Vec<String>,
    count: usize,
    weight: usize,
}

impl Misfits {
    /// Adds a way in which it does not fit.
    pub(crate) fn add(&mut self, words: String) {
        self.add_weighing(words, 1);
    }

    /// Adds a way that stands for as many values that are not as they must be.
    pub(crate) fn add_weighing(&mut self, words: String, weight: usize) {
        self.weight += weight;
        self.count += 1;
        if self.told.len() < TOLD {
            self.told.push(words);
        }
    }

    /// Adds what differs in its arguments.
    pub(crate) fn add_of_args(&mut self, differences: Differences) {
        self.add_all(
            differences,
            "the arguments are",
            |path| format!("argument `{path}`"),
            |path| format!("there is no argument `{path}`"),
        );
    }

    /// Adds what differs in its result.
    pub(crate) fn add_of_result(&mut self, differences: Differences) {
        self.add_all(
            differences,
            "the result is",
            |path| format!("`{path}` in the result"),
            |path| format!("the result has no `{path}`"),
        );
    }

    fn add_all(
        &mut self,
        differences: Differences,
        whole: &str,
        part: impl Fn(&str) -> String,
        missing: impl Fn(&str) -> String,
    ) {
        let Differences { told, count, weight } = differences;
        let untold = count - told.len();
        self.weight += weight;
        for Difference { path, expected, found } in told {
            let expected = expected.unwrap_or_else(|| "nothing there".to_owned());
            let words = match found {
                Some(found) if path.is_empty() => format!("{whole} `{found}`, expected {expected}"),
                Some(found) => format!("{} is `{found}`, expected {expected}", part(&path)),
                None => format!("{}, expected {expected}", missing(&path)),
            };
            self.add_weighing(words, 0);
        }
        self.count += untold;
    }

    /// How many ways there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How far off the call is: how many values are not as they must be.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// The first way.
    pub(crate) fn first(&self) -> Option<&str> {
        self.told.first().map(String::as_str)
    }

    /// A line each, and one that counts those that are left out.
    pub(crate) fn lines(&self) -> Vec<String> {
        let untold = self.count - self.told.len();
        let mut lines = self.told.clone();
        if untold > 0 {
            lines.push(format!("and {untold} more"));
        }
        lines
    }
}
