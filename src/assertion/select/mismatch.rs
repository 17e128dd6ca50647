//! In which ways a call is not what a rule selects, in words.

use super::json_subset::{JsonDifference, JsonDifferences};

/// How many mismatches of one call are shown.
const MOST_SHOWN: usize = 10;

/// The ways in which a call does not match, in the order of the rule's conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mismatches {
    shown: Vec<String>,
    count: usize,
    weight: usize,
}

impl Mismatches {
    /// Adds one.
    pub(crate) fn add(&mut self, words: String) {
        self.add_weighing(words, 1);
    }

    /// Adds one that counts as `weight` values that differ.
    pub(crate) fn add_weighing(&mut self, words: String, weight: usize) {
        self.weight += weight;
        self.count += 1;
        if self.shown.len() < MOST_SHOWN {
            self.shown.push(words);
        }
    }

    /// Adds what differs in its arguments.
    pub(super) fn add_of_args(&mut self, differences: JsonDifferences) {
        self.add_all(
            differences,
            "the arguments are",
            |path| format!("argument `{path}`"),
            |path| format!("there is no argument `{path}`"),
        );
    }

    /// Adds what differs in its result.
    pub(super) fn add_of_result(&mut self, differences: JsonDifferences) {
        self.add_all(
            differences,
            "the result is",
            |path| format!("`{path}` in the result"),
            |path| format!("the result has no `{path}`"),
        );
    }

    fn add_all(
        &mut self,
        differences: JsonDifferences,
        whole: &str,
        part: impl Fn(&str) -> String,
        missing: impl Fn(&str) -> String,
    ) {
        let JsonDifferences { shown, count, weight } = differences;
        let hidden = count - shown.len();
        self.weight += weight;
        for JsonDifference { path, expected, found } in shown {
            let expected = expected.unwrap_or_else(|| "nothing there".to_owned());
            let words = match found {
                Some(found) if path.is_empty() => format!("{whole} `{found}`, expected {expected}"),
                Some(found) => format!("{} is `{found}`, expected {expected}", part(&path)),
                None => format!("{}, expected {expected}", missing(&path)),
            };
            self.add_weighing(words, 0);
        }
        self.count += hidden;
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How many values differ: the distance of the call.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// The first one.
    pub(crate) fn first(&self) -> Option<&str> {
        self.shown.first().map(String::as_str)
    }

    /// One line each, and one that counts those that are not shown.
    pub(crate) fn lines(&self) -> Vec<String> {
        let hidden = self.count - self.shown.len();
        let mut lines = self.shown.clone();
        if hidden > 0 {
            lines.push(format!("and {hidden} more"));
        }
        lines
    }
}
