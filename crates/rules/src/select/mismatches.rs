//! In which ways a call is not what a rule selects: at which place of its arguments or result, or in words.

use crate::evaluation::CallFocus;
use ananke_trace::outcome::JsonFocus;

/// The most mismatches of one call that are shown.
const MOST_SHOWN: usize = 10;

/// The ways in which a call does not match, in the order of the rule's conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mismatches {
    shown: CallFocus,
    count: usize,
    weight: usize,
}

/// The value of a call that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// Its arguments.
    Arguments,
    /// Its result.
    Result,
}

impl Mismatches {
    /// Adds one that is about the call as a whole.
    pub(crate) fn add(&mut self, words: String) {
        if self.counted(1) {
            self.shown.words.push(words);
        }
    }

    /// Adds one at `place` of `whole`, which counts as `weight` values that differ.
    pub(super) fn add_at(&mut self, whole: Whole, place: JsonFocus, weight: usize) {
        if self.counted(weight) {
            match whole {
                Whole::Arguments => self.shown.args.push(place),
                Whole::Result => self.shown.result.push(place),
            }
        }
    }

    /// Counts one; whether there is room to show it.
    fn counted(&mut self, weight: usize) -> bool {
        self.weight += weight;
        self.count += 1;
        self.count <= MOST_SHOWN
    }

    /// The number of mismatches.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The number of values that differ: the distance of the call.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// The parts of a call with these mismatches that are shown.
    pub(crate) fn focus(&self) -> CallFocus {
        let mut focus = self.shown.clone();
        if self.count > MOST_SHOWN {
            focus
                .words
                .push(format!("and {} more", self.count - MOST_SHOWN));
        }
        focus
    }

    /// Each mismatch: its path in arguments or result and what is expected there, or its words.
    #[cfg(test)]
    pub(super) fn lines(&self) -> Vec<String> {
        let CallFocus {
            args,
            result,
            words,
        } = self.focus();
        let line = |whole: &str, place: JsonFocus| {
            let path = place.path.join(".");
            match place.expected {
                Some(expected) => format!("{whole}{path} ≠ {expected}"),
                None => format!("{whole}{path}"),
            }
        };
        let args = args.into_iter().map(|place| line("", place));
        args.chain(result.into_iter().map(|place| line("result ", place)))
            .chain(words)
            .collect()
    }
}
