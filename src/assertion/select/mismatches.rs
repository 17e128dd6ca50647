//! In which ways a call is not what a rule selects, in words.

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
