//! Delta debugging: `ddmin` of Zeller and Hildebrandt, as steps that a caller takes.
//!
//! Flows in: a list that is known to be good enough, and an answer for each candidate. Flows out: candidates, each shorter
//! than the list so far. The same answers give the same candidates, and no candidate is given twice.

use std::collections::HashSet;

/// A list that becomes shorter with every candidate that is kept.
///
/// ```
/// use ananke_base::reduction::Reduction;
///
/// let mut reduction = Reduction::of((1..=8).collect());
/// while let Some(candidate) = reduction.next_candidate() {
///     if candidate.contains(&3) && candidate.contains(&6) {
///         reduction.keep();
///     }
/// }
/// assert_eq!(reduction.items(), [3, 6]);
/// ```
#[derive(Clone, Debug)]
pub struct Reduction<T> {
    items: Vec<T>,
    /// The positions of what is left.
    left: Vec<usize>,
    /// In how many parts it is split.
    parts: usize,
    /// The number of candidates of this split that were given.
    given: usize,
    /// The candidate that was given last.
    candidate: Vec<usize>,
    /// Every candidate so far.
    tried: HashSet<Vec<usize>>,
}

impl<T: Clone> Reduction<T> {
    /// The reduction of a list that is good enough as a whole.
    pub fn of(items: Vec<T>) -> Self {
        let left = (0..items.len()).collect();
        Self {
            items,
            left,
            parts: 1,
            given: 0,
            candidate: Vec::new(),
            tried: HashSet::new(),
        }
    }

    /// The next candidate; `None` if no single item can be omitted. A candidate that is not kept is not good enough.
    pub fn next_candidate(&mut self) -> Option<Vec<T>> {
        while let Some(candidate) = self.next_positions() {
            if self.tried.insert(candidate.clone()) {
                self.candidate = candidate;
                return Some(self.of_positions(&self.candidate));
            }
        }
        None
    }

    /// Keeps the last candidate: it is good enough.
    pub fn keep(&mut self) {
        let is_one_part = self.given <= self.parts;
        self.parts = if is_one_part {
            2
        } else {
            (self.parts - 1).max(2)
        };
        self.left = std::mem::take(&mut self.candidate);
        self.given = 0;
    }

    /// The shortest list so far that is good enough.
    pub fn items(&self) -> Vec<T> {
        self.of_positions(&self.left)
    }

    fn of_positions(&self, positions: &[usize]) -> Vec<T> {
        positions
            .iter()
            .filter_map(|position| self.items.get(*position))
            .cloned()
            .collect()
    }

    /// The next candidate of this split, or of a finer one: nothing at all, then each part alone, then all but each part.
    fn next_positions(&mut self) -> Option<Vec<usize>> {
        let length = self.left.len();
        if length == 0 {
            return None;
        }
        loop {
            let parts = self.parts.min(length);
            let last = if parts == 1 { 1 } else { 2 * parts };
            if self.given >= last {
                if parts == length {
                    return None;
                }
                self.parts = (2 * parts).min(length);
                self.given = 0;
                continue;
            }
            let number = self.given;
            self.given += 1;
            if parts == 1 {
                return Some(Vec::new());
            }
            let part = number % parts;
            let (from, to) = (length * part / parts, length * (part + 1) / parts);
            return Some(if number < parts {
                self.left[from..to].to_vec()
            } else {
                [&self.left[..from], &self.left[to..]].concat()
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rest of `0..length` after the reduction, and the number of candidates that were tried.
    fn reduced(length: usize, mut is_enough: impl FnMut(&[usize]) -> bool) -> (Vec<usize>, usize) {
        let mut reduction = Reduction::of((0..length).collect());
        let mut tried = 0;
        while let Some(candidate) = reduction.next_candidate() {
            tried += 1;
            assert!(
                candidate.len() < reduction.items().len(),
                "every candidate is shorter"
            );
            if is_enough(&candidate) {
                reduction.keep();
            }
        }
        (reduction.items(), tried)
    }

    #[test]
    fn what_is_needed_is_left() {
        assert_eq!(reduced(0, |_| true), (vec![], 0));
        assert_eq!(reduced(100, |_| true), (vec![], 1), "nothing is needed");
        assert_eq!(reduced(1, |candidate| !candidate.is_empty()).0, [0]);
        assert_eq!(reduced(5, |_| false).0, [0, 1, 2, 3, 4]);
        let (left, tried) = reduced(1000, |candidate| {
            candidate.contains(&17) && candidate.contains(&900)
        });
        assert_eq!(left, [17, 900]);
        assert!(tried < 150, "{tried} candidates");
    }

    proptest! {
        #[test]
        fn nothing_more_can_be_left_out(
            length in 1_usize..40,
            needed in prop::collection::btree_set(0_usize..40, 0..6),
            either in prop::collection::vec(0_usize..40, 0..3),
        ) {
            let is_enough = |candidate: &[usize]| {
                needed.iter().filter(|item| **item < length).all(|item| candidate.contains(item))
                    && (either.iter().all(|item| *item >= length)
                        || either.iter().any(|item| candidate.contains(item)))
            };
            let (left, _) = reduced(length, is_enough);
            prop_assert!(is_enough(&left));
            for position in 0..left.len() {
                let mut fewer = left.clone();
                fewer.remove(position);
                prop_assert!(!is_enough(&fewer), "{left:?} without {position}");
            }
        }

        #[test]
        fn no_candidate_is_given_twice(length in 0_usize..30, seed in any::<u64>()) {
            let mut reduction = Reduction::of((0..length).collect::<Vec<_>>());
            let mut seen = HashSet::new();
            while let Some(candidate) = reduction.next_candidate() {
                prop_assert!(seen.insert(candidate.clone()));
                let hash = candidate.iter().fold(seed, |hash, item| hash.rotate_left(7) ^ (*item as u64 + 1));
                if hash.count_ones() % 3 == 0 {
                    reduction.keep();
                }
            }
        }
    }
}
