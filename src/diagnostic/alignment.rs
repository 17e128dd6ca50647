//! Which lines of two texts are the same ones: two lists of lines in, pairs of places out, ascending on both sides.
//!
//! Lines that stand once on each side hold the texts together, since a person takes them for the same line too; between
//! them the longest common run is looked for, in gaps small enough. So the cost grows with the texts and never with their
//! product, whatever they hold.

use std::collections::HashMap;
use std::ops::Range;

/// The largest gap that is compared line by line: the lines of the one side times those of the other.
const LARGEST_GAP: usize = 1 << 18;

/// How often lines that stand once are looked for again between those found before.
const ROUNDS: usize = 6;

/// The pairs of places at which `old` and `new` hold the same line.
pub(super) fn align<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(usize, usize)> {
    let mut numbers = HashMap::new();
    let mut number = |lines: &[&'t str]| -> Vec<usize> {
        lines
            .iter()
            .map(|line| {
                let next = numbers.len();
                *numbers.entry(*line).or_insert(next)
            })
            .collect()
    };
    let (old, new) = (number(old), number(new));
    let mut aligning = Aligning { old: &old, new: &new, pairs: Vec::new() };
    aligning.between(0..old.len(), 0..new.len(), ROUNDS);
    aligning.pairs
}

struct Aligning<'l> {
    old: &'l [usize],
    new: &'l [usize],
    pairs: Vec<(usize, usize)>,
}

impl Aligning<'_> {
    fn between(&mut self, mut old: Range<usize>, mut new: Range<usize>, rounds: usize) {
        while !old.is_empty() && !new.is_empty() && self.old[old.start] == self.new[new.start] {
            self.pairs.push((old.start, new.start));
            old.start += 1;
            new.start += 1;
        }
        let mut ends = Vec::new();
        while !old.is_empty() && !new.is_empty() && self.old[old.end - 1] == self.new[new.end - 1] {
            old.end -= 1;
            new.end -= 1;
            ends.push((old.end, new.end));
        }
        let anchors = if rounds == 0 { Vec::new() } else { self.anchors(&old, &new) };
        if anchors.is_empty() {
            self.longest_common(&old, &new);
        } else {
            let (mut from_old, mut from_new) = (old.start, new.start);
            for (at_old, at_new) in anchors {
                self.between(from_old..at_old, from_new..at_new, rounds - 1);
                self.pairs.push((at_old, at_new));
                (from_old, from_new) = (at_old + 1, at_new + 1);
            }
            self.between(from_old..old.end, from_new..new.end, rounds - 1);
        }
        self.pairs.extend(ends.into_iter().rev());
    }

    /// The lines that stand once on each side, as many of them as keep their order.
    fn anchors(&self, old: &Range<usize>, new: &Range<usize>) -> Vec<(usize, usize)> {
        let mut seen: HashMap<usize, (Once, Once)> = HashMap::new();
        for at in old.clone() {
            seen.entry(self.old[at]).or_default().0.note(at);
        }
        for at in new.clone() {
            seen.entry(self.new[at]).or_default().1.note(at);
        }
        let unique = old.clone().filter_map(|at| match seen.get(&self.old[at]) {
            Some((Once::At(_), Once::At(other))) => Some((at, *other)),
            _ => None,
        });
        ascending(&unique.collect::<Vec<_>>())
    }

    /// The longest common run of what is left, where finding it is cheap enough.
    fn longest_common(&mut self, old: &Range<usize>, new: &Range<usize>) {
        let (rows, columns) = (old.len(), new.len());
        if rows.saturating_mul(columns) > LARGEST_GAP {
            return;
        }
        // How many lines the rest from each row and column has in common.
        let width = columns + 1;
        let mut common = vec![0_u32; (rows + 1) * width];
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                common[row * width + column] = if self.old[old.start + row] == self.new[new.start + column] {
                    common[(row + 1) * width + column + 1] + 1
                } else {
                    common[(row + 1) * width + column].max(common[row * width + column + 1])
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            let (at_old, at_new) = (old.start + row, new.start + column);
            if self.old[at_old] == self.new[at_new] {
                self.pairs.push((at_old, at_new));
                row += 1;
                column += 1;
            } else if common[(row + 1) * width + column] >= common[row * width + column + 1] {
                row += 1;
            } else {
                column += 1;
            }
        }
    }
}

/// Where a line stands on one side.
#[derive(Clone, Copy, Default)]
enum Once {
    #[default]
    Never,
    At(usize),
    Often,
}

impl Once {
    fn note(&mut self, at: usize) {
        *self = match self {
            Self::Never => Self::At(at),
            Self::At(_) | Self::Often => Self::Often,
        };
    }
}

/// The longest part of `pairs`, which ascend on the left, that ascends on the right as well.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair that ends a run of that length with the smallest right side.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, right)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *right);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut run: Vec<(usize, usize)> = std::iter::successors(ends.last().copied(), |index| before[*index])
        .map(|index| pairs[index])
        .collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    #[test]
    fn pairs_are_the_same_lines_and_ascend() {
        for (old, new, common) in [
            ("", "", 0),
            ("a", "", 0),
            ("a b c", "a b c", 3),
            ("a b c", "a x c", 2),
            ("a b c d", "b c d a", 3),
            ("x x y x x", "x y x", 3),
            ("{ } { } { }", "{ } { } { } { }", 6),
            ("1 2 3 4 5 6", "4 5 6 1 2 3", 3),
        ] {
            let (old, new) = (lines(old), lines(new));
            let pairs = align(&old, &new);
            assert_eq!(pairs.len(), common, "{old:?} {new:?}");
            assert!(pairs.iter().all(|(left, right)| old[*left] == new[*right]));
            assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        }
    }

    #[test]
    fn many_lines_that_repeat_are_not_compared_with_each_other() {
        let old: Vec<&str> = (0..200_000).map(|at| ["a", "b", "c"][at % 3]).collect();
        let new: Vec<&str> = (0..200_000).map(|at| ["b", "d", "a"][at % 3]).collect();
        assert!(align(&old, &new).len() < 200_000);
    }
}
