//! The split of a plan into shards, each of which runs on a machine of its own.
//!
//! **Invariant:** the shards of one selection have every test of it, each test once. What splits is the id of a test, and the
//! time that tests took; nothing of the machine.

use std::cmp::Reverse;
use std::time::Duration;

use super::plan::Plan;
use crate::loaded::CaseEntry;
use ananke_base::context::digest_number;
use ananke_trace::outcome::{Shard, ShardBy};

/// The number of a shard, from 1, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardNumber {
    index: u32,
    total: u32,
}

impl ShardNumber {
    /// The most shards.
    pub const MOST: u32 = 10_000;

    /// The shard `index` of `total`; `None` if there is no such shard, or there are too many.
    pub fn new(index: u32, total: u32) -> Option<Self> {
        let exists = (1..=total).contains(&index) && total <= Self::MOST;
        exists.then_some(Self { index, total })
    }
}

impl Plan {
    /// Keeps the tests of one shard, in their order. Time splits by what `usual` says of a test, and a test of which it says
    /// nothing takes as long as the median of the others.
    pub fn keep_shard(
        &mut self,
        number: ShardNumber,
        by: ShardBy,
        usual: impl Fn(&CaseEntry) -> Option<Duration>,
    ) -> Shard {
        let ShardNumber { index, total } = number;
        let shards: Vec<u32> = match by {
            ShardBy::Count => {
                let shards = self.cases.iter().map(|case| shard_of(&case.id(), total));
                shards.collect()
            }
            ShardBy::Time => {
                let timed = self.cases.iter().map(|case| TimedTest {
                    order: spread(&case.id()),
                    // A test that is skipped takes no time.
                    usual: match case.test.skip {
                        Some(_) => Some(Duration::ZERO),
                        None => usual(case),
                    },
                });
                shards_by_time(&timed.collect::<Vec<_>>(), total)
            }
        };
        let tests = self.cases.len();
        let is_own = |shard: &u32| *shard == index - 1;
        let places = (0..).zip(&shards).filter(|(_, shard)| is_own(shard));
        let places = places.map(|(place, _)| place).collect();
        let mut shards = shards.iter();
        self.cases.retain(|_| shards.next().is_some_and(is_own));
        Shard {
            index,
            total,
            by,
            tests,
            places,
        }
    }
}

/// The shard of the test `id`, counted from 0. It stays the same whatever other tests there are.
fn shard_of(id: &str, total: u32) -> u32 {
    let scaled = (u128::from(spread(id)) * u128::from(total)) >> u64::BITS;
    // It is less than `total`.
    u32::try_from(scaled).unwrap_or_default()
}

/// A number that depends on every bit of `id`, evenly spread: the finalizer of `SplitMix64` over its hash.
fn spread(id: &str) -> u64 {
    let mut mixed = digest_number(id);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A test to be split by time.
#[derive(Clone, Copy, Debug)]
struct TimedTest {
    /// Its place among tests that take the same time.
    order: u64,
    /// The time that it usually takes, if that is known.
    usual: Option<Duration>,
}

/// The shard of each of `tests`, counted from 0: the longest first, each into the shard that has least to do so far.
fn shards_by_time(tests: &[TimedTest], total: u32) -> Vec<u32> {
    let mut known: Vec<Duration> = tests.iter().filter_map(|test| test.usual).collect();
    known.retain(|usual| !usual.is_zero());
    known.sort_unstable();
    let median = known.get(known.len() / 2).copied().unwrap_or_default();
    let mut order: Vec<(Reverse<Duration>, u64, usize)> = tests
        .iter()
        .enumerate()
        .map(|(at, test)| (Reverse(test.usual.unwrap_or(median)), test.order, at))
        .collect();
    order.sort_unstable();
    // The time of each shard, and its tests: those that take no time are split too.
    let mut busy: Vec<(Duration, usize)> = vec![(Duration::ZERO, 0); total as usize];
    let mut shards = vec![0; tests.len()];
    for (Reverse(takes), _, at) in order {
        let least = (0..total).min_by_key(|shard| busy[*shard as usize]);
        let shard = least.unwrap_or_default();
        let (time, count) = &mut busy[shard as usize];
        *time = time.saturating_add(takes);
        *count += 1;
        shards[at] = shard;
    }
    shards
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn timed(durations: &[Option<u64>]) -> Vec<TimedTest> {
        let timed = durations.iter().enumerate().map(|(at, ms)| TimedTest {
            order: spread(&at.to_string()),
            usual: ms.map(Duration::from_millis),
        });
        timed.collect()
    }

    /// The time of each shard, in milliseconds.
    fn loads(durations: &[u64], total: u32) -> Vec<u64> {
        let known: Vec<_> = durations.iter().copied().map(Some).collect();
        let mut loads = vec![0; total as usize];
        for (shard, ms) in shards_by_time(&timed(&known), total).iter().zip(durations) {
            loads[*shard as usize] += ms;
        }
        loads
    }

    #[test]
    fn the_shard_of_an_id_never_changes() {
        let ids = [
            "a.test.yaml::pays[4]",
            "b.test.yaml::refunds",
            "shop/c.yaml::é",
        ];
        let found = ids.map(|id| [2, 3, 5, 10_000].map(|total| shard_of(id, total)));
        assert_eq!(found, [[1, 2, 4, 9016], [0, 0, 0, 743], [0, 0, 1, 3231]]);
    }

    #[test]
    fn ids_that_differ_in_a_number_are_spread_evenly() {
        for total in [2, 3, 4, 7] {
            let mut counts = vec![0_u32; total as usize];
            for number in 0..7000 {
                counts[shard_of(&format!("a.test.yaml::pays[{number}]"), total) as usize] += 1;
            }
            let mean = 7000 / total;
            let even = mean * 9 / 10..=mean * 11 / 10;
            assert!(
                counts.iter().all(|count| even.contains(count)),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn only_shards_that_exist_have_a_number() {
        for (index, total) in [(0, 3), (4, 3), (0, 0), (1, 0), (1, ShardNumber::MOST + 1)] {
            assert_eq!(ShardNumber::new(index, total), None, "{index}/{total}");
        }
        assert!(ShardNumber::new(3, 3).is_some());
    }

    #[test]
    fn a_test_without_a_known_time_counts_as_the_median() {
        // 90 is as long as all others, and the median of what is known is 30.
        let tests = timed(&[Some(90), Some(30), None, Some(30), Some(0)]);
        let shards = shards_by_time(&tests, 2);
        let with_longest: Vec<bool> = shards[1..4]
            .iter()
            .map(|shard| *shard == shards[0])
            .collect();
        assert_eq!(with_longest, [false; 3]);
    }

    #[test]
    fn tests_of_which_nothing_is_known_are_split_by_their_number() {
        for durations in [[None; 10], [Some(0); 10]] {
            let shards = shards_by_time(&timed(&durations), 3);
            let count = |of| shards.iter().filter(|shard| **shard == of).count();
            let mut counts = [0, 1, 2].map(count);
            counts.sort_unstable();
            assert_eq!(counts, [3, 3, 4]);
        }
    }

    /// Durations as suites have them: most tests are short, and some take up to a hundred times as long.
    #[test]
    fn uneven_durations_are_split_within_30_percent() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            spread(&state.to_string()) % below
        };
        let mut compared = 0;
        for _ in 0..2000 {
            let total = 2 + random(7);
            let durations: Vec<u64> = (0..total * (4 + random(12)))
                .map(|_| 10 + random(100) * (1 + random(10)) * (1 + random(10)))
                .collect();
            let sum: u64 = durations.iter().sum();
            if durations.iter().any(|ms| ms * total > sum) {
                continue;
            }
            compared += 1;
            let total = u32::try_from(total).unwrap();
            let largest = loads(&durations, total).into_iter().max().unwrap();
            assert!(
                largest * 10 * u64::from(total) <= sum * 13,
                "{largest} of {sum} in {total}: {durations:?}"
            );
        }
        assert!(compared > 1000, "{compared}");
    }

    proptest! {
        #[test]
        fn every_test_is_in_one_shard_and_stays_there(
            ids in prop::collection::btree_set("[a-z/]{1,8}::[a-z]{1,8}", 1..60),
            more in prop::collection::btree_set("[a-z/]{1,8}::[a-z]{1,8}", 0..20),
            total in 1..20_u32,
        ) {
            for id in &ids {
                prop_assert!(shard_of(id, total) < total);
            }
            let of = |ids: &BTreeSet<String>, shard| -> BTreeSet<String> {
                ids.iter().filter(|id| shard_of(id, total) == shard).cloned().collect()
            };
            let all: BTreeSet<String> = ids.union(&more).cloned().collect();
            for shard in 0..total {
                prop_assert!(of(&ids, shard).is_subset(&of(&all, shard)));
            }
        }

        /// No shard has more than an even part and the last test that came to it: within 30 % if no test takes longer than that.
        #[test]
        fn no_shard_takes_longer_than_the_mean_and_one_test(
            durations in prop::collection::vec(0..100_000_u64, 1..200),
            total in 1..20_u32,
        ) {
            let loads = loads(&durations, total);
            let sum: u64 = durations.iter().sum();
            prop_assert_eq!(loads.iter().sum::<u64>(), sum);
            let largest = *loads.iter().max().unwrap() * u64::from(total);
            let longest = *durations.iter().max().unwrap();
            prop_assert!(largest <= sum + longest * u64::from(total - 1));
        }

        #[test]
        fn the_split_by_time_depends_on_the_durations_alone(
            durations in prop::collection::vec(prop::option::of(0..1000_u64), 1..60),
            total in 1..9_u32,
            first in 0..60_usize,
        ) {
            let tests = timed(&durations);
            let shards = shards_by_time(&tests, total);
            prop_assert!(shards.iter().all(|shard| *shard < total));
            // The order in which tests are found changes nothing.
            let first = first % tests.len();
            let turned = [&tests[first..], &tests[..first]].concat();
            let expected = [&shards[first..], &shards[..first]].concat();
            prop_assert_eq!(shards_by_time(&turned, total), expected);
        }
    }
}
